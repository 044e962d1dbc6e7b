"""What is to be done to a table or its columns: a formula, rename, fill, convert, encode, roll, rank … Pure.

Each rule is a pattern over a marked prompt and a function that makes a :class:`Change` of it. To add one, add it to ``_RULES``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import branching, cleaning, compared, modelling, spans
from spark_jupyter.server.engines.query.making import Makers
from spark_jupyter.server.engines.query.marked import CS, VALUE, WORD, C, N, T, V

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.query.model import Change

_NAME = r"[`'\"]?(?P<name>⟨[qc]\d+⟩|[A-Za-z_]\w*)[`'\"]?"
_TERM = rf"(?:{C}|{N}|\d+(?:\.\d+)?|\()\s*\)*"
_SIGN = r"(?:\*\*|\^|[-+*/]|times|divided by|multiplied by|minus|plus|per)"
_FORMULA = rf"[(\s]*{_TERM}(?:\s*{_SIGN}\s*[(\s]*{_TERM})+"
_ADDED = (
    r"(?:\s*\b(?:as|in|into|to)\s+(?:a\s+)?(?:new\s+)?columns?(?:\s+(?:called|named)?\s*(?P<new>(?!with\b"
    r"|for\b|and\b)[A-Za-z_]\w*))?)?"
)
_ELSEWISE = r"\b(?:and|with|then)\s+(?:the|show|count|plot|draw|mean|average|number|total|sum|give|what|calculate)\b"
"""What begins another request."""
_MAKE = r"(?:\b(?:add|make|create|calculate|compute|insert|build|get|new|a|the|me|with)\s+)*"


class Changes(Makers):
    """Takes the changes out of a marked prompt."""

    def read(self) -> list[Change]:
        """All that there are."""
        found = []
        for pattern, of_match in (*branching.RULES, *spans.RULES, *cleaning.RULES, *modelling.RULES, *compared.RULES):
            match = self.marked.find(pattern)
            change = of_match(match, self) if match is not None else None
            if change is not None:
                self.marked.take(pattern)
                found.append(change)
        for pattern, make in self._rules():
            while (match := self.marked.find(pattern)) is not None:
                change = make(match)
                if change is None:
                    break
                self.marked.take(pattern)
                found.append(change)
                if self.again:
                    self.marked.again(self.again)
                    self.again = ""
        return found

    def _rules(self) -> tuple[tuple[str, Callable[[re.Match[str]], Change | None]], ...]:
        fill = (
            r"(?:fill|replace|impute|substitute)(?:\s+(?:in|out|the|all|missing|empty|nan|null|values?|nas?|of|in"
            r"|column))*"
        )
        return (
            (
                (
                    rf"(?P<c>{C})\s+(?:values?\s+)?(?:is\s+|are\s+)?(?:missing|empty|nan)\s*[?:,;]?\s*(?:fill"
                    rf"|replace|set)(?:\s+(?:it|them|to|with|by))*\s+"
                    rf"(?P<how>{VALUE})(?P<by>(?!))?"
                ),
                self._fill,
            ),
            (rf"\b(?P<way>forward|backward|back|f|b)[ -]?fill\s+(?:the\s+)?(?:missing\s+)?(?P<c>{C})", self._carry),
            (
                rf"{_MAKE}(?:columns?\s+)?(?:called\s+|named\s+)?{_NAME}\s*(?:=|:=|:)\s*(?P<formula>{_FORMULA}){_ADDED}",
                self._formula,
            ),
            (
                (
                    rf"{_MAKE}(?:columns?\s+)(?:called\s+|named\s+)?{_NAME}\s*(?:as|from|with|that is|which is)\s+"
                    rf"(?P<formula>{_FORMULA})"
                ),
                self._formula,
            ),
            (
                rf"(?P<formula>{C}\s*(?:\*|/|times|divided by|multiplied by|minus|plus)\s*(?:{C}|{N})){_ADDED}",
                self._formula,
            ),
            (
                rf"{_MAKE}(?:columns?\s+)(?:with|for|of)?\s*(?:the\s+)?(?P<formula>{C}\s+per\s+(?:the\s+)?{C}){_ADDED}",
                self._ratio,
            ),
            (
                (
                    rf"(?P<formula>{C}\s+per\s+(?:the\s+)?{C})\s+(?:as|in)\s+(?:an?\s+)?(?:new\s+)?(?:columns?\s+)?(?P<new>"
                    rf"(?!column)[A-Za-z_]\w*)?"
                ),
                self._ratio,
            ),
            (rf"\brename\s+(?:the\s+)?(?:columns?\s+)?(?P<c>{C})\s+(?:in\s*to|to|as|in)\s+{_NAME}", self._rename),
            (rf"\b(?:drop|remove|delete)\s+(?:the\s+)?(?:columns?\s+)(?P<c>{CS})(?:\s+columns?)?", self._drop),
            (rf"\b(?:drop|remove|delete)\s+(?:the\s+)?(?P<c>{CS})\s+columns?", self._drop),
            (rf"\b(?:drop|remove|delete)\s+(?:the\s+)?(?P<c>{C})(?=\s*(?:;|$|[.!?]\s*$))", self._drop),
            (
                rf"\b(?:interpolate)\s+(?:the\s+|all\s+|missing\s+|values\s+(?:of|in)\s+|in\s+)*(?P<c>{C})",
                self._interpolate,
            ),
            (
                (
                    rf"\b(?:fill|replace|impute|close)\s+(?:(?:in|the|all|any|missing|empty|nan|null|values?|gaps?|of|for)\s+)*(?P<c>{C})\s+"
                    rf"(?:gaps\s+|values\s+)?(?:by|with|using|through)\s+(?:an?\s+)?(?:linear\s+)?interpolat(?:ion|ing|ed\s+values)"
                ),
                self._interpolate,
            ),
            (
                (
                    rf"{fill}\s+(?P<c>{C})\s*(?:values?\s+)?(?:with|by|using|to)\s+(?:the\s+|its\s+)?(?P<how>mean|average"
                    r"|median|mode|most common value|most frequent value|zero|0|previous value|last value|next value"
                    rf"|{VALUE})(?:\s+value)?(?:\s+{C}(?=\s+(?:of|per|by|in)\b))?(?:\s+(?:of|per|by|in)\s+(?:the\s+"
                    rf"|its\s+|their\s+|each\s+)?(?P<by>{C}))?"
                ),
                self._fill,
            ),
            (
                (
                    r"\b(?:drop|remove|delete|exclude)\s+(?:the\s+|all\s+)?rows\s+(?:with|that have|where there are"
                    rf"|having)\s+(?:any\s+|an?\s+)?(?:missing|empty|nan|null)(?:\s+values?)?(?:\s+in\s+(?:the\s+)?(?P<c>{CS}))?"
                ),
                self._dropna,
            ),
            (
                (
                    r"\b(?:drop|remove|delete|exclude)\s+(?:the\s+|all\s+)?(?:rows\s+)?(?:with\s+)?(?:an?\s+)?(?:missing"
                    rf"|empty|nan|null)\s+(?P<c>{CS})"
                ),
                self._dropna,
            ),
            (
                (
                    rf"\b(?:drop|remove|delete|exclude)\s+(?:the\s+|all\s+)?(?:rows|{T}|\w+s)\s+(?:without|with no|lacking)\s+(?:an?\s+)?"
                    rf"(?P<c>{CS})"
                ),
                self._dropna,
            ),
            (
                (
                    r"\b(?:drop|remove|delete)\s+(?:the\s+|all\s+)?(?:duplicates?|duplicated|repeated|double)(?:\s+"
                    rf"(?:rows?|entries|records|values?|\w+s?))??(?:\s+(?:by|in|on|of|per)\s+(?:the\s+)?(?P<c>{CS})|(?=\s*"
                    r"(?:;|$|[.,!?]))|\s+\w+(?=\s*(?:;|$|[.,!?])))"
                ),
                self._unique,
            ),
            (
                (
                    rf"(?P<c>{C})\s+(?:is|are|looks)\s+(?:a\s+|stored\s+as\s+|written\s+)?(?:text|strings?|like|text"
                    r"\s+like)[\s,]*(?:text\s+)?(?:like\s+)?(?:as\s+)?(?P<like>[^;]*?)[\s,]*(?:and\s+)?(?:please\s+)?"
                    r"(?:make|turn|convert|change)\s+(?:it|them|that|a)?\s*(?:in\s*to|to|a|an|real|proper|\s)*"
                    r"(?P<to>numbers?|dates?|numeric|floats?|integers?)(?:\s+(?:from|of|out of)\s+(?:it|them))?"
                ),
                self._convert,
            ),
            (
                (
                    rf"\b(?:convert|turn|make|change|transform|parse|cast)\s+(?:the\s+)?(?:column\s+)?(?P<c>{C})\s+"
                    r"(?:column\s+)?(?:in\s*to|to|as|an?|real|proper|\s)*\s*(?P<to>numbers?|numeric|dates?(?:\s+columns?)?"
                    r"|floats?|integers?|ints?|text|strings?|category|categorical)\b"
                ),
                self._convert,
            ),
            (
                (
                    r"\b(?:one[- ]?hot(?:[- ]?encod\w*)?|dummy(?:\s+variables?)?|dummies|get_dummies)(?:\s+encoding)?(?:"
                    rf"\s+(?:of|for|from|the))*\s+(?P<c>{CS})"
                ),
                self._dummies,
            ),
            (rf"\bencode\s+(?:the\s+)?(?P<c>{CS})(?:\s+(?:as|with|using)\s+(?:one[- ]?hot\w*|dumm\w+))", self._dummies),
            (
                (
                    r"\b(?P<how>(?:strip|trim|remove)\s+(?:the\s+)?(?:white\s?space|spaces)\w*|upper\s?case|lower\s?case"
                    r"|title\s?case|capitali[sz]e|uppercase|lowercase)(?:\s+(?:in|of|from|for|the|around|column))*\s+"
                    rf"(?P<c>{C})(?P<more>(?:[\s,]*(?:and|then|make|it|please|to|in)*[\s,]*(?:upper\s?case|lower\s?case"
                    r"|title\s?case|capitali[sz]e|strip\w*))*)"
                ),
                self._text,
            ),
            (
                (
                    rf"\b(?:convert|make|turn|put|change)\s+(?:the\s+)?(?P<c>{C})\s+(?:in\s*to|to|all|in)?\s*(?P<how>upper"
                    r"\s?case|lower\s?case|title\s?case)(?P<more>)"
                ),
                self._text,
            ),
            (
                (
                    rf"\breplace\s+(?:the\s+)?(?P<a>{VALUE})\s+(?:with|by|to)\s+(?P<b>{VALUE})(?:\s+in\s+(?:the\s+)?"
                    rf"(?:column\s+)?(?P<c>{C}))"
                ),
                self._replace,
            ),
            (
                rf"\bsplit\s+(?:the\s+)?(?P<c>{C})\s+(?:column\s+)?(?:in\s*to|in|at|by|to)\s+(?P<names>[\w\s,]+)",
                self._split,
            ),
            (
                (
                    r"(?:clean\s+(?:up\s+)?|tidy\s+|fix\s+|make\s+)(?:the\s+|all\s+)?(?:column\s+names|columns|headers?"
                    r"|names of the columns)\b[^;]*"
                ),
                self._names,
            ),
            (
                (
                    rf"\b(?:cumulative|running|cumulated)\s+(?:sum|total|revenue)?\s*(?:of\s+)?(?:the\s+)?(?P<c>{C})(?:\s+"
                    rf"(?:per|by|over|for)\s+(?P<by>{C}))?{_ADDED}"
                ),
                self._cumulative,
            ),
            (
                (
                    rf"(?P<n>{N})[\s-]*(?:days?|rows?|hours?|months?|weeks?|point|period)?[\s-]*(?:rolling|moving)\s+(?P<how>mean"
                    rf"|average|sum|median)\s+(?:of\s+|for\s+)?(?:the\s+)?(?P<c>{C})(?:\s+per\s+(?P<by>{C}))?{_ADDED}"
                ),
                self._rolling,
            ),
            (
                (
                    r"\b(?:rolling|moving)\s+(?P<how>mean|average|sum|median|max|min|std)\s+(?:of\s+)?(?:the\s+)?"
                    rf"(?P<c>{C})\s*(?:over|with|for|of|across|using|window|a|an|the|last|\s)*(?P<n>{N})?[\s-]*(?:days?"
                    rf"|rows?|values?|weeks?|months?|points?|periods?)?(?:\s+window)?(?:\s+per\s+(?P<by>{C}))?{_ADDED}"
                ),
                self._rolling,
            ),
            (
                (
                    rf"\brank(?:ing)?\s+(?:the\s+|of\s+(?:the\s+)?)*(?:{C}|{T}|{VALUE})?\s*(?:by|of|on)\s+(?:their\s+|the\s+)?"
                    rf"(?P<c>{C})(?:\s+(?:per|by|in|for)\s+(?:the\s+)?(?P<by>{C}))?{_ADDED}"
                    r"(?:[\s,;]*(?:the\s+)?(?P<least>fastest|lowest|smallest|youngest|cheapest|shortest|least|ascending)"
                    rf"(?:\s+(?:is|=|gets|has)(?:\s+rank)?\s+(?:{N}|first))?)?"
                ),
                self._rank,
            ),
            (
                (
                    rf"\brank\s+(?:the\s+|all\s+)*(?:{C}|{T}|{WORD})?\s*(?:per|in|inside|within)\s+(?:(?:their|the|its|each|own|same|his|her)\s+)*"
                    rf"(?P<by>{C})s?\s+(?:by|on|according\s+to|after)\s+(?:their\s+|the\s+)?(?P<c>{C})(?P<least>(?!))?"
                ),
                self._rank,
            ),
            (
                rf"\b(?:standardi[sz]e|z[- ]?scores?(?:\s+of)?)\s+(?:the\s+)?(?P<c>{CS})(?:\s+per\s+(?P<by>{C}))?",
                self._standardise,
            ),
            (
                (
                    rf"\b(?:normali[sz]e|scale|rescale|min[- ]?max(?:\s+scale)?)\s+(?:the\s+)?(?P<c>{CS})(?:\s+(?:to"
                    r"|between|from|into)\s+(?:the range\s+)?(?:⟨n\d+⟩\s*(?:-|to|and|,)?\s*⟨n\d+⟩|0-1|⟨d\d+⟩))?"
                ),
                self._scale,
            ),
            (
                (
                    rf"\bdifference\s+(?:to|from|between\s+{C}\s+and)\s+(?:the\s+)?(?:(?P<by>{C})\s+)?(?P<how>mean|average"
                    rf"|median|max|min)(?:\s+of\s+(?:the\s+)?(?P<c>{C}))?{_ADDED}"
                ),
                self._deviation,
            ),
            (
                (
                    rf"\b(?:percent(?:age)?\s+change|pct\s+change|growth(?:\s+rate)?)\s+(?:of|in)\s+(?:the\s+)?(?P<c>{C})"
                    rf"(?:\s+(?:per|by|for)\s+(?P<by>{C}))?{_ADDED}"
                ),
                self._growth,
            ),
            (
                rf"(?P<c>{C})\s+(?:groups?|bands?|bins?|classes|categories|brackets)\s*[:,]?\s*(?P<cuts>(?:(?!{_ELSEWISE})[^;])*?{N}(?:(?!{_ELSEWISE})[^;])*)",
                self._bins,
            ),
            (
                rf"(?P<c>{C})\s+in\s+(?P<unit>fahrenheit|celsius|thousands?|millions?|hours|minutes|km|miles)\b{_ADDED}",
                self._unit,
            ),
            (
                (
                    r"\b(?:extract|get|add)\s+(?:the\s+)?(?P<period>year|month|day|weekday|hour|quarter)(?:\s+(?:from|of"
                    rf"|out of|for)\s+(?:the\s+)?(?P<c>{C})){_ADDED}"
                ),
                self._period,
            ),
            (
                (
                    rf"{_MAKE}(?:bool\w*\s+|flag\s+)?columns?\s+(?:called\s+|named\s+)?{_NAME}\s+(?:(?:that|which)"
                    rf"\s+)?(?:(?:is|says|=|being)\s+)?(?:true\s+|1\s+)?"
                    rf"(?:if|when|where|for)\s+(?:the\s+)?(?P<c>{C})\s*(?:is|are|was)?\s*(?P<op>>=|<=|>|<|(?:greater"
                    rf"|larger|higher|more|less|lower|smaller|fewer) than|above|below"
                    rf"|over|under|at least|at most)\s*(?P<n>{N})(?:\s*[a-z]+s\b)?(?:\s*(?:,\s*)?(?:and\s+)?"
                    rf"(?:otherwise|else)?\s*(?:false|0)(?:\s+otherwise)?)?"
                ),
                self._flag,
            ),
            (
                (
                    rf"\b(?:explode|split)\s+(?:the\s+)?(?P<c>{C})(?:\s+(?:column|values?))*(?:\s+(?:in\s*to|to|so"
                    rf" that there is)\s+(?:separate\s+|single\s+)?(?:(?:one|a)\s+)?rows?"
                    rf"(?:\s+(?:per|for each)\s+(?:{C}|[a-z]+))?)(?P<count>\s*(?:,|and|then)*\s*(?:count|number of)"
                    rf"\s*(?:them|each|{C}|[a-z]+)?)?"
                ),
                self._explode,
            ),
            (
                (
                    rf"{_MAKE}(?:the\s+)?domains?\s+(?:of|from|per|in)\s+(?:the\s+|each\s+|every\s+)*(?P<c>{C})(?:"
                    rf"\s+address(?:es)?)?{_ADDED}"
                ),
                self._domain,
            ),
            (
                (
                    rf"(?:\b(?:extract|get|add|find|show|number\s+of|count|the|each)\s+)+(?P<c>{C})(?:'s)?\s+domains?\b"
                    rf"(?P<counts>(?:[\s,]*(?:and|then)\s+(?:number\s+of\s*|counts?\b)(?:\s*(?:them|each|per|rows|it|how\s+often))*)?)(?P<new>(?!))?"
                ),
                self._domain,
            ),
            (
                (
                    rf"\b(?:put|stack|append|concat(?:enate)?|combine|union|join)\b\s*(?:the\s+)?(?:tables?\s+)?"
                    rf"(?P<a>{T})\s*(?:and|with|to|,|below|under|on)\s*(?:the\s+)?(?P<b>{T})"
                    r"(?:\s+(?:on top(?: of| per)(?: each)? other|below (?:each|per) other|vertically|together|in"
                    r" one table|into one table))(?:[\s,]*(?:with|and)\s+(?:add\s+)?(?:a|one)?\s*(?:new\s+)?column"
                    r"[^;]*)?"
                ),
                self._stack,
            ),
            (
                (
                    rf"\b(?P<way>raise|increase|reduce|lower|decrease|cut)\s+(?:the\s+|all\s+)*(?P<c>{C})(?:\s+(?:of|in|for)\s+"
                    rf"(?:the\s+|all\s+)*(?P<v>{V})(?:\s+[a-z]+s\b)?)?\s+by\s+(?P<n>{N})\s*(?P<percent>%|percent)?"
                ),
                self._raise,
            ),
            (
                (
                    rf"(?:\b(?:give|show|add|calculate|each|every|per|the|{WORD}'s)\s+)*(?P<c>{C})\s+as\s+(?:an?"
                    rf"\s+)?(?:percentage|percent|share|fraction"
                    rf"|proportion|%)\s+of\s+(?:the\s+|their\s+|its\s+)?(?P<by>{C})(?:'s?)?(?:\s+(?:total|sum"
                    rf"|overall))?(?:\s+{C})?{_ADDED}"
                ),
                self._part_of_group,
            ),
            (r"\b(?:reset|renumber)\s+(?:the\s+)?index\b", self._reset),
        )
