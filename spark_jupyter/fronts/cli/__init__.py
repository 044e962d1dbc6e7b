"""The command ``spark-jupyter`` and notebook files."""
