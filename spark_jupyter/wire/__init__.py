"""What both languages share: messages, changes of a notebook, the reducer of a turn. Pure."""
