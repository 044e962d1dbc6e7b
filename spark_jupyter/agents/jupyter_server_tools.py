"""Agents' tools under names of their own, for jupyter-server-mcp.

That has the tools of several packages in one list, and of two with the same name only one can be called: jupyter-ai has a
``read_notebook``, too. So each is here with a prefix (:data:`spark_jupyter.agents.agent_tools.ENTRY_POINT` lists them).
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from spark_jupyter.agents.agent_tools import PREFIX, TOOLS
from spark_jupyter.agents.run_tool import run


def _renamed(tool: Any) -> FunctionType:
    """The same function with the prefix. No wrapper: its types are read in the module where it is written."""
    name = f"{PREFIX}{tool.__name__}"
    copy = FunctionType(tool.__code__, tool.__globals__, name, tool.__defaults__, tool.__closure__)
    copy.__annotations__, copy.__doc__ = tool.__annotations__, tool.__doc__
    return copy


globals().update({copy.__name__: copy for copy in map(_renamed, (*TOOLS, run))})
