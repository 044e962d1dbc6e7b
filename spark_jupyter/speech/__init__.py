"""What is said to the model and what it says: prompts out, cells in. Pure, but for ``context``, which reads the kernel."""
