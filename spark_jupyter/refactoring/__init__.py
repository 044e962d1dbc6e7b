"""Refactorings of a whole notebook, by scopes and syntax tree.

Cells in, edits of cells out.

``cell_tree.py`` reads one cell, ``scopes.py`` says which name is which, ``column_references.py`` which strings are
columns of a table; each other file is an operation: a function of the notebook's cells that gives a
:class:`~spark_jupyter.refactoring.changes.Changes`.

A new operation is a file here with such a function; a wish and its pattern in ``intent.py``, which hears what asks for one; its line in
``refactoring_answer.py``, which makes it a turn's answer. ``follow_up_edits.py`` says what should follow an edit by hand.
"""
