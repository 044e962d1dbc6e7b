"""Reviews of whole cells and notebooks, without a model.

``linters.py`` asks ruff, bandit and detect-secrets for a second opinion on a cell; ``notebook_review.py`` collects the remarks on a
notebook and runs a copy of it from the top.
"""
