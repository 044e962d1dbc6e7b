"""Surprises: what a cell did to the data that a person wants to know first. A rule a file, in ``rules/``.

``moment = Moment(namespace)`` (``change``), the cell runs, ``look(Change(moment, namespace, …))`` (``looking``): in the copy, within its
share of time. A sighting names a rule, names and numbers, no more; the sentence is made of it in the kernel (``telling``), so whatever
ran in the copy can't put words into our mouth. ``tables`` makes one thing of pandas, polars and numpy, ``flow`` reads in the source which
table became which, ``gallery`` keeps the figures.
"""
