"""Exception raised in the user's code when its time is up."""

from __future__ import annotations


class TimeUp(BaseException):
    """The time is up; raised where the code stands."""
