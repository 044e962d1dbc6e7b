"""Profile of a university's own gateway."""

PROFILE = """
[example]
title = "The example's gateway"
base_url = "https://llm.example.org/v1"
dialect = "example-chat"
key_env = "EXAMPLE_API_KEY"
model = "example-1"
"""
