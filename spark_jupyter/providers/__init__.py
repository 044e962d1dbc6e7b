"""Dialects of model servers, and profiles of providers.

``base.py`` is what a dialect is; each has a file, registered in ``dialects.py``. The places are in ``profiles.toml``.
"""
