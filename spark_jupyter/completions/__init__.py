"""Ghost text: suggestions at the cursor.

:mod:`.situation` is what is known at a key, :mod:`.completion_request` puts it to a model, and what that answers goes
through :mod:`.completion`: :mod:`.stitching` fits it to the text around the cursor. ``offline/`` needs no model,
``refactoring/`` changes the whole notebook. Who asks, and reads the kernel for it: ``engine/completer.py``.
"""
