"""The one reader of Python text, finished or not. Pure."""
