"""The application: a theme, the registry's bindings, and the main screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import BindingType

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import READING_CACHE_KIB, HistoryPool
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.judge import Judgements
from hermes_tui.text.clean import clean_line
from hermes_tui.tui.bookmarks import Bookmarks
from hermes_tui.tui.collecting import set_aside
from hermes_tui.tui.commands import bindings, unknown_ids
from hermes_tui.tui.hangup import CHECK_EVERY, on_signals, terminal_is_gone
from hermes_tui.tui.judging import Judging
from hermes_tui.tui.outside import Outside, real_outside
from hermes_tui.tui.palette import CommandProvider
from hermes_tui.tui.recalling import DEFAULT_POLICY, RecallService, rules_of
from hermes_tui.tui.screens.main import MainScreen
from hermes_tui.tui.screens.parts import NARROW
from hermes_tui.tui.service import SearchService
from hermes_tui.tui.typing_ahead import TypingAhead
from hermes_tui.tui.widgets.conversation.events import Failed, Opened


class HermesTui(TypingAhead[int | Place]):
    """Shows one history. Everything it needs is handed in: nothing is read from the environment."""

    CSS_PATH = "styles/app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("anywhere"))
    COMMANDS = {CommandProvider}  # noqa: RUF012 - the framework's own way
    TITLE = "hermes-tui"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012

    def __init__(
        self,
        service: SearchService,
        pool: HistoryPool,
        *,
        query: str = "",
        place: str = "",
        keymap: Mapping[str, str] | None = None,
        now: Callable[[], float] = time.time,
        blink: bool = True,
        judging: Judging | None = None,
        outside: Outside | None = None,
    ) -> None:
        super().__init__()
        self._service = service
        self._keys = dict(keymap or {})
        self.main = MainScreen(
            service, pool, now=now, query=query, place=clean_line(place), keymap=self._keys
        )
        self.main.judging = judging
        if outside is not None:
            self.main.outside = outside
            self.main.bookmarks = Bookmarks(outside.data_dir, pool.place.path)
        self.main.bar.cursor_blink = blink

    def get_default_screen(self) -> MainScreen:
        """The main screen is the bottom of the stack."""
        return self.main

    def on_mount(self) -> None:
        """Put the user's keys in force, and say which of them name no command."""
        self.set_interval(CHECK_EVERY, self._leave_if_alone)
        self.call_after_refresh(set_aside)
        if not self.is_headless:
            on_signals(lambda code: self.exit(return_code=code))
        self.set_keymap(self._keys)
        unknown = unknown_ids(self._keys)
        if unknown:
            self.main.remark(f"The keymap names no command: {clean_line(', '.join(unknown))}")

    def _leave_if_alone(self) -> None:
        """Nobody can see or quit a program whose terminal is gone: it ends itself."""
        if not self.is_headless and terminal_is_gone():
            self.exit(1)

    def _fatal_error(self) -> None:
        """A mistake of ours ends in a sentence, not in pages of traceback over a terminal."""
        what = clean_line(f"{type(self._exception).__name__}: {self._exception}", 300)
        self.panic(Text(f"hermes-tui stopped because of a mistake in it ({what})."))

    @property
    def unready(self) -> bool:
        """Whether the keys are for a conversation that is still being read."""
        view = self.main.conversation.view
        return self.screen is self.main and view.has_focus and view.opening

    @on(Opened)
    @on(Failed)
    async def conversation_is_there(self) -> None:
        """Keys that were typed ahead are for it."""
        await self.ready()

    def on_unmount(self) -> None:
        """End a running search, so that leaving does not wait for it."""
        self.main.searching.cancel()
        self._service.interrupt()


def place_name(place: Place) -> str:
    """What to call a history: its profile, else the end of its path."""
    return place.profile or "/".join(Path(place.path).parts[-2:])


def run(
    place: Place,
    *,
    query: str = "",
    policy_name: str = DEFAULT_POLICY,
    current_session: str | None = None,
    keymap: Mapping[str, str] | None = None,
    now: Callable[[], float] = time.time,
) -> int:
    """Show a history, and others that are gone to, until the user quits; the exit code.

    Raises HistoryError, before anything is drawn, when the history cannot be opened.
    """
    outside = real_outside()
    while True:
        pool = HistoryPool(place, register=register, cache_kib=READING_CACHE_KIB)
        service = RecallService(place, policy_name=policy_name, current_session=current_session)
        judging = Judging(place, Judgements.of(place), current_session=current_session)
        try:
            pool.get()
            app = HermesTui(
                service,
                pool,
                query=query,
                place=place_name(place),
                keymap=keymap,
                now=now,
                judging=judging,
                outside=outside,
            )
            app.main.as_session = current_session
            app.main.rules = rules_of(policy_name)
            app.run()
        finally:
            service.close()
            pool.close()
        if not isinstance(app.return_value, Place):
            return app.return_code or 0
        # Another history: the query goes along, what is known of the agent's session does not.
        place, query, current_session = app.return_value, app.main.searching.question.text, None
