"""Reviews of whole cells and notebooks, without a model.

``linters.py`` runs ruff, bandit and detect-secrets on a cell; ``notebook_review.py`` collects the remarks on a
notebook and runs a copy of it from the top; ``course_report.py`` says what of a class's notebooks was written, suggested and accepted.
"""
