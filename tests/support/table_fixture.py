"""A table for tests: its log, commands of people, and a server that performs due actions at once."""

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
    """A table with its log; each fact is one second after the previous one."""

    def __init__(self, rules: HouseRules | None = None, *, seed: int = 0) -> None:
        self.rules = rules or preset("club")
        self.rng, self.seed = Random(seed), seed
        self.log: list[TableFact] = []
        self.table: Table = apply_fact(
            None, self._logged(Created(person=ANN, rules=self.rules, bot_level="novice")), 0.0
        )

    def _logged(self, fact: TableFact) -> TableFact:
        """Log a fact and return it like a store: written to JSON and read back."""
        self.log.append(table_fact_from_json(json.loads(json.dumps(table_fact_to_json(fact)))))
        return self.log[-1]

    def add(self, *facts: TableFact) -> Table:
        """Apply facts without validation, as the server does."""
        for fact in facts:
            self.table = apply_fact(self.table, self._logged(fact), float(len(self.log)))
        return self.table

    def command(self, person: str, *commands: TableFact) -> Table:
        """Validate and apply commands of a person."""
        for command in commands:
            self.add(validate(self.table, person, command))
        return self.table

    def refused(self, person: str, command: TableFact, code: str) -> None:
        with pytest.raises(LeftbowerError) as refused:
            validate(self.table, person, command)
        assert refused.value.code == code

    def entropy(self) -> str:
        return sha256(f"{self.seed}:{len(self.log)}".encode()).hexdigest()

    def names(self, people: Iterable[str]) -> dict[str, str]:
        """Commitments to the names of people; a name is the person's id here."""
        return {person: name_commitment("0" * 32, person) for person in people}

    def server_acts(self) -> bool:
        """Perform the due action; False if a person has to decide."""
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
                self.add(DeckCut(seat=seat, lifted=0 if declined else self.rng.randrange(len(self.rules.deck))))
            case DealDue(seat=seat):
                self.add(CutOffered(seat=seat) if self.table.may_offer_cut else HandDealt(seat=seat))
            case BotActDue(seat=seat):
                assert self.table.hand is not None
                self.add(Acted(action=RandomPlayer().act(view(self.table.hand, seat), self.rng)))
            case LastCardDue(action=action) | PartnerDue(action=action):
                self.add(Acted(action=action))
        return True

    def step(self) -> None:
        """Perform the due action, or let the person who has to decide act."""
        if not self.server_acts():
            self.person_acts()

    def until_decision(self) -> Table:
        while self.server_acts():
            pass
        return self.table

    def person_acts(self) -> None:
        """The person who has to decide acts at random."""
        table = self.table
        if table.cutter:
            sitter = table.seats[table.cutter]
            assert isinstance(sitter, SeatedPerson)
            self.command(sitter.id, DeckCut(seat=table.cutter, lifted=self.rng.randrange(len(self.rules.deck))))
            return
        if table.dealing_seat:
            sitter = table.seats[table.dealing_seat]
            assert isinstance(sitter, SeatedPerson)
            dealer = table.dealing_seat
            self.command(sitter.id, CutOffered(seat=dealer) if table.may_offer_cut else HandDealt(seat=dealer))
            return
        assert table.hand is not None
        seat = whose_turn(table.hand)
        sitter = table.seats[seat]
        assert isinstance(sitter, SeatedPerson)
        act = Acted(action=RandomPlayer().act(view(table.hand, seat), self.rng), action_id=f"{len(self.log)}")
        self.command(sitter.id, act)

    def play_on(self) -> Table:
        """Play to the end of the match."""
        while not isinstance(self.until_decision().match, MatchOver):
            self.person_acts()
        return self.table


def seated(rules: HouseRules | None = None, *, people: Iterable[str] = (ANN,), seed: int = 0) -> TableFixture:
    """These people from north on, bots in the other seats, all agreed."""
    fixture = TableFixture(rules, seed=seed)
    people = tuple(people)
    for person, seat in zip(people, fixture.rules.seats, strict=False):
        fixture.command(person, Sat(person=person, seat=seat))
    for seat in fixture.rules.seats[len(people) :]:
        fixture.command(ANN, BotSeated(seat=seat, level="regular"))
    for person in people:
        fixture.command(person, Agreed(person=person))
    return fixture
