"""Plug-ins of each kind for Spark for Jupyter."""
