"""What both languages share. Pure.

``messages.py`` (Commands and Events), ``values.py`` and ``constants.py``: the TypeScript is generated of them. ``turnview.py`` is the
events as a state, ``model.ts`` its twin; the fixtures that both pass are in ``tests/fixtures``. ``notebook.py`` applies changes of cells.
"""
