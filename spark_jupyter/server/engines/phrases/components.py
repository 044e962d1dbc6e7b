"""What every wish for a model is made of, and the code of clusters and components. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.tables import Source


class Wish(Struct, kw_only=True):
    """What is asked for; it grows while the prompt is read."""

    kind: str = ""
    target: str = ""
    features: list[str] = []
    shows: list[str] = []
    test: float = 0
    number: int = 0
    folds: int = 0
    plot: bool = False
    colour: str = ""
    depth: int = 0
    seed: int = 0
    axes: list[str] = []
    """What a picture of clusters has along its sides."""
    keeps: bool = False
    """Whether what was found becomes a column of the table."""


class Names:
    """Names that are nobody's."""

    def __init__(self, taken: frozenset[str]) -> None:
        self.taken = taken

    def __call__(self, name: str) -> str:
        """The name, or one like it."""
        return name if name not in self.taken else f"{name}_2"


def listed(names: list[str]) -> str:
    """Columns as they stand behind a table."""
    return f"[[{', '.join(map(quoted, names))}]]"


def written(wish: Wish, source: Source, numeric: list[str], free: Names) -> str | None:
    """The code of clusters or components; None where something is asked that they have not."""
    features = wish.features or numeric
    if len(features) < 2 or not set(features) <= set(numeric) or wish.shows or wish.test or wish.folds or wish.depth:
        return None
    columns = {one.name: one for one in source.columns}
    X = free("X")  # noqa: N806  # as everybody calls it
    lines = ["from sklearn.preprocessing import StandardScaler", "", f"{X} = {source.name}{listed(features)}.dropna()"]
    if wish.kind == "kmeans":
        lines[0] = "from sklearn.cluster import KMeans\n" + lines[0]
        kmeans, found = free("kmeans"), free("clusters")
        lines += [
            f"{kmeans} = KMeans(n_clusters={wish.number or 3}, n_init=10, random_state=0).fit(StandardScaler().fit_transform({X}))",
            f"{found} = {X}.assign(cluster={kmeans}.labels_)",
        ]
        if wish.keeps:
            lines[-1] = f'{source.name}.loc[{X}.index, "cluster"] = {kmeans}.labels_'
            return None if wish.plot or "cluster" in columns else "\n".join([*lines, source.name])
        if not wish.plot:
            return "\n".join([*lines, found])
        x, y = wish.axes[::-1] if wish.axes else features[:2]
        if not {x, y} <= set(features):
            return None
        lines[0] = "import matplotlib.pyplot as plt\n" + lines[0]
        return "\n".join(
            [
                *lines,
                "fig, ax = plt.subplots()",
                f'ax.scatter({found}[{quoted(x)}], {found}[{quoted(y)}], c={found}["cluster"], cmap="viridis")',
                f"ax.set_xlabel({quoted(x)})",
                f"ax.set_ylabel({quoted(y)})",
                "plt.show()",
            ]
        )
    number = wish.number or 2
    if wish.keeps or wish.axes:
        return None
    lines[0] = "from sklearn.decomposition import PCA\n" + lines[0]
    pca, parts = free("pca"), free("components")
    lines += [
        f"{pca} = PCA(n_components={number})",
        f"{parts} = {pca}.fit_transform(StandardScaler().fit_transform({X}))",
        f"print({pca}.explained_variance_ratio_)",
    ]
    if not (wish.plot or wish.colour):
        return "\n".join([*lines, parts])
    if wish.colour and columns[wish.colour].kind not in ("text", "bool"):
        return None
    lines[0] = "import matplotlib.pyplot as plt\n" + lines[0]
    lines.append("fig, ax = plt.subplots()")
    if wish.colour:
        lines += [
            f"groups = {source.name}.loc[{X}.index, {quoted(wish.colour)}]",
            "for name in groups.unique():",
            f"    ax.scatter({parts}[groups == name, 0], {parts}[groups == name, 1], label=name)",
            f"ax.legend(title={quoted(wish.colour)})",
        ]
    else:
        lines.append(f"ax.scatter({parts}[:, 0], {parts}[:, 1])")
    return "\n".join([*lines, 'ax.set_xlabel("component 1")', 'ax.set_ylabel("component 2")', "plt.show()"])
