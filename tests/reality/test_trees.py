"""Going through syntax trees."""

from __future__ import annotations

import ast

from spark_jupyter.reality.syntax_trees import nodes_of


def test_what_others_have_written_on_a_node_is_no_part_of_the_tree() -> None:
    """Python has one ``Load`` for all trees, and bandit writes on each node what its parent is: a circle, and an answer without end."""
    load = ast.parse("x").body[0].value.ctx  # type: ignore[attr-defined]
    other = ast.parse("y + z")
    load._bandit_parent = other
    try:
        tree = ast.parse("f(x)[1].y")
        assert set(nodes_of([tree])) == set(ast.walk(tree))
    finally:
        del load._bandit_parent
