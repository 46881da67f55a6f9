"""Which tokenizer a connection is given, and that nothing is left open behind it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from hermes_tui.history import tokenizer

Build = Callable[[str, Path], Path]


@pytest.fixture
def memory() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    yield connection
    connection.close()


@pytest.fixture
def no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this package had been installed without a C compiler."""
    monkeypatch.setattr(tokenizer, "built_library", lambda: None)


def _named(library: Path | str) -> dict[str, str]:
    return {tokenizer.LIBRARY_VARIABLE: str(library)}


def _tokens(connection: apsw.Connection, text: str) -> list[str]:
    cut = connection.fts5_tokenizer(tokenizer.NAME, [])
    return [t for _, _, t in cut(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)]  # type: ignore[misc]


def test_the_build_comes_first(
    memory: apsw.Connection, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer, "built_library", lambda: library)
    assert tokenizer.attach(memory, environ=_named("/nowhere.so")) == tokenizer.Source("c", library)


@pytest.mark.usefixtures("no_build")
def test_then_the_named_library(memory: apsw.Connection, library: Path) -> None:
    assert tokenizer.attach(memory, environ=_named(library)) == tokenizer.Source("c", library)
    assert _tokens(memory, "設定確認") == ["設定", "定確", "確認"]


@pytest.mark.usefixtures("no_build")
def test_then_the_twin(memory: apsw.Connection) -> None:
    assert tokenizer.register(memory, environ={}) == "python"
    assert _tokens(memory, "設定確認") == ["設定", "定確", "確認"]


@pytest.mark.usefixtures("no_build")
def test_a_library_in_the_hermes_home_is_not_loaded(
    memory: apsw.Connection, library: Path, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    shutil.copyfile(library, tmp_path / "lib" / tokenizer.LIBRARY_NAME)
    environ = {"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)}
    assert tokenizer.attach(memory, prefer="c", environ=environ) == tokenizer.Source(None)


@pytest.mark.usefixtures("no_build")
@pytest.mark.parametrize("content", [None, b"", b"not a library", "directory"])
def test_a_library_that_cannot_be_loaded_is_named_and_replaced_by_the_twin(
    memory: apsw.Connection, tmp_path: Path, content: bytes | str | None
) -> None:
    path = tmp_path / "bad\x1b[31m.so"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    source = tokenizer.attach(memory, environ=_named(path))
    assert source.kind == "python"
    assert "bad" in source.problem
    assert "\x1b" not in source.problem
    assert _tokens(memory, "設定") == ["設定"]


@pytest.mark.usefixtures("no_build")
def test_a_foreign_library_that_cuts_wrongly_is_covered_by_the_twin(
    memory: apsw.Connection, compiler: str, tmp_path: Path
) -> None:
    drifting = tmp_path / "drifting.so"
    source = Path(__file__).with_name("drifting.c")
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(drifting)], check=True)
    found = tokenizer.attach(memory, environ=_named(drifting))
    assert found.kind == "python"
    assert "wrong characters" in found.problem
    memory.execute("create virtual table t using fts5(x, tokenize='cjk_unicode61')")
    memory.execute("insert into t values('修改youer服务端')")
    assert memory.execute("select count(*) from t('服务')").get == 1


@pytest.mark.usefixtures("no_build")
@pytest.mark.parametrize("name", ["good", "bad", ""])
def test_loading_is_off_again(
    memory: apsw.Connection, library: Path, tmp_path: Path, name: str
) -> None:
    bad = tmp_path / "bad.so"
    bad.write_bytes(b"x")
    environ = {"good": _named(library), "bad": _named(bad), "": {}}[name]
    tokenizer.register(memory, environ=environ)
    assert memory.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, -1) == 0
    with pytest.raises(apsw.ExtensionLoadingError):
        memory.load_extension(str(library))
    with pytest.raises(apsw.SQLError):
        memory.execute("select load_extension(?)", (str(library),))


@pytest.mark.usefixtures("no_build")
def test_an_apsw_without_fts5_leaves_the_connection_without_a_tokenizer() -> None:
    class Old:
        """apsw before it could register tokenizers."""

    source = tokenizer.attach(Old(), environ={})  # type: ignore[arg-type]
    assert source.kind is None
    assert source.problem


def test_a_hardened_read_only_connection_can_search(
    kind: tokenizer.Kind, connect: Callable[..., apsw.Connection], tmp_path: Path
) -> None:
    path = tmp_path / "state.db"
    writer = connect(kind, path)
    writer.execute("create virtual table t using fts5(x, tokenize='cjk_unicode61')")
    writer.execute("insert into t values('修改youer服务端')")
    writer.close()
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    reader.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    reader.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    reader.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    reader.execute("pragma query_only=1")
    try:
        with pytest.raises(apsw.SQLError, match="no such tokenizer"):
            reader.execute("select * from t('服务')").fetchall()
        assert tokenizer.register(reader, prefer="python") == "python"
        assert reader.execute("select highlight(t, 0, '<', '>') from t('服务')").get == (
            "修改youer<服务>端"
        )
    finally:
        reader.close()


def test_a_tokenizer_may_outlive_its_connection(library: Path, root: Path) -> None:
    """The library has to stay in memory as long as anything could call into it."""
    script = (
        "import apsw, sys\n"
        "from hermes_tui.history import tokenizer\n"
        "tokenizer.built_library = lambda: None\n"
        "c = apsw.Connection(':memory:')\n"
        "kind = tokenizer.register(c, prefer='c', environ={'HERMES_FTS5_CJK_SO': sys.argv[1]})\n"
        "cut = c.fts5_tokenizer('cjk_unicode61', [])\n"
        "c.close(); del cut; print(kind)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(library)],
        cwd=root,
        env={"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "c"), done.stderr


HOST = """
import json, sqlite3, sys
c = sqlite3.connect(":memory:")
c.enable_load_extension(True)
c.load_extension(sys.argv[1])
c.enable_load_extension(False)
c.execute("create virtual table t using fts5(x, tokenize='cjk_unicode61')")
c.execute("insert into t values('修改youer服务端')")
print(json.dumps([sqlite3.sqlite_version,
    c.execute("select highlight(t, 0, '<', '>') from t('服务')").fetchone()[0]]))
"""


def test_another_sqlite_loads_the_same_file(library: Path) -> None:
    """As Hermes does it: Python's own sqlite3, the file found by its name alone."""
    for python in filter(None, (sys.executable, shutil.which("python3", path="/usr/bin"))):
        done = subprocess.run(
            [python, "-c", HOST, str(library)], capture_output=True, text=True, timeout=60
        )
        if "enable_load_extension" in done.stderr:
            continue  # this Python was built without extension loading
        assert done.returncode == 0, done.stderr
        version, marked = json.loads(done.stdout)
        assert marked == "修改youer<服务>端", version
        return
    pytest.skip("no Python here can load SQLite extensions")
