"""Random texts for the tokenizers, and what must hold for their tokens.

Also a program, so that it can run in a Python with the sanitizers loaded:
`fuzz.py LIBRARY COUNT SEED` prints how many texts were compared and how many tokens they had.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass

import apsw

from hermes_tui.history import tokenizer

ARGUMENTS = (
    [],
    ["remove_diacritics", "0"],
    ["remove_diacritics", "2"],
    ["tokenchars", "-_・\u0301", "separators", "山x"],
    ["categories", "L* N* Co Mn So"],
)
_WORDS = (
    "docker",
    "Ünïcode",
    "修改youer服务端",
    "シェル・エスケープ",
    "ｶﾀｶﾅ",
    "각",
    "e\u0301山\u0302田",
    "人々の",
)
_BLOCKS = (
    (0x1100, 0x1200),
    (0x3000, 0x3400),
    (0x4E00, 0xA000),
    (0xA960, 0xA980),
    (0xAC00, 0xD800),
    (0xF900, 0xFB00),
    (0xFF00, 0xFFF0),
    (0x20000, 0x2FA20),
    (0x300, 0x370),
    (0x80, 0x600),
)


def random_text(rng: random.Random) -> bytes:
    """Up to 40 pieces: characters of all planes, broken UTF-8, NULs, words."""
    return b"".join(_piece(rng) for _ in range(rng.randrange(41)))


def _piece(rng: random.Random) -> bytes:
    chance = rng.random()
    if chance < 0.45:
        return _utf8(rng.randrange(*rng.choice(_BLOCKS)))
    if chance < 0.55:
        return _utf8(rng.randrange(0x110000))
    if chance < 0.65:
        return rng.choice((b"\0", b" ", b"a", b"Z", b"9", b"-", b"_", b"x"))
    if chance < 0.75:
        return bytes([rng.randrange(256)])
    if chance < 0.8:  # overlong: four bytes for a character that takes three
        code = rng.randrange(0x4E00, 0xA000)
        return bytes((0xF0, 0x80 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63))
    if chance < 0.9:  # a lead byte with any number of continuation bytes
        tail = (rng.randrange(0x80, 0xC0) for _ in range(rng.randrange(9)))
        return bytes([rng.randrange(0xC0, 256), *tail])
    return rng.choice(_WORDS).encode()


def _utf8(code: int) -> bytes:
    return chr(code).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Comparison:
    """How many texts and tokens were compared, and the first difference: text, left, right."""

    texts: int
    tokens: int
    difference: tuple[bytes, list, list] | None = None


def compare(left: apsw.Connection, right: apsw.Connection, count: int, seed: int) -> Comparison:
    """Cut `count` random texts on both connections, with each of ARGUMENTS in turn."""
    rng = random.Random(seed)
    pairs = [
        tuple(each.fts5_tokenizer(tokenizer.NAME, arguments) for each in (left, right))
        for arguments in ARGUMENTS
    ]
    seen = 0
    for number in range(count):
        text = random_text(rng)
        first, second = (
            each(text, apsw.FTS5_TOKENIZE_DOCUMENT, None) for each in pairs[number % len(pairs)]
        )
        if first != second:
            return Comparison(number, seen, (text, first, second))
        seen += len(first)
    return Comparison(count, seen)


def main(library: str, count: int, seed: int) -> int:
    """Compare the C tokenizer with its twin; 0 when they agree."""
    left, right = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    tokenizer.built_library = lambda: None
    source = tokenizer.attach(left, prefer="c", environ={tokenizer.LIBRARY_VARIABLE: library})
    if source.kind != "c" or tokenizer.register(right, prefer="python") != "python":
        print(source.problem)
        return 2
    found = compare(left, right, count, seed)
    print(f"{found.texts} texts, {found.tokens} tokens compared; difference: {found.difference}")
    return 1 if found.difference else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
