"""Changes of a whole notebook by scopes and syntax tree: cells in, edits of cells out. Pure.

``page.py`` reads one cell, ``scopes.py`` says which name is which, ``columns.py`` which strings are columns of a table; each other file is
an operation: a function of the notebook's cells that gives a :class:`~spark_jupyter.suggest.refactoring.changes.Changes`.
"""
