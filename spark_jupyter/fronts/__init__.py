"""Where a person is: magics, terminal, widget, notebook output."""
