"""The part of a why-not about words: why the route matches no row of the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_tui.recall.discovery import Discovery
from hermes_tui.recall.explain.places import Surroundings, UnitPlace
from hermes_tui.recall.explain.stored import State
from hermes_tui.recall.explain.units import Asked, Node, Unit, leaves
from hermes_tui.recall.explain.verdict import Cause, Ruling, Step
from hermes_tui.text.clean import clean_line

_CAUSES: dict[State, Cause] = {
    "missing": "word_missing",
    "inside_word": "inside_word",
    "apart": "phrase_apart",
    "beside_cjk": "beside_cjk",
    "respelt": "respelt",
    "escaped": "escaped",
    "cut_off": "cut_off",
    "not_indexed": "index_incomplete",
    "other_role": "role_filter",
    "unmatched": "not_matched",
    "idle": "not_matched",
    "unreadable": "query_unreadable",
}


@dataclass(frozen=True, slots=True)
class _Demand:
    """One way to fulfil a query: units that one row must have, and expressions it must not."""

    wanted: tuple[int, ...]
    unwanted: tuple[Node, ...] = ()


def word_steps(places: Sequence[UnitPlace], around: Surroundings) -> Iterator[Step]:
    """A step for each unit: where it stands."""
    what = "message" if around.target.message_id is not None else "session"
    for place in places:
        name = f"'{clean_line(place.unit.text, 60)}'"
        if place.unit.negative:
            text = f"NOT {name}: in {_count(place.here, 'message')} of it."
            yield Step("word", "note", text)
        elif place.here:
            yield Step("word", "pass", f"{name}: in {_count(place.here, 'message')} of it.")
        elif place.state == "idle":
            yield Step("word", "note", f"{name}: nothing an index could look for.")
        elif place.state == "unreadable":
            yield Step("word", "stop", f"{name}: the index cannot read it.")
        else:
            seen = f" ({place.detail})" if place.detail else ""
            yield Step("word", "stop", f"{name}: not found in this {what}{seen}{_near(place)}.")


def _near(place: UnitPlace) -> str:
    parts = []
    if place.session:
        parts.append(f"in {_count(place.session, 'message')} elsewhere in its session")
    if place.lineage:
        parts.append(f"in {_count(place.lineage, 'message')} elsewhere in its lineage")
    return f"; {' and '.join(parts)}" if parts else ""


def unreadable_ruling(
    reading: Discovery, asked: Asked | None, places: Sequence[UnitPlace]
) -> Ruling:
    """Why the agent cannot read the query at all."""
    matches = reading.matches
    if not matches.sanitised:
        advice = "Type a word to look for: the agent's clean-up leaves nothing of this query."
        return Ruling("query_unreadable", "nothing is left of it", advice)
    if not matches.tried:
        advice = "Mend the search index (`hermes-tui doctor` says how): the agent cannot read it."
        return Ruling("index_incomplete", clean_line(matches.unreadable, 120), advice)
    bad = {i for i, place in enumerate(places) if place.state == "unreadable"}
    units = asked.units if asked else ()
    kept = [_readable(unit, quote=i in bad) for i, unit in enumerate(units)]
    query = " ".join(text for text in kept if text)
    detail = clean_line(matches.unreadable, 120)
    advice = f"Ask for {_quoted(query)}: in quotes the agent's index can read it."
    return Ruling("query_unreadable", detail, advice, query or None)


def _readable(unit: Unit, *, quote: bool) -> str:
    """A unit as the index can read it; '' when only signs stand in it."""
    if not any(character.isalnum() for character in unit.words):
        return ""
    return f'"{unit.words}"' if quote else unit.text


def word_ruling(
    asked: Asked, places: Sequence[UnitPlace], around: Surroundings, roles: Sequence[str]
) -> Ruling:
    """Which unit, or which join of units, keeps the target from being matched.

    roles: those the agent asks for.
    """
    if not around.rows:
        advice = "There is nothing to find in it: search for its title, or read its lineage."
        return Ruling("no_messages", "it has no messages", advice)
    if asked.node is None:
        return Ruling(
            "not_matched", "the query is no complete expression", "Take out AND, OR, NOT."
        )
    demand = min(_demands(asked.node), key=lambda d: _misses(d, places))
    missing = [place for place in demand.wanted if not places[place].here]
    if missing:
        if any(places[place].state == "other_role" for place in missing):
            return _role_ruling(places, missing, roles)
        return _missing_ruling(asked, places, demand, missing)
    together = frozenset.intersection(*(places[place].rows for place in demand.wanted))
    if not together:
        return _apart_ruling(asked, demand)
    if demand.unwanted:
        wanted = " ".join(asked.units[place].text for place in demand.wanted)
        named = ", ".join(
            sorted({asked.units[i].text for node in demand.unwanted for i in leaves(node)})
        )
        advice = f"Ask for {_quoted(wanted)} without NOT: it holds what NOT excludes."
        return Ruling("excluded_word", clean_line(named, 80), advice, wanted)
    advice = "Ask in other words: the route that answers does not match it."
    return Ruling("not_matched", f"route {asked.plan.route}", advice)


def _demands(node: Node) -> list[_Demand]:
    """The ways to fulfil an expression."""
    if isinstance(node, int):
        return [_Demand((node,))]
    if node.operator == "OR":
        return [demand for child in node.nodes for demand in _demands(child)]
    if node.operator == "NOT":
        return [
            _Demand(demand.wanted, (*demand.unwanted, node.nodes[1]))
            for demand in _demands(node.nodes[0])
        ]
    found = [_Demand(())]
    for child in node.nodes:
        found = [
            _Demand(left.wanted + right.wanted, left.unwanted + right.unwanted)
            for left in found
            for right in _demands(child)
        ][:_MOST_DEMANDS]
    return found


_MOST_DEMANDS = 64


def _misses(demand: _Demand, places: Sequence[UnitPlace]) -> int:
    return sum(1 for place in demand.wanted if not places[place].here)


def _missing_ruling(
    asked: Asked, places: Sequence[UnitPlace], demand: _Demand, missing: Sequence[int]
) -> Ruling:
    """One unit at a time: the first that some other spelling would find, else the first."""
    first = next((m for m in missing if places[m].fix), missing[0])
    place = places[first]
    name = _quoted(place.unit.text)
    cause = _CAUSES[place.state]
    if place.fix:
        query = _query(asked, demand, {first: place.fix})
        advice = f"Ask for {_quoted(query)}: {_WHY_FIX.get(place.state, 'so the index has it')}."
        return Ruling(cause, f"{name}: {place.detail}", advice, query)
    rest = _query(asked, demand, {first: ""})
    detail = f"{name}: {place.detail or 'in no message of it'}{_near(place)}"
    if rest:
        advice = f"Leave out {name} and ask for {_quoted(rest)}."
        return Ruling(cause, detail, advice, rest)
    several = len(asked.positive) > 1
    if place.state in ("escaped", "cut_off", "not_indexed"):
        advice = f"Ask with another word of it: the agent's index does not hold {name} here."
    elif several:
        advice = "Ask with words that stand in it: it holds none of these."
    else:
        advice = f"Ask with another word: {name} does not stand in it."
    return Ruling(cause, detail, advice)


def _role_ruling(
    places: Sequence[UnitPlace], missing: Sequence[int], roles: Sequence[str]
) -> Ruling:
    """A word that stands only in tool output, which the index of the route does not hold."""
    place = next(places[m] for m in missing if places[m].state == "other_role")
    named = ",".join(dict.fromkeys([*roles, "tool"]))
    detail = f"{_quoted(place.unit.text)}: {place.detail}{_near(place)}"
    advice = f"Ask with role_filter={clean_line(named, 60)}: then every message is read."
    return Ruling("role_filter", detail, advice, None, {"role_filter": named})


_WHY_FIX = {
    "inside_word": "the agent finds whole words and beginnings, no pieces",
    "apart": "the words are there, but not side by side",
    "beside_cjk": "the index knows it only as one word",
    "respelt": "so it is spelt there",
    "unmatched": "this index takes the star literally",
}


def _apart_ruling(asked: Asked, demand: _Demand) -> Ruling:
    names = [asked.units[place].text for place in demand.wanted]
    query = " OR ".join(dict.fromkeys(names))
    advice = f"Ask for {_quoted(query)}: no message of it holds all of the words."
    return Ruling("words_apart", f"{len(names)} words, never in one message", advice, query)


def _query(asked: Asked, demand: _Demand, changes: dict[int, str]) -> str:
    """The demand as a query, with some units put in another way or left out ('')."""
    words = [changes.get(place, asked.units[place].text) for place in demand.wanted]
    wanted = " ".join(word for word in words if word)
    if not wanted:
        return ""
    return wanted + "".join(f" NOT {asked.query_text(node)}" for node in demand.unwanted)


def _quoted(text: str) -> str:
    return f"'{clean_line(text, 80)}'"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
