"""Record verifier: is a record complete and unchanged, and was every hand dealt from its sealed deck?

It imports only the standard library and shares no code with the modules that seal and deal, so it can be read and run
on its own:

    python verify.py record.jsonl

It reads records, whose draws and deals carry a `seal`, and the lines published at the table: `sealed`, `cut` and
`opened`. The header gives the match root. From there it computes the link after each deck from what was played, and
each link must be the one the next deck was sealed to. The last link gives the final root.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

SEATS: Final = {2: "NS", 3: "NES", 4: "NESW"}
"""Seats in clockwise order, by number of players."""
PACKETS: Final = {"ones": (1, 1, 1, 1, 1), "two-three": (2, 3), "either-order": (2, 3), "bundles": (2, 3)}
"""Packets each player is dealt, unless the dealer at an honor table chooses them."""
BUNDLE: Final = range(5)
"""Sizes of a packet that such a dealer may choose."""
HAND_SIZES: Final = range(4, 7)
"""Hand sizes that such a dealer may deal."""
HAND: Final = "hand"
DRAW: Final = "draw"
"""Purposes of a sealed deck."""
_SEAL: Final = {"kind", "number", "link", "players", "root", "deck", "salts", "bot_secret", "cut", "packets"}
HEADER: Final = "header"
END: Final = "end"
"""Other parts of a record that can be wrong."""
ROOT_DIGITS: Final = 16
"""Minimum number of digits of a root to compare; fewer could be found by brute force."""


class Unreadable(Exception):
    """The input isn't a record."""

    def __init__(self, line: int, says: str) -> None:
        super().__init__(f"line {line}: {says}")
        self.line, self.says = line, says


class UnsealedRecord(Exception):
    """The record has no sealed deck, so there is nothing to verify."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A deck that is right as far as it has been opened."""

    kind: str
    """`hand` or `draw`."""
    number: int
    """The number of the hand, or of the draw for dealer, from 1."""
    root: str
    cut: int | None
    opened: int
    """Open cards of the deck; all of them once the game is over."""
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """The first thing that is wrong."""

    kind: str
    """`hand`, `draw`, `header` or `end`."""
    number: int
    """The number of the hand or draw; 0 for header and end."""
    line: int
    says: str

    @property
    def path(self) -> str:
        """The line, and its hand or draw."""
        return f"line {self.line}, {self.kind} {self.number}" if self.number else f"line {self.line}, {self.kind}"

    def __str__(self) -> str:
        return f"{self.path}: {self.says}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The decks that are right, in order, the roots of the match, and the first thing that is wrong."""

    decks: tuple[Verified, ...]
    misfit: Misfit | None
    table: str = ""
    match: int = 0
    """The number of the match at its table."""
    root: str = ""
    """The match root."""
    final_root: str = ""
    """The root over the whole match; empty if the record has no end."""
    erased: tuple[str, ...] = ()
    """Seats of players whose names were erased; their commitments are still there."""

    @property
    def is_complete(self) -> bool:
        """Does the record reach the end of the match?"""
        return bool(self.final_root)

    @property
    def roots(self) -> dict[str, str]:
        """Every published root, with its meaning."""
        decks = {deck.root: f"{deck.kind} {deck.number}" for deck in self.decks}
        return {self.root: "the match"} | decks | ({self.final_root: "the end"} if self.final_root else {})

    def find(self, digits: str) -> str | None:
        """The meaning of a root, given at least its first 16 digits; None if the record doesn't have it."""
        if len(digits) < ROOT_DIGITS:
            return None
        return next((of for root, of in self.roots.items() if root.startswith(digits.lower())), None)

    @property
    def hands(self) -> tuple[Verified, ...]:
        return tuple(deck for deck in self.decks if deck.kind == HAND)

    @property
    def draws(self) -> tuple[Verified, ...]:
        return tuple(deck for deck in self.decks if deck.kind == DRAW)


def verify(text: str) -> Report:
    """Verify a record up to the first thing that is wrong."""
    (first, header), *facts = _lines(text)
    reader = _Reader(_Rules.read(first, header))
    if not any(fact.get("fact") == "sealed" or "seal" in fact for _, fact in facts):
        raise UnsealedRecord("this record has no sealed deck, so there's nothing to verify")
    line = first
    try:
        reader.begin(header)
        for line, fact in facts:
            reader.read(line, fact)
        reader.check_ended()
    except _DoesNotFit as why:
        return reader.report(why, line)
    except RecursionError:
        raise Unreadable(line, "this line is nested too deeply") from None
    return reader.report(None, line)


def leaf_of(position: int, card: str, salt: str) -> str:
    """The envelope of a card: a hash of its position, the card and its salt."""
    return _hash(f"leftbower leaf 1:{position}:{card}:{salt}")


def bot_leaf_of(secret: str) -> str:
    """The hash that commits to the bots' secret."""
    return _hash(f"leftbower bot leaf 1:{secret}")


def root_of(bound: str, leaves: list[str], bot_leaf: str) -> str:
    """The root: a hash of the deck's binding, all envelopes from the top down, and the bots' leaf."""
    return _hash(f"leftbower root 3:{bound}:{''.join(leaves)}{bot_leaf}")


def bound_to(link: str, number: int, kind: str, players: Mapping[str, object]) -> str:
    """The binding of a deck: the previous link, its number, its kind, and the players that changed."""
    return f"{link}:{number}:{kind}:{_canonical(_bound(players))}"


def match_root_of(header: Mapping[str, object], players: Mapping[str, object]) -> str:
    """The match root: a hash of table, match number, rules and players."""
    opening = {name: header.get(name) for name in ("table", "match", "rules")} | {"players": _bound(players)}
    return _hash(f"leftbower match 1:{_canonical(opening)}")


def link_of(root: str, secret: str, played: list[object]) -> str:
    """The link after a deck: a hash of its root, the bots' secret, and everything dealt from it and played."""
    return _hash(f"leftbower link 1:{root}:{secret}:{_canonical(played)}")


def final_root_of(link: str, end: object) -> str:
    """The final root: a hash of the last link and the end."""
    return _hash(f"leftbower end 1:{link}:{_canonical(end)}")


def name_commitment_of(salt: str, name: str) -> str:
    """The hash that commits to a player's name."""
    return _hash(f"leftbower name 1:{salt}:{name}")


class _DoesNotFit(Exception):
    """What is wrong, and where, if not in the last deck: an earlier deck, the next one, header or end."""

    def __init__(self, says: str, deck: "_Deck | None" = None, *, next_: bool = False, of: str = "") -> None:
        super().__init__(says)
        self.deck, self.next, self.of = deck, next_, of


@dataclass(frozen=True, slots=True)
class _Rules:
    """The header's rules about dealing."""

    seats: str
    packets: tuple[int, ...]
    cuts: dict[str, bool]
    """Is there a cut before a hand, and before a draw?"""
    honor: bool
    """Does the dealer, not the server, choose the packets?"""

    @classmethod
    def read(cls, line: int, header: Mapping[str, object]) -> "_Rules":
        if header.get("format") != "leftbower-record" or header.get("version") != 1:
            raise Unreadable(line, 'a record begins with {"format": "leftbower-record", "version": 1, …}')
        rules = header.get("rules")
        if not isinstance(rules, dict):
            raise Unreadable(line, "the header has no rules")
        seats, pattern = rules.get("players", 4), rules.get("deal_pattern", "two-three")
        if not isinstance(seats, int) or seats not in SEATS or not isinstance(pattern, str) or pattern not in PACKETS:
            raise Unreadable(line, f"the rules must be for 2, 3 or 4 players, with deal_pattern {', '.join(PACKETS)}")
        cuts = {HAND: rules.get("deal_cut", "none") != "none", DRAW: rules.get("draw_cut", "none") != "none"}
        return cls(SEATS[seats], PACKETS[pattern], cuts, rules.get("supervision", "strict") != "strict")

    @property
    def deck(self) -> list[str]:
        """The cards in play: with two players there are no nines."""
        return [rank + suit for suit in "cdhs" for rank in ("TJQKA" if len(self.seats) == 2 else "9TJQKA")]

    @property
    def dummy(self) -> int:
        return 0 if len(self.seats) == 4 else 3

    def bundles(self, chosen: object) -> list[int]:
        """The size of every packet in dealing order: the usual ones, or the dealer's choice."""
        usual = [size for size in self.packets for _ in self.seats]
        if chosen is None or chosen == usual:
            return usual
        if not self.honor:
            raise _DoesNotFit("the dealer chose the packets, but the server deals at this table")
        sizes: list[int] = chosen if isinstance(chosen, list) and len(chosen) == len(usual) else [-1]
        if any(type(size) is not int or size not in BUNDLE for size in sizes):
            raise _DoesNotFit(
                f"packets must be {len(usual)} numbers from {BUNDLE[0]} to {BUNDLE[-1]}, not {_show(chosen)}"
            )
        if any(sum(sizes[index :: len(self.seats)]) not in HAND_SIZES for index in range(len(self.seats))):
            raise _DoesNotFit(
                f"packets must give each player {HAND_SIZES[0]} to {HAND_SIZES[-1]} cards: {_show(chosen)}"
            )
        if sum(sizes) + self.dummy >= len(self.deck):
            raise _DoesNotFit("no card is left to turn up")
        return sizes

    def dealt(self, dealer: str, bundles: list[int]) -> Iterator[str]:
        """Who gets each card, from the top: N E S W, `dummy`, then `up-card`; the rest is the kitty."""
        first = self.seats.index(dealer) + 1
        for index, size in enumerate(bundles):
            yield from self.seats[(first + index) % len(self.seats)] * size
        yield from ["dummy"] * self.dummy
        yield "up-card"


@dataclass(slots=True)
class _Deck:
    """One deck and what was dealt or drawn from it, as far as read."""

    index: int
    """Number of earlier decks."""
    kind: str = HAND
    root: str = ""
    secret: str = ""
    """The bots' secret, once it is open."""
    bound: dict[str, object] | None = None
    """The published binding: the previous link, its number, its kind and the players that changed."""
    leaves: list[str] = field(default_factory=list)
    bot_leaf: str = ""
    cut_read: bool = False
    cut: int | None = None
    packets: object = None
    """The packets, if the dealer chose them."""
    begun: bool = False
    """Has anything except seal, cut and packets been read?"""
    fact: Mapping[str, object] | None = None
    """The deal, or the draw."""
    open: dict[int, str] = field(default_factory=dict)
    """Open cards by position."""
    played: list[object] = field(default_factory=list)
    """The deal or draw and everything done since, as the next link commits to it."""


class _Reader:
    """Reads a record line by line and checks it."""

    def __init__(self, rules: _Rules) -> None:
        self.rules = rules
        self.decks: list[_Deck] = []
        self.has_sealed_lines = False
        """Are decks sealed on separate lines?"""
        self.table, self.match, self.root, self.final_root = "", 0, "", ""
        self.ended = False
        """Was the last line read?"""
        self.erased: list[str] = []

    def begin(self, header: Mapping[str, object]) -> None:
        """Check the match root and the names in the header."""
        _only(header, {"format", "version", "table", "match", "root", "rules", "players"}, of=HEADER)
        table, match, published = header.get("table"), header.get("match"), header.get("root")
        if not isinstance(table, str) or type(match) is not int:
            raise _DoesNotFit("the header needs a table and a match number", of=HEADER)
        players = _players(header.get("players", {}), of=HEADER)
        root = match_root_of(header, players)
        if root != published:
            raise _DoesNotFit(
                f"table, match, rules and players give match root {_short(root)}, and not {_short(published)}",
                of=HEADER,
            )
        self.table, self.match, self.root = table, match, root
        self._sit_down(players, of=HEADER)

    def read(self, line: int, fact: Mapping[str, object]) -> None:
        if self.ended:
            raise _DoesNotFit("there is a line after the end", of=END)
        match fact.get("fact"):
            case "sealed":
                self._sealed(fact)
            case "cut":
                self._cut(fact)
            case "packets":
                self._chosen(fact)
            case "deal":
                self._used(fact, HAND)
            case "draw":
                self._used(fact, DRAW)
            case "opened":
                self._opened(fact)
            case "act":
                self._acted(fact)
            case None if "end" in fact:
                self._end(fact)
            case None if "so_far" in fact:
                self._so_far(fact)
            case other:
                raise Unreadable(line, f"unknown fact {_show(other)}")

    def check_ended(self) -> None:
        """Check for the last line, which has the end or the link so far: without it, the record was cut off."""
        if not self.ended:
            raise _DoesNotFit("the record is cut off: its last line, with `end` or `so_far`, is missing", of=END)

    def report(self, why: _DoesNotFit | None, line: int) -> Report:
        """The decks that are right so far, and what is wrong."""
        decks, misfit = self.decks, None
        if why is not None and why.of:
            misfit = Misfit(kind=why.of, number=0, line=line, says=str(why))
        elif why is not None:
            deck = why.deck or (self.decks[-1] if self.decks and not why.next else _Deck(len(self.decks)))
            misfit = Misfit(kind=deck.kind, number=self.number(deck), line=line, says=str(why))
            decks = decks[: deck.index]
        return Report(
            decks=self.verified(decks),
            misfit=misfit,
            table=self.table,
            match=self.match,
            root=self.root,
            final_root=self.final_root if misfit is None else "",
            erased=tuple(self.erased),
        )

    def number(self, deck: _Deck) -> int:
        """The number of the hand or draw."""
        return sum(other.kind == deck.kind for other in self.decks[: deck.index]) + 1

    def verified(self, decks: list[_Deck]) -> tuple[Verified, ...]:
        of = len(self.rules.deck)
        return tuple(
            Verified(kind=deck.kind, number=self.number(deck), root=deck.root, cut=deck.cut, opened=opened, of=of)
            for deck in decks
            for opened in [len(deck.open)]
        )

    def _next(self) -> _Deck:
        self.decks.append(_Deck(len(self.decks)))
        return self.decks[-1]

    def _acted(self, fact: Mapping[str, object]) -> None:
        if not self.decks or self.decks[-1].kind != HAND:
            raise _DoesNotFit("an action comes before its deck was sealed", next_=True)
        self.decks[-1].begun = True
        self.decks[-1].played.append(fact)

    def _link(self) -> str | None:
        """The link after all decks so far; None while the bots' secret of the last one is closed."""
        if not self.decks:
            return self.root
        deck = self.decks[-1]
        return link_of(deck.root, deck.secret, [deck.cut, deck.packets, *deck.played]) if deck.secret else None

    def _bind(self, deck: _Deck, binding: Mapping[str, object], link: str | None) -> str:
        """Check a deck's binding against the record so far, if the link after that is known."""
        number, before, players = binding.get("number"), binding.get("link"), _players(binding.get("players", {}))
        if binding.get("kind") != deck.kind:
            raise _DoesNotFit(f"the deck was sealed for a {_bare(binding.get('kind'))}, not for a {deck.kind}")
        if type(number) is not int or number != deck.index + 1:
            raise _DoesNotFit(f"this is deck {_show(number)} of the match, but deck {deck.index + 1} comes next")
        before = _hex(before, 64, "the link before the deck")
        if link is not None and before != link:
            past = f"{self.decks[-2].kind} {self.number(self.decks[-2])}" if deck.index else "the header"
            raise _DoesNotFit(
                f"the record up to {past} gives link {_short(link)}, but this deck was sealed after {_short(before)}"
            )
        bound: dict[str, object] = {"link": before, "number": number, "kind": deck.kind, "players": _bound(players)}
        if deck.bound is not None and deck.bound != bound:
            raise _DoesNotFit("the seal differs from what was published before the hand")
        deck.bound = bound
        self._sit_down(players)
        return bound_to(before, number, deck.kind, players)

    def _sit_down(self, players: Mapping[str, Mapping[str, object]], of: str = "") -> None:
        """Seat these players from here on; their names must match their commitments."""
        for seat, player in players.items():
            if seat not in self.rules.seats or len(seat) != 1:
                raise _DoesNotFit(f"{_show(seat)} isn't a seat at this table", of=of)
            if "commitment" in player and self._is_erased(seat, player, of) and seat not in self.erased:
                self.erased.append(seat)

    def _is_erased(self, seat: str, player: Mapping[str, object], of: str) -> bool:
        """Is only the commitment of a name left? A name that is there must match it."""
        name, salt = player.get("name"), player.get("salt")
        if not name and salt is None:
            return True
        if not isinstance(name, str) or name_commitment_of(str(salt), name) != player["commitment"]:
            raise _DoesNotFit(f"the name of {seat} doesn't match its commitment", of=of)
        return False

    def _sealed(self, fact: Mapping[str, object]) -> None:
        self.has_sealed_lines = True
        link = self._link()
        hand = self._next()
        hand.kind = DRAW if fact.get("kind") == DRAW else HAND
        bound = self._bind(hand, fact, link)
        published, leaves = fact.get("root"), _hashes(fact.get("leaves"), 64)
        bot_leaf = _hex(fact.get("bot_leaf"), 64, "the leaf of the bots' secret")
        if len(leaves) != len(self.rules.deck):
            raise _DoesNotFit(f"{len(leaves)} leaves were sealed, but the deck has {len(self.rules.deck)} cards")
        root = root_of(bound, leaves, bot_leaf)
        if root != published:
            raise _DoesNotFit(f"the leaves give root {_short(root)}, but {_short(published)} was published")
        self._check_new(hand, leaves)
        hand.root, hand.leaves, hand.bot_leaf = root, leaves, bot_leaf

    def _check_new(self, deck: _Deck, leaves: list[str]) -> None:
        """Refuse a deck that was sealed before: its salts would be known."""
        for earlier in self.decks[: deck.index]:
            if earlier.leaves == leaves:
                raise _DoesNotFit(f"this is the sealed deck of {earlier.kind} {self.number(earlier)} again")

    def _cut(self, fact: Mapping[str, object]) -> None:
        if not self.decks or self.decks[-1].begun:
            raise _DoesNotFit("the deck was cut before it was sealed", next_=True)
        deck = self.decks[-1]
        if deck.cut_read:
            raise _DoesNotFit("the deck was cut twice")
        deck.cut, deck.cut_read = self._lifted(fact.get("cut")), True

    def _chosen(self, fact: Mapping[str, object]) -> None:
        if not self.decks or self.decks[-1].begun:
            raise _DoesNotFit("the packets were chosen before the deck was sealed", next_=True)
        self.decks[-1].packets = fact.get("packets")

    def _lifted(self, cut: object) -> int | None:
        last = len(self.rules.deck) - 1
        if cut is None:
            return None
        if not isinstance(cut, int) or isinstance(cut, bool) or not 0 <= cut <= last:
            raise _DoesNotFit(f"a cut lifts 0 to {last} cards, not {_show(cut)}")
        return cut

    def _used(self, fact: Mapping[str, object], kind: str) -> None:
        """Check a deal or a draw against its deck."""
        what = "the hand was dealt" if kind == HAND else "the dealer was drawn"
        pending = self.decks[-1] if self.has_sealed_lines and self.decks[-1].fact is None else None
        if self.has_sealed_lines and pending is None:
            raise _DoesNotFit(f"{what} before its deck was sealed", next_=True)
        if pending is not None and pending.kind != kind:
            raise _DoesNotFit(f"{what} from a deck sealed for a {pending.kind}")
        link = self._link() if pending is None else None
        deck = pending or self._next()
        deck.kind, deck.fact, deck.begun = kind, fact, True
        deck.played.append({name: value for name, value in fact.items() if name != "seal"})
        if "seal" in fact:
            self._seal(deck, fact["seal"], link)
        elif not self.has_sealed_lines:
            raise _DoesNotFit(f"{what} without a sealed deck")
        if deck.cut and not self.rules.cuts[kind]:
            raise _DoesNotFit(f"{deck.cut} cards were lifted, but the rules have no cut here")
        self._settle(deck)

    def _seal(self, hand: _Deck, seal: object, link: str | None) -> None:
        """Check a complete seal: binding, cards, salts, bots' secret, root and cut."""
        if not isinstance(seal, dict):
            raise _DoesNotFit(
                "the seal must be an object with kind, number, link, root, deck, salts, bot_secret and cut"
            )
        _only(seal, _SEAL)
        bound = self._bind(hand, seal, link)
        published, deck = seal.get("root"), _cards(seal.get("deck"))
        self._check_deck(deck)
        salts = _hashes(seal.get("salts"), 32)
        if len(salts) != len(deck):
            raise _DoesNotFit(f"the seal has {len(salts)} salts for {len(deck)} cards")
        leaves = [leaf_of(position, card, salt) for position, (card, salt) in enumerate(zip(deck, salts, strict=True))]
        secret = _hex(seal.get("bot_secret"), 64, "the bots' secret")
        bot_leaf = bot_leaf_of(secret)
        if hand.root and published != hand.root:
            raise _DoesNotFit(f"the root was {_short(hand.root)} before the hand, but is {_short(published)} now")
        for position, (now, then) in enumerate(zip(leaves, hand.leaves, strict=False)):
            if now != then:
                raise _DoesNotFit(f"{deck[position]} with its salt isn't what was sealed at position {position}")
        if hand.bot_leaf and bot_leaf != hand.bot_leaf:
            raise _DoesNotFit("the bots' secret isn't the one that was sealed")
        root = root_of(bound, leaves, bot_leaf)
        if root != published:
            raise _DoesNotFit(
                f"deck, salts and bot_secret give root {_short(root)}, but {_short(published)} was sealed"
            )
        self._check_new(hand, leaves)
        hand.root = root
        cut = self._lifted(seal.get("cut"))
        if hand.cut_read and (cut or 0) != (hand.cut or 0):
            raise _DoesNotFit(f"the seal has a cut of {cut or 0} cards, but {hand.cut or 0} were lifted at the table")
        if hand.packets is not None and seal.get("packets") != hand.packets:
            raise _DoesNotFit("the seal has different packets from those dealt at the table")
        hand.leaves, hand.cut, hand.open, hand.secret = leaves, cut, dict(enumerate(deck)), secret
        hand.packets = seal.get("packets")

    def _check_deck(self, deck: list[str]) -> None:
        """Check that the deck has each card exactly once."""
        known = self.rules.deck
        for position, card in enumerate(deck):
            if card not in known:
                raise _DoesNotFit(f"{_show(card)} at position {position} of the sealed deck isn't a card of this game")
            if card in deck[:position]:
                raise _DoesNotFit(f"the sealed deck has {card} twice, at positions {deck.index(card)} and {position}")
        if len(deck) != len(known):
            raise _DoesNotFit(f"the sealed deck has {len(deck)} cards and should have {len(known)}")

    def _opened(self, fact: Mapping[str, object]) -> None:
        if not self.decks:
            raise _DoesNotFit("a card was opened before a deck was sealed")
        hand = self.decks[-1]
        hand.begun = True
        cards = fact.get("cards")
        if not isinstance(cards, list) or not all(isinstance(opening, dict) for opening in cards):
            raise _DoesNotFit("opened cards must be a list of objects with position, card and salt")
        for opening in cards:
            position, card, salt = opening.get("position"), opening.get("card"), opening.get("salt")
            if not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < len(hand.leaves):
                raise _DoesNotFit(f"a card was opened at position {_show(position)}, but the deck has no such position")
            fits = card in self.rules.deck and leaf_of(position, str(card), str(salt)) == hand.leaves[position]
            if not fits:
                raise _DoesNotFit(
                    f"{_show(card)} was opened at position {position}, but that isn't what was sealed there"
                )
            hand.open[position] = str(card)
        self._settle(hand)

    def _settle(self, used: _Deck) -> None:
        """Once all cards of a deck are known, check what was dealt or drawn from it."""
        size = len(self.rules.deck)
        if used.fact is None or len(used.open) < size:
            return
        deck = [used.open[position] for position in range(size)]
        self._check_deck(deck)
        if used.kind == DRAW:
            self._check_draw(used.fact, deck, used.cut or 0)
        else:
            self._check_deal(used.fact, deck, used.cut or 0, self.rules.bundles(used.packets))

    def _check_draw(self, draw: Mapping[str, object], deck: list[str], lifted: int) -> None:
        """The cards turned must be the top of the cut deck; `replay` checks which dealer they choose."""
        for top, got in enumerate(_cards(draw.get("cards"))):
            position = (top + lifted) % len(deck)
            if top >= len(deck) or got != deck[position]:
                raise _DoesNotFit(
                    f"{_bare(got)} was turned, but the sealed deck has {deck[position]} at position {position}"
                )

    def _check_deal(self, deal: Mapping[str, object], deck: list[str], lifted: int, bundles: list[int]) -> None:
        """Every player must have what the cut deck deals in these packets."""
        if lifted and deal.get("cut_offered") is False:
            raise _DoesNotFit(f"{lifted} cards were lifted, but the cut wasn't offered")
        dealer = deal.get("dealer")
        if not isinstance(dealer, str) or len(dealer) != 1 or dealer not in self.rules.seats:
            raise _DoesNotFit(f"the dealer is {_show(dealer)}, but the seats are {', '.join(self.rules.seats)}")
        left = self._recorded_deal(deal)
        for top, whose in enumerate(self.rules.dealt(dealer, bundles)):
            position = (top + lifted) % len(deck)
            got = left[whose].pop(0) if left[whose] else "no card"
            if got != deck[position]:
                raise _DoesNotFit(
                    f"{whose} got {_bare(got)}, but the sealed deck has {deck[position]} at position {position}"
                )
        for whose, more in left.items():
            if more:
                raise _DoesNotFit(f"{whose} also got {_bare(more[0])}, which isn't dealt there from the sealed deck")

    def _recorded_deal(self, deal: Mapping[str, object]) -> dict[str, list[str]]:
        """The recorded cards of each seat, the dummy, and the up-card."""
        hands = deal.get("hands")
        if not isinstance(hands, dict):
            raise _DoesNotFit("the deal has no hands")
        for seat in hands:
            if seat not in self.rules.seats or len(seat) != 1:
                raise _DoesNotFit(f"cards were dealt to {_show(seat)}, but the seats are {', '.join(self.rules.seats)}")
        cards = {seat: _cards(hands.get(seat, "")) for seat in self.rules.seats}
        return cards | {"dummy": _cards(deal.get("dummy", "")), "up-card": _cards(deal.get("up_card", ""))}

    def _end(self, line: Mapping[str, object]) -> None:
        """At the end of the match everything must be open, and the final root must match."""
        _only(line, {"end", "root"}, of=END)
        for deck in self.decks:
            if len(deck.open) < len(self.rules.deck):
                raise _DoesNotFit(f"the game is over, but only {len(deck.open)} cards were opened", deck)
        link, published = self._link(), line.get("root")
        if link is None:
            raise _DoesNotFit("the match is over, but the bots' secret wasn't opened")
        root = final_root_of(link, line["end"])
        if root != published:
            raise _DoesNotFit(
                f"the record gives final root {_short(root)}, but {_short(published)} was published", of=END
            )
        self.final_root, self.ended = root, True

    def _so_far(self, line: Mapping[str, object]) -> None:
        """In an unfinished match, the link must match the record so far."""
        _only(line, {"so_far"}, of=END)
        so_far, link = line["so_far"], self._link()
        recorded = so_far.get("link") if isinstance(so_far, dict) else so_far
        if link is not None and link != recorded:
            raise _DoesNotFit(f"the record gives link {_short(link)}, but its last line has {_short(recorded)}", of=END)
        self.ended = True


def _lines(text: str) -> list[tuple[int, dict[str, object]]]:
    lines: list[tuple[int, dict[str, object]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            plain = json.loads(line, object_pairs_hook=_once_each)
        except _Twice:
            raise Unreadable(number, "this line has the same key twice") from None
        except (ValueError, RecursionError):
            raise Unreadable(number, "this line is not JSON") from None
        if not isinstance(plain, dict):
            raise Unreadable(number, "this line is JSON, but not an object in braces")
        lines.append((number, plain))
    return lines or [(1, {})]


class _Twice(Exception):
    """A JSON object has a key twice, so parsers may disagree about it."""


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(plain := dict(pairs)) < len(pairs):
        raise _Twice
    return plain


def _only(plain: Mapping[str, object], known: set[str], of: str = "") -> None:
    """Refuse other keys: no root would cover them."""
    for name in plain.keys() - known:
        raise _DoesNotFit(f"{_show(name)} isn't a known key, and no root covers it", of=of)


def _players(plain: object, of: str = "") -> dict[str, dict[str, object]]:
    """Players by seat."""
    if not isinstance(plain, dict) or not all(isinstance(player, dict) for player in plain.values()):
        raise _DoesNotFit("players must be an object with an object for each seat", of=of)
    return plain


def _bound(players: Mapping[str, object]) -> dict[str, object]:
    """Players without what can be erased: a name with a commitment, and its salt."""
    return {
        seat: {key: value for key, value in player.items() if "commitment" not in player or key not in ("name", "salt")}
        for seat, player in _players(players).items()
    }


def _canonical(value: object) -> str:
    """Canonical JSON: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _cards(text: object) -> list[str]:
    if not isinstance(text, str):
        raise _DoesNotFit(f"cards must look like JdAd9s, not {_show(text)}")
    return [text[start : start + 2] for start in range(0, len(text), 2)]


def _hashes(plain: object, digits: int) -> list[str]:
    """Hex strings with this number of digits."""
    kind = "salt" if digits == 32 else "leaf"
    if not isinstance(plain, list):
        raise _DoesNotFit(f"there must be a {kind} for each position, not {_show(plain)}")
    return [_hex(text, digits, f"the {kind} at position {position}") for position, text in enumerate(plain)]


def _hex(plain: object, digits: int, what: str) -> str:
    if not isinstance(plain, str) or len(plain) != digits or not set(plain) <= set("0123456789abcdef"):
        raise _DoesNotFit(f"{what} must be {digits} lowercase hex digits, not {_show(plain)}")
    return plain


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _short(root: object) -> str:
    return f"{root[:12]}…" if isinstance(root, str) and root.isalnum() else _show(root)


def _bare(word: object) -> str:
    return word if isinstance(word, str) and (word == "no card" or word.isalnum()) else _show(word)


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 20 else f"{text[:19]}…"


if __name__ == "__main__":  # as a script, it reads a file and prints what it finds; imported, it has no side effects
    from argparse import ArgumentParser, FileType

    parser = ArgumentParser(description="Verify that a record is complete and unchanged, with every hand as sealed.")
    parser.add_argument("record", type=FileType(encoding="utf-8"), help="a record, or - for standard input")
    parser.add_argument("--root", action="append", default=[], help="a root you were shown; the record must contain it")
    parser.add_argument("--unfinished", action="store_true", help="the match was not over when the record was made")
    arguments = parser.parse_args()
    try:
        report = verify(arguments.record.read())
    except (Unreadable, UnsealedRecord, UnicodeDecodeError) as why:
        parser.exit(2, f"{why}\n")
    out = FileType("w")("-")
    out.write(f"table {report.table!r}  match {report.match}  root {report.root}\n")
    for deck in report.decks:
        out.write(
            f"{deck.kind} {deck.number}  root {deck.root}  cut {deck.cut or 0}  open {deck.opened} of {deck.of}\n"
        )
    for seat in report.erased:
        out.write(f"{seat}: the name was erased; its commitment is still there\n")
    if report.misfit:
        parser.exit(1, f"{report.misfit}\n")
    for root in arguments.root:
        if report.find(root) is None:
            parser.exit(
                1, f"no root of this record begins with {root}; give 16 or more digits of a root you were shown\n"
            )
    if report.is_complete:
        out.write(f"end  root {report.final_root}\n")
    elif not arguments.unfinished:
        parser.exit(
            1, "everything checks out, but the record has no end; if the match was still going on, add --unfinished\n"
        )
    out.write("Everything checks out.\n")
