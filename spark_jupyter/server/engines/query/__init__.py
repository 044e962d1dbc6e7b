"""Rules over a marked prompt that take out what they understand, and the code that comes of it. Pure.

``tables.py`` chooses the table, ``marked.py`` marks names and values, ``read.py`` (with the files for each kind of rule) takes out what is
understood, ``write.py`` makes the code. ``sentences.py`` beside this folder puts it together.
"""
