"""What the command line says of itself, and that it takes no role for one that it is not."""

from __future__ import annotations

import argparse

import pytest

from hermes_tui.cli import COMMANDS, build_parser


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_everything_that_can_be_given_is_explained(name: str) -> None:
    for action in build_parser([name] if name else [])._actions:
        assert action.help, f"{name}: {action.option_strings or action.dest}"
        assert action.help != argparse.SUPPRESS


@pytest.mark.parametrize("command", ["search", "explain", "compare"])
def test_a_role_that_no_message_has_is_an_error(command, run, fails) -> None:
    told = fails(command, "--demo", "--role", "user,king", "docker")
    assert told == "There is no role 'king'. Roles: user, assistant, tool, system."
    assert run(command, "--demo", "--role", "You, TOOL", "docker").code == 0
