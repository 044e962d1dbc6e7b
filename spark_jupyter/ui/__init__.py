"""User interfaces: magics, terminal, widget, notebook output, command line.

``ipython_extension.py`` loads them into a shell, ``pair.py`` connects the parts of one session. The verbs of ``%spark`` are in
``magics/``. ``terminal.py`` shows a turn in a terminal, ``turn_output.py`` as the output of its cell, ``widget.py`` in a panel of widgets.
"""
