"""Spoken prompts, recognised on this machine with the notebook's own names.

The page sends sound to the Jupyter server (``voice_socket.py``), which hands it to a process of its own
(``recogniser_process.py``); text comes back. No sound is kept. The recogniser is pocketsphinx, with a language model of what
people ask about their data (``phrases.py``, ``language_model.py``). It comes with the extra ``voice``.
"""
