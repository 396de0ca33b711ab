"""`leftbower simulate`: statistics of a rule set with the same player in every seat."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.arena import INTERRUPTED, Json, Processes, Rules, run_with_progress
from leftbower.cli.common.output import print_json

if TYPE_CHECKING:
    from leftbower.players.arena.census import Census, Study
    from leftbower.rules.cards import Rank

EXAMPLES: Final = "Examples:  leftbower simulate --hands 2000;  leftbower simulate random --rules club3 --json"


def simulate(
    player: Annotated[str, typer.Argument(help="The player in every seat: a name, or bid=X,play=Y.")] = "random",
    hands: Annotated[int, typer.Option(min=1, help="Number of hands to play.")] = 10_000,
    rules: Rules = "club",
    seed: Annotated[int, typer.Option(help="The same seed deals the same cards.")] = 1,
    processes: Processes = 1,
    json: Json = False,
) -> None:
    """Play many hands under a rule set, and count the results.

    The same player sits in every seat. Prints how often each side scores how many points and how hands end: overall, by
    up-card, and by who called in which round. Ctrl-C stops early, prints the results so far and exits with status 130.
    """
    from functools import partial

    from leftbower.cli.common.input import read_rules
    from leftbower.players import roster
    from leftbower.players.arena.census import Census, Study, take_census
    from leftbower.players.arena.parallel import chunks

    roster.player(player)
    study = Study(player=player, rules=read_rules(rules), seed=seed, hands=hands)
    census = Census()

    def keep(piece: range, found: Census) -> None:
        nonlocal census
        census += found

    run_with_progress(partial(take_census, study), chunks(hands), keep, total=hands, processes=processes)
    if json:
        print_json(_as_json(study, census))
    else:
        _print_text(study, census, rules)
    if census.hands < hands:
        raise typer.Exit(INTERRUPTED)


def _as_json(study: "Study", census: "Census") -> dict[str, object]:
    from leftbower.rules.formats import to_link

    settings = {"player": study.player, "rules": to_link(study.rules), "seed": study.seed, "requested": study.hands}
    points = [{"side": side, "points": points, "hands": part.hands} for side, points, part in _points(census)]
    up_cards = [{"up_card": str(rank.value), **_row(part)} for rank, part in _by_up_card(census)]
    callers = [{"round": spoken, "seat": seat, **_row(part)} for spoken, seat, part in _by_caller(census)]
    return {
        **settings,
        **_row(census),
        "redeals": census.redeals,
        "points": points,
        "by_up_card": up_cards,
        "by_caller": callers,
    }


def _row(census: "Census") -> dict[str, object]:
    """How these hands ended, and the mean points of each side."""
    from leftbower.players.arena.census import ENDINGS

    return {
        "hands": census.hands,
        "endings": {ending: census.where(ending=ending).hands for ending in ENDINGS},
        "dealers_points": census.dealers_points,
        "others_points": census.others_points,
    }


def _points(census: "Census") -> "Iterator[tuple[str, int, Census]]":
    """Every score that occurred: the dealer's side first, then the others, then passed-out hands."""
    for side in ("dealers", "others"):
        for points in census.values(side):
            if points:
                yield side, points, census.where(**{side: points})
    yield "nobody", 0, census.where(dealers=0, others=0)


def _by_up_card(census: "Census") -> "Iterator[tuple[Rank, Census]]":
    return ((rank, census.where(up_card=rank)) for rank in census.values("up_card"))


def _by_caller(census: "Census") -> "Iterator[tuple[int, int, Census]]":
    for spoken in census.values("round"):
        called = census.where(round=spoken)
        yield from ((spoken, seat, called.where(caller=seat)) for seat in called.values("caller"))


def _print_text(study: "Study", census: "Census", rules: str) -> None:
    of = "" if census.hands == study.hands else f" of {study.hands:,}"
    again = f", {census.redeals:,} redealt" if census.redeals else ""
    print(f"{census.hands:,}{of} hands{again}, {study.player} in every seat; rules {rules}, seed {study.seed}.")
    if not census.hands:
        return
    print(f"\n{'Who scores':<20}{'points':>8}{'hands':>9}{'share':>9}")
    for side, points, part in _points(census):
        print(f"{_SIDES[side]:<20}{points:>8}{part.hands:>9,}{part.hands / census.hands:>9.1%}")
    print(f"\n{'How hands end':<16}{_HEADINGS}\n{'all':<16}{_shares(census)}\n\nby up-card")
    for rank, part in _by_up_card(census):
        print(f"  {rank.name.lower():<14}{_shares(part)}")
    print("\nby caller, counted from the dealer's left")
    for spoken, seat, part in _by_caller(census):
        who = "dealer" if seat == study.rules.players else f"seat {seat}"
        print(f"  {f'round {spoken} {who}':<14}{_shares(part)}")
    print("\nThe last two columns are points per hand.")


_SIDES: Final = {"dealers": "the dealer's side", "others": "others", "nobody": "no one"}
_HEADINGS: Final = "   hands   made  march  sweep euchre passed dealer's  others'"


def _shares(census: "Census") -> str:
    from leftbower.players.arena.census import ENDINGS

    shares = [f"{census.where(ending=ending).hands / census.hands:>7.1%}" for ending in ENDINGS[:-1]]
    return f"{census.hands:>8,}{''.join(shares)}{census.dealers_points:>9.3f}{census.others_points:>9.3f}"
