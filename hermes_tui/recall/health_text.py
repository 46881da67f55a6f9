"""The doctor's report in words: sections of rows for the screen and for plain text, and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hermes_tui.recall.findings import USE, Examined, Finding
from hermes_tui.recall.health import Health, Shape
from hermes_tui.recall.index_state import IndexState
from hermes_tui.text.clean import clean_line

_INDEX = {"base": "words", "trigram": "trigram", "cjk": "cjk", "none": "scan"}
_ROUTE = {"empty": "nothing", "like_scan": "scan"}


@dataclass(frozen=True, slots=True)
class Section:
    """Some rows of two columns under a title; all of it is clean text."""

    title: str
    rows: tuple[tuple[str, str], ...]


def verdict(health: Health) -> str:
    """The report in one line."""
    if health.healthy:
        return "Healthy: nothing to do."
    number = len(health.todo)
    return f"Something to do: {number} {'thing' if number == 1 else 'things'}, see below."


def sections(health: Health) -> Iterator[Section]:
    """The report; sections without rows are left out."""
    yield Section("history", tuple(_history(health)))
    yield Section("indexes", tuple(_index_row(each) for each in health.examined))
    yield Section("what answers a query", tuple(_shape_row(s) for s in health.shapes))
    yield Section("rows that no index covers", tuple(_uncovered(health)))
    if health.integrity is not None:
        rows = tuple(("quick_check", line) for line in health.integrity)
        yield Section("integrity", rows)
    if health.todo:
        numbered = enumerate(health.todo, 1)
        yield Section("to do", tuple(r for n, each in numbered for r in _todo(n, each)))
    if health.remarks:
        yield Section("remarks", tuple(("-", each.text) for each in health.remarks))


def _history(health: Health) -> Iterator[tuple[str, str]]:
    sizes, profile = health.sizes, health.place.profile
    where = clean_line(health.place.path, 300)
    yield "where", f"{where} (profile {clean_line(profile, 64)})" if profile else where
    log = f" and {size(sizes.log)} of log" if sizes.log else ""
    yield "size", f"{size(sizes.file)}{log}, {size(sizes.free)} of it free pages"
    yield (
        "holds",
        f"{_count(health.sessions, 'session')}, {_count(health.scanned.messages, 'message')}",
    )
    schema = health.layout.schema_version
    yield "layout", f"schema {'unknown' if schema is None else schema}, journal {health.journal}"
    yield "tokenizer", _tokenizer(health)


def _tokenizer(health: Health) -> str:
    source = health.source
    if source.kind == "c":
        return f"cjk_unicode61 in C, from {clean_line(str(source.path), 300)}"
    if source.kind == "python":
        return "cjk_unicode61 in Python (no library in C could be loaded)"
    return "cjk_unicode61 is missing"


def _index_row(each: Examined) -> tuple[str, str]:
    state = each.state
    name = f"{USE[state.kind]}"
    if state.condition == "none":
        return name, "not there"
    held = "?" if state.held is None else f"{state.held:,}"
    parts = [f"{held} of {_count(state.expected, 'row')}", _form(state), _condition(state)]
    return name, " · ".join(part for part in parts if part)


def _form(state: IndexState) -> str:
    forms = {"inline": "old form", "external_cut": "tool output cut", "unknown": "unknown form"}
    return forms.get(state.index.form, "")


def _condition(state: IndexState) -> str:
    if state.rebuild is not None and state.condition == "rebuilding":
        return f"being rebuilt, {state.rebuild.percent} %"
    return {"whole": "complete", "incomplete": "rows differ"}.get(state.condition, state.condition)


def _shape_row(shape: Shape) -> tuple[str, str]:
    agent = _ROUTE.get(shape.route, shape.route)
    ours = "a scan of all" if shape.index == "none" else f"{_INDEX[shape.index]} index"
    beside = f" and a scan of {_count(shape.scanned, 'row')}" if shape.index != "none" else ""
    if not shape.scanned:
        beside = ""
    return shape.name, f"agent: {agent} · here: {ours}{beside}"


def _uncovered(health: Health) -> Iterator[tuple[str, str]]:
    scanned = health.scanned
    what = "an index lacks them or holds them in another form; a search here scans them"
    yield f"{scanned.uncovered:,} of {scanned.messages:,}", what
    for name, number in scanned.kinds:
        yield f"{number:,}", name


def _todo(number: int, finding: Finding) -> Iterator[tuple[str, str]]:
    yield f"{number}.", finding.text
    yield "", finding.advice
    if finding.command:
        yield "", finding.command


def size(octets: int) -> str:
    """Bytes for people: `12.3 MB`."""
    return f"{octets / 1e6:,.1f} MB" if octets >= 100_000 else f"{octets / 1e3:,.0f} kB"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def lines(health: Health) -> Iterator[str]:
    """The report as plain text."""
    yield verdict(health)
    for section in sections(health):
        width = min(34, max((len(left) for left, _ in section.rows), default=0))
        yield ""
        yield section.title
        for left, right in section.rows:
            yield f"  {left:<{width}}  {right}".rstrip()


def as_json(health: Health) -> dict[str, Any]:
    """The report as data; sizes in bytes. Strings are as stored."""
    layout, markers = health.layout, health.markers
    return {
        "verdict": "healthy" if health.healthy else "something to do",
        "path": health.place.path,
        "profile": health.place.profile,
        "bytes": dataclasses.asdict(health.sizes),
        "journal": health.journal,
        "schema": layout.schema_version,
        "sessions": health.sessions,
        "messages": health.scanned.messages,
        "tokenizer": {
            "kind": health.source.kind,
            "path": None if health.source.path is None else str(health.source.path),
            "problem": health.source.problem,
        },
        "indexes": [_index_json(each) for each in health.examined],
        "markers": dataclasses.asdict(markers),
        "set_aside": health.set_aside,
        "uncovered": {"rows": health.scanned.uncovered, "kinds": dict(health.scanned.kinds)},
        "shapes": [dataclasses.asdict(shape) for shape in health.shapes],
        "integrity": None if health.integrity is None else list(health.integrity),
        "findings": [
            {**dataclasses.asdict(finding), "todo": bool(finding.advice)}
            for finding in health.findings
        ],
    }


def _index_json(each: Examined) -> dict[str, Any]:
    state, index = each.state, each.state.index
    return {
        "name": index.name,
        "form": index.form,
        "columns": list(index.columns),
        "condition": state.condition,
        "servable": index.servable,
        "problem": index.problem,
        "held": state.held,
        "expected": state.expected,
        **dataclasses.asdict(each.count),
        "triggers_missing": list(each.triggers_missing),
    }
