"""The command that goes on with a session."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from hermes_tui.history.locate import Place, hermes_home
from hermes_tui.text.clean import clean_line


def resume_command(place: Place, session_id: str, environ: Mapping[str, str]) -> str:
    """`hermes --resume ID`, for a shell; another profile's begins with its HERMES_HOME (fact 80).

    A file that belongs to no profile says nothing about the home: the active one is used.
    """
    command = f"hermes --resume {shlex.quote(clean_line(session_id))}"
    if not place.profile or not environ:
        return command
    home = os.path.dirname(os.path.realpath(place.path))
    if home == os.path.realpath(hermes_home(environ)):
        return command
    return f"HERMES_HOME={shlex.quote(clean_line(home))} {command}"
