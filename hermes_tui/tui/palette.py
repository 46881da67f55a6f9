"""The command palette, filled from the registry."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode

from hermes_tui.tui.commands import Command, applicable, keys_text

if TYPE_CHECKING:
    from hermes_tui.tui.screens.main import MainScreen


class CommandProvider(Provider):
    """Offers what applies in the pane that had the keyboard."""

    def _main(self) -> MainScreen | None:
        from hermes_tui.tui.screens.main import MainScreen

        return self.screen if isinstance(self.screen, MainScreen) else None

    def _offers(self) -> Iterator[tuple[Command, str]]:
        main = self._main()
        if main is None:
            return
        for command in applicable(main.situation):
            keys = keys_text(command, main.keymap)
            yield command, f"{command.label}  ({keys})" if keys else command.label

    async def discover(self) -> Hits:
        """Everything that applies, before anything is typed."""
        for command, text in self._offers():
            yield DiscoveryHit(text, partial(self._run, command), help=command.help)

    async def search(self, query: str) -> Hits:
        """What resembles `query`."""
        matcher = self.matcher(query)
        for command, text in self._offers():
            score = max(matcher.match(text), matcher.match(command.help) * 0.9)
            if score > 0:
                run = partial(self._run, command)
                yield Hit(score, matcher.highlight(text), run, text=text, help=command.help)

    async def _run(self, command: Command) -> None:
        """Run a command where its key would have run it."""
        main = self._main()
        if main is None:
            return
        node: DOMNode = main.focused if main.focused and command.scope == main.pane else main
        await self.app.run_action(command.action, node)
