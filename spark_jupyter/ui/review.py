"""``%spark review``: a review of what ran in this shell, as lines. It blocks; Ctrl-C stops what runs, and what is known is shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spark_jupyter.protocol.review_messages import Reviewed
from spark_jupyter.ui.text.review_text import review_lines

if TYPE_CHECKING:
    from spark_jupyter.protocol.values import Permission
    from spark_jupyter.ui.pair import Pair


def review(pair: Pair, *, run: bool, allow: tuple[Permission, ...]) -> None:
    """Print what is to be said of the cells that ran, as far as a shell knows them; with ``run`` also what fails from the top."""
    from spark_jupyter.engine.notebook_review import from_the_top

    cells = pair.shell.cells()
    remarks = pair.review(cells)
    reviewed = Reviewed(remarks=tuple(remarks))
    if run:
        reviewed = from_the_top(cells, remarks, folder=os.getcwd(), allow=allow)
    print("\n".join(review_lines(reviewed, cells)))
