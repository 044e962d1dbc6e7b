"""Record and replay of answers by the embedded server."""
