"""What fronts say, and what is said to them. Pure.

``words.py`` and ``status.py`` say it, ``render.py`` as HTML; ``options.py`` reads the lines of magics.
"""
