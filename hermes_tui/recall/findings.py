"""What a doctor finds in the indexes of a history, and what to do about each thing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_tui.history.layout import TRIGRAM, Layout, Markers
from hermes_tui.history.locate import Place
from hermes_tui.history.tokenizer import Source
from hermes_tui.recall.index_state import Count, IndexState
from hermes_tui.text.clean import clean_line

OWN_SCHEMA = 25
"""The newest schema that `hermes-tui optimize-storage` writes; newer files are Hermes' own."""

USE = {"base": "words", "trigram": "pieces of words", "cjk": "two-character words"}
"""What each index is for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing. text: what is so. advice: what to do, '' for a remark that asks for nothing.

    command: a command line that does it, or ''.
    """

    code: str
    text: str
    advice: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """One index with what was counted in it."""

    state: IndexState
    count: Count
    triggers_missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remedy:
    """What mends an index of this history. ours: by this program, not only by Hermes itself."""

    command: str
    ours: bool = True

    def finding(self, code: str, text: str, advice: str) -> Finding:
        """Something that this remedy helps against."""
        advice = advice if self.ours else "This layout is newer than ours: Hermes itself mends it."
        return Finding(code, text, advice, self.command)

    @classmethod
    def of(cls, place: Place, layout: Layout) -> Remedy:
        """Ours where this program can write the layout, Hermes' own for newer ones."""
        if is_newer(layout):
            return cls("hermes sessions optimize-storage", ours=False)
        if place.profile:
            return cls(f"hermes-tui optimize-storage --profile {place.profile}")
        return cls(f"hermes-tui optimize-storage {clean_line(shlex.quote(place.path))}")


def is_newer(layout: Layout) -> bool:
    """Whether only a newer program can change this layout (schema history, 1 and 2.3)."""
    trigram = layout.trigram
    return (
        (layout.schema_version or 0) > OWN_SCHEMA
        or layout.base.form in ("external_cut", "unknown")
        or bool(trigram.without_sources)
        or (trigram.form == "external" and "tool_calls" not in trigram.columns)
    )


def findings(
    place: Place,
    layout: Layout,
    markers: Markers,
    examined: Sequence[Examined],
    source: Source,
    set_aside: int,
) -> tuple[Finding, ...]:
    """Everything worth saying. set_aside: tables of an old index that wait to be dropped."""
    remedy = Remedy.of(place, layout)
    found: list[Finding] = []
    for each in examined:
        found += _of_index(each, remedy)
    if markers.rebuild is not None and layout.base.present:
        # The trigram index is filled by the same rebuild.
        found = [f for f in found if not (f.code == "index_rebuilding" and TRIGRAM in f.text)]
    found += _of_form(layout, markers, remedy)
    if set_aside:
        text = f"Parts of an old index ({_count(set_aside, 'table')}) still take up space."
        found.append(remedy.finding("set_aside", text, "Drop them."))
    found += _of_tokenizer(layout, source)
    return tuple(found)


def _of_index(each: Examined, remedy: Remedy) -> Iterator[Finding]:
    state, count = each.state, each.count
    name, use = state.index.name, USE[state.kind]
    if state.condition == "none":
        yield from _absent(state, remedy)
        return
    if state.condition == "stale":
        yield _stale(state, remedy)
        return
    if state.condition == "damaged":
        yield _damaged(state, remedy)
        return
    if state.rebuild is not None:
        advice = "Hermes goes on with it in the background; or finish it now."
        if state.kind == "cjk":
            advice = "Fill it; until then it is not used."
        text = (
            f"{name} ({use}) is being rebuilt: it has reached message {state.rebuild.progress:,} "
            f"of {state.rebuild.high_water:,}, and {_count(count.awaiting, 'row')} "
            f"{'is' if count.awaiting == 1 else 'are'} not in it yet."
        )
        yield remedy.finding("index_rebuilding", text, advice)
    if count.missing or count.extra:
        wrong = [_count(count.missing, "row") + " not in it"] if count.missing else []
        wrong += [_count(count.extra, "row") + " in it that should not be"] if count.extra else []
        text = f"{name} ({use}) does not agree with the messages: {' and '.join(wrong)}."
        yield remedy.finding("rows_missing", text, "Make it anew.")
    if each.triggers_missing:
        what = " and ".join((", ".join(each.triggers_missing[:-1]), each.triggers_missing[-1]))
        what = what.removeprefix(" and ")
        text = f"{name} ({use}) has no trigger for {what}: it does not follow what is written."
        yield remedy.finding("triggers_missing", text, "Put the triggers back.")


def _absent(state: IndexState, remedy: Remedy) -> Iterator[Finding]:
    if state.kind == "base":
        text = "There is no index of words: the agent finds nothing, and we scan every message."
        yield remedy.finding("index_missing", text, "Make it.")
    elif state.kind == "trigram":
        text = "There is no index of pieces of words: Chinese, Japanese and Korean are scanned."
        yield remedy.finding("index_missing", text, "Make it.")
    else:
        text = (
            "There is no index of two-character words. Nothing is lost without it: Chinese, "
            "Japanese and Korean words of one or two characters are scanned for, which is slower."
        )
        yield Finding("no_cjk_index", text)


def _stale(state: IndexState, remedy: Remedy) -> Finding:
    name = state.index.name
    if state.kind != "cjk":
        text = f"Hermes found {name} damaged and marked it stale: it is not used."
        return remedy.finding("index_stale", text, "Rebuild it.")
    text = f"{name} (two-character words) is stale: a program without its tokenizer wrote messages."
    advice = (
        "Give Hermes the tokenizer first (`hermes-tui tokenizer install`), or it will retire the "
        "index again; then make it anew."
    )
    return remedy.finding("index_stale", text, advice)


def _damaged(state: IndexState, remedy: Remedy) -> Finding:
    name, problem = state.index.name, clean_line(state.index.problem, 200)
    if state.index.form == "unknown":
        text = f"{name} has a form that this program does not know; it is not used."
        return Finding("index_unknown", text, "Update hermes-tui.")
    if "no such tokenizer" in problem:
        text = f"{name} (two-character words) cannot be read: {problem}."
        advice = "Install hermes-tui again where a C compiler is found, or with apsw 3.47 or newer."
        return Finding("tokenizer_missing", text, advice)
    why = f"cannot be read: {problem}" if problem else "does not find rows that it should hold"
    return remedy.finding("index_damaged", f"{name} {why}.", "Make it anew.")


def _of_form(layout: Layout, markers: Markers, remedy: Remedy) -> Iterator[Finding]:
    """The old form works, and Hermes up to 0.19 knows no other; a newer one offers to convert."""
    old = [i.name for i in (layout.base, layout.trigram) if i.form == "inline"]
    if not old:
        return
    keep = "keep" if len(old) > 1 else "keeps"
    text = f"{' and '.join(old)} {keep} a second copy of the text (the form of Hermes 0.19)."
    if markers.optimize_available or (layout.schema_version or 0) >= OWN_SCHEMA:
        advice = "Convert the old form: the file gets smaller, and the rules of newer Hermes hold."
        yield remedy.finding("old_form", text, advice)
    else:
        yield Finding("old_form", f"{text} All of it can be searched.")


def _of_tokenizer(layout: Layout, source: Source) -> Iterator[Finding]:
    if source.problem:
        yield Finding(
            "tokenizer_problem",
            clean_line(source.problem, 300),
            "Correct or unset HERMES_FTS5_CJK_SO, or install hermes-tui again.",
        )
    if layout.cjk.servable and source.kind == "python":
        text = (
            "The tokenizer in Python reads messages_fts_cjk, as this installation has none in C: "
            "answers are the same, and filling the index takes six times as long."
        )
        yield Finding("tokenizer_python", text)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
