"""What optimize-storage has done, or would do, in words."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.recall.health_text import size
from hermes_tui.storage.optimize import Report
from hermes_tui.storage.plan import Plan
from hermes_tui.text.clean import clean_line

REPAIRS_SHOWN = 5


def report_lines(report: Report, *, dry_run: bool) -> Iterator[str]:
    """The outcome of a run, the note last; a dry run says its plan and the space that takes."""
    made = report.plan
    if not made.steps:
        yield "Nothing to do."
    elif dry_run:
        yield f"Would be done to {clean_line(made.path, 300)}:"
        yield from _steps(made)
        yield _space(made)
    else:
        yield from _done(report)
    if report.note:
        yield f"! {clean_line(report.note, 500)}"


def _steps(made: Plan) -> Iterator[str]:
    """One line a step; a long list of repairs is cut."""
    repairs = [step for step in made.steps if step.kind == "repair"]
    for step in repairs[:REPAIRS_SHOWN]:
        yield f"  - {clean_line(step.what, 200)}"
    if len(repairs) > REPAIRS_SHOWN:
        yield f"  - and {len(repairs) - REPAIRS_SHOWN:,} more repairs"
    for step in made.steps:
        if step.kind != "repair":
            rows = f" ({step.rows:,} rows)" if step.rows else ""
            yield f"  - {clean_line(step.what, 200)}{rows}"


def _space(made: Plan) -> str:
    text = f"Free space needed: up to {size(made.needed)} of {size(made.free)}."
    if made.needed_temporary:
        folder = clean_line(made.temporary_folder, 200)
        room = f"{size(made.needed_temporary)} of {size(made.free_temporary)}"
        text += f" In {folder}: {room}."
    return text if made.fits else f"{text} That does not fit."


def _done(report: Report) -> Iterator[str]:
    if report.finished:
        yield f"Done in {report.seconds:,.1f} s: {report.indexed:,} rows indexed."
    else:
        yield f"Stopped after {report.seconds:,.1f} s. Nothing is lost; run it again to go on."
    before, after = report.size_before, report.size_after
    sign = "+" if after > before else "-"
    change = f" ({sign}{size(abs(after - before))})" if after != before else ""
    yield f"Size: {size(before)} before, {size(after)} after{change}."
    for name, missing in report.unindexed:
        if missing:
            yield f"{clean_line(name, 60)} still lacks {missing:,} rows."
