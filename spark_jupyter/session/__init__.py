"""The session: what can happen to a turn, a job, a proposal. Pure.

``session.py`` is what happens, ``turns.py`` what it means for a turn. A prompt: ``asked.py`` → ``jobs.py``, every request to a model →
``answering.py``, by the table of ``transitions.py``, or ``race.py``, several → ``writing.py`` makes drafts of it → ``store.py``, what
becomes of proposals. ``deep/`` is long work in the background.
"""
