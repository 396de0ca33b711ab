"""Find option values in a text that are spelled as files and code spell them, rather than in words."""

import re
from functools import cache

from leftbower.rules import options


def has_raw_value(said: str, option: str) -> bool:
    """Does a text print a value of the option as it is spelled in files?"""
    return _raw_values(option).search(said) is not None


@cache
def _raw_values(option: str) -> re.Pattern[str]:
    raw = {str(choice) for choice in getattr(options()[option].domain, "choices", ())}
    printed = {value for value in raw if "-" in value} | (raw & {"none", "off", "own"})
    printed |= {"True", "False", "true", "false", "None", "[]", "()"}
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(printed)))})(?![\w-])")
