"""What is said to the model and what it says: prompts out, cells in. Pure, but for ``context`` and ``details``, which read the kernel.

``dialogue.py`` tells it, in the words of ``prompts.py``, of what ``context.py`` finds, without the secrets that ``redaction.py`` takes out.
``stream.py`` makes notes and cells of what it writes.
"""
