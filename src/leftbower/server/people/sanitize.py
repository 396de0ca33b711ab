"""Sanitize names, titles and chat texts, the same way for all routes.

Removes characters that move the cursor, are invisible, change the writing direction or stack over neighboring lines.
The result is plain text, which must still be escaped when rendered. Sanitizing is idempotent.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final
from unicodedata import category, normalize

from leftbower.errors import BadName
from leftbower.i18n import N_, gettext
from leftbower.table import name_key

MAX_NAME_LENGTH: Final = 40
"""Characters in a name, as people count them."""
MAX_TITLE_LENGTH: Final = 60
"""Characters in a title, as people count them."""
MAX_CHAT_LENGTH: Final = 140
"""Characters in a chat text, as people count them."""
MAX_CODE_POINTS: Final = 200
"""Code points in any of these; one character may have several."""
_YOU: Final = N_("You")
_MAX_MARKS: Final = 4
"""Combining marks per letter; no living script stacks more, and higher stacks cover the lines above."""
_JOINER, _EMOJI_STYLE, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"
_KEYCAP_BASES: Final = frozenset("0123456789#*")
_SPACE_CATEGORIES: Final = frozenset({"Cc", "Zs", "Zl", "Zp"})
_DROPPED_CATEGORIES: Final = frozenset({"Cf", "Cs", "Co", "Cn"})
"""Zero width and bidi; surrogates; private use; unassigned."""
_INVISIBLE: Final = frozenset(
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
"""Letters and marks that are invisible."""
_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAG_LETTERS: Final = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of these make one flag."""


def clean_name(name: str) -> str:
    """Sanitize a name, or BadName if it has no visible characters or is too long."""
    if clean := _clean(name, MAX_NAME_LENGTH, "name"):
        return clean
    raise BadName("the name has no visible characters", path="name")


def clean_person_name(name: str) -> str:
    """The same for a person, who can't be called `You`: so every player is called on their own screen."""
    clean = clean_name(name)
    if name_key(clean) in (name_key(_YOU), name_key(gettext(_YOU))):
        raise BadName("everyone is called %(you)s on their own screen; pick another name", path="name", you=clean)
    return clean


def placeholder_name() -> str:
    """The name of a guest who has not given one."""
    return gettext("Guest")


def is_placeholder(name: str) -> bool:
    return not name or name_key(name) == name_key(placeholder_name())


def clean_title(title: str) -> str:
    """Sanitize a title, which may be empty, or BadName if it is too long."""
    return _clean(title, MAX_TITLE_LENGTH, "title")


def clean_chat(text: str) -> str:
    """Sanitize a chat text, or BadName if it has no visible characters or is too long."""
    if clean := _clean(text, MAX_CHAT_LENGTH, "remark"):
        return clean
    raise BadName("the message has no visible characters", path="words")


def length(text: str) -> int:
    """The number of characters as readers count them: marks and joined emoji count with their base."""
    count, before, flag = 0, "", False
    for letter in text:
        second = flag and letter in _FLAG_LETTERS
        if not (before and (_is_mark(letter) or letter in _SKIN_TONES or _JOINER in (before, letter) or second)):
            count += 1
        before, flag = letter, letter in _FLAG_LETTERS and not second
    return count


def strip_invisible(text: str) -> str:
    """Remove invisible characters and collapse spaces; the result may be empty."""
    return " ".join(normalize("NFC", "".join(_visible(normalize("NFC", text)))).split())


def _clean(text: str, max_length: int, field: str) -> str:
    clean = strip_invisible(text)
    if len(clean) > MAX_CODE_POINTS or length(clean) > max_length:
        raise BadName("use at most %(limit)s characters", path=field, limit=max_length)
    return clean


def _visible(text: str) -> Iterator[str]:
    """The characters that stay: spaces for all separators, and marks only after a base character."""
    before, marks = " ", 0
    for letter, follows in pairwise(text + " "):
        if letter == _EMOJI_STYLE:
            stays = _is_emoji(before) or (before in _KEYCAP_BASES and follows == _KEYCAP)
        elif letter == _JOINER:
            stays = (_is_emoji(before) or before == _EMOJI_STYLE or before in _SKIN_TONES) and _is_emoji(follows)
        elif category(letter) in _SPACE_CATEGORIES:
            before, marks = " ", 0
            yield " "
            continue
        elif _is_mark(letter):
            marks += 1
            stays = letter not in _INVISIBLE and before != " " and marks <= _MAX_MARKS
        else:
            stays = letter not in _INVISIBLE and category(letter) not in _DROPPED_CATEGORIES
            marks = 0 if stays else marks
        if stays:
            before = letter
            yield letter


def _is_mark(letter: str) -> bool:
    return category(letter) in ("Mn", "Me", "Mc")


def _is_emoji(letter: str) -> bool:
    """Is it an emoji, as far as Unicode categories say?"""
    return category(letter) == "So" and letter not in _INVISIBLE
