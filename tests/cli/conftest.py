"""The command line run in the test's own process, with what it printed."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hermes_tui.cli import main

ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ud800-\udfff]"
)
"""What a terminal, or a reader's eyes, would act on; newline and tab are not in it."""


@dataclass(frozen=True)
class Ran:
    """What a run of the program left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its one line of JSON, read strictly."""
        (line,) = self.out.splitlines()
        return strict(line)

    @property
    def answers(self) -> list[Any]:
        """Its lines, each read strictly as JSON."""
        return [strict(line) for line in self.out.split("\n") if line]


def strict(text: str) -> Any:
    """JSON without the numbers that only Python knows."""

    def refuse(name: str) -> NoReturn:
        raise AssertionError(f"{name} is no JSON")

    value = json.loads(text, parse_constant=refuse)
    assert not (isinstance(value, float) and math.isinf(value))
    return value


@pytest.fixture
def run(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """Runs the program with arguments and stdin; what it prints never acts on a terminal."""

    def run(*arguments: object, stdin: str | bytes = "") -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        for text in (out, err):
            found = ACTING.search(text)
            assert found is None, f"{found} in {text!r}"
        assert "Traceback" not in err
        return Ran(code, out, err)

    return run


@pytest.fixture
def fails(run: Callable[..., Ran]) -> Callable[..., str]:
    """The one sentence the program ends with, exit code 2 and nothing on stdout."""

    def fails(*arguments: object, stdin: str | bytes = "") -> str:
        ran = run(*arguments, stdin=stdin)
        assert (ran.code, ran.out) == (2, ""), ran
        assert ran.err.startswith("hermes-tui: "), ran.err
        assert ran.err.count("\n") == 1, ran.err
        sentence = ran.err.removeprefix("hermes-tui: ").rstrip("\n")
        assert sentence.endswith((".", ". Try `hermes-tui --help`.")), sentence
        return sentence

    return fails
