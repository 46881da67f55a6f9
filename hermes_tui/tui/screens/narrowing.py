"""Narrowing a search: offers while a filter is typed, and the filter panel."""

from __future__ import annotations

from textual import on
from textual.worker import get_current_worker

from hermes_tui.history.errors import Interrupted
from hermes_tui.recall.vocabulary import Vocabulary
from hermes_tui.tui.completing import offers, wants_values
from hermes_tui.tui.messages import BarChanged, VocabularyRead
from hermes_tui.tui.screens.filters import FilterScreen
from hermes_tui.tui.screens.working import Working
from hermes_tui.tui.widgets.conversation.loader import failure_of


class Narrowing(Working, inherit_bindings=False):
    """The history's vocabulary is read when it is first needed, and again when it has changed."""

    _vocabulary: Vocabulary | None = None
    _panel_wanted = False

    @on(BarChanged)
    def offer(self) -> None:
        """Offer what may be meant at the cursor."""
        text, cursor = self.bar.value, self.bar.cursor_position
        if self._vocabulary is None and wants_values(text, cursor):
            self._read_vocabulary()
        found = offers(text, cursor, self._vocabulary) if self.bar.has_focus else ()
        if found != self.bar.offers:
            self.bar.offers = found
            self._update_lines()

    def action_filters(self) -> None:
        """Show the filter panel, as soon as it is known what there is to choose."""
        if self._vocabulary is None:
            self._panel_wanted = True
            self._read_vocabulary()
        else:
            self.app.push_screen(FilterScreen(self.bar.value, self._vocabulary, self.bar.fill))

    def forget_vocabulary(self) -> None:
        """Somebody has written to the history."""
        self._vocabulary = None

    def _read_vocabulary(self) -> None:
        self.run_worker(
            self._read_it, group="vocabulary", thread=True, exclusive=True, exit_on_error=False
        )

    def _read_it(self) -> None:
        """The worker's thread; a search that is stopped stops this too, and it begins again."""
        worker = get_current_worker()
        while not worker.is_cancelled:
            try:
                read = self.service.vocabulary(lambda: worker.is_cancelled)
            except Interrupted:
                continue
            except Exception as error:
                self.post_message(VocabularyRead(None, failure_of(error)))
                return
            self.post_message(VocabularyRead(read))
            return

    def on_vocabulary_read(self, event: VocabularyRead) -> None:
        """Go on with what it was wanted for."""
        self._vocabulary = event.vocabulary
        if event.vocabulary is None:
            self.complain(event.failure)
        elif self._panel_wanted:
            self.action_filters()
        else:
            self.offer()
        self._panel_wanted = False
