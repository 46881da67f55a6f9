# ruff: noqa: E402 - the environment has to be right before textual is imported
"""Makes the screenshots of the README from the sample history.

`python screenshots/make.py` writes the SVG files beside this script; with `--check` it writes
nothing and exits 1 when a file does not say what the program shows today.
"""

from __future__ import annotations

import os
import time

for _name in ("NO_COLOR", "TEXTUAL_THEME"):
    os.environ.pop(_name, None)
os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()

import asyncio
import html
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rich.cells import cell_len
from textual.pilot import Pilot

from hermes_tui.demo import NEWEST, write_demo
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.judge import Grade, Judgement, Judgements, Topic
from hermes_tui.recall.outcome import Outcome
from hermes_tui.tui.app import HermesTui
from hermes_tui.tui.judging import Judging
from hermes_tui.tui.recalling import RecallService
from hermes_tui.tui.service import Question

HERE = Path(__file__).parent
NOW = NEWEST + 86_400.0


@dataclass(frozen=True)
class Shot:
    """One picture: what is typed at the start, the keys after that, and the terminal's size."""

    name: str
    query: str = ""
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = (120, 36)


SHOTS = (
    Shot("start"),
    Shot("results", "docker network"),
    Shot("conversation", "docker networking", ("down", "j", "enter")),
    Shot("find", "docker networking", ("down", "j", "enter", "slash", *"compose")),
    Shot("lineage", "docker networking", ("down", "j", "enter", "L")),
    Shot("tools-folded", "webhook delivered", ("down", "enter", "t", "t", "t")),
    Shot("tools-open", "webhook delivered", ("down", "enter", "t")),
    Shot("filters", "docker source:cli", ("down", "f")),
    Shot("chinese", "容器网络", ("enter",)),
    Shot("why", "postgres dump", ("down", "j", "j", "w")),
    Shot("payload", "docker network", ("down", "v")),
    Shot("judging", "postgres dump", ("down", "j", "j", "x"), (120, 44)),
    Shot("narrow", "postgres", ("down",), (64, 24)),
    Shot("help", "docker", ("down", "question_mark")),
)


JUDGED: tuple[tuple[str, str, Grade], ...] = (
    ("postgres dump", "20260324_101049_5873ef", 2),
    ("postgres", "20260324_080600_c1bc45", 2),
    ("postgres", "20260504_114200_51e3ef", 0),
    ("postgres migration", "20260324_101049_5873ef", 2),
)
"""The judgements that the README makes."""


class SteadyService(RecallService):
    """Says that every search took 3 ms: a picture must not change with the machine."""

    def answers(self, question: Question, stop: Callable[[], bool]) -> Iterator[Outcome]:
        """The outcomes with a fixed time."""
        for outcome in super().answers(question, stop):
            yield replace(outcome, elapsed_ms=3.0)


def judge(store: Judgements) -> None:
    """Keep the judgements of the README."""
    store.add(Judgement(Topic(q), root, root, None, grade, NOW) for q, root, grade in JUDGED)


def build(shot: Shot, place: Place) -> HermesTui:
    """The application of a shot, with everything that could change held still."""
    store = Judgements.of(place, Path(place.path).parent)
    app = HermesTui(
        SteadyService(place),
        HistoryPool(place, register=register),
        query=shot.query,
        place=place.profile,
        now=lambda: NOW,
        blink=False,
        judging=Judging(place, store),
    )
    app.theme = "textual-dark"
    return app


async def drive(shot: Shot, pilot: Pilot[int]) -> None:
    """Press the keys of a shot, and wait until everything is drawn."""
    await _rest(pilot)
    for key in shot.keys:
        await pilot.press(key)
        await _rest(pilot)


async def _rest(pilot: Pilot[int]) -> None:
    """Until nothing is left to load or to draw."""
    app = pilot.app
    assert isinstance(app, HermesTui)
    await pilot.pause()
    while app.main.busy:
        await pilot.pause()
    await app.workers.wait_for_complete()
    await pilot.pause()


async def draw(shot: Shot, place: Place) -> str:
    """The SVG of one shot."""
    app = build(shot, place)
    async with app.run_test(size=shot.size) as pilot:
        await drive(shot, pilot)
        return widened(app.export_screenshot(title="hermes-tui", simplify=True))


_TEXT = re.compile(r'(<text[^>]* textLength=")([0-9.]+)("[^>]*>)([^<]*)(</text>)')


def widened(svg: str) -> str:
    """The picture with room for wide characters: the exporter counts characters, not cells."""

    def fix(match: re.Match[str]) -> str:
        start, length, middle, text, end = match.groups()
        shown = html.unescape(text)
        cells = cell_len(shown)
        if cells != len(shown):
            length = f"{float(length) / len(shown) * cells:.1f}"
        return f"{start}{length}{middle}{text}{end}"

    return _TEXT.sub(fix, svg)


def words_of(svg: str) -> list[str]:
    """What a picture says, by line; colours and fonts aside."""
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def main(arguments: list[str]) -> int:
    """Write the pictures, or compare them; the exit code."""
    check = "--check" in arguments
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        write_demo(path)
        place = Place(str(path), "demo")
        judge(Judgements.of(place, path.parent))
        for shot in SHOTS:
            svg = asyncio.run(draw(shot, place))
            target = HERE / f"{shot.name}.svg"
            if not check:
                target.write_text(svg, encoding="utf-8")
            elif not target.exists() or words_of(target.read_text("utf-8")) != words_of(svg):
                stale.append(target.name)
    if stale:
        print(f"Not what the program shows: {', '.join(stale)}. Run screenshots/make.py.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
