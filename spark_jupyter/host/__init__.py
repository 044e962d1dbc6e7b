"""The engine and all that joins the session to the world.

``engine.py`` owns the thread (``loop.py``). In: ``comm.py`` (who is still there: ``presence.py``) → ``intake.py`` → ``giving.py``, which
reads the kernel. Out: ``acting.py`` does what the session asks for, ``requests.py`` asks models, ``checks.py`` and ``copies.py`` judge
and try, ``broadcast.py`` numbers events. ``link.py`` is the provider that was chosen, ``follow.py`` how a turn is followed,
``completions.py`` who asks for ghost text and reads the kernel for it.
"""
