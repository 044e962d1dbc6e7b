"""The engine and all that joins the session to the world."""
