"""Snapshots, descriptions and comparison of Python values."""
