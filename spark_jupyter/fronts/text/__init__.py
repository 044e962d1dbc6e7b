"""What fronts say, and what is said to them: words, HTML and the lines of magics. Pure."""
