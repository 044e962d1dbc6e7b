"""Recorded notebooks with a strong model's answers, played against the product."""
