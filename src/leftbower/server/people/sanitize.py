"""Names and titles as others may read them: one cleaning for every door.

What others read must not move the cursor, hide, turn the direction of writing, climb over its neighbors or be taken
for something else on the way. What is left is plain text; whoever shows it still has to quote it for the place where
it stands. Cleaning twice is cleaning once.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final
from unicodedata import category, normalize

from leftbower.errors import BadName

MAX_NAME_LENGTH: Final = 40
"""Characters of a name, as people count them."""
MAX_TITLE_LENGTH: Final = 60
"""Characters of a title, as people count them."""
MAX_CHAT_LENGTH: Final = 140
"""Characters of what somebody says, as people count them."""
MAX_CODE_POINTS: Final = 200
"""Code points of either, which is what a store keeps; one character may have several."""
_MARKS: Final = 4
"""Marks on one letter; no script in use stacks more, and a tower of them climbs over the lines above."""
_JOINER, _AS_PICTURE, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"
_KEYS: Final = frozenset("0123456789#*")
_SPACES: Final = frozenset({"Cc", "Zs", "Zl", "Zp"})
_DROPPED: Final = frozenset({"Cf", "Cs", "Co", "Cn"})
"""Zero width and bidi; halves of a character; private use; what has no meaning yet."""
_UNSEEN: Final = frozenset(
    chr(code)
    for first, last in [
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xFFFC, 0xFFFC),
        (0xE0100, 0xE01EF),
    ]
    for code in range(first, last + 1)
)
"""Letters and marks of which nothing is to be seen."""
_SKINS: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAGS: Final = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of these are one flag."""


def clean_name(name: str) -> str:
    """A name as it is kept and shown, or BadName where nothing of it can be read, or it is too long."""
    clean = _clean(name, MAX_NAME_LENGTH, "name")
    if not clean:
        raise BadName("nothing in this name can be read", place="name")
    return clean


def clean_title(title: str) -> str:
    """A title as it is kept and shown, which may be none at all, or BadName where it is too long."""
    return _clean(title, MAX_TITLE_LENGTH, "title")


def clean_chat(words: str) -> str:
    """What somebody says, as it is kept and shown, or BadName where nothing of it can be read, or it is too long."""
    clean = _clean(words, MAX_CHAT_LENGTH, "remark")
    if not clean:
        raise BadName("nothing in this can be read", place="words")
    return clean


def length(text: str) -> int:
    """How many characters a reader counts: marks and joined pictures belong to what they stand on."""
    count, before, flag = 0, "", False
    for letter in text:
        second = flag and letter in _FLAGS
        if not (before and (_is_mark(letter) or letter in _SKINS or _JOINER in (before, letter) or second)):
            count += 1
        before, flag = letter, letter in _FLAGS and not second
    return count


def strip_invisible(text: str) -> str:
    """Text in which everything can be seen, with single spaces; it may be nothing at all."""
    return " ".join(normalize("NFC", "".join(_kept(normalize("NFC", text)))).split())


def _clean(text: str, longest: int, what: str) -> str:
    clean = strip_invisible(text)
    if len(clean) > MAX_CODE_POINTS or length(clean) > longest:
        raise BadName(f"a {what} has at most {longest} characters", place=what)
    return clean


def _kept(text: str) -> Iterator[str]:
    """Each letter that stays, a space for each that parted others; marks only where they have something to stand on."""
    before, marks = " ", 0
    for letter, follows in pairwise(text + " "):
        if letter == _AS_PICTURE:
            stays = _is_picture(before) or (before in _KEYS and follows == _KEYCAP)
        elif letter == _JOINER:
            stays = (_is_picture(before) or before == _AS_PICTURE or before in _SKINS) and _is_picture(follows)
        elif category(letter) in _SPACES:
            before, marks = " ", 0
            yield " "
            continue
        elif _is_mark(letter):
            marks += 1
            stays = letter not in _UNSEEN and before != " " and marks <= _MARKS
        else:
            stays = letter not in _UNSEEN and category(letter) not in _DROPPED
            marks = 0 if stays else marks
        if stays:
            before = letter
            yield letter


def _is_mark(letter: str) -> bool:
    return category(letter) in ("Mn", "Me", "Mc")


def _is_picture(letter: str) -> bool:
    """An emoji, as far as the categories tell: a symbol of no other use."""
    return category(letter) == "So" and letter not in _UNSEEN
