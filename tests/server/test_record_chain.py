"""Records of tables: complete ones verify in two ways; anything changed, cut, moved or spliced does not.

Recomputing all inner hashes gives another record, without the published roots.
"""

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from leftbower.dealing.verify import Report, verify
from leftbower.engine import CallOut, MatchOver, legal_actions
from leftbower.errors import TableError
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Supervision
from leftbower.rules.referee import Irregularity
from leftbower.server.live.records import record_of
from leftbower.store import BoundName
from leftbower.table import Acted, HandDealt, Left, Sat, SeatedPerson, UndoAnswered, UndoRequested
from naive_chain import decks_of, dump_lines, parsed, rechained
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

Plain = dict[str, Any]
Lines = list[Plain]
HONOR = replace(preset("club"), supervision=Supervision.HONOR, target=5)
ONE_SHORT = (2, 2, 2, 2, 3, 3, 3, 2)
MISDEALS = (Irregularity.NO_CUT_OFFERED, Irregularity.WRONG_CARD_COUNT)


class VariedTable(TableFixture):
    """A table where people sometimes undo, leave, join, misdeal and call it."""

    def __init__(self, fixture: TableFixture, *, habits: str) -> None:
        vars(self).update(vars(fixture))
        self.habits = habits

    def person_acts(self) -> None:
        habit = self.rng.choice(("undo", "misdeal", "leave", "join", "", "", "", ""))
        if habit not in self.habits.split() or not getattr(self, f"_{habit}")():
            super().person_acts()

    def _undo(self) -> bool:
        if not self.table.undo_points:
            return False
        person = self.rng.choice(self.table.undo_points).person
        try:
            self.command(person, UndoRequested(person=person))
        except TableError:
            return False  # against people there is no undo
        for other in sorted(self.table.present - {person}):
            if self.table.undo is not None:
                self.command(other, UndoAnswered(person=other, agreed=True))
        return True

    def _misdeal(self) -> bool:
        table = self.table
        if table.dealing_seat is not None:
            sitter = table.seats[table.dealing_seat]
            assert isinstance(sitter, SeatedPerson)
            self.command(sitter.id, HandDealt(seat=table.dealing_seat, packets=self.rng.choice(((), ONE_SHORT))))
            return True
        calls = [action for action in legal_actions(table.hand) if isinstance(action, CallOut)] if table.hand else []
        for call in calls:
            sitter = table.seats[call.seat]
            if call.irregularity in MISDEALS and isinstance(sitter, SeatedPerson):
                self.command(sitter.id, Acted(action=call, action_id=f"{len(self.log)}"))
                return True
        return False

    def _leave(self) -> bool:
        if BOB not in self.table.people:
            return False
        self.command(BOB, Left(person=BOB))
        return True

    def _join(self) -> bool:
        bots = [seat for seat, sitter in self.table.seats.items() if not isinstance(sitter, SeatedPerson)]
        if not bots or {CAT, DAN} <= {*self.table.people, *self.table.latecomers.values()}:
            return False
        person = CAT if CAT not in {*self.table.people, *self.table.latecomers.values()} else DAN
        try:
            self.command(person, Sat(person=person, seat=bots[0]))
        except TableError:
            return False
        return True


TABLES: dict[str, tuple[HouseRules, tuple[str, ...], str]] = {
    "four": (replace(preset("club"), target=5), (ANN,), ""),
    "three": (replace(preset("club3"), target=5), (ANN,), "undo"),
    "two": (replace(preset("club2"), target=5), (ANN,), ""),
    "draws": (replace(preset("prize-night"), target=5, best_of=3), (ANN,), "undo"),
    "undo": (replace(preset("club"), target=5), (ANN,), "undo"),
    "changing players": (replace(preset("club"), target=5), (ANN, BOB), "leave join undo"),
    "honor": (HONOR, (ANN, BOB, CAT, DAN), "misdeal undo"),
}
SEEDS = range(3)
CASES = [(table, seed) for table in TABLES for seed in SEEDS]


@cache
def played_table(table: str, seed: int) -> TableFixture:
    """A whole match at such a table."""
    rules, people, habits = TABLES[table]
    played = VariedTable(seated(rules, people=people, seed=seed), habits=habits)
    played.play_on()
    return played


def lines_of(fixture: TableFixture) -> Lines:
    """The record that the server gives of it."""
    bound = {commitment: person for person, commitment in fixture.table.name_commitments.items()}
    names = {
        commitment: BoundName(commitment=commitment, person=person, salt="0" * 32, name=person)
        for commitment, person in bound.items()
    }
    record = record_of(fixture.table, names)
    assert record is not None
    return parsed(record)


def read(lines: Lines) -> Report:
    return verify(dump_lines(lines))


@pytest.mark.parametrize(("table", "seed"), CASES)
def test_an_honest_record_fits_by_both_readings(table: str, seed: int) -> None:
    played = played_table(table, seed)
    lines, end = lines_of(played), played.table
    report = read(lines)
    assert report.misfit is None
    assert report.is_complete
    assert rechained(lines) == lines
    assert end.opening is not None
    assert (report.table, report.match, report.root) == ("evening", 1, end.opening.root)
    assert report.final_root == end.final_root == end.matches.finished[0].final_root
    assert [deck.root for deck in report.decks] == [sealed.root for sealed, _ in end.sealed_decks]
    for root in (report.root, report.final_root, *(sealed.root for sealed, _ in end.sealed_decks)):
        assert report.find(root[:16]) == report.roots[root]


def test_the_tables_do_what_they_are_for() -> None:
    """Misdeals leave decks behind, draws are cut, people come and go, and actions are undone."""
    played = {case: played_table(*case) for case in CASES}
    seals = {case: [line["seal"] for line in lines_of(record) if "seal" in line] for case, record in played.items()}
    assert any("packets" in seal for seed in SEEDS for seal in seals["honor", seed])
    assert any("players" in seal for seed in SEEDS for seal in seals["changing players", seed])
    assert all(sum(seal["kind"] == "draw" for seal in seals["draws", seed]) > 1 for seed in SEEDS)
    assert any(isinstance(fact, UndoRequested) for seed in SEEDS for fact in played["undo", seed].log)
    calls = [fact for seed in SEEDS for fact in played["honor", seed].table.history if isinstance(fact, CallOut)]
    assert {call.irregularity for call in calls} == {*MISDEALS}
    assert all(isinstance(record.table.match, MatchOver) for record in played.values())


# Tampering


def hands_at(lines: Lines) -> list[tuple[int, int]]:
    """Where each deck of a record starts and ends."""
    begins = [number for number, line in enumerate(lines) if "seal" in line]
    return list(zip(begins, [*begins[1:], len(lines) - 1], strict=True))


def cut_a_hand(lines: Lines, rng: Random) -> None:
    begin, end = rng.choice(hands_at(lines)[1:])
    del lines[begin:end]


def cut_the_draw(lines: Lines, rng: Random) -> None:
    begin, end = hands_at(lines)[0]
    del lines[begin:end]


def exchange_hands(lines: Lines, rng: Random) -> None:
    (first, first_end), (other, other_end) = sorted(rng.sample(hands_at(lines)[1:], 2))
    lines[first:other_end] = [*lines[other:other_end], *lines[first_end:other], *lines[first:first_end]]


def exchange_deals(lines: Lines, rng: Random) -> None:
    first, other = (begin for begin, _ in rng.sample(hands_at(lines)[1:], 2))
    lines[first], lines[other] = lines[other], lines[first]


def repeat_a_hand(lines: Lines, rng: Random) -> None:
    begin, end = rng.choice(hands_at(lines)[1:])
    lines[end:end] = lines[begin:end]


def cut_the_end(lines: Lines, rng: Random) -> None:
    del lines[-1]


def cut_the_last_hands(lines: Lines, rng: Random) -> None:
    del lines[rng.choice(hands_at(lines)[1:])[0] :]


def cut_hands_before_the_end(lines: Lines, rng: Random) -> None:
    del lines[rng.choice(hands_at(lines)[1:])[0] : -1]


def random_person(lines: Lines, rng: Random) -> Plain:
    holders = [lines[0], *(line["seal"] for line in lines if "seal" in line)]
    people = [
        player for holder in holders for player in holder.get("players", {}).values() if player["kind"] == "human"
    ]
    found: Plain = rng.choice(people)
    return found


def change_a_name(lines: Lines, rng: Random) -> None:
    random_person(lines, rng)["name"] += "e"


def forget_a_salt(lines: Lines, rng: Random) -> None:
    del random_person(lines, rng)["salt"]


def change_a_salt(lines: Lines, rng: Random) -> None:
    random_person(lines, rng)["salt"] = "1" * 32


def change_a_commitment(lines: Lines, rng: Random) -> None:
    person = random_person(lines, rng)
    person["name"] = person["commitment"] = ""
    del person["salt"]


def make_a_bot_of_a_person(lines: Lines, rng: Random) -> None:
    person = random_person(lines, rng)
    person.clear()
    person |= {"name": "regular", "kind": "bot", "version": "1.2"}


def take_a_player_away(lines: Lines, rng: Random) -> None:
    del lines[0]["players"][rng.choice(sorted(lines[0]["players"]))]


def exchange_players(lines: Lines, rng: Random) -> None:
    players = lines[0]["players"]
    first, other = rng.sample([seat for seat in players if players[seat] != players["N"]], 1)[0], "N"
    players[first], players[other] = players[other], players[first]


def change_a_rule(lines: Lines, rng: Random) -> None:
    lines[0]["rules"]["target"] += 1


def drop_a_rule(lines: Lines, rng: Random) -> None:
    del lines[0]["rules"][rng.choice(sorted({*lines[0]["rules"]} - {"seats", "deal_pattern", "supervision"}))]


def change_the_table(lines: Lines, rng: Random) -> None:
    lines[0]["table"] += "x"


def change_the_match(lines: Lines, rng: Random) -> None:
    lines[0]["match"] += 1


def an_act(lines: Lines, rng: Random) -> int:
    return rng.choice([number for number, line in enumerate(lines) if line.get("fact") == "act"])


def change_an_act(lines: Lines, rng: Random) -> None:
    act = lines[an_act(lines, rng)]
    act["seat"] = rng.choice([seat for seat in "NESW" if seat != act["seat"]])


def remove_an_act(lines: Lines, rng: Random) -> None:
    del lines[an_act(lines, rng)]


def add_an_act(lines: Lines, rng: Random) -> None:
    lines.insert(an_act(lines, rng), {"fact": "act", "act": "pass", "seat": "N"})


def exchange_acts(lines: Lines, rng: Random) -> None:
    pairs = [at for at in range(len(lines) - 1) if {lines[at].get("fact"), lines[at + 1].get("fact")} == {"act"}]
    at = rng.choice([at for at in pairs if lines[at] != lines[at + 1]])
    lines[at], lines[at + 1] = lines[at + 1], lines[at]


def move_an_act(lines: Lines, rng: Random) -> None:
    """From the end of one hand to after the deal of the next."""
    begin = rng.choice(hands_at(lines)[2:])[0]
    lines[begin - 1], lines[begin] = lines[begin], lines[begin - 1]


def change_a_cut(lines: Lines, rng: Random) -> None:
    seal = rng.choice([line["seal"] for line in lines if "seal" in line])
    seal["cut"] = 0 if seal["cut"] is None else (seal["cut"] + 1) % 20


def change_a_dealer(lines: Lines, rng: Random) -> None:
    line = lines[rng.choice(hands_at(lines)[1:])[0]]
    line["dealer"] = rng.choice([seat for seat in lines[0]["players"] if seat != line["dealer"]])


def change_the_score(lines: Lines, rng: Random) -> None:
    lines[-1]["end"]["scores"][0] += 1


def change_the_reason(lines: Lines, rng: Random) -> None:
    lines[-1]["end"]["reason"] = "hands-played"


def change_a_root(lines: Lines, rng: Random) -> None:
    holder = rng.choice([lines[0], lines[-1], *(line["seal"] for line in lines if "seal" in line)])
    holder["root"] = f"{int(holder['root'], 16) ^ 1:064x}"


def change_a_secret(lines: Lines, rng: Random) -> None:
    seal = rng.choice([line["seal"] for line in lines if "seal" in line])
    seal["bot_secret"] = f"{int(seal['bot_secret'], 16) ^ 1:064x}"


def add_a_word(lines: Lines, rng: Random) -> None:
    rng.choice([lines[0], lines[-1], *(line["seal"] for line in lines if "seal" in line)])["note"] = "fine"


TAMPERINGS: dict[str, Callable[[Lines, Random], None]] = {
    name: function
    for name, function in list(globals().items())
    if getattr(function, "__annotations__", {}) == {"lines": Lines, "rng": Random, "return": None}
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_whatever_is_done_to_a_record_is_noticed(what: str) -> None:
    """As it is, and with all inner hashes recomputed, when the published roots reveal it."""
    for table, seed in CASES:
        lines = lines_of(played_table(table, seed))
        published = (lines[0]["root"], lines[-1]["root"])
        tampered = copy.deepcopy(lines)
        TAMPERINGS[what](tampered, Random(f"{table}:{seed}:{what}"))
        report = read(tampered)
        assert report.misfit is not None, (table, seed)
        assert not report.is_complete
        if what in ("add_a_word", "change_a_root", "forget_a_salt", "cut_the_end", "cut_the_last_hands"):
            continue  # there is nothing to recompute
        fixed = read(rechained(tampered))
        assert fixed.misfit is not None or fixed.find(published[1]) is None, (table, seed)


def test_there_are_enough_tamperings() -> None:
    assert len(TAMPERINGS) > 30


@pytest.mark.parametrize("what", ["cut_the_end", "cut_the_last_hands"])
def test_a_last_line_put_under_what_was_cut_is_no_end(what: str) -> None:
    for table, seed in CASES:
        lines = lines_of(played_table(table, seed))
        final = lines[-1]["root"]
        TAMPERINGS[what](lines, Random(seed))
        fixed = read(rechained([*lines, {"so_far": {}}]))
        assert fixed.misfit is None
        assert not fixed.is_complete
        assert fixed.find(final) is None


@pytest.mark.parametrize("table", TABLES)
def test_records_that_are_spliced_are_noticed(table: str) -> None:
    """The first decks of one match and the rest of another, with either header and either end."""
    first, other = (lines_of(played_table(table, seed)) for seed in (0, 1))
    for at in range(1, min(len(hands_at(first)), len(hands_at(other)))):
        head, tail = first[: hands_at(first)[at][0]], other[hands_at(other)[at][0] :]
        for spliced in ([*head, *tail], [other[0], *head[1:], *tail], [*head, *tail[:-1], first[-1]]):
            report = read(spliced)
            assert report.misfit is not None
            fixed = read(rechained(spliced))
            assert fixed.misfit is not None or not {fixed.final_root} & {first[-1]["root"], other[-1]["root"]}
    header_of_another = [other[0], *first[1:]]
    found = read(header_of_another).misfit
    assert found is None if other[0] == first[0] else found is not None


def test_the_misfit_is_named_where_it_shows() -> None:
    lines = lines_of(played_table("four", 0))
    (_, _), (first, first_end), (second, _), *_ = hands_at(lines)
    assert lines[first]["fact"] == "deal"

    def misfit_after(change: Callable[[Lines], object]) -> str:
        tampered = copy.deepcopy(lines)
        change(tampered)
        found = read(tampered).misfit
        assert found is not None
        return str(found)

    cut = misfit_after(lambda lines: lines.__delitem__(slice(first, first_end)))
    assert cut == f"line {first + 1}, hand 1: this is deck 3 of the match, but deck 2 comes next"
    acts = misfit_after(lambda lines: lines.pop(first_end - 1))
    assert acts.startswith(f"line {second}, hand 2: the record up to hand 1 gives link ")
    name = misfit_after(lambda lines: lines[0]["players"]["N"].update(name="eve"))
    assert name == "line 1, header: the name of N doesn't match its commitment"
    rules = misfit_after(lambda lines: lines[0]["rules"].update(target=6))
    assert rules.startswith("line 1, header: table, match, rules and players give match root ")
    end = misfit_after(lambda lines: lines[-1]["end"].update(wins=[9, 9]))
    assert end.startswith(f"line {len(lines)}, end: the record gives final root ")
    missing = misfit_after(lambda lines: lines.pop())
    assert missing.startswith(f"line {len(lines) - 1}, end: the record is cut off")


def test_a_name_that_was_erased_fits_and_is_told() -> None:
    played = played_table("changing players", 0)
    record = record_of(played.table, {})
    assert record is not None
    report = verify(record)
    assert report.misfit is None
    assert {"N", "E"} <= set(report.erased)
    assert report.final_root == played.table.final_root


def test_a_partial_record_fits_and_grows_into_the_whole_one() -> None:
    """After each game of a match; its roots are roots of the whole record."""
    rules, people, _ = TABLES["draws"]
    played, public = seated(rules, people=people, seed=1), 0
    whole = read(lines_of(played_table_of(rules, people, 1)))
    while not isinstance(played.table.match, MatchOver):
        played.step()
        if (
            played.table.public_until
            and played.table.public_until != public
            and not isinstance(played.table.match, MatchOver)
        ):
            lines = lines_of(played)
            report = read(lines)
            assert (report.misfit, report.is_complete) == (None, False)
            assert rechained(lines) == lines
            assert {deck.root for deck in report.decks} < {deck.root for deck in whole.decks}
            assert report.root == whole.root
            if len(played.table.history) > played.table.public_until:
                public = (
                    played.table.public_until
                )  # a later game has started, but the record still covers only this one
    assert public


def played_table_of(rules: HouseRules, people: tuple[str, ...], seed: int) -> TableFixture:
    played = seated(rules, people=people, seed=seed)
    played.play_on()
    return played


def test_an_act_that_was_undone_is_in_no_link() -> None:
    """Two matches that differ only in an action that was undone and redone have the same record."""
    rules, people, _ = TABLES["undo"]
    plain, undone = (seated(rules, people=people, seed=4) for _ in range(2))
    for played in (plain, undone):
        while not played.table.undo_points:
            played.step()
    person = undone.table.undo_points[-1].person
    before, act = undone.table, undone.log[-1]
    undone.command(person, UndoRequested(person=person))
    for other in sorted(undone.table.present - {person}):
        undone.command(other, UndoAnswered(person=other, agreed=True))
    assert undone.table.history == before.history[:-1]
    undone.command(person, act)
    assert plain.table.history == undone.table.history
    assert len(plain.log) < len(undone.log)
    while not isinstance(plain.table.match, MatchOver):
        plain.step()
        undone.add(plain.log[-1])
    assert lines_of(plain) == lines_of(undone)


def test_a_seat_without_a_person_stays_a_bot() -> None:
    lines = lines_of(played_table("four", 0))
    assert lines[0]["players"]["E"] == {"name": "regular", "kind": "bot", "version": "1.2"}
    assert set(lines[0]["players"]) == {str(seat) for seat in Seat}
    assert len(decks_of(lines)) == len(hands_at(lines))
