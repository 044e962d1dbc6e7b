"""MCP server through which other people's agents work in a live notebook.

``jupyter_servers.py`` finds the notebooks, ``kernel_channel.py`` and ``agent_client.py`` speak to a kernel's session with the Commands and
Events of every client, ``notebook_writer.py`` writes where no browser is open, ``agent_tools.py`` has the tools, ``tool_text.py`` their
words, ``mcp_server.py`` serves them.
"""
