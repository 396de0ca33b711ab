"""A file in Euchre Game Notation as written: its rules, its score and its deals, before any replay.

Reads versions 1.0 to 1.4, and of a later 1.x what it shares with them; unknown names are listed in `odd`.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from leftbower.codec import JsonObject
from leftbower.engine.game import Scores
from leftbower.errors import BadCard, BadEgn, BadOption, EncodedDeal, TooLarge, UnsupportedRules, show
from leftbower.i18n import gettext_noop
from leftbower.rules import UNKNOWN, Card, Face, HouseRules, Rank, Seat, Suit
from leftbower.rules.choices import FarmersHand, FirstLead, GameEnds, LoneDefense, NobodyCalls

T = TypeVar("T")

FILE_TYPE: Final = "Euchre Game Notation"
LATEST_MINOR_VERSION: Final = 4
"""The latest 1.x whose names are all known."""
MAX_EGN_CHARACTERS: Final = 4 * 1024 * 1024
"""A hundred deals with all their annotations stay below it."""
MAX_DEALS: Final = 100
"""The limit of the format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EgnDocument:
    """The part of a file before its first deal, and the deals, unparsed."""

    rules: HouseRules
    stuck: bool
    """Does the file say that the dealer is stuck? A passed-out hand is replayed all the same."""
    initial: Scores
    final: Scores | None
    """The final score in the file, if it has one."""
    deals: tuple[object, ...]
    odd: tuple[str, ...]
    """Names that we don't know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EgnDeal:
    """One recorded deal. Cards of hands and tricks are still text, because `R` and `L` depend on trump."""

    dealer: Seat
    up_card: Card
    hands: tuple[tuple[str, ...], ...]
    """The cards each seat was dealt, by seat index; most files leave them out."""
    calls: tuple[str, ...]
    alone: bool
    defender: Seat | None
    """The defender who defends alone against a lone maker, if the rules allow it."""
    discard: str
    """The dealer's discard; empty if it isn't recorded."""
    tricks: tuple[tuple[str, ...], ...]
    leader: Seat | None
    """Who led first, if the file says so; it follows from the rules."""
    odd: tuple[str, ...]


def read_document(text: str) -> EgnDocument:
    """Parse everything but the deals; the error says what is wrong."""
    plain = _object(_load(text), "")
    if plain.get("fileType") != FILE_TYPE:
        raise BadEgn('the file must say "fileType": "%(type)s"', path="fileType", type=FILE_TYPE)
    later = _later(_field(plain, "version", str))
    metadata = _object(plain.get("metadata"), "metadata")
    ruleset = _field(metadata, "ruleset", dict, {})
    return EgnDocument(
        rules=_rules(ruleset),
        stuck=_field(ruleset, "std", bool, True),
        initial=_scores(metadata, "initialScore"),
        final=_scores(metadata, "finalScore") if "finalScore" in metadata else None,
        deals=_deals(_field(plain, "deals", list)),
        odd=(*later, *_odd(plain, _FILE), *_odd(metadata, _METADATA), *_odd(ruleset, _RULESET)),
    )


def read_deal(plain: object) -> EgnDeal:
    """Parse one deal; the error says what is wrong."""
    deal = _object(plain, "")
    initial = _object(deal.get("initialState"), "initialState")
    phases = [_object(phase, "phases") for phase in _field(deal, "phases", list)]
    bidding, play = _phase(phases, "EUCHRE_BIDDING"), _phase(phases, "TRICK_PLAY")
    if _field(bidding, "cardExchanges", list, []):
        raise UnsupportedRules(
            "cards were exchanged before the play, but the file doesn't say how", path="cardExchanges"
        )
    others = (repr(phase["type"])[:40] for phase in phases if phase is not bidding and phase is not play)
    hands = _words(initial, "playerCards")
    if len(hands) > len(Seat):
        raise BadEgn(
            "there are %(hands)s hands for %(players)s players", path="playerCards", hands=len(hands), players=len(Seat)
        )
    return EgnDeal(
        dealer=_seat(initial, "dealer"),
        up_card=require_card(read_card(_field(initial, "upCard", str))),
        hands=hands,
        calls=_calls(bidding),
        alone=_field(bidding, "isAlone", bool, _field(play, "isAlone", bool, False)),
        defender=None if bidding.get("aloneDefender", -1) == -1 else _seat(bidding, "aloneDefender"),
        discard=_field(bidding, "discard", str, ""),
        tricks=_words(play, "tricks"),
        leader=_seat(play, "initialLead") if "initialLead" in play else None,
        odd=(*_odd(deal, _DEAL), *_odd(initial, _INITIAL), *_odd(bidding, _BIDDING), *_odd(play, _PLAY), *others),
    )


def read_card(text: str, trump: Suit | None = None) -> Face:
    """Parse `9c`, `Nc` or `9♣`, and `R` and `L` once trump is made; unknown if the file leaves it open."""
    if trump is not None and text in ("R", "L"):
        return Card(Rank.JACK, trump if text == "R" else trump.sister)
    if _UNTOLD.fullmatch(text):
        return UNKNOWN
    rank, suit = text[:-1], text[-1:].lower()
    return Card.parse(("9" if rank == "N" else rank) + suit)


def require_card(face: Face) -> Card:
    """The card; raises if it is unknown, because the replay needs it."""
    if face is UNKNOWN:
        raise BadCard("the file doesn't say which card this is, so the deal can't be replayed")
    return face


_UNTOLD: Final = re.compile("|X[cdhsxtngCDHS]|[9NTJQKA][xtng]")
_VERSION: Final = re.compile(r"1\.([0-9]{1,4})(\.[0-9]{1,4})?")
_CALLS: Final = ("Pass", "Order", *map(str, Suit))

_REFUSED: Final[dict[str, int]] = {
    "min_rank": 9,
    "num_players": 4,
    "partners_best": False,
    "go_under": False,
    "joker": False,
    "allow_no_trump": False,
    "fast_break": False,
    "four_trick_tokens": False,
}
"""Rules that no option expresses, each with the only value that is played and scored as here."""
_NUMBERS: Final = {
    "target": "winning_score",
    "march_points_alone": "loner_march_score",
    "euchre_points_alone": "loner_euchred_score",
}
"""Options that are numbers, and their names in the format."""
_LONER_LEAD: Final = {"LEFT_OF_DEALER": FirstLead.DEALERS_LEFT, "LEFT_OF_LONER": FirstLead.LONERS_LEFT}
_GAME_ENDS: Final = {0: GameEnds.AT_TARGET, 8: GameEnds.AFTER_8_HANDS, 12: GameEnds.AFTER_12_HANDS}

_FILE: Final = {*("fileType", "version", "metadata", "deals")} | {
    *("timings", "views", "viewSwitches", "videoUrl", "layouts", "screens"),  # 1.0: how a replay is shown
}
_METADATA: Final = {
    *("gameId", "matchId", "title", "description", "players", "date"),
    *("initialScore", "finalScore", "ruleset"),
}
_RULESET: Final = {
    *("std", "canadian", "loner_lead", "defend_alone", "farmers", "num_deals"),
    *_NUMBERS.values(),
    *_REFUSED,
}
_DEAL: Final = {"dealNumber", "initialState", "phases", "alternativeLines"}
_INITIAL: Final = {"dealer", "upCard", "playerCards", "kitty"}
_PHASE: Final = {"phaseNumber", "type", "isAlone", "aloneDefender"}
_BIDDING: Final = _PHASE | {"calls", "discard", "cardExchanges", "callAnnotations", "callsAnnotations"}
_PLAY: Final = _PHASE | {"tricks", "initialLead", "playAnnotations", "tricksAnnotations"}


def _load(text: str) -> object:
    if len(text) > MAX_EGN_CHARACTERS:
        raise TooLarge(
            "the EGN file has %(length)s characters; the limit is %(limit)s",
            length=f"{len(text):,}",
            limit=f"{MAX_EGN_CHARACTERS:,}",
        )
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as why:
        raise BadEgn("this is not JSON", path=f"line {why.lineno}, column {why.colno}") from None
    except (ValueError, RecursionError):
        raise BadEgn("this JSON has a number that is too long, or is nested too deeply") from None


def _later(version: str) -> tuple[str, ...]:
    """The note about a version later than those we know."""
    match = _VERSION.fullmatch(version)
    if not match:
        raise BadEgn("version %(version)s is not supported; only 1.x is", path="version", version=show(version))
    return (
        (f"version {version}, which may say more than 1.{LATEST_MINOR_VERSION} does",)
        if int(match[1]) > LATEST_MINOR_VERSION
        else ()
    )


def _rules(ruleset: JsonObject) -> HouseRules:
    """The rules of the file; raises for a rule that can't be played here."""
    for name, usual in _REFUSED.items():
        value = _field(ruleset, name, type(usual), usual)
        if value != usual:
            raise UnsupportedRules(
                "leftbower doesn't support %(name)s = %(value)s", path="ruleset", name=name, value=show(value)
            )
    lead = _field(ruleset, "loner_lead", str, "LEFT_OF_DEALER")
    if lead not in _LONER_LEAD:
        raise BadEgn(
            "%(value)s is not one of %(words)s", path="loner_lead", value=show(lead), words=", ".join(_LONER_LEAD)
        )
    defending, farmers = _field(ruleset, "defend_alone", bool, False), _field(ruleset, "farmers", bool, False)
    numbers: dict[str, Any] = {ours: _field(ruleset, its, int) for ours, its in _NUMBERS.items() if its in ruleset}
    ends = _game_ends(ruleset, numbers)
    try:
        return HouseRules(
            game_ends=ends,
            farmers_hand=FarmersHand.SWAP if farmers else FarmersHand.OFF,
            partner_orders_alone=_field(ruleset, "canadian", bool, False),
            nobody_calls=NobodyCalls.PASS_OUT,
            defend_alone=LoneDefense.AGAINST_A_LONER if defending else LoneDefense.OFF,
            first_lead=_LONER_LEAD[lead],
            **numbers,
        )
    except BadOption as why:
        raise UnsupportedRules(
            "leftbower doesn't support %(name)s = %(value)s: %(reason)s",
            path="ruleset",
            name=_NUMBERS[why.option],
            value=show(why.value),
            reason=why.reason,
        ) from None


def _game_ends(ruleset: JsonObject, numbers: dict[str, Any]) -> GameEnds:
    """A game ends at its score or after its deals, never at the first of both; with deals, a score of 0 means none."""
    deals = _field(ruleset, "num_deals", int, 0)
    if deals and not numbers.get("target"):
        numbers.pop("target", None)
    if deals not in _GAME_ENDS or (deals and "target" in numbers):
        raise UnsupportedRules(
            "leftbower doesn't support num_deals = %(deals)s with these rules", path="ruleset", deals=deals
        )
    return _GAME_ENDS[deals]


def _scores(metadata: JsonObject, name: str) -> Scores:
    scores = _field(metadata, name, list)
    if len(scores) != 2 or not all(type(score) is int and 0 <= score < 1000 for score in scores):
        raise BadEgn("a score must be two whole numbers from 0 to 999", path=name)
    return tuple(scores)


def _deals(deals: list[object]) -> tuple[object, ...]:
    if len(deals) > MAX_DEALS:
        raise TooLarge(
            "the EGN file has %(count)s deals; the limit is %(limit)s",
            path="deals",
            count=f"{len(deals):,}",
            limit=MAX_DEALS,
        )
    for number, deal in enumerate(deals, 1):
        if isinstance(deal, str):
            raise EncodedDeal("this deal is encoded; save the file with its deals as objects", path=f"deal {number}")
    return tuple(deals)


def _phase(phases: list[JsonObject], kind: str) -> JsonObject:
    """The phase of this type; empty if it isn't recorded."""
    matching = [phase for phase in phases if _field(phase, "type", str) == kind]
    if len(matching) > 1:
        raise BadEgn(
            "a deal must have one phase of type %(kind)s, not %(count)s", path="phases", kind=kind, count=len(matching)
        )
    return matching[0] if matching else {}


def _calls(bidding: JsonObject) -> tuple[str, ...]:
    calls = _field(bidding, "calls", list, [])
    if not all(call in _CALLS for call in calls):
        raise BadEgn("each call must be one of %(calls)s", path="calls", calls=", ".join(_CALLS))
    return tuple(calls)


def _words(plain: JsonObject, name: str) -> tuple[tuple[str, ...], ...]:
    """Lists of cards, as text."""
    lists = _field(plain, name, list, [])
    if not all(isinstance(words, list) and all(isinstance(word, str) for word in words) for words in lists):
        raise BadEgn("this must be lists of cards", path=name)
    return tuple(map(tuple, lists))


def _seat(plain: JsonObject, name: str) -> Seat:
    number = _field(plain, name, int)
    if not 0 <= number < len(Seat):
        raise BadEgn(
            "a player must be a number from 0 to %(most)s, not %(number)s",
            path=name,
            most=len(Seat) - 1,
            number=show(number),
        )
    return tuple(Seat)[number]


def _object(value: object, path: str) -> JsonObject:
    """An object of the file, with names as written since 1.1; a name with a null value is left out."""
    if not isinstance(value, dict):
        raise BadEgn("this must be a JSON object", path=path)
    return {_SNAKE.sub(lambda match: match[1].upper(), name): item for name, item in value.items() if item is not None}


_SNAKE: Final = re.compile("_([a-z])")
_MUST_BE: Final = {
    str: gettext_noop("%(name)s must be a string"),
    int: gettext_noop("%(name)s must be a whole number"),
    bool: gettext_noop("%(name)s must be true or false"),
    list: gettext_noop("%(name)s must be a list"),
    dict: gettext_noop("%(name)s must be an object"),
}


def _field(plain: JsonObject, name: str, kind: type[T], default: T | None = None) -> T:
    """The value under a name, which must have this type, and must exist unless there is a default."""
    value = plain.get(name, default)
    if name not in plain and default is None:
        raise BadEgn("%(name)s is missing", path=name, name=name)
    if type(value) is not kind:
        raise BadEgn(_MUST_BE[kind], path=name, name=name)
    return value


def _odd(plain: JsonObject, names: set[str]) -> tuple[str, ...]:
    """Unknown names of an object."""
    return tuple(repr(name)[:40] for name in plain if name not in names)
