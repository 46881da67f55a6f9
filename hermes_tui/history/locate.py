"""Where a history lies: HERMES_HOME, profiles, a named file, and links to sessions.

Behaviour facts 77 to 81. Nothing here opens a file.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.history.errors import HistoryError
from hermes_tui.text.clean import clean_line

DB_NAME = "state.db"
LINK_PREFIX = "@session:"
DEFAULT_PROFILE = "default"
_PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_RESERVED = frozenset({"hermes", "test", "tmp", "root", "sudo"})
_SAYS_HOW = "Name a file with --db FILE, or look around in a sample with --demo."


@dataclass(frozen=True, slots=True)
class Place:
    """A history's file and the profile it belongs to ('' for a file outside any Hermes home)."""

    path: str
    profile: str = ""


@dataclass(frozen=True, slots=True)
class SessionLink:
    """A pasted reference to a session; profile '' means the history that is open."""

    profile: str
    session_id: str


def native_home(environ: Mapping[str, str]) -> Path:
    """The home Hermes uses when HERMES_HOME is not set (fact 80)."""
    if sys.platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return Path(local or os.path.expanduser("~\\AppData\\Local")) / "hermes"
    home = environ.get("HOME")
    return Path(home or os.path.expanduser("~")) / ".hermes"


def hermes_home(environ: Mapping[str, str]) -> Path:
    """The directory whose state.db is the active one: HERMES_HOME, or the native home."""
    named = environ.get("HERMES_HOME", "").strip()
    # os.path leaves an unknown ~user as it is, and answers False where pathlib raises.
    return Path(os.path.expanduser(named)) if named else native_home(environ)


def profiles_root(environ: Mapping[str, str]) -> Path:
    """The directory that holds the default history and `profiles/` (fact 80)."""
    home, native = hermes_home(environ), native_home(environ)
    if home == native or native in home.parents:
        return native
    return home.parent.parent if home.parent.name == "profiles" else home


def active_profile(environ: Mapping[str, str]) -> str:
    """The profile of the active home; '' when the home is a path Hermes does not recognise."""
    home, native = hermes_home(environ), native_home(environ)
    if home == native:
        return DEFAULT_PROFILE
    if home.parent.name == "profiles":
        return home.name
    return ""


def profile_name(text: str) -> str:
    """A profile name as Hermes normalises it; HistoryError when it cannot be one (fact 79)."""
    name = text.strip().lower()
    if name != DEFAULT_PROFILE and (not _PROFILE_NAME.fullmatch(name) or name in _RESERVED):
        raise HistoryError(
            f"'{clean_line(text, 80)}' is not a profile name. Profile names are lower-case "
            "letters, digits, '-' and '_', starting with a letter or digit."
        )
    return name


def profile_place(name: str, environ: Mapping[str, str] | None = None) -> Place:
    """Where a profile's history lies, whether or not it is there."""
    environ = os.environ if environ is None else environ
    profile = profile_name(name)
    root = profiles_root(environ)
    home = root if profile == DEFAULT_PROFILE else root / "profiles" / profile
    return Place(str(home / DB_NAME), profile)


def list_profiles(environ: Mapping[str, str] | None = None) -> tuple[Place, ...]:
    """Every profile that has a history, the default one first."""
    environ = os.environ if environ is None else environ
    root = profiles_root(environ)
    places = []
    if os.path.isfile(root / DB_NAME):
        places.append(Place(str(root / DB_NAME), DEFAULT_PROFILE))
    try:
        names = sorted(entry.name for entry in (root / "profiles").iterdir())
    except OSError:
        names = []
    for name in names:
        path = root / "profiles" / name / DB_NAME
        if _PROFILE_NAME.fullmatch(name) and os.path.isfile(path):
            places.append(Place(str(path), name))
    return tuple(places)


def locate(
    db: str | None = None,
    profile: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Place:
    """The history to open: a named file, a named profile, or the active home.

    Raises HistoryError, saying where it looked and what to do, when nothing is there.
    """
    environ = os.environ if environ is None else environ
    if db is not None:
        return _named_file(db, environ)
    if profile is not None:
        place = profile_place(profile, environ)
        if not os.path.lexists(place.path):
            raise HistoryError(_missing_profile(place, environ))
        return place
    place = Place(str(hermes_home(environ) / DB_NAME), active_profile(environ))
    if not os.path.lexists(place.path):
        raise HistoryError(f"No Hermes history at {clean_line(place.path)}. {_SAYS_HOW}")
    return place


def _named_file(db: str, environ: Mapping[str, str]) -> Place:
    path = Path(os.path.expanduser(db))
    if os.path.isdir(path):
        path = path / DB_NAME
    if not os.path.lexists(path):
        raise HistoryError(f"There is no file {clean_line(str(path))}. {_SAYS_HOW}")
    for place in list_profiles(environ):
        if os.path.realpath(place.path) == os.path.realpath(path):
            return Place(str(path), place.profile)
    return Place(str(path), "")


def _missing_profile(place: Place, environ: Mapping[str, str]) -> str:
    known = ", ".join(clean_line(p.profile) for p in list_profiles(environ)) or "none"
    return (
        f"Profile '{place.profile}' does not exist: no file {clean_line(place.path)}. "
        f"Profiles with a history: {known}."
    )


def parse_link(text: str) -> SessionLink | None:
    """`@session:p/id`, `p/id`, `/id` or `id` as people paste them (fact 78); None when empty.

    Hermes itself fails on a pasted `@session:` link; here the prefix is taken off first.
    """
    body = text.strip().strip("<>`'\"").strip()
    if body.lower().startswith(LINK_PREFIX):
        body = body[len(LINK_PREFIX) :].strip()
    profile, slash, session_id = body.partition("/")
    if not slash:
        return SessionLink("", body) if body else None
    session_id = session_id.strip()
    return SessionLink(profile.strip(), session_id) if session_id else None


def session_link(profile: str, session_id: str) -> str:
    """The link people paste: `@session:profile/id`, or without a profile (fact 77)."""
    return f"{LINK_PREFIX}{profile}/{session_id}" if profile else f"{LINK_PREFIX}{session_id}"
