"""Where a person is: magics, terminal, widget, notebook output.

``pair.py`` is all that one IPython has. ``magics.py`` hears ``%spark`` by its verbs (``verbs.py``): what begins a turn is in
``asking.py``, what decides on a proposal in ``deciding.py``. ``terminal.py`` shows a turn there, ``turn_output.py`` as its cell's output,
``widget.py`` in the panel that is made of widgets.
"""
