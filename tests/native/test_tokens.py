"""Which tokens a text becomes (facts 87 and 88), with the C tokenizer and with its twin."""

from __future__ import annotations

import apsw
import pytest

from hermes_tui.history import tokenizer

EXAMPLES = [
    ("", []),
    ("docker networking", ["docker", "networking"]),
    ("修改youer服务端", ["修改", "youer", "服务", "务端"]),
    ("大别山项目", ["大别", "别山", "山项", "项目"]),
    ("山", ["山"]),
    ("a山b", ["a", "山", "b"]),
    ("山a川", ["山", "a", "川"]),
    ("𠀀𠀁", ["𠀀𠀁"]),
    ("웹훅 설정", ["웹훅", "설정"]),
    ("シェル・エスケープ", ["シェ", "ェル", "エス", "スケ", "ケー", "ープ"]),
    ("設定、確認。", ["設定", "確認"]),
    ("個々のシート", ["個", "々", "のシ", "シー", "ート"]),
    ("ｶﾀｶﾅ", ["ｶﾀｶﾅ"]),
    ("ＡＢＣ中文", ["ａｂｃ", "中文"]),
    ("Zürich市", ["zurich", "市"]),
    ("山\u0301川", ["山川"]),
    ("x\0中文\0y", ["x", "中文", "y"]),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_tokens(connection: apsw.Connection, text: str, expected: list[str]) -> None:
    assert [token for _, _, token in _cut(connection, text)] == expected


OFFSETS = [
    ("修改youer", [("修改", "修改"), ("youer", "youer")]),
    ("ÉÉ山川é", [("ÉÉ", "ee"), ("山川", "山川"), ("é", "e")]),
    ("e\u0301山\u0301川x\u0301", [("e\u0301", "e"), ("山\u0301川", "山川"), ("x\u0301", "x")]),
    ("山\u0301b", [("山\u0301", "山"), ("b", "b")]),
    ("ẞ𠀀ß", [("ẞ", "ß"), ("𠀀", "𠀀"), ("ß", "ß")]),
    ("Ⱥ中K文", [("Ⱥ", "ⱥ"), ("中", "中"), ("K", "k"), ("文", "文")]),  # 2 to 3, and 3 to 1 bytes
]


@pytest.mark.parametrize(("text", "expected"), OFFSETS)
def test_offsets_are_those_of_the_original(
    connection: apsw.Connection, text: str, expected: list[tuple[str, str]]
) -> None:
    stored = text.encode()
    found = [(stored[start:end].decode(), token) for start, end, token in _cut(connection, text)]
    assert found == expected


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (b"\xf0\x84\xb8\xad\xe6\x96\x87", [(0, 7, "中文")]),  # overlong
        (b"\xe4\xb8", [(0, 2, "ĸ")]),  # cut off: a smaller code point
        (b"\xcd\x91\xbea", [(0, 3, "푾"), (3, 4, "a")]),  # a short lead byte, too much behind it
        (b"\x80\xaa\xe4\xb8\xad", [(1, 2, "ª"), (2, 5, "中")]),  # stray continuation bytes
    ],
)
def test_broken_utf8_is_read_as_fts5_reads_it(
    connection: apsw.Connection, stored: bytes, expected: list[tuple[int, int, str]]
) -> None:
    assert _cut_bytes(connection, stored) == expected


def test_arguments_reach_unicode61(connection: apsw.Connection) -> None:
    cut = connection.fts5_tokenizer(
        tokenizer.NAME, ["remove_diacritics", "0", "tokenchars", "-", "separators", "改"]
    )
    text = "é-x修改服务".encode()
    tokens = [t for _, _, t in cut(text, apsw.FTS5_TOKENIZE_DOCUMENT, None)]
    assert tokens == ["é-x", "修", "服务"]


def test_wrong_arguments_are_an_error_and_not_a_crash(connection: apsw.Connection) -> None:
    with pytest.raises(apsw.SQLError):
        connection.execute(
            "create virtual table t using fts5(x, tokenize='cjk_unicode61 no_such_argument 1')"
        )


PAIRED = [
    (0x1100, 0x11FF),
    (0x3040, 0x30FF),
    (0x3130, 0x318F),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7A3),
    (0xD7B0, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2FA1F),
]


def test_exactly_these_characters_are_paired(connection: apsw.Connection) -> None:
    # With every category a token character, three in a row tell pairs from one word.
    cut = connection.fts5_tokenizer(tokenizer.NAME, ["categories", "L* M* N* S* P* Z* C*"])
    found: list[list[int]] = []
    for code in range(0x1000, 0x30000):
        if 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF):
            continue
        text = (chr(code) * 3).encode()
        if len(cut(text, apsw.FTS5_TOKENIZE_DOCUMENT, None)) == 2:
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    assert found == [list(pair) for pair in PAIRED]


@pytest.mark.parametrize("diacritics", ["0", "1", "2"])
def test_folding_never_makes_or_changes_a_cjk_character(diacritics: str) -> None:
    """What both tokenizers rest on: one character becomes one, or, if it is a mark, none."""
    cut = apsw.Connection(":memory:").fts5_tokenizer(
        "unicode61", ["remove_diacritics", diacritics, "categories", "L* M* N* S* P* Z* C*"]
    )
    for code in range(0x80, 0x30000):
        if 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF):
            continue
        ((_, _, folded),) = cut(chr(code).encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)
        if any(first <= code <= last for first, last in PAIRED):
            assert folded == chr(code)
        elif 0x300 <= code < 0x332:
            assert folded in ("", chr(code))
        else:
            assert len(folded) == 1
            assert not any(first <= ord(folded) <= last for first, last in PAIRED)


def _cut(connection: apsw.Connection, text: str) -> list[tuple[int, int, str]]:
    return _cut_bytes(connection, text.encode())


def _cut_bytes(connection: apsw.Connection, stored: bytes) -> list[tuple[int, int, str]]:
    cut = connection.fts5_tokenizer(tokenizer.NAME, [])
    return list(cut(stored, apsw.FTS5_TOKENIZE_DOCUMENT, None))  # type: ignore[arg-type]
