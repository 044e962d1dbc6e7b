"""Choice of the provider that gets a request.

``link.py`` connects to a provider and keeps the link, ``routing.py`` gives turns and deep work each its own, ``image_gate.py`` decides
about the images of a request.
"""
