"""Text for users, and the grammar of magic lines.

``words.py``, ``deep_text.py``, ``meter_text.py``, ``review_text.py`` and ``status_text.py`` have the sentences, ``html_rendering.py``
their HTML; ``magic_line.py`` parses the lines of magics. No I/O.
"""
