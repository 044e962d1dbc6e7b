"""``spark-jupyter bench``: the user's own providers, ``measuring.py`` one of them, ``comparing.py`` several, at ``tasks.py``."""
