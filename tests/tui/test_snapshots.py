"""How the screen looks, to the colour. Behaviour is tested elsewhere, by text.

The pictures belong to one version of the framework: another draws the same in other bytes.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import textual

from hermes_tui.demo import write_demo
from hermes_tui.history.locate import Place
from hermes_tui.storage.writer import HistoryWriter

BASELINE = "8.2.8"

pytestmark = pytest.mark.skipif(
    textual.__version__ != BASELINE, reason=f"the pictures were made with textual {BASELINE}"
)


@pytest.fixture(scope="module")
def make() -> ModuleType:
    """The script that makes the README's pictures: the same shots, the same stillness."""
    path = Path(__file__).parents[2] / "screenshots" / "make.py"
    spec = importlib.util.spec_from_file_location("make_screenshots", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Place:
    path = tmp_path_factory.mktemp("demo") / "state.db"
    write_demo(path)
    return Place(str(path), "demo")


@pytest.mark.parametrize(
    "name",
    [
        *("start", "results", "conversation", "find", "lineage", "filters"),
        *("chinese", "narrow"),
    ],
)
def test_looks(snap_compare, make: ModuleType, demo: Place, name: str) -> None:
    shot = next(shot for shot in make.SHOTS if shot.name == name)
    assert snap_compare(
        make.build(shot, demo),
        terminal_size=shot.size,
        run_before=lambda pilot: make.drive(shot, pilot),
    )


def test_looks_of_a_history_without_sessions(snap_compare, make, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with HistoryWriter(path):
        pass
    shot = make.Shot("empty", size=(100, 24))
    assert snap_compare(
        make.build(shot, Place(str(path), "default")),
        terminal_size=shot.size,
        run_before=lambda pilot: make.drive(shot, pilot),
    )


def test_looks_of_an_answer_without_a_match(snap_compare, make, demo: Place) -> None:
    shot = make.Shot("nothing", "zzyzx", size=(100, 24))
    assert snap_compare(
        make.build(shot, demo),
        terminal_size=shot.size,
        run_before=lambda pilot: make.drive(shot, pilot),
    )
