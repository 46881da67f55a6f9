"""The released hermes-agent 0.19.0 and we, on the same files, whoever of us wrote them.

Hermes is a black box: it writes with its own SessionDB, and its own session_search answers. Ours
is `hermes-tui session-search --policy hermes-0.19`. Printed is how many answers were compared.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import markers
import pytest
from plain_history import MARKED, Plain, plain_sample, write_ours

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.health import examine_place
from hermes_tui.storage.optimize import optimize

from golden import comparable, differences

QUERIES = (
    "docker", "docker network", "docker networking", '"docker network"', "docker OR postgres",
    "docker NOT compose", "NOT docker", "compos*", "networ* bridge", "postgres vacuum", "backup",
    "terminal", "web_search", "docker compose up", "nightly report", "docker-compose.yml",
    "192.168.1.1", "gateway/run.py", "what's up", "C++", "user@example.com", "50%", "TODO: fix",
    "cafe", "café", "naïve", "ZÜRICH", "zurich", "work", "ou", "x", "the", "a b c d e f g",
    "etworkin", "zzyzx", "容器", "容器网络", "数据库", "数据库迁移", "バックアップ", "ネットワーク",
    "設定", "백업", "서버", "山", "猫", "docker 容器", "容器 OR docker", "容器 NOT docker", "中文*",
    "json", "NEAR(docker network)", '"unclosed', "AND OR NOT", "***", "( )", '""', "-flag",
    "not-found", "[/bold]", "\\", "%", "_", "😀", "ﬁle", "contentneedle", "argumentneedle",
    "functionneedle",
    "toolneedle",
)  # fmt: skip
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"limit": 10},
    {"limit": 10, "sort": "newest"},
    {"limit": 10, "sort": "oldest"},
    {"limit": 10, "role_filter": "user,assistant,tool"},
    {"limit": 5, "role_filter": "tool"},
)
EVERY = 12
"""Of the messages, each such one is scrolled to."""

pytestmark = pytest.mark.usefixtures("no_home")


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "no-home"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    return plain_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="module")
def theirs(hermes: Any, plain: Plain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history that Hermes wrote."""
    path = tmp_path_factory.mktemp("theirs") / "state.db"
    hermes.run(path, write=plain)
    return path


@pytest.fixture(scope="module")
def ours(plain: Plain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same history, written by us."""
    path = tmp_path_factory.mktemp("ours") / "state.db"
    write_ours(plain, path)
    return path


@pytest.fixture
def copied(tmp_path: Path) -> Any:
    """A copy that may be opened and changed."""

    def copy(path: Path) -> Path:
        return Path(shutil.copy(path, tmp_path / f"{path.parent.name}.db"))

    return copy


def calls_of(path: Path) -> list[dict[str, Any]]:
    """Every shape of call: queries with options, sessions read, messages scrolled to, browsing."""
    calls = [{"query": query, **options} for query in QUERIES for options in OPTIONS]
    with History.open(Place(str(path))) as history:
        messages = history.message_rows(f"where m.id % {EVERY} = 1 order by m.id")
        sessions = sorted(history.families().sessions)
    for message in messages:
        scroll = {"session_id": message.session_id, "around_message_id": message.id}
        calls += [scroll, {**scroll, "window": 1}, {**scroll, "window": 40}]
    calls += [{"session_id": session} for session in sessions]
    calls += [{"query": "docker", "current_session_id": session} for session in sessions]
    calls += [{"session_id": sessions[0], "around_message_id": 999_999}]
    calls += [{"session_id": "nobody"}, {"session_id": "nobody", "around_message_id": 1}]
    calls += [{"session_id": "nobody", "around_message_id": 999_999}]
    calls += [{"session_id": "nobody", "around_message_id": 1, "current_session_id": sessions[0]}]
    calls += [{"session_id": sessions[0], "around_message_id": word} for word in ("x", "", " 3 ")]
    return [*calls, {}, {"limit": 1}, {"limit": 10}, {"current_session_id": sessions[-1]}]


def our_answers(program: list[str], path: Path, calls: list[dict[str, Any]]) -> list[Any]:
    """What the command line answers, one line a call."""
    done = subprocess.run(
        [*program, "session-search", "--policy", "hermes-0.19", "--db", str(path), "-"],
        input="\n".join(map(json.dumps, calls)),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "TZ": "UTC"},
        timeout=300,
        check=False,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.split("\n") if line]


@pytest.mark.figures
@pytest.mark.parametrize("writer", ["hermes", "us", "us, after optimize-storage of theirs"])
def test_answers_are_equal(
    hermes: Any,
    program: list[str],
    theirs: Path,
    ours: Path,
    copied: Any,
    writer: str,
) -> None:
    path = copied(ours if writer == "us" else theirs)
    if writer.endswith("theirs"):
        assert optimize(str(path)).finished
    calls = calls_of(path)
    expected = hermes.run(path, calls)
    got = our_answers(program, path, calls)
    assert len(got) == len(expected) == len(calls) > 700
    different = []
    for call, mine, other in zip(calls, got, expected, strict=True):
        found = differences(comparable(mine), comparable(other))
        different += [f"{json.dumps(call, ensure_ascii=False)} {line}" for line in found]
    wrong = {line.partition("} ")[0] for line in different}
    equal = len(calls) - len(wrong)
    print(f"hermes-agent 0.19.0, written by {writer}: {equal} of {len(calls)} answers equal")
    assert not different, "\n".join(different[:30])
    assert sum(bool(answer.get("results")) for answer in expected) > 200


def test_the_four_markers_in_what_hermes_wrote(theirs: Path, copied: Any) -> None:
    path = copied(theirs)
    with History.open(Place(str(path)), register=register) as history:
        assert history.layout.base.form == "inline"
        markers.check(history, MARKED)
    assert optimize(str(path)).finished
    with History.open(Place(str(path)), register=register) as history:
        assert history.layout.base.form == "external"
        markers.check(history, MARKED)


def test_hermes_goes_on_writing_where_we_have_been(
    hermes: Any, theirs: Path, ours: Path, copied: Any
) -> None:
    """On our file, and on its own after optimize-storage: its rows are found, also by itself.

    Its own file gets no CJK index, because it could not write any more (schema 22). Ours has the
    schema of a Hermes that knows that index, so it is left out by hand.
    """
    for path in (copied(ours), copied(theirs)):
        assert optimize(str(path), cjk=path.name == "theirs0.db").finished
        later = {
            "id": "later", "source": "cli", "title": None, "parent_id": None,
            "model": None, "model_config": None, "end_reason": None,
        }  # fmt: skip
        messages = [
            {"session_id": "later", "rewound": False, "timestamp": 2e9 + number, "fields": fields}
            for number, fields in enumerate(LATER)
        ]
        asked = [{"query": word, "role_filter": "user,assistant,tool"} for word in WORDS]
        answers = hermes.run(path, asked, write={"sessions": [later], "messages": messages})
        assert [answer["count"] for answer in answers] == [1, 1, 1, 1]
        with History.open(Place(str(path)), register=register) as history:
            said, asked_for, answered = history.outline("later").ids
            expected = dict(zip(WORDS, (said, asked_for, asked_for, answered), strict=True))
            assert {word: markers.hit(history, word).ids for word in WORDS} == {
                word: [message] for word, message in expected.items()
            }
        assert examine_place(Place(str(path))).healthy


WORDS = ("latercontent", "laterargument", "laterfunction", "latertool")
LATER: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": "a latercontent"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "call_2",
                "type": "function",
                "function": {"name": "laterfunction", "arguments": '{"path": "laterargument"}'},
            }
        ],
    },
    {"role": "tool", "content": "ok", "tool_name": "latertool", "tool_call_id": "call_2"},
)
