"""Writing a conversation to a file, and reading it in a pager or an editor."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.app import SuspendNotSupported

from hermes_tui.history.reader import History
from hermes_tui.recall.export import (
    FORMS,
    NAMES,
    SUFFIX,
    Chapter,
    Form,
    chapter,
    title_of,
    written,
)
from hermes_tui.text.clean import clean_line
from hermes_tui.tui.clipboard import reason, shown
from hermes_tui.tui.drawing import Piece
from hermes_tui.tui.files import file_name, write_new
from hermes_tui.tui.outside import Outside
from hermes_tui.tui.screens.choice import ChoiceScreen
from hermes_tui.tui.screens.copying import Copying
from hermes_tui.tui.walking import walk_of

GROUP = "export"
_TAKES_LINE = frozenset({"less", "more", "most", "vi", "vim", "nvim", "nano", "emacs", "micro"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is written: window ([low, high) of messages), session, or its whole lineage."""

    session_id: str
    what: str
    window: tuple[int, int] | None = None
    rewound: bool = False


def chapters_of(history: History, wanted: Wanted) -> list[Chapter]:
    """The sessions to write, in the order in which they are walked."""
    lineage = history.lineage(wanted.session_id)
    sessions = {node.session.id: node.session for node in lineage.nodes}
    walk = walk_of(lineage, {})
    chosen = [s for s in walk if wanted.what == "lineage" or s.session_id == wanted.session_id]
    return [
        chapter(
            history,
            sessions[stop.session_id],
            stop.edge,
            positions=wanted.window,
            rewound=wanted.rewound,
        )
        for stop in chosen
    ]


def write_export(history: History, wanted: Wanted, form: Form, outside: Outside) -> str:
    """Write the file; what to say about it. The data folder stands in for one that is read-only."""
    chapters = chapters_of(history, wanted)
    if not chapters:
        return "This session is not in the history any more."
    session = chapters[-1 if wanted.what != "lineage" else 0].session
    name = file_name("hermes", title_of(session), "" if wanted.what == "session" else wanted.what)
    try:
        path = write_new(outside.work_dir, name, SUFFIX[form], written(history, chapters, form))
        return f"Written to {shown(path)}"
    except OSError as error:
        folder = outside.data_dir / "exports"
        path = write_new(folder, name, SUFFIX[form], written(history, chapters, form))
        return f"{shown(outside.work_dir)}: {reason(error)}. Written to {shown(path)}"


class Exporting(Copying, inherit_bindings=False):
    """Nothing is ever written over."""

    def action_export(self) -> None:
        """Ask what is to be written, and in which form."""
        session_id, outside = self.target(), self.outside
        if session_id is None or outside is None:
            return
        choices = list(self._wanted(session_id))
        rows = [
            ((Piece(f"{label}  "), Piece(NAMES[form], "bold")), (Piece(f".{SUFFIX[form]}", "dim"),))
            for _, label in choices
            for form in FORMS
        ]

        def chosen(row: int | None) -> None:
            if row is not None:
                wanted, form = choices[row // len(FORMS)][0], FORMS[row % len(FORMS)]
                work = partial(self._write, wanted, form, outside)
                self.in_thread(work, self.toast, GROUP)

        title = f"export to {shown(outside.work_dir)}"
        self.app.push_screen(ChoiceScreen(title, rows), chosen)

    def _wanted(self, session_id: str) -> Iterator[tuple[Wanted, str]]:
        """What can be written, with its name."""
        view, window = self.conversation.view, self.window_around()
        rewound = view.show_rewound
        if self.inside and window is not None:
            label = f"messages {window[0] + 1:,} to {window[1]:,}"
            yield Wanted(session_id, "window", window, rewound), label.ljust(24)
        yield Wanted(session_id, "session", rewound=rewound), "this session".ljust(24)
        if session_id != view.session_id or len(self.conversation.walk) > 1:
            yield Wanted(session_id, "lineage", rewound=rewound), "the whole lineage".ljust(24)

    def _write(self, wanted: Wanted, form: Form, outside: Outside) -> str:
        """The worker's thread."""
        return write_export(self.pool.get(), wanted, form, outside)

    # -- pager and editor -------------------------------------------------------------------

    def action_open_outside(self, variable: str) -> None:
        """Show the session in $PAGER or $EDITOR, as Markdown, at the message under the cursor."""
        session_id, outside = self.target(), self.outside
        if session_id is None or outside is None:
            return
        program = program_of(variable, outside)
        if not program:
            self.toast(f"Set {variable} to a program first.", failed=True)
            return
        view = self.conversation.view
        at = view.current_id if session_id == view.session_id else None
        wanted = Wanted(session_id, "session", rewound=view.show_rewound)
        self.in_thread(
            partial(self._write_aside, wanted, at), partial(self._show, program, outside), GROUP
        )

    def _write_aside(self, wanted: Wanted, at: int | None) -> tuple[Path, int]:
        """The worker's thread: (a file of its own, the line where message `at` begins)."""
        history = self.pool.get()
        parts = chapters_of(history, wanted)
        folder = Path(tempfile.mkdtemp(prefix="hermes-tui-"))
        try:
            line, lines = 1, _Lines(written(history, parts, "markdown"))
            ids = list(parts[0].ids) if parts else []
            path = write_new(folder, file_name(title_of(parts[0].session)), "md", lines)
            if at in ids:
                line = lines.before[min(ids.index(at) + 1, len(lines.before) - 1)] + 2
            return path, line
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _show(self, program: list[str], outside: Outside, written_to: tuple[Path, int]) -> None:
        path, line = written_to
        at = [f"+{line}"] if Path(program[0]).name in _TAKES_LINE and line > 1 else []
        failed = ""
        try:
            with self.app.suspend():
                failed = _run([*program, *at, str(path)], outside)
        except SuspendNotSupported:
            failed = "This terminal cannot be handed to another program."
        finally:
            shutil.rmtree(path.parent, ignore_errors=True)
        if failed:
            self.toast(failed, failed=True)
        self.app.refresh()


def _run(command: list[str], outside: Outside) -> str:
    """Run a program in the terminal; '' or what went wrong. It raises nothing: an error that left
    the framework's `suspend` would leave the terminal away from the application for good.
    """
    name = clean_line(command[0])
    try:
        code = outside.show(command)
    except (OSError, ValueError) as error:
        what = reason(error) if isinstance(error, OSError) else clean_line(str(error))
        return f"{name} cannot be started: {what}."
    return f"{name} ended with exit code {code}." if code else ""


class _Lines:
    """Pieces of a text, counting lines: before[n] is how many stand before piece n."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self.before: list[int] = []
        self._count = 0

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            self.before.append(self._count)
            self._count += piece.count("\n")
            yield piece


def program_of(variable: str, outside: Outside) -> list[str]:
    """The words of a command in the environment, or a usual program; [] when there is none."""
    names = ("VISUAL", "EDITOR") if variable == "EDITOR" else (variable,)
    for name in names:
        try:
            words = shlex.split(outside.environ.get(name, ""))
        except ValueError:
            words = []
        if words:
            return words
    usual = ("less", "more") if variable == "PAGER" else ("nano", "vi")
    path = outside.environ.get("PATH")
    return next(([name] for name in usual if shutil.which(name, path=path)), [])
