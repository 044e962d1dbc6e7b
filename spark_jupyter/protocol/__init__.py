"""Messages, notebook model and reducers shared by Python and TypeScript.

``messages.py`` has the unions of Commands and Events, the other ``*_messages.py`` the messages of one topic, ``values.py`` what they are
made of, ``constants.py`` limits and names: the TypeScript is generated from them. ``turn_view.py`` reduces events to a state; its twin in
the browser is ``reducer.ts``, and both pass the fixtures in ``tests/fixtures``. ``notebook.py`` reads notebooks,
``notebook_changes.py`` changes their cells.
"""
