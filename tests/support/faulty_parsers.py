"""Parsers with planted faults, as targets of the fuzzer, which must find each of them."""

from collections.abc import Iterator

from proofs.fuzz.runner import FuzzTarget, LawBroken

_leaked: list[bytearray] = []


def _seeds() -> Iterator[bytes]:
    yield b"PASS 12"
    yield b"ORDER 3"


def _command(data: bytes) -> bytes:
    """The argument of the one command with the fault, which no example has."""
    return data[2:] if data[:1] == b"O" and data[1:2] == b"K" and len(data) > 3 else b""


def crashes(data: bytes) -> None:
    if _command(data):
        raise KeyError("planted")


def hangs(data: bytes) -> None:
    while _command(data):
        pass


def hoards(data: bytes) -> None:
    if _command(data):
        _leaked.append(bytearray(b"x" * (300 << 20)))


def breaks_a_law(data: bytes) -> None:
    if _command(data):
        raise LawBroken("planted")


def is_sound(data: bytes) -> None:
    _command(data)


TARGETS = {
    name: FuzzTarget(name=name, run=run, seeds=_seeds, max_bytes=64, tokens=("OK", "PASS"))
    for name, run in {
        "crash": crashes,
        "hang": hangs,
        "memory": hoards,
        "law": breaks_a_law,
        "sound": is_sound,
    }.items()
}
