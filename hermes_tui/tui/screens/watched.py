"""A history that grows while it is looked at."""

from __future__ import annotations

import time
from pathlib import Path

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place, list_profiles
from hermes_tui.history.reader import History
from hermes_tui.recall.outcome import Outcome
from hermes_tui.tui.clipboard import shown
from hermes_tui.tui.drawing import Piece, one_line
from hermes_tui.tui.screens.choice import ChoiceScreen
from hermes_tui.tui.screens.marking import Marking
from hermes_tui.tui.watching import Watch

LOOK_EVERY = 2.0
"""Seconds between two looks at whether somebody has written."""
REST = 8
"""A question is asked again when it has rested for this many times the time its answer took."""


class Watched(Marking, inherit_bindings=False):
    """New messages join at the end, the question is asked again; nothing moves."""

    _watch: Watch | None = None
    _looking = False
    _outdated = False
    _rests_until = 0.0

    def on_mount(self) -> None:
        """Look from time to time."""
        self._watch = Watch(self.pool.place)
        self.set_interval(LOOK_EVERY, self.look)

    def on_unmount(self) -> None:
        """Give up the connection, unless a look is using it."""
        if self._watch is not None and not self._looking:
            self._watch.close()

    def look(self) -> None:
        """See, in a thread, whether there is anything new."""
        if self._watch is not None and not self._looking:
            self._looking = True
            self.in_thread(self._watch.changed, self._looked, "watch")

    def _looked(self, changed: bool) -> None:
        self._looking = False
        if changed:
            self._outdated = True
            self.forget_vocabulary()
            if self.conversation.hit is not None:
                self.conversation.view.check()
                self.conversation.read_lineage()
        if self._outdated and self.searching.at_rest and time.monotonic() >= self._rests_until:
            self._outdated = False
            self.searching.ask_again()

    def rest(self, outcome: Outcome) -> None:
        """A full answer is here: an agent that writes on and on must not keep us searching."""
        self._rests_until = time.monotonic() + rest_after(outcome.elapsed_ms)

    def outdated(self) -> None:
        """The answer is not what the history says now: ask again at the next look."""
        self._outdated = True

    # -- another history --------------------------------------------------------------------

    def action_choose_profile(self) -> None:
        """Show the profiles that have a history, and go to the one that is chosen."""
        if self.outside is not None:
            environ = self.outside.environ
            self.in_thread(lambda: list_profiles(environ), self._offer_profiles, "profiles")

    def _offer_profiles(self, places: tuple[Place, ...]) -> None:
        if not places:
            self.toast("There is no Hermes profile with a history here.")
            return
        here = next((i for i, p in enumerate(places) if p.path == self.pool.place.path), 0)
        rows = [
            ((Piece(one_line(place.profile), "bold"),), (Piece(shown(Path(place.path)), "dim"),))
            for place in places
        ]

        def chosen(row: int | None) -> None:
            if row is not None and places[row].path != self.pool.place.path:
                place = places[row]
                self.in_thread(lambda: _opens(place), self._go_to_place, "profiles")

        self.app.push_screen(ChoiceScreen("profiles", rows, cursor=here), chosen)

    def _go_to_place(self, found: tuple[Place, str]) -> None:
        place, failure = found
        if failure:
            self.toast(failure, failed=True)
        else:
            self.app.exit(place)


def rest_after(elapsed_ms: float) -> float:
    """Seconds until a question may be asked again: none for an answer that was quick."""
    return max(0.0, elapsed_ms / 1_000 * REST - LOOK_EVERY)


def _opens(place: Place) -> tuple[Place, str]:
    """(the place, why it cannot be opened or '')."""
    try:
        History.open(place).close()
    except HistoryError as error:
        return place, str(error)
    return place, ""
