"""The engine and all that joins the session to the world.

``engine.py`` owns the thread (``loop.py``). In: ``comm.py`` (who is still there: ``presence.py``) → ``intake.py`` → ``giving.py``, which
reads the kernel. Out: ``acting.py`` does what the session asks for, ``requests.py`` asks models, ``checks.py`` and ``copies.py`` judge
and try, ``broadcast.py`` numbers events. ``answerers.py`` is who answers (``link.py``: the provider that was chosen), ``beside.py`` what
goes on beside turns (``completions.py``: who asks for ghost text), ``kernel.py`` what is read of the user's kernel; ``follow.py`` follows
a turn.
"""
