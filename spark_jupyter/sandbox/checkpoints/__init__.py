"""Paused copies of the kernel, and undo from them."""
