"""Verifier of records: is a record whole and unchanged, and was every hand dealt from the deck that was sealed?

It imports only the standard library and shares no line with the code that seals and deals, so it can be read and run
by itself:

    python verify.py record.jsonl

It reads records, whose draws and deals carry a `seal`, and what was published at the table: `sealed`, `cut` and
`opened`. The header gives the match root; from there the link after each deck is computed from what the record says was
played, and must be the one to which the next deck was sealed; from the last link follows the final root.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

SEATS: Final = {2: "NS", 3: "NES", 4: "NESW"}
"""The seats in clockwise order, by the number of players."""
PACKETS: Final = {"ones": (1, 1, 1, 1, 1), "two-three": (2, 3), "either-order": (2, 3), "bundles": (2, 3)}
"""What each player gets at a time, unless the dealer of an honor table chooses the bundles."""
BUNDLE: Final = range(5)
"""How many cards a bundle of such a dealer may have."""
HAND_SIZES: Final = range(4, 7)
"""How many cards such a dealer may deal a player."""
HAND: Final = "hand"
DRAW: Final = "draw"
"""What a deck is sealed for."""
_SEAL: Final = {"kind", "number", "link", "players", "root", "deck", "salts", "bot_secret", "cut", "packets"}
HEADER: Final = "header"
END: Final = "end"
"""What else of a record may not fit."""
ROOT_DIGITS: Final = 16
"""The least digits of a root that are worth comparing: fewer could be met by trying."""


class Unreadable(Exception):
    """This is no record at all."""

    def __init__(self, line: int, says: str) -> None:
        super().__init__(f"line {line}: {says}")
        self.line, self.says = line, says


class UnsealedRecord(Exception):
    """The record has no sealed deck, so there is nothing to verify."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A deck that fits as far as it has been opened."""

    kind: str
    """`hand` or `draw`."""
    number: int
    """Which hand, or which draw for the dealer, from 1."""
    root: str
    cut: int | None
    opened: int
    """How many cards of its deck are open; all of them when the game is over."""
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """The first thing that does not fit."""

    kind: str
    """`hand`, `draw`, `header` or `end`."""
    number: int
    """Which hand or draw; 0 for header and end."""
    line: int
    says: str

    @property
    def path(self) -> str:
        """The line, and the hand or draw that it belongs to."""
        return f"line {self.line}, {self.kind} {self.number}" if self.number else f"line {self.line}, {self.kind}"

    def __str__(self) -> str:
        return f"{self.path}: {self.says}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The decks that fit, in their order, the roots of the match, and the first thing that does not fit."""

    decks: tuple[Verified, ...]
    misfit: Misfit | None
    table: str = ""
    match: int = 0
    """The number of the match at its table."""
    root: str = ""
    """The match root."""
    final_root: str = ""
    """The root over the whole match; empty where the record has no end."""
    erased: tuple[str, ...] = ()
    """The seats of players whose names were erased; their commitments are there."""

    @property
    def is_complete(self) -> bool:
        """Does the record go to the end of the match?"""
        return bool(self.final_root)

    @property
    def roots(self) -> dict[str, str]:
        """Every root that was published, each with what it is the root of."""
        decks = {deck.root: f"{deck.kind} {deck.number}" for deck in self.decks}
        return {self.root: "the match"} | decks | ({self.final_root: "the end"} if self.final_root else {})

    def find(self, digits: str) -> str | None:
        """What a root, or at least 16 digits of its beginning, is the root of; None if the record has no such root."""
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
    """Verify a record up to the first thing that does not fit."""
    (first, header), *facts = _lines(text)
    reader = _Reader(_Rules.read(first, header))
    if not any(fact.get("fact") == "sealed" or "seal" in fact for _, fact in facts):
        raise UnsealedRecord("no deck of this record was sealed, so nothing can be verified")
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
    """The envelope of a card: a hash over its position, the card and its salt."""
    return _hash(f"leftbower leaf 1:{position}:{card}:{salt}")


def bot_leaf_of(secret: str) -> str:
    """The hash that binds the secret of the bots."""
    return _hash(f"leftbower bot leaf 1:{secret}")


def root_of(bound: str, leaves: list[str], bot_leaf: str) -> str:
    """The root: a hash over what the deck is bound to, all envelopes from the top of it down, and the bots' leaf."""
    return _hash(f"leftbower root 3:{bound}:{''.join(leaves)}{bot_leaf}")


def bound_to(link: str, number: int, kind: str, players: Mapping[str, object]) -> str:
    """What a deck is bound to: the link before it, its number, its kind, and the players that changed."""
    return f"{link}:{number}:{kind}:{_canonical(_bound(players))}"


def match_root_of(header: Mapping[str, object], players: Mapping[str, object]) -> str:
    """The match root: a hash over table, match number, rules and players."""
    opening = {name: header.get(name) for name in ("table", "match", "rules")} | {"players": _bound(players)}
    return _hash(f"leftbower match 1:{_canonical(opening)}")


def link_of(root: str, secret: str, played: list[object]) -> str:
    """The link after a deck: a hash over its root, the bots' secret, and all that was dealt from it and played."""
    return _hash(f"leftbower link 1:{root}:{secret}:{_canonical(played)}")


def final_root_of(link: str, end: object) -> str:
    """The final root: a hash over the last link and the end."""
    return _hash(f"leftbower end 1:{link}:{_canonical(end)}")


def name_commitment_of(salt: str, name: str) -> str:
    """The hash that binds the name of a player."""
    return _hash(f"leftbower name 1:{salt}:{name}")


class _DoesNotFit(Exception):
    """What does not fit, and where, unless it is in the last deck: an earlier deck, the next one, header or end."""

    def __init__(self, says: str, deck: "_Deck | None" = None, *, next_: bool = False, of: str = "") -> None:
        super().__init__(says)
        self.deck, self.next, self.of = deck, next_, of


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the header says about dealing."""

    seats: str
    packets: tuple[int, ...]
    cuts: dict[str, bool]
    """Is a cut offered before a hand, and before a draw?"""
    honor: bool
    """Does the dealer, not the server, choose the bundles?"""

    @classmethod
    def read(cls, line: int, header: Mapping[str, object]) -> "_Rules":
        if header.get("format") != "leftbower-record" or header.get("version") != 1:
            raise Unreadable(line, 'a record begins with {"format": "leftbower-record", "version": 1, …}')
        rules = header.get("rules")
        if not isinstance(rules, dict):
            raise Unreadable(line, "the header has no rules")
        seats, pattern = rules.get("players", 4), rules.get("deal_pattern", "two-three")
        if not isinstance(seats, int) or seats not in SEATS or not isinstance(pattern, str) or pattern not in PACKETS:
            raise Unreadable(line, f"the rules are for 2, 3 or 4 players and deal in {', '.join(PACKETS)}")
        cuts = {HAND: rules.get("deal_cut", "none") != "none", DRAW: rules.get("draw_cut", "none") != "none"}
        return cls(SEATS[seats], PACKETS[pattern], cuts, rules.get("supervision", "strict") != "strict")

    @property
    def deck(self) -> list[str]:
        """The cards in play: two players leave the nines out."""
        return [rank + suit for suit in "cdhs" for rank in ("TJQKA" if len(self.seats) == 2 else "9TJQKA")]

    @property
    def dummy(self) -> int:
        return 0 if len(self.seats) == 4 else 3

    def bundles(self, chosen: object) -> list[int]:
        """The size of every bundle in the order they are dealt: the usual ones, or what the dealer chose."""
        usual = [size for size in self.packets for _ in self.seats]
        if chosen is None or chosen == usual:
            return usual
        if not self.honor:
            raise _DoesNotFit("the dealer chose the bundles, where the house deals")
        sizes: list[int] = chosen if isinstance(chosen, list) and len(chosen) == len(usual) else [-1]
        if any(type(size) is not int or size not in BUNDLE for size in sizes):
            raise _DoesNotFit(
                f"{len(usual)} bundles of {BUNDLE[0]} to {BUNDLE[-1]} cards are dealt, not {_show(chosen)}"
            )
        if any(sum(sizes[index :: len(self.seats)]) not in HAND_SIZES for index in range(len(self.seats))):
            raise _DoesNotFit(f"a player gets {HAND_SIZES[0]} to {HAND_SIZES[-1]} cards, not as in {_show(chosen)}")
        if sum(sizes) + self.dummy >= len(self.deck):
            raise _DoesNotFit("no card is left to turn up")
        return sizes

    def dealt(self, dealer: str, bundles: list[int]) -> Iterator[str]:
        """Whose each card of the deck is, from its top on: N E S W, `dummy`, then `up-card`; the rest is the kitty."""
        first = self.seats.index(dealer) + 1
        for index, size in enumerate(bundles):
            yield from self.seats[(first + index) % len(self.seats)] * size
        yield from ["dummy"] * self.dummy
        yield "up-card"


@dataclass(slots=True)
class _Deck:
    """One deck and what was dealt or drawn from it, as far as it has been read."""

    index: int
    """How many decks came before it."""
    kind: str = HAND
    root: str = ""
    secret: str = ""
    """The bots' secret, once it is open."""
    bound: dict[str, object] | None = None
    """The link before it, its number, its kind and the players that changed, as they were published."""
    leaves: list[str] = field(default_factory=list)
    bot_leaf: str = ""
    cut_read: bool = False
    cut: int | None = None
    packets: object = None
    """The bundles, where the dealer chose them."""
    begun: bool = False
    """Has anything but seal, cut and packets been read?"""
    fact: Mapping[str, object] | None = None
    """The deal, or the draw."""
    open: dict[int, str] = field(default_factory=dict)
    """The cards that are open by their positions."""
    played: list[object] = field(default_factory=list)
    """What was dealt or drawn from it, and what was done since, as the link after it binds it."""


class _Reader:
    """A record on its way through the checks."""

    def __init__(self, rules: _Rules) -> None:
        self.rules = rules
        self.decks: list[_Deck] = []
        self.has_sealed_lines = False
        """Are decks sealed on lines of their own?"""
        self.table, self.match, self.root, self.final_root = "", 0, "", ""
        self.ended = False
        """Was the last line read?"""
        self.erased: list[str] = []

    def begin(self, header: Mapping[str, object]) -> None:
        """The header must give the match root that stands in it, and every name its commitment."""
        _only(header, {"format", "version", "table", "match", "root", "rules", "players"}, of=HEADER)
        table, match, published = header.get("table"), header.get("match"), header.get("root")
        if not isinstance(table, str) or type(match) is not int:
            raise _DoesNotFit("the header does not say which match of which table it was", of=HEADER)
        players = _players(header.get("players", {}), of=HEADER)
        root = match_root_of(header, players)
        if root != published:
            raise _DoesNotFit(
                f"table, match, rules and players give the match root {_short(root)}, "
                f"and {_short(published)} was published",
                of=HEADER,
            )
        self.table, self.match, self.root = table, match, root
        self._sit_down(players, of=HEADER)

    def read(self, line: int, fact: Mapping[str, object]) -> None:
        if self.ended:
            raise _DoesNotFit("something stands behind the end", of=END)
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
                raise Unreadable(line, f"{_show(other)} is not a fact of a record")

    def check_ended(self) -> None:
        """The last line says that the match was over, or up to where it is recorded: without it something was cut."""
        if not self.ended:
            raise _DoesNotFit(
                "the record breaks off: the last line, with its end or its link so far, is missing", of=END
            )

    def report(self, why: _DoesNotFit | None, line: int) -> Report:
        """What fits up to here, and what does not."""
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
        """Which of the hands, or of the draws, it is."""
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
            raise _DoesNotFit("something is done before its deck was sealed", next_=True)
        self.decks[-1].begun = True
        self.decks[-1].played.append(fact)

    def _link(self) -> str | None:
        """The link after all decks so far; None where the bots' secret of the last one is not open."""
        if not self.decks:
            return self.root
        deck = self.decks[-1]
        return link_of(deck.root, deck.secret, [deck.cut, deck.packets, *deck.played]) if deck.secret else None

    def _bind(self, deck: _Deck, binding: Mapping[str, object], link: str | None) -> str:
        """Check what a deck says it is bound to against the record up to it, where the link after that is known."""
        number, before, players = binding.get("number"), binding.get("link"), _players(binding.get("players", {}))
        if binding.get("kind") != deck.kind:
            raise _DoesNotFit(f"the deck was sealed for a {_bare(binding.get('kind'))}, and not for this")
        if type(number) is not int or number != deck.index + 1:
            raise _DoesNotFit(f"this is deck {_show(number)} of the match, and {deck.index + 1} comes here")
        before = _hex(before, 64, "the link before the deck")
        if link is not None and before != link:
            past = f"{self.decks[-2].kind} {self.number(self.decks[-2])}" if deck.index else "the header"
            raise _DoesNotFit(
                f"up to {past} the record gives link {_short(link)}, and this deck was sealed behind {_short(before)}"
            )
        bound: dict[str, object] = {"link": before, "number": number, "kind": deck.kind, "players": _bound(players)}
        if deck.bound is not None and deck.bound != bound:
            raise _DoesNotFit("the seal binds the deck to something else than was told before the hand")
        deck.bound = bound
        self._sit_down(players)
        return bound_to(before, number, deck.kind, players)

    def _sit_down(self, players: Mapping[str, Mapping[str, object]], of: str = "") -> None:
        """These players have their seats from here on; their names must be those that were bound."""
        for seat, player in players.items():
            if seat not in self.rules.seats or len(seat) != 1:
                raise _DoesNotFit(f"{_show(seat)} is no seat of this table", of=of)
            if "commitment" in player and self._is_erased(seat, player, of) and seat not in self.erased:
                self.erased.append(seat)

    def _is_erased(self, seat: str, player: Mapping[str, object], of: str) -> bool:
        """Is only the commitment left of a name? A name that is there must be the one that was committed to."""
        name, salt = player.get("name"), player.get("salt")
        if not name and salt is None:
            return True
        if not isinstance(name, str) or name_commitment_of(str(salt), name) != player["commitment"]:
            raise _DoesNotFit(f"the name of {seat} is not the one that was bound", of=of)
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
            raise _DoesNotFit(f"{len(leaves)} leaves were sealed, and the deck has {len(self.rules.deck)} cards")
        root = root_of(bound, leaves, bot_leaf)
        if root != published:
            raise _DoesNotFit(f"the leaves give the root {_short(root)}, and {_short(published)} was told")
        self._check_new(hand, leaves)
        hand.root, hand.leaves, hand.bot_leaf = root, leaves, bot_leaf

    def _check_new(self, deck: _Deck, leaves: list[str]) -> None:
        """No deck is sealed twice: its salts would be known."""
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
            raise _DoesNotFit("the bundles were chosen before the deck was sealed", next_=True)
        self.decks[-1].packets = fact.get("packets")

    def _lifted(self, cut: object) -> int | None:
        last = len(self.rules.deck) - 1
        if cut is None:
            return None
        if not isinstance(cut, int) or isinstance(cut, bool) or not 0 <= cut <= last:
            raise _DoesNotFit(f"a cut lifts 1 to {last} cards or none, and this one is {_show(cut)}")
        return cut

    def _used(self, fact: Mapping[str, object], kind: str) -> None:
        """A hand was dealt, or the dealer drawn, from a deck."""
        what = "the hand was dealt" if kind == HAND else "the dealer was drawn"
        pending = self.decks[-1] if self.has_sealed_lines and self.decks[-1].fact is None else None
        if self.has_sealed_lines and pending is None:
            raise _DoesNotFit(f"{what} before its deck was sealed", next_=True)
        if pending is not None and pending.kind != kind:
            raise _DoesNotFit(f"{what} from a deck that was sealed for a {pending.kind}")
        link = self._link() if pending is None else None
        deck = pending or self._next()
        deck.kind, deck.fact, deck.begun = kind, fact, True
        deck.played.append({name: value for name, value in fact.items() if name != "seal"})
        if "seal" in fact:
            self._seal(deck, fact["seal"], link)
        elif not self.has_sealed_lines:
            raise _DoesNotFit(f"{what}, and no deck was sealed for it")
        if deck.cut and not self.rules.cuts[kind]:
            raise _DoesNotFit(f"{deck.cut} cards were lifted, where the rules offer no cut")
        self._settle(deck)

    def _seal(self, hand: _Deck, seal: object, link: str | None) -> None:
        """Everything about a deck at once: what it is bound to, cards, salts, the bots' secret, root and cut."""
        if not isinstance(seal, dict):
            raise _DoesNotFit("the seal is no object with kind, number, link, root, deck, salts, bot_secret and cut")
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
            raise _DoesNotFit(f"the root was {_short(hand.root)} before the hand, and is {_short(published)} now")
        for position, (now, then) in enumerate(zip(leaves, hand.leaves, strict=False)):
            if now != then:
                raise _DoesNotFit(f"{deck[position]} with its salt is not what was sealed at position {position}")
        if hand.bot_leaf and bot_leaf != hand.bot_leaf:
            raise _DoesNotFit("the bots' secret is not the one that was sealed")
        root = root_of(bound, leaves, bot_leaf)
        if root != published:
            raise _DoesNotFit(
                f"deck, salts and bot_secret give the root {_short(root)}, and {_short(published)} was sealed"
            )
        self._check_new(hand, leaves)
        hand.root = root
        cut = self._lifted(seal.get("cut"))
        if hand.cut_read and (cut or 0) != (hand.cut or 0):
            raise _DoesNotFit(f"the seal tells a cut of {cut or 0} cards, and {hand.cut or 0} were lifted at the table")
        if hand.packets is not None and seal.get("packets") != hand.packets:
            raise _DoesNotFit("the seal tells other bundles than were dealt at the table")
        hand.leaves, hand.cut, hand.open, hand.secret = leaves, cut, dict(enumerate(deck)), secret
        hand.packets = seal.get("packets")

    def _check_deck(self, deck: list[str]) -> None:
        """Every card of the deck is in it exactly once."""
        known = self.rules.deck
        for position, card in enumerate(deck):
            if card not in known:
                raise _DoesNotFit(f"{_show(card)}, at position {position} of the sealed deck, is not in play")
            if card in deck[:position]:
                raise _DoesNotFit(f"the sealed deck has {card} twice, at positions {deck.index(card)} and {position}")
        if len(deck) != len(known):
            raise _DoesNotFit(f"the sealed deck has {len(deck)} cards and should have {len(known)}")

    def _opened(self, fact: Mapping[str, object]) -> None:
        if not self.decks:
            raise _DoesNotFit("a card was opened before its deck was sealed")
        hand = self.decks[-1]
        hand.begun = True
        cards = fact.get("cards")
        if not isinstance(cards, list) or not all(isinstance(opening, dict) for opening in cards):
            raise _DoesNotFit("the opened cards are no list of positions, cards and salts")
        for opening in cards:
            position, card, salt = opening.get("position"), opening.get("card"), opening.get("salt")
            if not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < len(hand.leaves):
                raise _DoesNotFit(f"a card was opened at position {_show(position)}, which the deck does not have")
            fits = card in self.rules.deck and leaf_of(position, str(card), str(salt)) == hand.leaves[position]
            if not fits:
                raise _DoesNotFit(
                    f"{_show(card)} was opened at position {position}, and that is not what was sealed there"
                )
            hand.open[position] = str(card)
        self._settle(hand)

    def _settle(self, used: _Deck) -> None:
        """Once all cards of a deck are known, what was dealt or drawn from it must be what the cut deck gives."""
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
        """The cards that were turned are the top of the cut deck; whom they make the dealer, replay says."""
        for top, got in enumerate(_cards(draw.get("cards"))):
            position = (top + lifted) % len(deck)
            if top >= len(deck) or got != deck[position]:
                raise _DoesNotFit(
                    f"{_bare(got)} was turned, where the sealed deck has {deck[position]} (position {position})"
                )

    def _check_deal(self, deal: Mapping[str, object], deck: list[str], lifted: int, bundles: list[int]) -> None:
        """Every player got what the cut deck deals in these bundles."""
        if lifted and deal.get("cut_offered") is False:
            raise _DoesNotFit(f"{lifted} cards were lifted, though the cut was not offered")
        dealer = deal.get("dealer")
        if not isinstance(dealer, str) or len(dealer) != 1 or dealer not in self.rules.seats:
            raise _DoesNotFit(f"{_show(dealer)} deals, and the seats are {', '.join(self.rules.seats)}")
        left = self._recorded_deal(deal)
        for top, whose in enumerate(self.rules.dealt(dealer, bundles)):
            position = (top + lifted) % len(deck)
            got = left[whose].pop(0) if left[whose] else "no card"
            if got != deck[position]:
                raise _DoesNotFit(
                    f"{whose} got {_bare(got)}, where the sealed deck has {deck[position]} (position {position})"
                )
        for whose, more in left.items():
            if more:
                raise _DoesNotFit(f"{whose} got {_bare(more[0])} as well, which the sealed deck does not deal there")

    def _recorded_deal(self, deal: Mapping[str, object]) -> dict[str, list[str]]:
        """The recorded cards of each seat, of the dummy, and the up-card."""
        hands = deal.get("hands")
        if not isinstance(hands, dict):
            raise _DoesNotFit("the deal tells no hands")
        for seat in hands:
            if seat not in self.rules.seats or len(seat) != 1:
                raise _DoesNotFit(f"cards were dealt to {_show(seat)}, and the seats are {', '.join(self.rules.seats)}")
        cards = {seat: _cards(hands.get(seat, "")) for seat in self.rules.seats}
        return cards | {"dummy": _cards(deal.get("dummy", "")), "up-card": _cards(deal.get("up_card", ""))}

    def _end(self, line: Mapping[str, object]) -> None:
        """The match is over: everything is open, and the final root follows from it."""
        _only(line, {"end", "root"}, of=END)
        for deck in self.decks:
            if len(deck.open) < len(self.rules.deck):
                raise _DoesNotFit(f"the game is over, and only {len(deck.open)} cards were opened", deck)
        link, published = self._link(), line.get("root")
        if link is None:
            raise _DoesNotFit("the match is over, and the bots' secret was not opened")
        root = final_root_of(link, line["end"])
        if root != published:
            raise _DoesNotFit(
                f"the record gives the final root {_short(root)}, and {_short(published)} was published", of=END
            )
        self.final_root, self.ended = root, True

    def _so_far(self, line: Mapping[str, object]) -> None:
        """The match goes on: the link says up to where it is recorded."""
        _only(line, {"so_far"}, of=END)
        so_far, link = line["so_far"], self._link()
        recorded = so_far.get("link") if isinstance(so_far, dict) else so_far
        if link is not None and link != recorded:
            raise _DoesNotFit(
                f"the record gives the link {_short(link)}, and its last line has {_short(recorded)}", of=END
            )
        self.ended = True


def _lines(text: str) -> list[tuple[int, dict[str, object]]]:
    lines: list[tuple[int, dict[str, object]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            plain = json.loads(line, object_pairs_hook=_once_each)
        except _Twice:
            raise Unreadable(number, "something is named twice in this line") from None
        except (ValueError, RecursionError):
            raise Unreadable(number, "this line is not JSON") from None
        if not isinstance(plain, dict):
            raise Unreadable(number, "this line is JSON, but not an object in braces")
        lines.append((number, plain))
    return lines or [(1, {})]


class _Twice(Exception):
    """An object of JSON names something twice, so readers may differ about it."""


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(plain := dict(pairs)) < len(pairs):
        raise _Twice
    return plain


def _only(plain: Mapping[str, object], known: set[str], of: str = "") -> None:
    """Nothing else stands there: no root would bind it."""
    for name in plain.keys() - known:
        raise _DoesNotFit(f"{_show(name)} stands there, which nothing binds", of=of)


def _players(plain: object, of: str = "") -> dict[str, dict[str, object]]:
    """Players by their seats."""
    if not isinstance(plain, dict) or not all(isinstance(player, dict) for player in plain.values()):
        raise _DoesNotFit("the players are no objects by their seats", of=of)
    return plain


def _bound(players: Mapping[str, object]) -> dict[str, object]:
    """Players without what can be erased: a name that has a commitment, and its salt."""
    return {
        seat: {key: value for key, value in player.items() if "commitment" not in player or key not in ("name", "salt")}
        for seat, player in _players(players).items()
    }


def _canonical(value: object) -> str:
    """The one JSON text of a value: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _cards(text: object) -> list[str]:
    if not isinstance(text, str):
        raise _DoesNotFit(f"cards are written as in JdAd9s, not as {_show(text)}")
    return [text[start : start + 2] for start in range(0, len(text), 2)]


def _hashes(plain: object, digits: int) -> list[str]:
    """A list of hex numbers with this number of digits."""
    kind = "salt" if digits == 32 else "leaf"
    if not isinstance(plain, list):
        raise _DoesNotFit(f"there is a {kind} for each position, not {_show(plain)}")
    return [_hex(text, digits, f"the {kind} at position {position}") for position, text in enumerate(plain)]


def _hex(plain: object, digits: int, what: str) -> str:
    if not isinstance(plain, str) or len(plain) != digits or not set(plain) <= set("0123456789abcdef"):
        raise _DoesNotFit(f"{what} is not {digits} small hex digits, but {_show(plain)}")
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


if __name__ == "__main__":  # run by itself it reads a file and says what it found; imported, it touches nothing
    from argparse import ArgumentParser, FileType

    parser = ArgumentParser(description="Verify that a record is whole and unchanged, and every hand dealt as sealed.")
    parser.add_argument("record", type=FileType(encoding="utf-8"), help="a record, or - for standard input")
    parser.add_argument(
        "--root", action="append", default=[], help="a root that you were shown; the record must have it"
    )
    parser.add_argument("--unfinished", action="store_true", help="the match was going on when the record was made")
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
        out.write(f"{seat}: the name was erased, its commitment kept\n")
    if report.misfit:
        parser.exit(1, f"{report.misfit}\n")
    for root in arguments.root:
        if report.find(root) is None:
            parser.exit(1, f"no root of this record begins with {root}: give 16 digits or more of one you were shown\n")
    if report.is_complete:
        out.write(f"end  root {report.final_root}\n")
    elif not arguments.unfinished:
        parser.exit(
            1, "everything fits, but the record has no end: was the match still going on? Then say --unfinished\n"
        )
    out.write("Everything fits.\n")
