"""Moving through a session and folding it: the view's actions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from hermes_tui.tui.widgets.conversation.base import WINDOW
from hermes_tui.tui.widgets.conversation.document import LEVELS, Level
from hermes_tui.tui.widgets.conversation.layout import CHUNK, REWOUND
from hermes_tui.tui.widgets.conversation.opener import Opens

WIDEST = 1_000
_OVERLAP = 2  # lines of the last page that stay on the screen


class Moves(Opens):
    """Every action is public as `action_*`; none does anything until a session is open."""

    # -- lines and pages

    def _step(self, lines: int) -> None:
        viewport = self._viewport
        if viewport is not None:
            self._aim = None
            self._moved(viewport.step(lines), lines)

    def _scroll(self, lines: int) -> None:
        viewport = self._viewport
        if viewport is not None:
            self._aim = None
            self._moved(viewport.scroll(lines), lines)

    def _moved(self, moved: int, lines: int) -> None:
        if moved:
            self.changed()
        else:
            self.post_message(self.EdgeReached(1 if lines > 0 else -1))

    def action_line_down(self) -> None:
        """One line down."""
        self._step(1)

    def action_line_up(self) -> None:
        """One line up."""
        self._step(-1)

    def action_page_down(self) -> None:
        """One screen down."""
        self._scroll(max(self.size.height - _OVERLAP, 1))

    def action_page_up(self) -> None:
        """One screen up."""
        self._scroll(-max(self.size.height - _OVERLAP, 1))

    def action_half_down(self) -> None:
        """Half a screen down."""
        self._scroll(max(self.size.height // 2, 1))

    def action_half_up(self) -> None:
        """Half a screen up."""
        self._scroll(-max(self.size.height // 2, 1))

    # -- messages

    def _show(self, unit: int) -> None:
        """Put the cursor on a unit's header; the text moves only as far as it has to."""
        if self._viewport is not None:
            self._aim = None
            self._viewport.show((unit, 0), self._viewport.layout.height(unit))
            self.changed()

    def _next_message(self, direction: int) -> None:
        if self._viewport is None:
            return
        layout, (unit, line) = self._viewport.layout, self._viewport.cursor
        if direction < 0 and line > 0:
            self._show(unit)
            return
        step = layout.next_unit if direction > 0 else layout.prev_unit
        following = step(unit)
        if following is not None and layout.open_gap(following, direction, CHUNK):
            following = step(unit)
        if following is None:
            self.post_message(self.EdgeReached(direction))
        else:
            self._show(following)

    def action_message_next(self) -> None:
        """The next message; a gap opens on the way."""
        self._next_message(1)

    def action_message_prev(self) -> None:
        """The start of this message, or the message before."""
        self._next_message(-1)

    def _turn(self, indexes: Sequence[int], direction: int) -> None:
        """The next of the user's turns among these."""
        if self._viewport is None or self._reading is None:
            return
        outline, layout = self._reading.outline, self._viewport.layout
        for index in indexes:
            hidden = outline.visibility[index] == REWOUND and not layout.show_rewound
            if outline.roles[index] == "user" and not hidden:
                layout.reveal(index)
                self._show(layout.unit_of(index))
                return
        self.post_message(self.EdgeReached(direction))

    def action_turn_next(self) -> None:
        """The user's next message."""
        self._turn(range(self.position, self.total), 1)

    def action_turn_prev(self) -> None:
        """The user's message before."""
        self._turn(range(self.position - 2, -1, -1), -1)

    # -- hits

    def action_hit_next(self) -> None:
        """The next message that matches; hidden ones are opened."""
        self._go_to_hit(bisect_right(self._hits, self.position - 1), 1)

    def action_hit_prev(self) -> None:
        """The match before."""
        self._go_to_hit(bisect_left(self._hits, self.position - 1) - 1, -1)

    def _go_to_hit(self, number: int, direction: int) -> None:
        if 0 <= number < len(self._hits):
            self.go_to(self._hits[number], force=True)
        elif self._viewport is not None:
            self.post_message(self.EdgeReached(direction))

    # -- far

    def action_first(self) -> None:
        """The first message of the session."""
        self.go_to(0, row=0)

    def action_last(self) -> None:
        """The last line of the session."""
        self.go_to(self.total - 1, row=self.size.height - 1, spot="end")

    def action_anchor(self) -> None:
        """Back to the message it was opened at."""
        anchor = self._viewport.layout.anchor if self._viewport else None
        if anchor is None:
            self.action_first()
        else:
            self.go_to(anchor, force=True)

    def go_to_number(self, number: int) -> None:
        """Go to a message by its number in the session, from 1; too large means the last."""
        self.go_to(number - 1)

    def go_to_percent(self, percent: float) -> None:
        """Go to the message that stands this far into the session."""
        self.go_to(round((self.total - 1) * min(max(percent, 0.0), 100.0) / 100))

    # -- folds

    def action_wider(self) -> None:
        """Show more messages around the anchor."""
        self._set_window(self.window + WINDOW)

    def action_narrower(self) -> None:
        """Show fewer messages around the anchor."""
        self._set_window(self.window - WINDOW)

    def _set_window(self, window: int) -> None:
        if self._viewport is not None:
            self.window = min(max(window, 0), WIDEST)
            self._viewport.layout.set_window(self.window)
            self.changed()

    def action_open_fold(self) -> None:
        """Open the gap under the cursor, or fold and unfold the tool parts of the message."""
        if self._viewport is None:
            return
        layout, unit = self._viewport.layout, self._viewport.cursor[0]
        if layout.is_gap(unit):
            if not layout.open_gap(unit):
                layout.force_gap(unit)
            self.changed()
            return
        body = self._bodies.get(unit)
        if body is not None and body.foldable:
            level: Level = "cut" if self.level_of(unit) == "full" else "full"
            self.remeasure(lambda: self._own_levels.update({unit: level}))

    def action_toggle_tools(self) -> None:
        """The next folding level of all tool calls and output."""
        if self._viewport is None:
            return
        level = LEVELS[(LEVELS.index(self._level) + 1) % len(LEVELS)]
        layout = self._viewport.layout

        def change() -> None:
            self._level = level
            self._own_levels.clear()
            layout.set_shown(tools=level != "off")

        self.remeasure(change)

    @property
    def tool_level(self) -> Level:
        """How far tool calls and output are folded."""
        return self._level

    def action_toggle_rewound(self) -> None:
        """Show or hide the messages that were rewound."""
        if self._viewport is not None:
            layout = self._viewport.layout
            layout.set_shown(rewound=not layout.show_rewound)
            self.changed()

    @property
    def show_rewound(self) -> bool:
        """Whether rewound messages are shown."""
        return self._viewport is not None and self._viewport.layout.show_rewound

    def action_unfold_all(self) -> None:
        """Show the whole session."""
        if self._viewport is not None:
            self._viewport.layout.unfold_all()
            self.changed()

    def action_fold_all(self) -> None:
        """Back to the anchor's window and the bookends."""
        if self._viewport is not None:
            self._viewport.layout.fold_all()
            self.changed()
