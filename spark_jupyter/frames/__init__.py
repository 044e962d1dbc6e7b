"""Lazy and distributed frames: their kinds in `frame_kinds.py`."""
