"""The magics ``%spark`` and ``%%spark``: a table of verbs, each a function.

A verb is a function ``def accept(pair, line)`` with the decorator ``@verb`` (``verb_table.py``): its help, what it takes and what it does
stand in one place. ``spark_magics.py`` has the settings and hands each line to its verb.
"""
