"""Requests to the model, and the decoding of its answers.

``dialogue.py`` puts a request together from what ``kernel_context.py`` reads of the kernel, takes the credentials out and lays it out with
``request_text.py``. ``answer_decoder.py`` makes notes and cells of the answer. Pure, but for
``kernel_context.py`` and ``value_details.py``, which read values of the kernel.
"""
