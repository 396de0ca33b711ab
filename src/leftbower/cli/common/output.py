"""Print results on standard output, and errors as one sentence on standard error."""

import json
import sys

from leftbower.errors import LeftbowerError


def print_json(result: object) -> None:
    print(json.dumps(result, ensure_ascii=False), flush=True)


def print_result(plain: object, *lines: str, as_json: bool) -> None:
    """A result as JSON for programs, or as lines for people."""
    if as_json:
        print_json(plain)
    else:
        print(*lines, sep="\n")


def report(error: LeftbowerError, *, as_json: bool) -> None:
    """Print an error on standard error, and with `as_json` also as an object on standard output."""
    print(f"leftbower: {error} [{error.code}]", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": error.as_json()}), flush=True)
