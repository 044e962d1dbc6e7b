"""Providers: the dialects that models are served in, and the places that serve them. Pure.

``base.py`` is what a dialect is; each has a file, registered in ``dialects.py``. The places are in ``profiles.toml``.
"""
