"""What the README says is so: its commands run, its keys exist, its words are the program's."""

from __future__ import annotations

import ast
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import get_args

import pytest

import hermes_tui
from hermes_tui import cli
from hermes_tui.demo import demo_path, ensure_demo
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.outcome import UNSEEN_TEXT, Outcome, Route
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import POLICIES, THOROUGH
from hermes_tui.recall.query import FILTERS
from hermes_tui.tui.commands import COMMANDS, key_table_markdown, key_text

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
START = "<!-- keys: made by hermes_tui.tui.commands.key_table_markdown() -->\n\n"
END = "\n<!-- end of keys -->"
PACKAGE = Path(hermes_tui.__file__).parent


def commands(text: str = TEXT) -> Iterator[list[str]]:
    """The arguments of every `hermes-tui …` in the README's shell lines."""
    for line in re.findall(r"^(?: {4}|\$ )(.*hermes-tui.*)$", text, re.MULTILINE):
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&")
        lexer.whitespace_split = True
        words = list(lexer)
        for start, word in enumerate(words):
            if word == "hermes-tui":
                rest = words[start + 1 :]
                end = next((i for i, w in enumerate(rest) if set(w) <= set("|&")), len(rest))
                yield rest[:end]


EXAMPLES = list(commands())
OF_THE_SAMPLE = [e for e in EXAMPLES if "--demo" in e and e[0] in cli.COMMANDS]


def test_the_two_commands_of_a_fresh_machine() -> None:
    lines = re.search(r"## Try it\n\n    (.*)\n    (.*)\n", TEXT)
    assert lines is not None
    assert lines.group(1) == "pip install . && hermes-tui --demo"
    assert lines.group(2) == "pip install '.[test]' && pytest -n auto"


def test_there_are_examples_of_every_command() -> None:
    without_a_history = {"tokenizer"}
    assert {example[0] for example in OF_THE_SAMPLE} == set(cli.COMMANDS) - without_a_history
    assert {e[0] for e in EXAMPLES if e and e[0] in cli.COMMANDS} == set(cli.COMMANDS)
    table = re.findall(r"^\| `([a-z-]+)[^`]*` \|", TEXT.split("## Without the screen")[1], re.M)
    assert set(cli.COMMANDS) == set(table[: len(cli.COMMANDS)])


@pytest.mark.parametrize("example", EXAMPLES, ids=" ".join)
def test_an_example_is_understood(example: list[str]) -> None:
    assert cli.parse(example).run


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    ensure_demo(demo_path(folder))
    return folder


@pytest.fixture(scope="module")
def data(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with everything in it that the examples before the one at hand keep."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()):
        use(patch, cache, folder)
        for example in OF_THE_SAMPLE:
            if example[0] == "judge" or "--save" in example:
                assert cli.main(example) == 0
    return folder


def use(patch: pytest.MonkeyPatch, cache: Path, data: Path) -> None:
    """Let the program keep its files in these folders."""
    patch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(cache))
    patch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(data))


@pytest.mark.parametrize("example", OF_THE_SAMPLE, ids=" ".join)
def test_an_example_of_the_sample_finds_something(
    example: list[str],
    cache: Path,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use(monkeypatch, cache, data)
    asked = re.search(r"echo '([^']*)' \| hermes-tui session-search", TEXT)
    assert asked is not None
    monkeypatch.setattr(sys, "stdin", io.StringIO(asked.group(1) + "\n"))
    assert cli.main(example) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.splitlines()) >= 1
    assert " 0 hits" not in out
    assert '"count": 0' not in out
    printed = re.search(
        rf"^\$ {re.escape(shlex.join(['hermes-tui', *example]))}\n(.*?)^```", TEXT, re.M | re.S
    )
    if printed is not None:
        assert without_times(out) == without_times(printed.group(1))


DOUBT = TEXT.split("## From a doubt to a number")[1].split("\n## ")[0]


def test_the_doubt_ends_in_the_number_that_is_printed(
    cache: Path,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use(monkeypatch, cache, data)
    asked, *judged, evaluated = list(commands(DOUBT))[:6]
    assert [example[0] for example in (asked, *judged)] == ["search", *["judge"] * 4]
    assert cli.main([*asked, "--json"]) == 0
    lineages = json.loads(capsys.readouterr().out)["lineages"]
    assert lineages[2]["session_id"] == judged[0][3]
    assert all(lineage["agent_rank"] is None for lineage in lineages)
    assert cli.main(evaluated) == 0
    out = capsys.readouterr().out
    (printed,) = re.findall(r"```text\n(.*?)```", DOUBT, re.S)
    assert out.startswith(printed)
    assert cli.main([*evaluated, "--json"]) == 0
    routes = {row["route"]: row for row in json.loads(capsys.readouterr().out)["routes"]}
    assert routes["hermes"]["n"] == 3
    assert routes["hermes"]["measures"]["hit@3"] == pytest.approx(1 / 3)
    assert routes["hermes-0.21"]["measures"]["hit@3"] == pytest.approx(2 / 3)


def without_times(text: str) -> str:
    return re.sub(r"\d+ ms", "… ms", text).strip()


QUERIES = re.findall(
    r"`([^`]+)`",
    " ".join(
        re.findall(r"^\| (.*?) \|", TEXT.split("| query | finds |")[1].split("\n\n")[0], re.M)
    ),
)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_finds_something_in_the_sample(query: str, cache: Path) -> None:
    with History.open(Place(str(demo_path(cache))), register=register) as history:
        outcome = search(history, query, policy=THOROUGH)
    assert outcome.lineages, outcome.notices
    assert not {hit.label for hit in outcome.lineages} & {"substring", "relaxed"}


def test_filters_are_named() -> None:
    assert set(FILTERS) == set(re.findall(r"`([a-z]+):`", TEXT))


def test_one_printed_answer_is_there() -> None:
    assert TEXT.count("```console\n$ hermes-tui ") == 1
    printed = re.search(r"^\$ hermes-tui (.*)$", TEXT, re.M)
    assert printed is not None
    assert shlex.split(printed.group(1)) in OF_THE_SAMPLE


def test_the_key_table_is_the_registry() -> None:
    before, _, rest = TEXT.partition(START)
    table, _, after = rest.partition(END)
    assert before
    assert after, "the markers around the key table are gone"
    assert table == key_table_markdown(), (
        "write it anew: put the output of key_table_markdown() between the two markers"
    )


def test_keys_in_the_text_exist() -> None:
    keys = {key_text(key) for command in COMMANDS for key in command.keys}
    tour = TEXT.split("## Try it")[1].split("## Your own history")[0]
    named = re.findall(r"`([^`]{1,6})`", tour)
    assert {"n", "j", "k", "a", "?"} <= set(named)
    assert set(named) <= keys


def test_every_option_is_one_and_none_is_missing() -> None:
    known = {"--help"}
    for name in ("", *cli.COMMANDS):
        parser = cli.build_parser([name])
        known |= {o for action in parser._actions for o in action.option_strings if o[1] == "-"}
    written = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", TEXT))
    assert written <= known, written - known
    assert known - written <= {"--help", "--version"}, known - written


def rows_after(heading: str) -> list[str]:
    """The words in backquotes of the first column of the table under a heading row."""
    table = TEXT.split(f"| {heading} |")[1].split("\n\n")[0]
    first = re.findall(r"^\| (.*?) \|", table, re.M)
    return [word for cell in first for word in re.findall(r"`([a-z_]+)`", cell)]


def test_the_reasons_are_the_vocabulary() -> None:
    assert rows_after("reason in `unseen`") == list(UNSEEN_TEXT)


def test_the_notice_codes_are_those_of_the_code() -> None:
    codes = set()
    for path in (PACKAGE / "recall").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Notice":
                assert isinstance(node.args[0], ast.Constant), f"a code made up in {path.name}"
                codes.add(node.args[0].value)
    written = rows_after("code in `notices`")
    assert sorted(written) == sorted(set(written))
    assert set(written) == codes


def test_the_fields_of_search_are_all_there() -> None:
    from hermes_tui.cli.text import lineage_json, outcome_json
    from hermes_tui.recall.outcome import LineageHit

    section = TEXT.split("### The JSON of `search`")[1].split("\n| ")[0]
    hit = LineageHit(
        *(1, "r", "s", 1, (1,), 1, 1, 1, None, None, None, None, None),
        *("cli", "user", "x", (), "@session:s"),
    )
    fields = [*outcome_json(Outcome("q", "hermes", "fts5", 1.0)), *lineage_json(hit)]
    for name in [*fields, "reason", "detail", "rule", "removed", "left", "code", "text"]:
        assert f"`{name}`" in section, name
    for route in get_args(Route):
        assert f"`{route}`" in section


def test_policies_and_variables_are_named() -> None:
    for name in POLICIES:
        assert f"`{name}`" in TEXT
    source = "".join(p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py"))
    for variable in set(re.findall(r"`(HERMES_[A-Z0-9_]+)", TEXT)):
        assert variable in source


def test_what_it_links_to_is_there() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert targets
    for target in targets:
        if not target.startswith("https://"):
            assert (README.parent / target).exists(), target


def test_no_machine_is_named_and_no_line_is_endless() -> None:
    assert not re.search(r"/(work|home|root|tmp)/", TEXT)
    assert max(len(line) for line in TEXT.splitlines()) < 240
