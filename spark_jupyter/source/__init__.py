"""Reader of Python text, finished or not.

:mod:`.strings` follows strings, comments and brackets through a line, :mod:`.ipython_lines` knows IPython's own lines,
:mod:`.lexer` puts logical lines together, :mod:`.statements` top-level statements, :mod:`.cutting` takes one out.
"""
