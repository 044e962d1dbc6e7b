"""Providers: the dialects that models are served in, and the profiles of the places that serve them. Pure."""
