"""Other people's agents: their tools over MCP, and their answers over ACP.

``jupyter_servers.py`` finds the notebooks, ``kernel_channel.py`` and ``agent_client.py`` speak to a kernel's session with the Commands and
Events of every client, ``notebook_writer.py`` writes where no browser is open, ``agent_tools.py`` has the tools, ``tool_text.py`` their
words, ``mcp_server.py`` serves them. ``acp_connection.py`` asks an agent in a provider's place.
"""
