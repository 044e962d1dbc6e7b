"""Engine: commands in, actions out, events to the clients.

``engine.py`` puts it together on a thread (``loop_thread.py``). In: ``comm.py`` from a browser, ``completion_socket.py`` beside it, then
``command_dispatcher.py``, which reads the kernel by ``kernel_access.py``. Out: ``action_runner.py`` sends requests over the link that
``routing/routing.py`` names, and has proposals inspected and tried (``check_runners.py``); ``broadcast.py`` sends events to the clients.
``background_work.py`` is all that belongs to no turn. ``follow.py`` is how a client waits for a turn.
"""
