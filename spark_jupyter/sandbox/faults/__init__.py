"""Faults that a copy found, and the findings made of them."""
