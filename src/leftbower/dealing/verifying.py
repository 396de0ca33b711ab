"""Were the hands of a record dealt, and the dealers drawn, from the decks that were sealed? A second reading.

It needs the standard library alone and shares no line with what seals and deals, so it can be read and run by itself:

    python verifying.py record.jsonl

It reads records, whose draws and deals carry a `seal`, and what was told at the table: `sealed`, `cut` and `opened`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

SEATS: Final = {2: "NS", 3: "NES", 4: "NESW"}
"""Who sits, clockwise, when so many play."""
PACKETS: Final = {"ones": (1, 1, 1, 1, 1), "two-three": (2, 3), "either-order": (2, 3), "bundles": (2, 3)}
"""What each player gets at a time, unless the dealer of an honor table chooses the bundles."""
BUNDLE: Final = range(5)
"""How many cards a bundle of such a dealer may have."""
HAND_SIZES: Final = range(4, 7)
"""How many cards such a dealer may deal a player."""
HAND: Final = "hand"
DRAW: Final = "draw"
"""What a deck is sealed for."""


class Unreadable(Exception):
    """This is no record at all."""

    def __init__(self, line: int, says: str) -> None:
        super().__init__(f"line {line}: {says}")
        self.line, self.says = line, says


class NothingSealed(Exception):
    """The record tells of no sealed deck, so there is nothing to verify."""


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
    number: int
    line: int
    says: str

    @property
    def place(self) -> str:
        """The line, and the hand or draw that it belongs to."""
        return f"line {self.line}, {self.kind} {self.number}"

    def __str__(self) -> str:
        return f"{self.place}: {self.says}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The decks that fit, in their order, and the first thing that does not."""

    decks: tuple[Verified, ...]
    misfit: Misfit | None

    @property
    def hands(self) -> tuple[Verified, ...]:
        """The decks of hands."""
        return tuple(deck for deck in self.decks if deck.kind == HAND)

    @property
    def draws(self) -> tuple[Verified, ...]:
        """The decks of draws for the dealer."""
        return tuple(deck for deck in self.decks if deck.kind == DRAW)


def verify(text: str) -> Report:
    """Verify every draw and hand of a record, up to the first thing that does not fit."""
    header, *facts = _lines(text)
    reader = _Reader(_Rules.read(*header))
    if not any(fact.get("fact") == "sealed" or "seal" in fact for _, fact in facts):
        raise NothingSealed("no deck of this record was sealed, so nothing can be verified")
    for line, fact in facts:
        try:
            reader.read(line, fact)
        except _DoesNotFit as why:
            at = why.deck or (reader.decks[-1] if reader.decks and not why.next else _Deck(len(reader.decks)))
            misfit = Misfit(kind=at.kind, number=reader.number(at), line=line, says=str(why))
            return Report(decks=reader.verified(reader.decks[: at.at]), misfit=misfit)
    return Report(decks=reader.verified(reader.decks), misfit=None)


def leaf_of(place: int, card: str, salt: str) -> str:
    """The envelope of a card: a hash over its place, the card and its salt."""
    return _hash(f"leftbower leaf 1:{place}:{card}:{salt}")


def bot_leaf_of(secret: str) -> str:
    """The hash that binds the secret of the bots."""
    return _hash(f"leftbower bot leaf 1:{secret}")


def root_of(leaves: list[str], bot_leaf: str) -> str:
    """The root: a hash over all envelopes, from the top of the deck down, and the leaf of the bots' secret."""
    return _hash(f"leftbower root 2:{''.join(leaves)}{bot_leaf}")


class _DoesNotFit(Exception):
    """What does not fit, and in which deck, where it is not the last one: an earlier one, or the next."""

    def __init__(self, says: str, deck: "_Deck | None" = None, *, next_: bool = False) -> None:
        super().__init__(says)
        self.deck, self.next = deck, next_


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the header says about dealing."""

    seats: str
    packets: tuple[int, ...]
    cuts: dict[str, bool]
    """Is a cut offered before a hand, and before a draw?"""
    honor: bool
    """Does the dealer deal, and not the house?"""

    @classmethod
    def read(cls, line: int, header: Mapping[str, object]) -> "_Rules":
        if header.get("format") != "leftbower-record" or header.get("version") != 1:
            raise Unreadable(line, 'a record begins with {"format": "leftbower-record", "version": 1, …}')
        rules = header.get("rules")
        if not isinstance(rules, dict):
            raise Unreadable(line, "the header has no rules")
        seats, pattern = rules.get("seats", 4), rules.get("deal_pattern", "two-three")
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
        if any(sum(sizes[at :: len(self.seats)]) not in HAND_SIZES for at in range(len(self.seats))):
            raise _DoesNotFit(f"a player gets {HAND_SIZES[0]} to {HAND_SIZES[-1]} cards, not as in {_show(chosen)}")
        if sum(sizes) + self.dummy >= len(self.deck):
            raise _DoesNotFit("no card is left to turn up")
        return sizes

    def dealt(self, dealer: str, bundles: list[int]) -> Iterator[str]:
        """Whose each card of the deck is, from its top on: N E S W, `dummy`, then `up-card`; the rest is the kitty."""
        first = self.seats.index(dealer) + 1
        for at, size in enumerate(bundles):
            yield from self.seats[(first + at) % len(self.seats)] * size
        yield from ["dummy"] * self.dummy
        yield "up-card"


@dataclass(slots=True)
class _Deck:
    """One deck and what was dealt or drawn from it, as far as it has been told."""

    at: int
    """How many decks came before it."""
    kind: str = HAND
    root: str = ""
    leaves: list[str] = field(default_factory=list)
    bot_leaf: str = ""
    cut_told: bool = False
    cut: int | None = None
    packets: object = None
    """The bundles, where the dealer chose them."""
    begun: bool = False
    """Has anything but seal, cut and packets been told of it?"""
    fact: Mapping[str, object] | None = None
    """The deal, or the draw."""
    open: dict[int, str] = field(default_factory=dict)
    """The cards that are open by their places."""


class _Reader:
    """A record on its way through the checks."""

    def __init__(self, rules: _Rules) -> None:
        self.rules = rules
        self.decks: list[_Deck] = []
        self.told = False
        """Are decks sealed on lines of their own?"""

    def read(self, line: int, fact: Mapping[str, object]) -> None:
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
                self._acted()
            case None if "end" in fact:
                self._end()
            case other:
                raise Unreadable(line, f"{_show(other)} is not a fact of a record")

    def number(self, deck: _Deck) -> int:
        """Which of the hands, or of the draws, it is."""
        return sum(other.kind == deck.kind for other in self.decks[: deck.at]) + 1

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

    def _acted(self) -> None:
        if not self.decks or self.decks[-1].kind != HAND:
            raise _DoesNotFit("something is done before its deck was sealed", next_=True)
        self.decks[-1].begun = True

    def _sealed(self, fact: Mapping[str, object]) -> None:
        self.told = True
        hand = self._next()
        told, leaves = fact.get("root"), _hashes(fact.get("leaves"), 64)
        bot_leaf = _hex(fact.get("bot_leaf"), 64, "the leaf of the bots' secret")
        if len(leaves) != len(self.rules.deck):
            raise _DoesNotFit(f"{len(leaves)} leaves were sealed, and the deck has {len(self.rules.deck)} cards")
        root = root_of(leaves, bot_leaf)
        if root != told:
            raise _DoesNotFit(f"the leaves give the root {_short(root)}, and {_short(told)} was told")
        hand.leaves, hand.bot_leaf = leaves, bot_leaf
        self._root(hand, root)

    def _root(self, deck: _Deck, root: str) -> None:
        for earlier in self.decks:
            if earlier is not deck and earlier.root == root:
                raise _DoesNotFit(f"this is the sealed deck of {earlier.kind} {self.number(earlier)} again")
        deck.root = root

    def _cut(self, fact: Mapping[str, object]) -> None:
        if not self.decks or self.decks[-1].begun:
            raise _DoesNotFit("the deck was cut before it was sealed", next_=True)
        deck = self.decks[-1]
        if deck.cut_told:
            raise _DoesNotFit("the deck was cut twice")
        deck.cut, deck.cut_told = self._lifted(fact.get("cut")), True

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
        pending = self.decks[-1] if self.told and self.decks[-1].fact is None else None
        if self.told and pending is None:
            raise _DoesNotFit(f"{what} before its deck was sealed", next_=True)
        deck = pending or self._next()
        deck.kind, deck.fact, deck.begun = kind, fact, True
        if "seal" in fact:
            self._seal(deck, fact["seal"])
        elif not self.told:
            raise _DoesNotFit(f"{what}, and no deck was sealed for it")
        if deck.cut and not self.rules.cuts[kind]:
            raise _DoesNotFit(f"{deck.cut} cards were lifted, where the rules offer no cut")
        self._settle(deck)

    def _seal(self, hand: _Deck, seal: object) -> None:
        """Everything about a deck at once: cards, salts, the bots' secret, root and cut."""
        if not isinstance(seal, dict):
            raise _DoesNotFit("the seal is no object with root, deck, salts, bot_secret and cut")
        told, deck = seal.get("root"), _cards(seal.get("deck"))
        self._check_deck(deck)
        salts = _hashes(seal.get("salts"), 32)
        if len(salts) != len(deck):
            raise _DoesNotFit(f"the seal has {len(salts)} salts for {len(deck)} cards")
        leaves = [leaf_of(place, *one) for place, one in enumerate(zip(deck, salts, strict=True))]
        bot_leaf = bot_leaf_of(_hex(seal.get("bot_secret"), 64, "the bots' secret"))
        if hand.root and told != hand.root:
            raise _DoesNotFit(f"the root was {_short(hand.root)} before the hand, and is {_short(told)} now")
        for place, (now, then) in enumerate(zip(leaves, hand.leaves, strict=False)):
            if now != then:
                raise _DoesNotFit(f"{deck[place]} with its salt is not what was sealed at place {place}")
        if hand.bot_leaf and bot_leaf != hand.bot_leaf:
            raise _DoesNotFit("the bots' secret is not the one that was sealed")
        root = root_of(leaves, bot_leaf)
        if root != told:
            raise _DoesNotFit(f"deck, salts and bot_secret give the root {_short(root)}, and {_short(told)} was sealed")
        self._root(hand, root)
        cut = self._lifted(seal.get("cut"))
        if hand.cut_told and (cut or 0) != (hand.cut or 0):
            raise _DoesNotFit(f"the seal tells a cut of {cut or 0} cards, and {hand.cut or 0} were lifted at the table")
        if hand.packets is not None and seal.get("packets") != hand.packets:
            raise _DoesNotFit("the seal tells other bundles than were dealt at the table")
        hand.leaves, hand.cut, hand.open = leaves, cut, dict(enumerate(deck))
        hand.packets = seal.get("packets")

    def _check_deck(self, deck: list[str]) -> None:
        """Every card of the deck is in it exactly once."""
        known = self.rules.deck
        for place, card in enumerate(deck):
            if card not in known:
                raise _DoesNotFit(f"{_show(card)}, at place {place} of the sealed deck, is not in play")
            if card in deck[:place]:
                raise _DoesNotFit(f"the sealed deck has {card} twice, at places {deck.index(card)} and {place}")
        if len(deck) != len(known):
            raise _DoesNotFit(f"the sealed deck has {len(deck)} cards and should have {len(known)}")

    def _opened(self, fact: Mapping[str, object]) -> None:
        if not self.decks:
            raise _DoesNotFit("a card was opened before its deck was sealed")
        hand = self.decks[-1]
        hand.begun = True
        cards = fact.get("cards")
        if not isinstance(cards, list) or not all(isinstance(one, dict) for one in cards):
            raise _DoesNotFit("the opened cards are no list of places, cards and salts")
        for one in cards:
            place, card, salt = one.get("place"), one.get("card"), one.get("salt")
            if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(hand.leaves):
                raise _DoesNotFit(f"a card was opened at place {_show(place)}, which the deck does not have")
            fits = card in self.rules.deck and leaf_of(place, str(card), str(salt)) == hand.leaves[place]
            if not fits:
                raise _DoesNotFit(f"{_show(card)} was opened at place {place}, and that is not what was sealed there")
            hand.open[place] = str(card)
        self._settle(hand)

    def _settle(self, used: _Deck) -> None:
        """Once all cards of a deck are known, what was dealt or drawn from it must be what the cut deck gives."""
        size = len(self.rules.deck)
        if used.fact is None or len(used.open) < size:
            return
        deck = [used.open[place] for place in range(size)]
        self._check_deck(deck)
        if used.kind == DRAW:
            self._check_draw(used.fact, deck, used.cut or 0)
        else:
            self._check_deal(used.fact, deck, used.cut or 0, self.rules.bundles(used.packets))

    def _check_draw(self, draw: Mapping[str, object], deck: list[str], lifted: int) -> None:
        """The cards that were turned are the top of the cut deck; whom they make the dealer, replay says."""
        for top, got in enumerate(_cards(draw.get("cards"))):
            place = (top + lifted) % len(deck)
            if top >= len(deck) or got != deck[place]:
                raise _DoesNotFit(f"{_bare(got)} was turned, where the sealed deck has {deck[place]} (place {place})")

    def _check_deal(self, deal: Mapping[str, object], deck: list[str], lifted: int, bundles: list[int]) -> None:
        """Every player got what the cut deck deals in these bundles."""
        if lifted and deal.get("cut_offered") is False:
            raise _DoesNotFit(f"{lifted} cards were lifted, though the cut was not offered")
        dealer = deal.get("dealer")
        if not isinstance(dealer, str) or len(dealer) != 1 or dealer not in self.rules.seats:
            raise _DoesNotFit(f"{_show(dealer)} deals, and the seats are {', '.join(self.rules.seats)}")
        left = self._told_deal(deal)
        for top, whose in enumerate(self.rules.dealt(dealer, bundles)):
            place = (top + lifted) % len(deck)
            got = left[whose].pop(0) if left[whose] else "no card"
            if got != deck[place]:
                raise _DoesNotFit(f"{whose} got {_bare(got)}, where the sealed deck has {deck[place]} (place {place})")
        for whose, more in left.items():
            if more:
                raise _DoesNotFit(f"{whose} got {_bare(more[0])} as well, which the sealed deck does not deal there")

    def _told_deal(self, deal: Mapping[str, object]) -> dict[str, list[str]]:
        """What the record says each place was dealt."""
        hands = deal.get("hands")
        if not isinstance(hands, dict):
            raise _DoesNotFit("the deal tells no hands")
        for seat in hands:
            if seat not in self.rules.seats or len(seat) != 1:
                raise _DoesNotFit(f"cards were dealt to {_show(seat)}, and the seats are {', '.join(self.rules.seats)}")
        told = {seat: _cards(hands.get(seat, "")) for seat in self.rules.seats}
        return told | {"dummy": _cards(deal.get("dummy", "")), "up-card": _cards(deal.get("up_card", ""))}

    def _end(self) -> None:
        for deck in self.decks:
            if len(deck.open) < len(self.rules.deck):
                raise _DoesNotFit(f"the game is over, and only {len(deck.open)} cards were opened", deck)


def _lines(text: str) -> list[tuple[int, dict[str, object]]]:
    lines: list[tuple[int, dict[str, object]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            plain = json.loads(line)
        except (ValueError, RecursionError):
            raise Unreadable(number, "this line is not JSON") from None
        if not isinstance(plain, dict):
            raise Unreadable(number, "this line is JSON, but not an object in braces")
        lines.append((number, plain))
    return lines or [(1, {})]


def _cards(text: object) -> list[str]:
    if not isinstance(text, str):
        raise _DoesNotFit(f"cards are written as in JdAd9s, not as {_show(text)}")
    return [text[start : start + 2] for start in range(0, len(text), 2)]


def _hashes(plain: object, digits: int) -> list[str]:
    """A list of hex numbers with this number of digits."""
    kind = "salt" if digits == 32 else "leaf"
    if not isinstance(plain, list):
        raise _DoesNotFit(f"there is a {kind} for each place, not {_show(plain)}")
    return [_hex(one, digits, f"the {kind} at place {place}") for place, one in enumerate(plain)]


def _hex(plain: object, digits: int, what: str) -> str:
    if not isinstance(plain, str) or len(plain) != digits or not set(plain) <= set("0123456789abcdef"):
        raise _DoesNotFit(f"{what} is not {digits} small hex digits, but {_show(plain)}")
    return plain


def _hash(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()


def _short(root: object) -> str:
    return f"{root[:12]}…" if isinstance(root, str) and root.isalnum() else _show(root)


def _bare(card: str) -> str:
    return card if card == "no card" or card.isalnum() else _show(card)


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 20 else f"{text[:19]}…"


if __name__ == "__main__":  # run by itself it reads a file and says what it found; imported, it touches nothing
    from argparse import ArgumentParser, FileType

    parser = ArgumentParser(description="Verify that the hands of a record were dealt from the decks that were sealed.")
    parser.add_argument("record", type=FileType(encoding="utf-8"), help="a record, or - for standard input")
    try:
        report = verify(parser.parse_args().record.read())
    except (Unreadable, NothingSealed, UnicodeDecodeError) as why:
        parser.exit(2, f"{why}\n")
    out = FileType("w")("-")
    for one in report.decks:
        out.write(f"{one.kind} {one.number}  root {one.root}  cut {one.cut or 0}  open {one.opened} of {one.of}\n")
    if report.misfit:
        parser.exit(1, f"{report.misfit}\n")
    out.write("Everything fits.\n")
