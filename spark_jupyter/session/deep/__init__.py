"""Deep work: plans, writes, runs and repairs in the background.

``phases.py`` is the transition table, ``deep_work.py`` one work, ``steps.py`` its steps, ``plan.py`` the parser of plans,
``draft_notebook.py`` the notebook with what the work has written, ``manager.py`` the works of a session, ``escalation.py`` the
reasons to offer a fast answer to the deep model.
"""
