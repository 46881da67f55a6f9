# ruff: noqa: E402 - the environment has to be right before textual is imported
"""What the tests of the screen share: a history on disk, a service that a test steers, a frame.

NO_COLOR and TEXTUAL_THEME change how frames look, and textual reads them when it is imported.
"""

from __future__ import annotations

import os

for _name in ("NO_COLOR", "TEXTUAL_THEME"):
    os.environ.pop(_name, None)

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from hermes_tui.history.errors import Interrupted
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import HistoryPool
from hermes_tui.recall.outcome import LineageHit, Notice, Outcome, Unseen
from hermes_tui.recall.vocabulary import Vocabulary
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession
from hermes_tui.tui.outside import Outside

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesTui
    from hermes_tui.tui.service import Question

NOW = 1_800_000_000.0
DAY = 86_400.0


def write_history(path: Path, sessions: int = 6, messages: int = 12) -> None:
    """Sessions s1, s2, ... of numbered messages; message ids count on from session to session."""
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        for number in range(1, sessions + 1):
            started = NOW - 3 * DAY * number
            writer.create_session(NewSession(id=f"s{number}", source="cli", started_at=started))
            turns = [
                NewMessage(
                    role="user" if turn % 2 else "assistant", content=f"s{number} says {turn}"
                )
                for turn in range(1, messages + 1)
            ]
            writer.append_batch(f"s{number}", turns, started)


def make_hit(number: int, **changes: Any) -> LineageHit:
    """Lineage s<number>: hit in its sixth message; the first three are seen by the agent."""
    fields: dict[str, Any] = {
        "rank": number,
        "root": f"s{number}",
        "session_id": f"s{number}",
        "message_id": (number - 1) * 12 + 6,
        "hits": ((number - 1) * 12 + 6,),
        "matched": 1,
        "total": 12,
        "agent_rank": number if number <= 3 else None,
        "unseen": None if number <= 3 else Unseen("beyond_limit"),
        "title": f"Talk {number}",
        "root_title": f"Talk {number}",
        "when": NOW - 3 * DAY * number,
        "root_when": NOW - 3 * DAY * number,
        "source": "cli",
        "role": "user",
        "snippet": "the docker bridge",
        "marks": ((4, 10),),
        "link": "",
    }
    return LineageHit(**(fields | changes))


class FakeService:
    """Answers with `hits` of its own; `hold` makes every search wait for it or for `stop`."""

    def roles(self, text: str) -> str:
        return "user+assistant"

    def __init__(self) -> None:
        self.hits: list[LineageHit] = [make_hit(number) for number in range(1, 7)]
        self.notices: tuple[Notice, ...] = ()
        self.error: Exception | None = None
        self.asked: list[Question] = []
        self.stopped: list[Question] = []
        self.hold: threading.Event | None = None
        self.later: list[LineageHit] = []
        """What a scan finds after the first answer, once `go_on` is set; it stands above."""
        self.go_on = threading.Event()
        self.deaf = False
        """Whether a held search ignores `stop`, as a statement does that cannot be interrupted."""

    def vocabulary(self, stop: Callable[[], bool]) -> Vocabulary:
        return Vocabulary(
            sources=(("cli", 6), ("telegram", 3), ("cron", 1)),
            tools=(("terminal", 40), ("web_search", 4)),
            cwds=(("/home/me/lab", 2), ("/home/me/shop floor", 1)),
            titles=("Homelab plan", "Bread"),
            sessions=("s1", "s2"),
            profile="default",
        )

    def answers(self, question: Question, stop: Callable[[], bool]) -> Iterator[Outcome]:
        outcome = self._answer(question, stop)
        if self.later:
            yield replace(outcome, complete=False)
            while not self.go_on.wait(0.005):
                if stop():
                    raise Interrupted
            outcome = replace(outcome, lineages=(*self.later, *outcome.lineages))
        yield outcome

    def _answer(self, question: Question, stop: Callable[[], bool]) -> Outcome:
        self.asked.append(question)
        hold = self.hold
        while hold is not None and not hold.wait(0.005):
            if stop() and not self.deaf:
                self.stopped.append(question)
                raise Interrupted
        if self.error is not None and not question.blank:
            raise self.error
        hits = tuple(self.hits)
        if question.sort != "relevance":
            hits = tuple(sorted(hits, key=lambda h: h.when or 0, reverse=question.sort == "newest"))
        return Outcome(question.text, "hermes", "fts5", 3.0, lineages=hits, notices=self.notices)

    def highlighter(
        self, query: str, hit: LineageHit, route: str
    ) -> Callable[[str], list[tuple[int, int]]]:
        return lambda text: []

    def interrupt(self) -> None:
        pass

    def close(self) -> None:
        pass


def frame_of(app: App[Any]) -> str:
    """The text of the screen as it is drawn."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def settle_pilot(pilot: Pilot[Any]) -> None:
    """Wait until every question has its answer and the conversation is on the screen."""
    main = pilot.app.main
    await pilot.pause()
    while main.busy or pilot.app.behind or any(w.is_running for w in main.app.workers):
        await pilot.pause()
        await main.app.workers.wait_for_complete()
    await pilot.pause()


@pytest.fixture(scope="session")
def small_history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("history") / "state.db"
    write_history(path)
    return path


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def hit() -> Callable[..., LineageHit]:
    return make_hit


@pytest.fixture
def frame() -> Callable[[App[Any]], str]:
    return frame_of


@pytest.fixture
def settle() -> Callable[[Pilot[Any]], Any]:
    return settle_pilot


@pytest.fixture
def pool(small_history: Path) -> Iterator[HistoryPool]:
    pool = HistoryPool(Place(str(small_history), "default"))
    yield pool
    pool.close()


class FakeOutside:
    """Programs and folders of a test: what was fed to which program, what was shown."""

    def __init__(self, folder: Path) -> None:
        self.environ: dict[str, str] = {}
        self.data, self.work = folder / "data", folder / "work"
        self.fed: list[tuple[tuple[str, ...], bytes]] = []
        self.takes = True
        self.desktop: list[str] | None = None
        self.shown: list[tuple[list[str], str]] = []

    def feed(self, command: Any, data: bytes) -> bool:
        self.fed.append((tuple(command), data))
        return self.takes

    def show(self, command: Any) -> int:
        self.shown.append((list(command), Path(command[-1]).read_text("utf-8")))
        return 0

    def system_clipboard(self, text: str) -> bool:
        if self.desktop is not None:
            self.desktop.append(text)
        return self.desktop is not None

    def outside(self) -> Outside:
        return Outside(
            self.environ, self.data, self.work, self.feed, self.show, self.system_clipboard
        )


@pytest.fixture
def beyond(tmp_path: Path) -> FakeOutside:
    return FakeOutside(tmp_path)


@pytest.fixture
def make_app(
    service: FakeService,
    pool: HistoryPool,
    beyond: FakeOutside,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., HermesTui]:
    """An application over the fake service and the small history, with a fixed clock."""
    from hermes_tui.tui.app import HermesTui

    monkeypatch.setattr("hermes_tui.tui.screens.main.DEBOUNCE", 0.0)
    monkeypatch.setattr("hermes_tui.tui.screens.reading.PREVIEW_DELAY", 0.001)

    def make(pool: HistoryPool = pool, **options: Any) -> HermesTui:
        app = HermesTui(
            service,
            pool,
            **{"now": lambda: NOW, "place": "default", "blink": False, "outside": beyond.outside()}
            | options,
        )
        app.theme = "textual-dark"
        return app

    return make
