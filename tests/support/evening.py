"""An evening at a table: its log, what people ask for, and a house that does at once what it owes."""

import json
from collections.abc import Iterable
from hashlib import sha256
from random import Random

import pytest

from leftbower.dealing import name_commitment
from leftbower.engine import MatchOver, asked, view
from leftbower.errors import LeftbowerError
from leftbower.players import RandomPlayer
from leftbower.rules import HouseRules, preset
from leftbower.table import (
    ActDue,
    Acted,
    Agreed,
    BotSat,
    Created,
    CutDue,
    CutMade,
    CutOffered,
    DealDue,
    Dealt,
    DeckDue,
    DrawDue,
    Drawn,
    LastCardDue,
    MatchOpened,
    OpeningDue,
    PartnerDue,
    Person,
    Sat,
    Sealed,
    Table,
    TableFact,
    after,
    allow,
    due,
    from_plain,
    to_plain,
)

ANN, BOB, CAT, DAN = "ann", "bob", "cat", "dan"


class Evening:
    """A table with its log; time stands still unless it is told to pass."""

    def __init__(self, rules: HouseRules | None = None, *, seed: int = 0) -> None:
        self.rules = rules or preset("club")
        self.chance, self.seed = Random(seed), seed
        self.log: list[TableFact] = []
        self.table: Table = after(None, self._kept(Created(person=ANN, rules=self.rules, level="novice")), 0.0)

    def _kept(self, fact: TableFact) -> TableFact:
        """Through JSON and back, as in a store."""
        self.log.append(from_plain(json.loads(json.dumps(to_plain(fact)))))
        return self.log[-1]

    def add(self, *facts: TableFact) -> Table:
        """What the house does."""
        for fact in facts:
            self.table = after(self.table, self._kept(fact), float(len(self.log)))
        return self.table

    def ask(self, person: str, *requests: TableFact) -> Table:
        """What a person asks for, and gets."""
        for request in requests:
            self.add(allow(self.table, person, request))
        return self.table

    def refused(self, person: str, request: TableFact, code: str) -> None:
        with pytest.raises(LeftbowerError) as refused:
            allow(self.table, person, request)
        assert refused.value.code == code

    def entropy(self) -> str:
        return sha256(f"{self.seed}:{len(self.log)}".encode()).hexdigest()

    def names(self, people: Iterable[str]) -> dict[str, str]:
        """Commitments to the names of people, who are called as their ids are."""
        return {person: name_commitment("0" * 32, person) for person in people}

    def house(self) -> bool:
        """Do what is due; False when people are asked."""
        match due(self.table):
            case None:
                return False
            case OpeningDue():
                self.add(MatchOpened(table="evening", names=self.names(self.table.people), version="1.2"))
            case DrawDue():
                self.add(Drawn(entropy=self.entropy()))
            case DeckDue():
                late = set(self.table.waiting.values()) - self.table.names.keys()
                self.add(Sealed(entropy=self.entropy(), names=self.names(late)))
            case CutDue(seat=seat, declined=declined):
                self.add(CutMade(seat=seat, number=0 if declined else self.chance.randrange(len(self.rules.deck))))
            case DealDue(seat=seat):
                self.add(CutOffered(seat=seat) if self.table.may_offer_cut else Dealt(seat=seat))
            case ActDue(seat=seat):
                assert self.table.hand is not None
                self.add(Acted(action=RandomPlayer().act(view(self.table.hand, seat), self.chance)))
            case LastCardDue(action=action) | PartnerDue(action=action):
                self.add(Acted(action=action))
        return True

    def step(self) -> None:
        """What is due, or else what whoever is asked does."""
        if not self.house():
            self.person_acts()

    def until_asked(self) -> Table:
        while self.house():
            pass
        return self.table

    def person_acts(self) -> None:
        """Whoever is asked does something."""
        table = self.table
        if table.cutter:
            sitter = table.seats[table.cutter]
            assert isinstance(sitter, Person)
            self.ask(sitter.id, CutMade(seat=table.cutter, number=self.chance.randrange(len(self.rules.deck))))
            return
        if table.deals:
            sitter = table.seats[table.deals]
            assert isinstance(sitter, Person)
            dealer = table.deals
            self.ask(sitter.id, CutOffered(seat=dealer) if table.may_offer_cut else Dealt(seat=dealer))
            return
        assert table.hand is not None
        seat = asked(table.hand)
        sitter = table.seats[seat]
        assert isinstance(sitter, Person)
        act = Acted(action=RandomPlayer().act(view(table.hand, seat), self.chance), act=f"{len(self.log)}")
        self.ask(sitter.id, act)

    def play_on(self) -> Table:
        """To the end of the match."""
        while not isinstance(self.until_asked().match, MatchOver):
            self.person_acts()
        return self.table


def seated(rules: HouseRules | None = None, *, people: Iterable[str] = (ANN,), seed: int = 0) -> Evening:
    """These people from north on, bots beside them, all agreed."""
    evening = Evening(rules, seed=seed)
    people = tuple(people)
    for person, seat in zip(people, evening.rules.places, strict=False):
        evening.ask(person, Sat(person=person, seat=seat))
    for seat in evening.rules.places[len(people) :]:
        evening.ask(ANN, BotSat(seat=seat, level="regular"))
    for person in people:
        evening.ask(person, Agreed(person=person))
    return evening
