"""What the agent is given, as lines for a terminal: message by message, with every cut marked."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.recall.explain.eye import Eye, Part, Shown
from hermes_tui.recall.explain.showing import Line
from hermes_tui.text.clean import clean, clean_line
from hermes_tui.text.jsontext import json_text

_PLACES = {"bookend_start": "opening", "messages": "window", "bookend_end": "closing"}


def eye_lines(eye: Eye) -> Iterator[Line]:
    """The call, its size, and each result."""
    yield Line(f"session_search {clean_line(json_text(dict(eye.arguments)), 400)}", "key")
    yield Line(size_text(eye), "head")
    for key in ("error", "message"):
        if eye.answer.get(key):
            yield Line(clean_line(str(eye.answer[key])), "bad")
    rebuild = eye.answer.get("index_rebuild")
    if isinstance(rebuild, dict):
        yield Line(clean_line(str(rebuild.get("note"))), "bad")
    for shown in eye.results:
        yield Line("")
        yield from _result_lines(shown)


def size_text(eye: Eye) -> str:
    """`9,214 characters, about 2,400 tokens, 3 results`."""
    results = len(eye.results)
    plural = "" if results == 1 else "s"
    return f"{eye.chars:,} characters, about {eye.tokens:,} tokens, {results} result{plural}"


def _result_lines(shown: Shown) -> Iterator[Line]:
    title = clean_line(shown.title or "(no title)", 70)
    source = clean_line(shown.source, 24)
    yield Line(f"{shown.rank}. {title} · {source} · {shown.chars:,} characters", "head")
    session, role = clean_line(shown.session_id, 60), clean_line(shown.role, 20)
    yield Line(f"   {session} · matched as {role}", "dim")
    yield Line(f"   snippet: {clean_line(shown.snippet)}")
    for part in shown.parts:
        if part.hidden_before:
            yield Line(f"   {gap_text(part.hidden_before)}", "bad")
        yield from _part_lines(part)
    if shown.hidden_after:
        yield Line(f"   {gap_text(shown.hidden_after)}", "bad")


def _part_lines(part: Part) -> Iterator[Line]:
    anchor = "  ◀ hit" if part.anchor else ""
    size = f"{part.chars:,} characters" + (f", {part.calls:,} of calls" if part.calls else "")
    role = clean_line(part.role, 20)
    head = f"   [{part.message_id}] {role} · {_PLACES[part.place]} · {size}{anchor}"
    yield Line(head, "good" if part.anchor else "dim")
    for line in clean(part.content).split("\n"):
        yield Line(f"     {line}" if line else "")
    if part.cut:
        yield Line(f"     ✂ cut here: {part.chars:,} of {part.original:,} characters", "bad")


def gap_text(hidden: int) -> str:
    """`┄ 201 messages that the agent is not given ┄`."""
    return f"┄ {hidden:,} message{'' if hidden == 1 else 's'} that the agent is not given ┄"
