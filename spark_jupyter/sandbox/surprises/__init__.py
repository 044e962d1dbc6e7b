"""Surprises: effects on data that a person wants to know first.

``Moment(namespace)`` (``cell_change``) is taken, the cell runs, and ``look(Change(moment, namespace, …))`` (``detection``) applies the
rules in the copy, within its share of time. A sighting holds a rule's id, names and numbers, no more. The kernel makes the sentence from
it (``surprise_sentences``), so code in the copy can't put words into our mouth. ``table_samples`` gives pandas, polars and numpy one
interface, ``table_flow`` reads in the source which table was made of which, ``figure_capture`` keeps the figures.
"""
