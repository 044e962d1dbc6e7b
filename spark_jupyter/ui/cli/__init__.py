"""The command ``spark-jupyter`` and its work on notebook files.

``main.py`` reads the command line; each longer command has a file of its own.
"""
