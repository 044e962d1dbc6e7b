"""State machine of one kernel's turns, jobs and proposals.

``session.py`` takes commands and results and finds the turn that they concern; ``live_turn.py`` is that turn. A turn has a
``generation.py`` (one answer, by the table in ``transitions.py``) or a ``race.py`` (several answers). ``jobs.py`` sends the requests,
``answer_writer.py`` decodes the text into drafts, ``proposal_store.py`` keeps the proposals. ``deep/`` is long work in the background.
"""
