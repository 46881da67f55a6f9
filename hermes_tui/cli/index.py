"""The index side as commands: doctor, optimize-storage, tokenizer install.

The only commands that may write, and only what they are named for: `optimize-storage` the history
named to it, `tokenizer install` one file in a Hermes home. What they need is imported when
they run, so that a search does not wait for it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from hermes_tui.cli import text
from hermes_tui.cli.options import Command, Parser, place_of, print_lines
from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import hermes_home
from hermes_tui.text.clean import clean_line

TO_DO = 1
INTERRUPTED = 130


def _doctor_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--integrity", action="store_true", help="also let SQLite check the whole file"
    )


def run_doctor(options: argparse.Namespace) -> int:
    """`hermes-tui doctor`: 0 when healthy, 1 when there is something to do."""
    from hermes_tui.recall import health_text
    from hermes_tui.recall.health import examine_place

    health = examine_place(place_of(options), integrity=options.integrity)
    if options.json:
        print(text.json_text(health_text.as_json(health)))
    else:
        print_lines(health_text.lines(health))
    return 0 if health.healthy else TO_DO


def _optimize_arguments(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help="a state.db, as with --db")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--no-vacuum", action="store_true", help="leave the free pages in the file")


def run_optimize(options: argparse.Namespace) -> int:
    """`hermes-tui optimize-storage FILE`: 0 when done, 1 when something is left, 130 stopped."""
    from hermes_tui.cli.optimizing import report_lines
    from hermes_tui.cli.progress import Wish, progress_for
    from hermes_tui.storage.optimize import optimize

    if options.file is not None and options.db is not None:
        raise HistoryError("Name the file once: as FILE or with --db.")
    options.db = options.file if options.file is not None else options.db
    if not (options.db or options.profile or options.demo):
        raise HistoryError(
            "This changes a history, so it has to be named: give FILE or --profile NAME."
        )
    path = place_of(options).path
    with Wish() as stop, progress_for() as progress:
        report = optimize(
            path,
            dry_run=options.dry_run,
            vacuum=not options.no_vacuum,
            progress=progress,
            stop=stop,
        )
    print_lines(report_lines(report, dry_run=options.dry_run))
    if options.dry_run:
        return 0
    if not report.finished:
        return INTERRUPTED
    return TO_DO if any(missing for _, missing in report.unindexed) else 0


def _tokenizer_arguments(parser: Parser) -> None:
    parser.add_argument("action", choices=("install",), help="what to do")
    parser.add_argument("directory", nargs="?", metavar="DIR", help="a Hermes home")


def run_tokenizer(options: argparse.Namespace) -> int:
    """`hermes-tui tokenizer install [DIR]`: give Hermes the tokenizer of its CJK index."""
    from hermes_tui.storage.tokenizer_install import hermes_library, install

    named = options.directory
    home = Path(os.path.expanduser(named)) if named else hermes_home(os.environ)
    written = install(home)
    print(f"Written: {clean_line(str(written), 300)}")
    used = hermes_library(home)
    if used != written:
        print(
            f"Hermes will not load it while HERMES_FTS5_CJK_SO names {clean_line(str(used), 300)}."
        )
    else:
        print("Hermes loads it when it starts next; `hermes-tui doctor` says what is left to do.")
    return 0


COMMANDS = {
    "doctor": Command(
        "say how whole the search indexes are, and what to do",
        _doctor_arguments,
        run_doctor,
        ("place", "json"),
    ),
    "optimize-storage": Command(
        "bring the search indexes of a history up to date", _optimize_arguments, run_optimize
    ),
    "tokenizer": Command(
        "give Hermes the tokenizer for Chinese, Japanese and Korean",
        _tokenizer_arguments,
        run_tokenizer,
        (),
    ),
}
