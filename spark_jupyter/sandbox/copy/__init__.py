"""Code that runs inside the forked copy of the kernel."""
