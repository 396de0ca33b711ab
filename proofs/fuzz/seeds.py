"""Seed inputs of the fuzzer: valid matches, files, forms and requests."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any, Final

import cbor2

from leftbower.dealing import shuffled
from leftbower.engine import (
    Action,
    Bury,
    GoAlone,
    MatchOver,
    Name,
    OpenState,
    Order,
    Pass,
    Scored,
    State,
    ToDraw,
    advance_match,
    apply,
    deal_hand,
    draw_dealer,
    new_match,
    start,
    view,
)
from leftbower.engine.game import InHand
from leftbower.engine.hand import whose_turn
from leftbower.engine.match import Fact, Match
from leftbower.notation import hand_line
from leftbower.notation.record import Record, RecordedPlayer, dumps
from leftbower.players.player import proper_actions
from leftbower.rules.choices import Cut, NobodyCalls, Supervision
from leftbower.rules.formats import to_link, to_toml
from leftbower.rules.house import HouseRules, options
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import preset, presets
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import HandReported, VisibilityChanged
from leftbower.tournament.model.codec import entry_to_json
from leftbower.tournament.model.commands import add_entrants, draw_rounds
from leftbower.tournament.model.facts import EventFact, EventOpened, LedgerEntry, ScoreEntered
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.validate import record
from leftbower.tournament.text import parse
from leftbower.tournament.text.csv import parse_pasted
from proofs.fuzz.mutations import multipart, urlencoded
from proofs.requests.world import open_world

BOUNDARY: Final = "leftbower-fuzz"
MULTIPART_TYPE: Final = f"multipart/form-data; boundary={BOUNDARY}"
_NAMES: Final = "Ann & Bob (North)\n2. Cid & Dot\nEve + Fay\nGus and Hal [West]\n"
Fields = list[tuple[str, str]]


@cache
def short_rules() -> tuple[HouseRules, ...]:
    """Every sheet with games of a hand or two, strict and on honor."""
    sheets = [replace(sheet.rules, best_of=1, **_short(sheet.rules)) for sheet in presets()]
    honor = [replace(rules, supervision=Supervision.HONOR) for rules in sheets[:3]]
    return (*sheets, *honor, HouseRules(players=2, target=5), HouseRules(players=3, target=5))


def _short(rules: HouseRules) -> dict[str, Any]:
    return {} if rules.fixed_hands else {"target": min(options()["target"].domain.allowed)}  # type: ignore[attr-defined]


def played_match(rules: HouseRules, seed: int) -> Record:
    """A match of random players without sealed decks."""
    rng = Random(seed)
    match: Match = new_match(rules)
    facts: list[Fact] = []
    while not isinstance(match, MatchOver):
        if not isinstance(match, ToDraw) and isinstance(match.game, InHand):
            facts.append(_next_action(match.game.hand, rng))
        else:
            offered = rules.draw_cut if isinstance(match, ToDraw) else rules.deal_cut
            cut = 0 if offered is Cut.NONE else rng.randrange(1, len(rules.deck))
            deck = shuffled(rng.randbytes(32), rules.deck)
            if isinstance(match, ToDraw):
                facts.append(draw_dealer(rules, shuffler=rules.seats[0], deck=deck, cut=cut))
            else:
                facts.append(deal_hand(rules, dealer=match.game.dealer, deck=deck, cut=cut))
        match = advance_match(match, facts[-1])
    players = {Seat.N: RecordedPlayer(name="Zoë"), Seat.S: RecordedPlayer(name="regular", kind="bot", version="1")}
    return Record(rules=rules, players=players, facts=tuple(facts))


def _next_action(hand: OpenState, rng: Random) -> Any:
    seat_view = view(hand, whose_turn(hand))
    if rng.random() < 0.05 and len(hand.actions) < 60:
        return rng.choice(seat_view.legal)
    return rng.choice(proper_actions(seat_view))


@cache
def _matches() -> tuple[Record, ...]:
    return tuple(played_match(rules, seed) for seed, rules in enumerate(short_rules()))


def hand_lines() -> Iterator[bytes]:
    """Hands in every phase, of every sheet."""
    for number, match in enumerate(_matches()):
        rng, state = Random(number), new_match(match.rules)
        after: Match = state
        for fact in match.facts:
            after = advance_match(after, fact)
            game = None if isinstance(after, ToDraw | MatchOver) else after.game
            if isinstance(game, InHand) and rng.random() < 0.15:
                yield hand_line(game.hand).encode()


def records() -> Iterator[bytes]:
    """Matches without seals, complete and cut short; and matches from a server, with every deck sealed and opened."""
    for match in _matches():
        whole = dumps(match)
        yield whole.encode()
        yield "\n".join(whole.splitlines()[:12]).encode()
    yield from asyncio.run(_records_of_a_server())


async def _records_of_a_server() -> list[bytes]:
    async with open_world(0) as world:
        paths = [f"/api/tables/{world.tables[what]}/record" for what in ("over", "honor-over")]
        return [(await world.call("GET", path)).body for path in paths]


def egn_files() -> Iterator[bytes]:
    """Four-player games of random players, and small files with features that those lack."""
    head = {"fileType": "Euchre Game Notation", "version": "1.4"}
    metadata = {"title": "A game", "players": ["A", "B", "C", "D"], "initialScore": [0, 0]}
    ruleset = {"std": True, "canadian": True, "defend_alone": True, "farmers": True, "loner_lead": "LEFT_OF_LONER"}
    rulesets: tuple[dict[str, Any], ...] = ({}, ruleset, {"winning_score": 11}, {"num_deals": 8, "winning_score": 0})
    for seed, rules in enumerate(rulesets):
        deals = [_egn_deal(seed * 10 + number, listed=number % 2 == 0) for number in range(3)]
        yield json.dumps(head | {"metadata": metadata | {"ruleset": rules}, "deals": deals}).encode()
    passed = {
        "initial_state": {"dealer": 1, "up_card": "N♣"},
        "phases": [{"type": "EUCHRE_BIDDING", "calls": ["Pass"] * 8}],
    }
    old = {"version": "1.0", "metadata": metadata | {"final_score": [2, 0]}, "deals": [passed, "encoded"]}
    yield json.dumps(head | old).encode()


def _egn_deal(seed: int, *, listed: bool) -> dict[str, Any]:
    """A hand in EGN, with or without a list of its cards."""
    rules, rng = HouseRules(nobody_calls=NobodyCalls.PASS_OUT), Random(seed)
    deal = deal_hand(rules, dealer=Seat.N, deck=shuffled(rng.randbytes(32), rules.deck))
    hand: State = start(rules, deal)
    while not isinstance(hand, Scored):
        hand = apply(hand, rng.choice(proper_actions(view(hand, whose_turn(hand)))))
    calls = {Pass: "Pass", Order: "Order"}
    said = [str(act.suit) if isinstance(act, Name) else calls[type(act)] for act in hand.actions if _is_call(act)]
    alone = any(isinstance(act, GoAlone) or getattr(act, "alone", False) for act in hand.actions)
    buried = next((str(act.card) for act in hand.actions if isinstance(act, Bury)), "")
    cards = [[str(card) for card in held] for held in deal.hands]
    tricks = [[str(card) for card in trick.cards] for trick in hand.tricks]
    initial = {"dealer": 0, "upCard": str(deal.up_card)} | ({"playerCards": cards} if listed else {})
    bidding = {"phaseNumber": 1, "type": "EUCHRE_BIDDING", "calls": said, "isAlone": alone, "discard": buried}
    phases = [bidding, {"phaseNumber": 2, "type": "TRICK_PLAY", "tricks": tricks}]
    return {"dealNumber": 1, "initialState": initial, "phases": phases}


def _is_call(action: Action) -> bool:
    return isinstance(action, Pass | Order | Name)


def links() -> Iterator[bytes]:
    """Links of all sheets and of similar rules."""
    for rules in (*(sheet.rules for sheet in presets()), *short_rules()):
        yield to_link(rules).encode()


def toml_files() -> Iterator[bytes]:
    """Rules files as written by commands and by people."""
    for rules in (*(sheet.rules for sheet in presets()), *short_rules()):
        yield to_toml(rules).encode()
    yield b'sheet = "club"\ntarget = 5\ngift_cards = [75, 50]\n[made]\nx = 1\n'
    yield b'"target" = 0x0b # comment\nnatural_trump = true\nmade_points = 1_0\nmarch_points = """\n2"""\n'


@cache
def small_ledger() -> tuple[LedgerEntry, ...]:
    """The ledger of a small event: entered, drawn, some scores, a hand reported by a phone."""
    return tuple(_ledger_entries(Format.SWISS))


def small_event() -> Event:
    """The event of `small_ledger` after its last line."""
    event: Event | None = None
    for entry in small_ledger():
        event = record(event, entry)
    assert event is not None
    return event


def _ledger_entries(way: Format) -> Iterator[LedgerEntry]:
    plan = default_plan("Prize night", preset("prize-night"), Stage(format=way, rounds=2 if way is Format.SWISS else 0))
    yield (opened := LedgerEntry(fact=EventOpened(plan=plan), by="desk", at=1.5))
    event = record(None, opened)
    singles = plan.stage.singles
    names = "\n".join(
        f"P{at} Q{at} ({'AB'[at % 2]})" if singles else f"P{at} & Q{at} [{'AB'[at % 2]}]" for at in range(8)
    )
    steps: list[Any] = [
        lambda: add_entrants(event, parse_pasted(names, singles=singles)),
        lambda: draw_rounds(event, "seed"),
        lambda: [VisibilityChanged(public_page=True, show_standings=True)],
        lambda: [ScoreEntered(round=1, table=1, score=parse.parse_score(["10-6"], (), (), (), stopped=False))],
        lambda: [HandReported(round=1, table=2, side="NS", hand=parse.parse_hand("N3"))],
    ]
    for step in steps:
        facts: Sequence[EventFact] = list(step())
        for fact in facts:
            yield (entry := LedgerEntry(fact=fact, by="desk", at=2.0))
            event = record(event, entry)


def ledgers() -> Iterator[bytes]:
    """Events of every format, in the middle of their first round."""
    for way in Format:
        lines = (json.dumps(entry_to_json(entry), ensure_ascii=False) for entry in _ledger_entries(way))
        yield "".join(f"{line}\n" for line in lines).encode()


def forms() -> tuple[Fields, ...]:
    """The forms of all pages, as browsers send them."""
    table_fields = [("round", "1"), ("table", "1"), ("version", "0")]
    desk: list[Fields] = [
        [("command", "enter"), ("names", _NAMES), ("school", "East"), ("single", "yes")],
        [("command", "enter"), ("names", "name,partner,school\nAnn,Bob,N\n'=1+1,Cid,S\n")],
        [("command", "bots"), ("bots", "2")],
        [("command", "team")],
        [("command", "mark"), ("what", "late"), ("who", "e1"), ("who", "e2")],
        [("command", "mark"), ("what", "paid"), ("who", "all")],
        [("command", "money"), ("what", "fined"), ("who", "P1 & Q1"), ("amount", "$5.00"), ("why", "late")],
        [("command", "money"), ("what", "gift"), ("amount", "25")],
        [("command", "rename"), ("who", "e1"), ("name", "Zoë & Ann")],
        [("command", "substitute"), ("player", "P1"), ("by", "Nan"), ("rounds", "1-2"), ("credit", "e1")],
        [("command", "draw"), ("version", "9")],
        [("command", "redraw"), ("why", "mixed up")],
        [("command", "score"), *table_fields, ("games", "10-6"), ("loners", "e1 e2"), ("stopped", "yes")],
        [("command", "score"), *table_fields, ("absent", "NS")],
        [("command", "stand"), *table_fields, ("why", "seen")],
        [("command", "correct"), *table_fields, ("games", "8-10"), ("why", "misread")],
        [("command", "paper"), *table_fields, ("games", "10:6")],
        [
            ("command", "incident"),
            *table_fields,
            ("irregularity", "renege"),
            ("offender", "N"),
            ("maker", "E"),
            ("alone", "no"),
        ],
        [("command", "arrived"), *table_fields],
        [("command", "clock"), ("clock", "set"), ("minutes", "20")],
        [("command", "pause"), ("why", "pizza")],
        [("command", "close"), ("version", "9")],
        [("command", "lots"), ("who", "e1 e2")],
        [("command", "final"), ("top", "4"), ("best_of", "3")],
        [("command", "pay")],
        [("command", "publish"), ("page", "yes"), ("standings", "no")],
    ]
    phone: list[Fields] = [
        [("command", "tap"), ("tap", "N5!"), ("round", "1"), ("version", "4")],
        [("command", "tap"), ("tap", "^renege:E:N!"), ("round", "1"), ("version", "4")],
        [("command", "back"), ("round", "1"), ("version", "4")],
        [("command", "keep"), ("round", "1"), ("version", "4")],
        [("command", "report"), ("round", "1"), ("version", "4"), ("stopped", "yes")],
        [("command", "total"), ("round", "1"), ("version", "4"), ("g1s0", "10"), ("g1s1", "6")],
        [("command", "dispute"), ("why", "no"), ("round", "1"), ("version", "4")],
    ]
    plan: Fields = [
        *(("title", "Prize night"), ("rules", "prize-night"), ("format", "swiss"), ("rounds", "3"), ("best_of", "1")),
        *(("fee", "$10"), ("prizes", "50%,30%,20%"), ("gift_cards", "none"), ("loners", "5"), ("ties", "matches,draw")),
        *(
            ("odd_numbers", "byes"),
            ("approval", "one-side"),
            ("minutes", "20"),
            ("online", "yes"),
            ("no_show_minutes", "5"),
            ("bye", "win"),
        ),
    ]
    table: list[Fields] = [
        [("command", "sit"), ("seat", "N"), ("name", "Ann")],
        [("command", "deal"), ("packets", "3 2 3 2 2 3 2 3"), ("version", "7")],
        [("command", "chat"), ("text", "well played")],
        [("command", "mute"), ("person", "p1"), ("muted", "true")],
        [("command", "cut"), ("number", "7")],
        [("action", "play-Jd"), ("version", "12"), ("cards", "9s 9h Tc"), ("alone", "yes")],
    ]
    rules: Fields = [("sheet", "club"), *((name, "no yes") for name in list(options())[:6]), ("gift_cards", "$75, 50")]
    preferences: Fields = [("theme", "dark"), ("suits", "four"), ("back", "/t/t1")]
    you: Fields = [("login", "ann"), ("password", "correct horse battery"), ("old", ""), ("name", "Zoë")]
    return (*desk, *phone, plan, *table, rules, preferences, you)


def urlencoded_forms() -> Iterator[bytes]:
    """The same as bodies."""
    return map(urlencoded, forms())


def multipart_bodies() -> Iterator[bytes]:
    """The same as multipart bodies after a line with their Content-Type; ledgers and lists are files."""
    head = f"{MULTIPART_TYPE}\n".encode()
    for fields in forms():
        yield head + multipart(fields, BOUNDARY, files=("names",))
    for ledger in ledgers():
        yield head + multipart([("ledger", ledger.decode())], BOUNDARY, files=("ledger",))
    yield b'Multipart/Form-Data; boundary="a b"\n--a b\r\nContent-Disposition: form-data; name=x\r\n\r\ny\r\n--a b--'


def json_bodies() -> Iterator[bytes]:
    """Bodies of the API."""
    credential = {
        "id": "AAAA",
        "rawId": "AAAA",
        "type": "public-key",
        "response": {"clientDataJSON": "e30", "attestationObject": "oA", "authenticatorData": "AA", "signature": "AA"},
    }
    action = {"act": "play", "seat": "N", "card": "Jd"}
    call = {"act": "call-out", "seat": "N", "against": "E", "irregularity": "renege", "trick": 2}
    bodies: tuple[dict[str, Any], ...] = (
        {"name": "Ann"},
        {"rules": "club", "changes": {"target": 5, "gift_cards": [75, 50]}, "level": "novice", "title": "Friday"},
        {"rules": to_link(preset("campus")), "clock": "quick"},
        {"version": 12, "action_id": "a-1", "action": action},
        {"version": 12, "action_id": "a-1", "action": call},
        {"version": 12, "action_id": "a-1", "action": {"act": "lay-away", "seat": "N", "cards": "9s9hTc"}},
        {"version": 12, "action_id": "a-1", "action": {"act": "settle", "seat": "N", "terms": "fewer", "points": 1}},
        {"command": "sit", "seat": "N", "version": 3},
        {"command": "seat-bot", "seat": "E", "level": "expert"},
        {"command": "swap", "seat": "N", "other": "S"},
        {"command": "mute", "person": "p1", "muted": True},
        {"command": "change-rules", "rules": "campus", "changes": {}},
        {"command": "deal", "packets": [3, 2, 3, 2, 2, 3, 2, 3]},
        {"command": "cut", "number": 7},
        {"command": "chat", "text": "well played"},
        {"command": "set-tempo", "tempo": "brisk"},
        {"command": "allow-chat", "allowed": True},
        {"command": "allow-hints", "allowed": True},
        {"command": "say", "phrase": "nice-hand"},
        {"command": "set-clock", "clock": "off"},
        {"command": "last-card", "manual": False},
        {"command": "answer-undo", "agreed": True},
        {"command": "remove", "person": "p1"},
        {"command": "hand-over", "person": "p1"},
        {"command": "remove-bot", "seat": "W"},
        *({"command": word} for word in ("agree", "leave", "undo", "rematch", "offer-cut")),
        {"login": "ann", "password": "correct horse battery", "old": None},
        {"credential": credential, "label": "phone"},
    )
    return (json.dumps(body).encode() for body in bodies)


def attestations() -> Iterator[bytes]:
    """Authenticator responses for a new passkey, and for one that signs in."""
    said = sha256(b"euchre.example").digest() + b"\x45" + bytes(4)
    public = {1: 2, 3: -7, -1: 1, -2: bytes.fromhex(_POINT[0]), -3: bytes.fromhex(_POINT[1])}
    attested = said + bytes(16) + b"\x00\x04abcd" + cbor2.dumps(public)
    yield cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": attested})
    yield cbor2.dumps({"fmt": "packed", "attStmt": {"alg": -7, "sig": b"x", "x5c": [b"y"]}, "authData": attested})
    yield said


_POINT: Final = (
    "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
)
"""The generator of the curve P-256."""


def headers() -> Iterator[bytes]:
    """Headers of a browser, one per line."""
    yield b"Host: euchre.example:8000\nOrigin: https://euchre.example:8000\nLast-Event-ID: 12\n"
    yield b"Host: [::1]:8000\nReferer: http://[::1]:8000/t/t1\nSec-Fetch-Site: same-origin\nAccept: text/html\n"
    yield b"Cookie: leftbower=abc; leftbower-preferences=dark.four; leftbower-event=0a1b\nContent-Length: 120\n"
    yield b"Authorization: Bearer abcdef\nX-Forwarded-For: 10.0.0.1, fe80::1\nHost: 127.0.0.1\n"


def texts() -> Iterator[bytes]:
    """Names, lists, scores and money as people type them."""
    for text in (
        *(_NAMES, "name;partner;club\nAnn;Bob;N\n", '"name","school"\n"Ann, Bob","N"\n', "1) Zoë\r\n• Ann"),
        *(
            "N5!W!",
            "10-6",
            "10:6 8-10",
            "^renege:N:E!",
            "p",
            "3-5",
            "$5.00",
            "100,50,25",
            "50%,30%,20%",
            "matches,draw",
        ),
        *(
            "Zoë 🧑🏽\u200d🤝\u200d🧑🏻",
            "e\u0301\u0301\u0301\u0301\u0301",
            "1\ufe0f\u20e3",
            "🇺🇸🇺",
            "dark.four.large",
            "loners=5",
        ),
        *("/t/t1?x=1", "//evil.example", "/\t/evil.example", "2001:db8::1", "::ffff:10.0.0.1"),
    ):
        yield text.encode()


def roles() -> tuple[Role, ...]:
    """Callers of an event's pages."""
    return Role(kind=RoleKind.SIDE, number=1, subject="NS"), Role(kind=RoleKind.SIDE, number=2, subject="EW")
