"""Models in a sentence: "logistic regression predicting churned from tenure, show accuracy", "k-means with 3 clusters". Pure.

What is named are the columns, the kind of model and what is to be shown; as with tables, all of the sentence or nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases import components, fitting, vocabulary
from spark_jupyter.server.engines.phrases.components import Names, Wish
from spark_jupyter.server.engines.phrases.cursor import LONGEST, NUMBERED
from spark_jupyter.server.engines.phrases.preds import Predicates

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.phrases.tokens import Token
    from spark_jupyter.server.engines.query.tables import Source

_KINDS = vocabulary.mapping("models_kinds")
_SHOWS = vocabulary.mapping("models_shows")
_NOISE = vocabulary.some("models_noise")
_BEFORE_ROWS = ("cluster", "the", "of", "for", "all", "group", "segment", "my", "our", "new")
_DRAWS = vocabulary.listed("models_draws")
_BY_CLUSTER = tuple(
    f"{how} {what}"
    for how in (
        "coloured by",
        "colored by",
        "colour by",
        "color by",
        "coloured by the",
        "colored by the",
        "with a colour per",
        "with a color per",
    )
    for what in ("cluster", "clusters", "cluster label", "cluster labels", "label")
)


class Reader(Predicates):
    """Reads a prompt about a model of one table."""

    def wish(self) -> Wish | None:
        """What is asked for; None where there is no model in it, or a word that is not understood."""
        wish = Wish()
        while self.peek().kind != "e":
            before = self.at
            if self._axes(wish) or self._shown(wish) or self._kind(wish) or self._numbers(wish) or self._columns(wish):
                continue
            self.at = before + 1
            token = self.tokens[before]
            if self.tokens[before - 1].text in _BEFORE_ROWS and before and self._is_rows(token):
                continue  # "cluster the wines"
            if token.kind != "t" and not (token.kind in "ws" and token.text in _NOISE):
                return None
        if not wish.kind and wish.target and "importance" in wish.shows:
            wish.kind = "forest"
        return wish if wish.kind else None

    def _is_rows(self, token: Token) -> bool:
        """A word for the rows, be it the table's own name: "wines" of ``wine``."""
        return self.is_noun(token) or token.text.rstrip("s") in {name.rstrip("s") for name in self.nouns}

    def _axes(self, wish: Wish) -> bool:
        """ "plot a against b, coloured by cluster"."""
        if self.word(*_BY_CLUSTER):
            return wish.plot
        if (
            not wish.plot
            or wish.axes
            or self.peek().kind != "c"
            or self.peek(1).text not in ("vs", "against", "versus", "over")
        ):
            return False
        first = self.column("number")
        self.at += 1
        second = self.column("number") if first else None
        if first is None or second is None:
            return False
        wish.axes = [first, second]
        return True

    def _kind(self, wish: Wish) -> bool:
        found = self.of(_KINDS)
        if found is None:
            return False
        if not wish.kind or wish.kind == "classifier":
            wish.kind = str(found)
        return found in (wish.kind, "classifier", "kmeans", "linear" if wish.kind in ("ridge", "lasso") else "")

    def _shown(self, wish: Wish) -> bool:
        said = self.of(_SHOWS)
        if said is not None:
            wish.shows.append(str(said))
            wish.plot = wish.plot or (self.peek(-1).text == "plot" and str(said) == "importance")
            return True
        if self.word(*_DRAWS):
            wish.plot = True
            return True
        if self.word(
            "add the cluster as a column", "add cluster as column", "add the clusters as a column", "add the cluster as a new column",
            "add cluster labels as column", "add the cluster labels as a column", "add the labels as a column", "as a new column",
            "add the cluster to the table", "add the cluster number as a column", "save the cluster as a column", "as a column",
            "add a cluster column", "add a column with the cluster", "store the cluster in a column", "add a column cluster",
        ):  # fmt: skip
            wish.keeps = True
            return True
        if self.word("coloured by", "colored by", "coloured by the", "colour by", "coloured", "colored"):
            self.word("by")
            name = self.column()
            wish.colour = name or ""
            return name is not None
        return False

    def _numbers(self, wish: Wish) -> bool:
        number = self.kind("n")
        if number is None:
            return False
        value = float(number.value)
        told = [self.peek(-back).text for back in (2, 3, 4)]
        self.word("-")
        if self.word("fold", "folds", "-fold", "fold cross validation"):
            wish.folds = int(value)
            if "cv" not in wish.shows:
                wish.shows.append("cv")
            return True
        if self.word("%", "percent"):
            ahead = self.word(
                "train", "training", "for training", "train data", "to train", "training data", "for train"
            )
            trains = ahead or told[1] in ("train", "training") or told[2] in ("train", "training")
            wish.test = wish.test or round(1 - value / 100 if trains else value / 100, 6)
            return 0 < wish.test < 1
        if self.word(
            "clusters",
            "groups",
            "components",
            "segments",
            "classes",
            "neighbours",
            "neighbors",
            "trees",
            "dimensions",
            "cluster",
        ):
            wish.number = int(value)
            return True
        if self.peek().kind == "c" and self.peek().text in ("groups", "clusters", "classes", "segments"):
            self.at += 1  # of a table with a column ``group``
            wish.number = int(value)
            return True
        if self.word("/") and (other := self.kind("n")):
            wish.test = float(other.value) / 100
            return True
        return self._option(wish, value, told[1] if told[0] in ("=", "of") else told[0])

    @staticmethod
    def _option(wish: Wish, value: float, name: str) -> bool:
        """A number behind its name: "k=5", "max depth 3", "seed 7", "test_size = 0.2"."""
        if name == "depth":
            wish.depth = int(value)
        elif name in ("k", "clusters", "components", "n_clusters"):
            wish.number = int(value)
        elif name in ("seed", "state", "random_state"):
            wish.seed = int(value)
        elif 0 < value < 1 and name in ("size", "test_size"):
            wish.test = value
        else:
            return False
        return True

    def _columns(self, wish: Wish) -> bool:
        """The target behind "predict", "of" or "for"; features behind "from", "on", "by", "using"; "price ~ size + rooms"."""
        if self.peek(1).text == "~" and not wish.target and (target := self.column()) is not None:
            self.at += 1
            wish.target = target
        led = self.word(
            "predicting",
            "predict",
            "predicts",
            "to predict",
            "for",
            "of",
            "target",
            "from",
            "on",
            "by",
            "using",
            "with",
            "based on",
            "explaining",
            "explain",
            "depending on",
            "the",
            "between",
            "in",
            "->",
            "onto",
            "does",
            "of the",
            "on the",
            "from the",
            "for the",
            "classify",
            "classifier for",
        )
        if led in ("classify", "classifier for"):
            wish.kind = wish.kind or "classifier"
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&", "+") and (self.peek().kind != "c" or led is None):
                break
            self.skip(("the", "a"))
            name = self.column() or self._named_so()
            if name is None:
                self.at = before
                break
            found.append(name)
        if not found:
            return False
        targets = led is not None and led.split()[0] in (
            "predicting",
            "predict",
            "predicts",
            "to",
            "target",
            "explaining",
            "explain",
            "classify",
            "classifier",
        )
        targets = targets or (
            led in ("for", "of", "for the", "of the", "the", None)
            and len(found) == 1
            and not wish.target
            and wish.kind not in ("kmeans", "pca")
        )
        if targets and len(found) == 1 and not wish.target:
            wish.target = found[0]
        else:
            wish.features += found
        return True

    def _named_so(self) -> str | None:
        """ "for churn" of a table ``churn`` with a column ``churned``."""
        token = self.peek()
        stem = token.value.lower().rstrip("se") if token.kind == "t" else ""
        found = [one for one in self.columns if stem and len(stem) > 3 and one.lower().startswith(stem)]
        if len(found) != 1:
            return None
        self.at += 1
        return found[0]


def understood(prompt: str, source: Source, namespace: Namespace) -> str | None:
    """The code of the model that the prompt asks for; None where it asks for none, or is not understood whole."""
    if source.other or source.file or source.polars or source.records:
        return None
    reader = Reader(
        re.sub(r"(?<=\d)-(?=fold)", " ", re.sub(r"\b(k|depth|seed|state|size|clusters)=(?=\d)", r"\1 = ", prompt)),
        source,
    )
    wish = reader.wish() if len(reader.tokens) <= LONGEST else None
    if wish is None:
        return None
    numeric = [
        one.name
        for one in source.columns
        if one.kind in ("number", "bool") and not one.holds and not NUMBERED.search(one.name)
    ]
    free = Names(namespace.names)
    if wish.kind in ("kmeans", "pca"):
        if wish.target:
            wish.features.append(wish.target)
        return components.written(wish, source, numeric, free)
    return fitting.written(wish, source, numeric, free)
