"""Proofs that an edit keeps the result: run twice, compared by value."""
