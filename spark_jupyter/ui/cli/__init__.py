"""The command ``spark-jupyter`` and notebook files: ``main.py``, and a file for each of its longer commands."""
