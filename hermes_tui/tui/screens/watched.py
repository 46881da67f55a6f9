"""A history that grows while it is looked at."""

from __future__ import annotations

from pathlib import Path

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place, list_profiles
from hermes_tui.history.reader import History
from hermes_tui.tui.clipboard import shown
from hermes_tui.tui.drawing import Piece, one_line
from hermes_tui.tui.screens.choice import ChoiceScreen
from hermes_tui.tui.screens.marking import Marking
from hermes_tui.tui.watching import Watch

LOOK_EVERY = 2.0
"""Seconds between two looks at whether somebody has written."""


class Watched(Marking, inherit_bindings=False):
    """New messages join at the end, the recent sessions are listed again; nothing moves."""

    _watch: Watch | None = None
    _looking = False
    refreshing = False
    """Whether the next answer is the same question's again: the cursor stays."""

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
        if not changed:
            return
        self.forget_vocabulary()
        if self.conversation.hit is not None:
            self.conversation.view.check()
            self.conversation.read_lineage()
        if self.searching.question.blank and self.searching.answered:
            self.refreshing = True
            self.searching.ask(self.searching.question)

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


def _opens(place: Place) -> tuple[Place, str]:
    """(the place, why it cannot be opened or '')."""
    try:
        History.open(place).close()
    except HistoryError as error:
        return place, str(error)
    return place, ""
