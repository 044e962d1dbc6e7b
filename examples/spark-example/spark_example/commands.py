"""Commands: a verb of the magics, and a slash command of prompts."""

from typing import TYPE_CHECKING

from spark_jupyter.plugins import SlashCommand
from spark_jupyter.ui.magics.verb_table import verb

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine

HOUSE_STYLE = SlashCommand(
    description="write it in the style of this house",
    instructions="Name tables after what a row is. Label every axis with its unit. Use polars, not pandas.",
)


@verb("say which model answers here")
def greet(pair: "Pair", line: "MagicLine") -> None:
    """``%spark greet NAME``."""
    model = pair.engine.read(lambda session: session.model)
    print(f"Hello {line.text or 'there'}, {model} answers.")
