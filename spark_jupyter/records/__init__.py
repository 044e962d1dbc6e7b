"""Records beside Jupyter's data: conversations and spending.

``conversation_store.py`` reads and writes the files, ``conversation_keeper.py`` decides what is kept and opened, ``spending_log.py``
counts and limits what is spent. ``records.py`` is both as the engine sees them.
"""
