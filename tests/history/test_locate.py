"""Where a history lies (facts 77 to 81): homes, profiles, and links as people paste them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import (
    Place,
    SessionLink,
    active_profile,
    hermes_home,
    list_profiles,
    locate,
    parse_link,
    profile_name,
    profile_place,
    profiles_root,
    session_link,
)

RESERVED = ("hermes", "test", "tmp", "root", "sudo")


def make(home: Path) -> Path:
    """A file where a home's history lies; nothing here opens it."""
    home.mkdir(parents=True, exist_ok=True)
    path = home / "state.db"
    path.write_bytes(b"x")
    return path


# Fact 80. HERMES_HOME below the temporary directory -> (root of profiles, active profile).
HOMES = [
    (None, "home/.hermes", "default"),
    ("", "home/.hermes", "default"),
    ("   ", "home/.hermes", "default"),
    ("home/.hermes", "home/.hermes", "default"),
    ("home/.hermes/profiles/work", "home/.hermes", "work"),
    ("home/.hermes/elsewhere", "home/.hermes", ""),
    ("srv/agent", "srv/agent", ""),
    ("srv/agent/profiles/night", "srv/agent", "night"),
]


@pytest.mark.parametrize(("named", "root", "profile"), HOMES)
def test_homes(tmp_path: Path, named: str | None, root: str, profile: str) -> None:
    environ = {"HOME": str(tmp_path / "home")}
    if named is not None:
        environ["HERMES_HOME"] = str(tmp_path / named) if named.strip() else named
    home = tmp_path / named if named and named.strip() else tmp_path / "home" / ".hermes"
    assert hermes_home(environ) == home
    assert profiles_root(environ) == tmp_path / root
    assert active_profile(environ) == profile
    path = make(home)
    assert locate(environ=environ) == Place(str(path), profile)


def test_a_tilde_in_hermes_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert hermes_home({"HERMES_HOME": "~/agent"}) == tmp_path / "agent"
    with pytest.raises(HistoryError, match="No Hermes history at ~nobody-of-this-name"):
        locate(environ={"HERMES_HOME": "~nobody-of-this-name/x"})


def test_without_a_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    assert hermes_home({}) == Path(os.path.expanduser("~")) / ".hermes"


def test_nothing_there_says_where_it_looked_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(HistoryError) as caught:
        locate(environ={"HOME": str(tmp_path)})
    sentence = str(caught.value)
    assert str(tmp_path / ".hermes" / "state.db") in sentence
    assert "--db FILE" in sentence
    assert "--demo" in sentence
    assert list(tmp_path.iterdir()) == []


def test_a_profile_by_name(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    default = make(tmp_path / ".hermes")
    work = make(tmp_path / ".hermes" / "profiles" / "work")
    assert locate(profile="work", environ=environ) == Place(str(work), "work")
    assert locate(profile=" WORK ", environ=environ) == Place(str(work), "work")
    assert locate(profile="default", environ=environ) == Place(str(default), "default")
    with pytest.raises(HistoryError) as caught:
        locate(profile="play", environ=environ)
    assert "'play' does not exist" in str(caught.value)
    assert "default, work" in str(caught.value)


def test_profiles_are_seen_from_within_one(tmp_path: Path) -> None:
    make(tmp_path / "agent")
    work = tmp_path / "agent" / "profiles" / "work"
    make(work)
    environ = {"HOME": str(tmp_path), "HERMES_HOME": str(work)}
    assert locate(environ=environ).profile == "work"
    default = locate(profile="default", environ=environ)
    assert default.path == str(tmp_path / "agent" / "state.db")


def test_list_profiles(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert list_profiles(environ) == ()
    root = tmp_path / ".hermes"
    for name in ("zeta", "alpha", "Not A Profile", "x" * 65):
        make(root / "profiles" / name)
    (root / "profiles" / "empty").mkdir()
    (root / "profiles" / "a-file").touch()
    assert [p.profile for p in list_profiles(environ)] == ["alpha", "zeta"]
    make(root)
    assert [p.profile for p in list_profiles(environ)] == ["default", "alpha", "zeta"]


def test_a_named_file_knows_its_profile(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    work = make(tmp_path / ".hermes" / "profiles" / "work")
    other = make(tmp_path / "backup")
    (tmp_path / "link.db").symlink_to(work)
    assert locate(str(work), environ=environ).profile == "work"
    assert locate(str(tmp_path / "link.db"), environ=environ).profile == "work"
    assert locate(str(other), environ=environ) == Place(str(other), "")
    assert locate(str(other.parent), environ=environ) == Place(str(other), "")


@pytest.mark.parametrize(
    ("typed", "name"),
    [("work", "work"), (" Work\n", "work"), ("a", "a"), ("0-_x", "0-_x"), ("DEFAULT", "default")],
)
def test_profile_names(typed: str, name: str) -> None:
    assert profile_name(typed) == name


@pytest.mark.parametrize(
    "typed",
    ["", " ", "-a", "_a", "a b", "a/b", "../x", "ä", "x" * 65, "@session:work", *RESERVED, "Tmp"],
)
def test_what_is_no_profile_name(typed: str) -> None:
    with pytest.raises(HistoryError, match="is not a profile name"):
        profile_name(typed)


# Fact 78, and the pasted form that Hermes itself fails on.
LINKS = [
    ("@session:work/20260101_090000_aaaa01", SessionLink("work", "20260101_090000_aaaa01")),
    ("@session:20260101_090000_aaaa01", SessionLink("", "20260101_090000_aaaa01")),
    ("@Session:WORK/abc", SessionLink("WORK", "abc")),
    ("@session: work / abc ", SessionLink("work", "abc")),
    ("work/abc", SessionLink("work", "abc")),
    ("/abc", SessionLink("", "abc")),
    ("abc", SessionLink("", "abc")),
    ("  abc\n", SessionLink("", "abc")),
    ("`@session:work/abc`", SessionLink("work", "abc")),
    ("<@session:work/abc>", SessionLink("work", "abc")),
    ("'abc'", SessionLink("", "abc")),
    ('"work/abc"', SessionLink("work", "abc")),
    ("work/a/b", SessionLink("work", "a/b")),
    ("work/", None),
    ("/", None),
    ("@session:", None),
    ("@session:work/", None),
    ("", None),
    (" \n", None),
]


@pytest.mark.parametrize(("pasted", "link"), LINKS)
def test_links(pasted: str, link: SessionLink | None) -> None:
    assert parse_link(pasted) == link


@pytest.mark.parametrize(("profile", "link"), [("work", "@session:work/s"), ("", "@session:s")])
def test_a_link_leads_back(profile: str, link: str) -> None:
    assert session_link(profile, "s") == link
    assert parse_link(link) == SessionLink(profile, "s")


ANY_TEXT = st.text(st.characters())  # half surrogate pairs included


@given(ANY_TEXT)
@example("@session:" * 50)
@example("/" * 100)
@example("\ud800/\udfff")
def test_any_text_is_a_link_or_none(text: str) -> None:
    link = parse_link(text)
    assert link is None or (link.session_id and link.session_id == link.session_id.strip())


@given(ANY_TEXT)
@example("\ud800")
@example("İ")
def test_any_text_is_a_profile_name_or_a_history_error(text: str) -> None:
    try:
        name = profile_name(text)
    except HistoryError:
        return
    assert name not in RESERVED
    place = profile_place(name, {"HOME": os.sep + "h"})
    below = Path(os.sep + "h", ".hermes")
    assert below in Path(place.path).parents, "no name leads out of the home"


@given(st.text(st.characters(codec="utf-8")))
@example("\x00")
@example("~")
@example("~nobody")
@example("x" * 300)
def test_any_place_is_found_or_a_history_error(text: str) -> None:
    environ = {"HOME": os.sep + "nowhere-at-all", "HERMES_HOME": text}
    for where in ({"db": os.sep + "nowhere-at-all/" + text}, {"profile": text}, {}):
        try:
            place = locate(environ=environ, **where)
        except HistoryError:
            continue
        assert os.path.lexists(place.path)
