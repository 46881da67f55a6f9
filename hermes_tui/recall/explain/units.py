"""A route's query taken apart: the units it asks its index for, and how they are joined.

A unit is what can be asked alone: a word, a phrase, a beginning. This reads what the clean-up
left, not what was typed: what an index is asked is what decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypeVar

from hermes_tui.recall.routes import LEAST_TRIGRAM, Plan
from hermes_tui.recall.sanitise import OPERATORS, split_tokens
from hermes_tui.text.cjk import has_cjk

_PIECE = re.compile(r'"[^"]*"\*?|[^\s"]+')
_BARE = re.compile(r"[\w\u0080-\U0010ffff]+")
_WORD = re.compile(r"[^\W_]")

Operator = Literal["AND", "OR", "NOT"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing a route looks for. text: as a person would write it; match: alone, for the index.

    negative: it stands after NOT. idle: there is nothing in it that the index holds.
    """

    text: str
    match: str
    negative: bool = False
    idle: bool = False

    @property
    def words(self) -> str:
        """The text without quotes and star."""
        return self.text.rstrip("*").strip('"').strip()

    @property
    def prefix(self) -> bool:
        """Whether it asks for words that begin so."""
        return self.text.endswith("*")

    @property
    def phrase(self) -> bool:
        """Whether it stands in quotes."""
        return self.text.startswith('"')


@dataclass(frozen=True, slots=True)
class Join:
    """Nodes joined by an operator; NOT has two. Leaves are places in the list of units."""

    operator: Operator
    nodes: tuple[Node, ...]


Node = int | Join


@dataclass(frozen=True, slots=True)
class Asked:
    """The units of a plan. node: how they are joined; None when it is no complete expression."""

    plan: Plan
    units: tuple[Unit, ...]
    node: Node | None

    @property
    def positive(self) -> list[int]:
        """Places of the units that are to be found."""
        return [place for place, unit in enumerate(self.units) if not unit.negative]

    def match_text(self, node: Node) -> str:
        """A part of the expression as MATCH text."""
        if isinstance(node, int):
            return self.units[node].match
        joined = f" {node.operator} ".join(self.match_text(child) for child in node.nodes)
        return f"({joined})"

    def query_text(self, node: Node) -> str:
        """A part of the expression as a person would type it."""
        if isinstance(node, int):
            return self.units[node].text
        if node.operator == "AND":
            return " ".join(self.query_text(child) for child in node.nodes)
        return f" {node.operator} ".join(self.query_text(child) for child in node.nodes)


def asked_by(plan: Plan, sanitised: str) -> Asked:
    """The units a plan looks for."""
    if plan.route == "like_scan":
        units = tuple(Unit(token, "") for token in plan.tokens)
        places: tuple[Node, ...] = tuple(range(len(units)))
        node = places[0] if len(places) == 1 else Join("OR", places) if places else None
        return Asked(plan, units, node)
    items = _base_items(plan.match) if plan.route == "fts5" else _quoted_items(sanitised, plan)
    units, node = _read(items)
    return Asked(plan, units, node)


def _base_items(match: str) -> list[Unit | Operator]:
    """The pieces of MATCH text for the word index, where only capitals are operators (10)."""
    items: list[Unit | Operator] = []
    for piece in _PIECE.findall(match):
        if piece in OPERATORS:
            items.append(piece)
        else:
            readable = piece.startswith('"') or _BARE.fullmatch(piece) is not None
            items.append(Unit(piece, piece, idle=readable and not _WORD.search(piece)))
    return items


def _quoted_items(sanitised: str, plan: Plan) -> list[Unit | Operator]:
    """The tokens of the CJK routes, each quoted by the agent, operators in any case (15)."""
    items: list[Unit | Operator] = []
    for token in split_tokens(sanitised):
        if token.upper() in OPERATORS:
            items.append(token.upper())  # type: ignore[arg-type]
            continue
        inner = token.replace('"', '""')
        idle = len(token) < LEAST_TRIGRAM if plan.route == "trigram" else not _WORD.search(token)
        items.append(Unit(token, f'"{inner}"', idle=idle))
    return items


def _read(items: Sequence[Unit | Operator]) -> tuple[tuple[Unit, ...], Node | None]:
    """Units and their joins, bound as FTS5 does: side by side first, then NOT, AND, OR."""
    units: list[Unit] = []
    groups: list[Node] = []
    operators: list[Operator] = []
    run: list[int] = []
    complete = True
    negative = False

    def close() -> None:
        nonlocal run
        # Beside another unit FTS5 leaves an idle one out; next to an operator it is never found.
        kept: list[Node] = [place for place in run if not units[place].idle] or [*run]
        if kept:
            groups.append(_joined("AND", kept))
        run = []

    for item in items:
        if isinstance(item, Unit):
            run.append(len(units))
            units.append(Unit(item.text, item.match, negative, item.idle))
            continue
        complete = complete and bool(run)
        close()
        operators.append(item)
        negative = item == "NOT"
    complete = complete and bool(run)
    close()
    if not complete or len(operators) != len(groups) - 1:
        return tuple(units), None
    return tuple(units), _bound(groups, operators)


def _bound(groups: list[Node], operators: list[Operator]) -> Node:
    either: list[Node] = []
    both: list[Node] = [groups[0]]
    for operator, node in zip(operators, groups[1:], strict=True):
        if operator == "NOT":
            both[-1] = Join("NOT", (both[-1], node))
        elif operator == "AND":
            both.append(node)
        else:
            either.append(_joined("AND", both))
            both = [node]
    either.append(_joined("AND", both))
    return _joined("OR", either)


def _joined(operator: Operator, nodes: Sequence[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Join(operator, tuple(nodes))


def without(node: Node, place: int) -> Node | None:
    """The expression as if one unit had not been written; None when nothing is left."""
    if isinstance(node, int):
        return None if node == place else node
    kept = [without(child, place) for child in node.nodes]
    if node.operator == "NOT":
        wanted, unwanted = kept
        if wanted is None or unwanted is None:
            return wanted
        return Join("NOT", (wanted, unwanted))
    left = [child for child in kept if child is not None]
    return _joined(node.operator, left) if left else None


def holds(node: Node, found: Callable[[int], bool]) -> bool:
    """Whether the expression is true of something that has the units `found` says yes to."""
    if isinstance(node, int):
        return found(node)
    if node.operator == "NOT":
        return holds(node.nodes[0], found) and not holds(node.nodes[1], found)
    each = (holds(child, found) for child in node.nodes)
    return all(each) if node.operator == "AND" else any(each)


def rows_of(node: Node, sets: Sequence[Set[int]]) -> Set[int]:
    """The rows the expression is true of, from the rows of each unit."""
    if isinstance(node, int):
        return sets[node]
    parts = [rows_of(child, sets) for child in node.nodes]
    result = parts[0]
    for part in parts[1:]:
        if node.operator == "NOT":
            result = result - part
        else:
            result = result & part if node.operator == "AND" else result | part
    return result


def leaves(node: Node) -> Iterator[int]:
    """The places of all units below a node."""
    if isinstance(node, int):
        yield node
    else:
        for child in node.nodes:
            yield from leaves(child)


def either(asked: Asked) -> Join | None:
    """Any of the units to be found; None for a single one, or where the route ORs anyway."""
    places = tuple(place for place in asked.positive if not asked.units[place].idle)
    if len(places) < 2 or asked.plan.route == "like_scan":
        return None
    return Join("OR", places)


def is_plain(unit: Unit) -> bool:
    """Whether a unit is words alone, which stand wherever a phrase with them does."""
    return unit.phrase or _BARE.fullmatch(unit.match.removesuffix("*")) is not None


def phrase_query(asked: Asked) -> str:
    """The units to be found side by side; '' for a single one, or where a route splits phrases."""
    words = [asked.units[place].words for place in asked.positive]
    if len(words) < 2 or asked.plan.route != "fts5" or any(has_cjk(word) for word in words):
        return ""
    return '"' + " ".join(words) + '"'
