"""An evening at a table: its log, what people ask for, and a house that does at once what it owes."""

import json
from collections.abc import Iterable
from hashlib import sha256
from random import Random

import pytest

from leftbower.dealing import name_commitment
from leftbower.engine import MatchOver, view, whose_turn
from leftbower.errors import LeftbowerError
from leftbower.players import RandomPlayer
from leftbower.rules import HouseRules, preset
from leftbower.table import (
    Acted,
    Agreed,
    BotActDue,
    BotSeated,
    Created,
    CutDue,
    CutOffered,
    DealDue,
    DeckCut,
    DeckDue,
    DeckSealed,
    DrawDeckSealed,
    DrawDue,
    HandDealt,
    LastCardDue,
    MatchOpened,
    MatchOpeningDue,
    PartnerDue,
    Sat,
    SeatedPerson,
    Table,
    TableFact,
    apply_fact,
    next_due,
    table_fact_from_json,
    table_fact_to_json,
    validate,
)

ANN, BOB, CAT, DAN = "ann", "bob", "cat", "dan"


class TableFixture:
    """A table with its log; time stands still unless it is told to pass."""

    def __init__(self, rules: HouseRules | None = None, *, seed: int = 0) -> None:
        self.rules = rules or preset("club")
        self.chance, self.seed = Random(seed), seed
        self.log: list[TableFact] = []
        self.table: Table = apply_fact(None, self._kept(Created(person=ANN, rules=self.rules, bot_level="novice")), 0.0)

    def _kept(self, fact: TableFact) -> TableFact:
        """Through JSON and back, as in a store."""
        self.log.append(table_fact_from_json(json.loads(json.dumps(table_fact_to_json(fact)))))
        return self.log[-1]

    def add(self, *facts: TableFact) -> Table:
        """What the house does."""
        for fact in facts:
            self.table = apply_fact(self.table, self._kept(fact), float(len(self.log)))
        return self.table

    def ask(self, person: str, *requests: TableFact) -> Table:
        """What a person asks for, and gets."""
        for request in requests:
            self.add(validate(self.table, person, request))
        return self.table

    def refused(self, person: str, request: TableFact, code: str) -> None:
        with pytest.raises(LeftbowerError) as refused:
            validate(self.table, person, request)
        assert refused.value.code == code

    def entropy(self) -> str:
        return sha256(f"{self.seed}:{len(self.log)}".encode()).hexdigest()

    def names(self, people: Iterable[str]) -> dict[str, str]:
        """Commitments to the names of people, who are called as their ids are."""
        return {person: name_commitment("0" * 32, person) for person in people}

    def house(self) -> bool:
        """Do what is due; False when people are asked."""
        match next_due(self.table):
            case None:
                return False
            case MatchOpeningDue():
                self.add(
                    MatchOpened(table="evening", name_commitments=self.names(self.table.people), bot_version="1.2")
                )
            case DrawDue():
                self.add(DrawDeckSealed(entropy=self.entropy()))
            case DeckDue():
                late = set(self.table.latecomers.values()) - self.table.name_commitments.keys()
                self.add(DeckSealed(entropy=self.entropy(), name_commitments=self.names(late)))
            case CutDue(seat=seat, declined=declined):
                self.add(DeckCut(seat=seat, lifted=0 if declined else self.chance.randrange(len(self.rules.deck))))
            case DealDue(seat=seat):
                self.add(CutOffered(seat=seat) if self.table.may_offer_cut else HandDealt(seat=seat))
            case BotActDue(seat=seat):
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
            assert isinstance(sitter, SeatedPerson)
            self.ask(sitter.id, DeckCut(seat=table.cutter, lifted=self.chance.randrange(len(self.rules.deck))))
            return
        if table.dealing_seat:
            sitter = table.seats[table.dealing_seat]
            assert isinstance(sitter, SeatedPerson)
            dealer = table.dealing_seat
            self.ask(sitter.id, CutOffered(seat=dealer) if table.may_offer_cut else HandDealt(seat=dealer))
            return
        assert table.hand is not None
        seat = whose_turn(table.hand)
        sitter = table.seats[seat]
        assert isinstance(sitter, SeatedPerson)
        act = Acted(action=RandomPlayer().act(view(table.hand, seat), self.chance), action_id=f"{len(self.log)}")
        self.ask(sitter.id, act)

    def play_on(self) -> Table:
        """To the end of the match."""
        while not isinstance(self.until_asked().match, MatchOver):
            self.person_acts()
        return self.table


def seated(rules: HouseRules | None = None, *, people: Iterable[str] = (ANN,), seed: int = 0) -> TableFixture:
    """These people from north on, bots beside them, all agreed."""
    evening = TableFixture(rules, seed=seed)
    people = tuple(people)
    for person, seat in zip(people, evening.rules.seats, strict=False):
        evening.ask(person, Sat(person=person, seat=seat))
    for seat in evening.rules.seats[len(people) :]:
        evening.ask(ANN, BotSeated(seat=seat, level="regular"))
    for person in people:
        evening.ask(person, Agreed(person=person))
    return evening
