"""`leftbower verify`: check that a record is complete and dealt from sealed decks, or that a store is unchanged."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json, report
from leftbower.cli.common.stores import describe_counts, fingerprint, is_sqlite, is_store
from leftbower.errors import (
    BadRecord,
    BadSeal,
    BadUsage,
    BrokenChain,
    LeftbowerError,
    NothingSealed,
    UnfinishedRecord,
    WrongRoot,
    show,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from leftbower.dealing.verify import Misfit, Report, Verified
    from leftbower.store import Flaw, Head

EXAMPLES: Final = (
    "Examples:  leftbower verify game.jsonl --root 3f2a9c41d07b55e8;  leftbower verify - --json < game.jsonl;  "
    "leftbower verify leftbower.db --since monday.jsonl"
)
_MAX_FILE_BYTES: Final = 16 * 1024 * 1024
_MAX_DUMP_BYTES: Final = 1 << 32


def verify(
    source: Annotated[str, typer.Argument(help="A record, - for standard input, or a store.", show_default=False)],
    since: Annotated[
        str | None, typer.Option(help="A backup that the store must continue.", show_default=False)
    ] = None,
    root: Annotated[
        list[str] | None,
        typer.Option(
            help="A root you were shown, or its first 16 digits, which the record must have.", show_default=False
        ),
    ] = None,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Accept a record of a match that was still being played.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Verify the sealed deals of a record, or the logs of a store.

    A record: table, rules and players must hash to the match root; every deck must be the one sealed before its hand or
    before the draw for the dealer, chained to all earlier play, cut and dealt by the rules; and everything must hash to
    the final root. Use replay to check that the play was legal. A store (a SQLite file or postgresql://…): no row of a
    log may have been changed, removed, inserted or moved. Prints the first mismatch and exits with status 1.
    """
    if source != "-" and is_store(source):
        if root or unfinished:
            raise BadUsage("--root and --unfinished are for records, and this is a store", path=source)
        _verify_store(source, since, json=json)
    elif since is not None:
        raise BadUsage("--since is for stores, and this is a record", path=source)
    else:
        _verify_record(source, root or [], unfinished=unfinished, json=json)


def _verify_store(address: str, since: str | None, *, json: bool) -> None:
    from asyncio import run

    heads, flaws = run(_flaws(address, since))
    if json:
        found = [
            {"log": flaw.log, "seq": flaw.seq, "wrong": str(flaw.kind), "message": flaw.sentence} for flaw in flaws
        ]
        print_json({"logs": len(heads), "facts": sum(head.seq for head in heads.values()), "flaws": found})
    for flaw in flaws:
        report(BrokenChain(flaw.sentence, path=f"log {flaw.log}, fact {flaw.seq}"), as_json=False)
    if flaws:
        raise typer.Exit(1)
    if not json:
        print(f"{describe_counts(heads)}: no changes found. Heads {fingerprint(heads)}.")


async def _flaws(address: str, since: str | None) -> "tuple[Mapping[str, Head], Sequence[Flaw]]":
    from leftbower.store import open_store

    remembered = {} if since is None else await _heads(since)
    async with await open_store(address, read_only=True) as store:
        return await store.heads(), await store.verify(remembered=remembered)


async def _heads(backup: str) -> "Mapping[str, Head]":
    """The head of every log in a backup, which is verified first."""
    from leftbower.cli.common.input import read_text
    from leftbower.store import open_store
    from leftbower.store.dump import check

    if not is_sqlite(backup):
        try:
            return check(read_text(backup, _MAX_DUMP_BYTES).splitlines()).heads
        except LeftbowerError as error:
            raise error.at(backup) from None
    async with await open_store(backup, read_only=True) as store:
        for flaw in await store.verify():
            raise BrokenChain(flaw.sentence, path=f"{backup}, log {flaw.log}, fact {flaw.seq}")
        return await store.heads()


def _verify_record(record: str, roots: "Sequence[str]", *, unfinished: bool, json: bool) -> None:
    found = _verified(record)
    error = _error_of(found, roots, unfinished=unfinished)
    if json:
        hands, draws = ([_as_json(deck) for deck in decks] for decks in (found.hands, found.draws))
        problem = None if error is None else error.as_json() | _path_as_json(found.misfit)
        print_json({"match": _match_as_json(found), "hands": hands, "draws": draws, "error": problem})
    else:
        _print_report(found, roots, fits=error is None)
    if error is not None:
        report(error if record == "-" else error.at(record), as_json=False)
        raise typer.Exit(1)


def _error_of(found: "Report", roots: "Sequence[str]", *, unfinished: bool) -> LeftbowerError | None:
    """The first error: a mismatch, a root that the record doesn't have, or a missing end."""
    if found.misfit is not None:
        return BadSeal(found.misfit.says, path=found.misfit.path)
    for root in roots:
        if found.find(root) is None:
            return WrongRoot("no root of this record starts with %(root)s; give at least 16 digits", root=show(root))
    if not found.is_complete and not unfinished:
        return UnfinishedRecord("the record has no end; if the match was still going on, use --unfinished")
    return None


def _verified(record: str) -> "Report":
    from leftbower.cli.common.input import read_text
    from leftbower.dealing import verify as verification

    try:
        return verification.verify(_standard_input() if record == "-" else read_text(record, _MAX_FILE_BYTES))
    except verification.UnsealedRecord as why:
        error: LeftbowerError = NothingSealed(str(why))
    except verification.Unreadable as why:
        error = BadRecord(why.says, path=f"line {why.line}")
    except LeftbowerError as why:
        error = why
    raise error if record == "-" else error.at(record)


def _standard_input() -> str:
    """All of standard input with its empty lines, so that line numbers in errors are right."""
    from leftbower.cli.common.input import lines

    numbered = {int(path.removeprefix("line ")): line for path, line in lines()}
    return "\n".join(numbered.get(number, "") for number in range(1, max(numbered, default=0) + 1))


def _print_report(found: "Report", roots: "Sequence[str]", *, fits: bool) -> None:
    if found.root:
        print(f"Match {found.match:<2} {found.root}  of table {show(found.table)}")
    for deck in found.decks:
        lifted = f"cut {deck.cut}" if deck.cut else "no cut"
        still = "" if deck.opened == deck.of else f", {deck.opened} of {deck.of} cards open"
        print(f"{deck.kind.capitalize()} {deck.number:<3} {deck.root}  {lifted}{still}")
    if found.is_complete:
        print(f"End      {found.final_root}")
    if fits:
        print(f"\n{' '.join(_sentences(found, roots))}")


def _sentences(found: "Report", roots: "Sequence[str]") -> "Iterator[str]":
    yield _fits(found)
    yield "The match is complete." if found.is_complete else "The match was still being played."
    if found.erased:
        yield f"Names erased, commitments intact: {', '.join(found.erased)}."
    for root in roots:
        yield f"{root} is the root of {found.find(root)}."
    if not roots:
        yield "To compare with a root you were shown, use --root."


def _fits(found: "Report") -> str:
    if any(deck.opened < deck.of for deck in found.decks):
        return "All open cards match."
    hands, draws = len(found.hands), len(found.draws)
    drawn = "" if not draws else " and the draw for the dealer" if draws == 1 else f" and {draws} draws for the dealer"
    if hands == 1:
        return f"The only hand{drawn} {'were' if draws else 'was'} dealt as sealed."
    return f"All {hands} hands{drawn} were dealt as sealed."


def _as_json(deck: "Verified") -> dict[str, object]:
    return {deck.kind: deck.number, "root": deck.root, "cut": deck.cut, "opened": deck.opened, "of": deck.of}


def _match_as_json(found: "Report") -> dict[str, object]:
    return {
        "table": found.table,
        "number": found.match,
        "root": found.root,
        "final_root": found.final_root or None,
        "complete": found.is_complete,
        "erased": list(found.erased),
    }


def _path_as_json(misfit: "Misfit | None") -> dict[str, object]:
    if misfit is None:
        return {}
    return {"line": misfit.line, **({misfit.kind: misfit.number} if misfit.number else {})}
