"""Lazy and distributed frames: their kinds in `frame_kinds.py`, their methods in `frame_methods.py`."""
