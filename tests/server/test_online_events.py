"""Online events: pairings open tables, people come and play, scores are recorded, and no one waits forever."""

import asyncio
from dataclasses import replace

import pytest

from leftbower.engine import MatchOver
from leftbower.errors import (
    BadEntry,
    LeftbowerError,
    LinkInUse,
    NotYourRole,
    NotYourTable,
    StoreUnreachable,
)
from leftbower.rules import Seat, preset
from leftbower.rules.house import HouseRules
from leftbower.server.live.online_events import SERVER_ROLE
from leftbower.server.live.online_match import BOT_LEVEL, OnlineMatch, log_of
from leftbower.server.live.records import games_of
from leftbower.store.memory import MemoryStore
from leftbower.table import SeatedBot, SeatedPerson
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import PlayerJoined, RejoinAllowed, TableOpened
from leftbower.tournament.model.choices import OddNumbers
from leftbower.tournament.model.facts import EventPaused, EventResumed, ScoreCorrected, ScoreEntered
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import Hands, NoShow, Played, Totals, game_scores
from leftbower.tournament.scoring.standings import standings
from online_event import ORGANIZER, SHORT, OnlineEventFixture, plan
from virtual_time import in_virtual_time

ALL_CHAIRS = [(f"e{team}", chair) for team in range(1, 5) for chair in (0, 1)]


def scores_of(friday: OnlineEventFixture, round: int, table: int) -> list[tuple[int, ...]]:
    """The scores of the games in the ledger."""
    score = friday.event.settled_score(round, table)
    assert isinstance(score, Played)
    return list(game_scores(friday.event.rules, score.games))


def played_at(friday: OnlineEventFixture, round: int, table: int) -> list[tuple[int, ...]]:
    """The same at the table."""
    return [scores for _, scores in games_of(friday.table(round, table))]


@pytest.mark.parametrize(
    "rules",
    [SHORT, replace(SHORT, best_of=3), replace(preset("prize-night"), target=5, supervision=SHORT.supervision)],
    ids=["campus", "best of three", "prize-night"],
)
def test_an_online_event_runs_from_the_draw_to_the_standings(rules: HouseRules) -> None:
    """Four teams of people; no one reports a score, and every score comes from the table, hand by hand."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(rules))
            await friday.attend(*ALL_CHAIRS)
            event = await friday.until_over()
            assert len(event.rounds) == 3
            for number in (1, 2, 3):
                for table in (1, 2):
                    assert friday.table(number, table).rules == rules
                    assert scores_of(friday, number, table) == played_at(friday, number, table)
                    score = event.settled_score(number, table)
                    assert isinstance(score, Played)
                    assert all(isinstance(game, Hands) for game in score.games)
            assert sum(line.tally.matches for line in standings(event)) == 6
            entries = await friday.events.entries(friday.name)
            assert {entry.by for entry in entries if isinstance(entry.fact, ScoreEntered)} == {"server"}
            assert await friday.store.verify() == []

    in_virtual_time(scenario)


def test_house_players_play_with_each_other_and_with_people() -> None:
    """A house player's chair has a bot; a table of bots needs no people."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"), bots=2)
            await friday.attend(*ALL_CHAIRS[:4])
            event = await friday.until_over()
            for drawn in event.rounds:
                for seating in drawn.tables:
                    assert scores_of(friday, drawn.number, seating.table) == played_at(
                        friday, drawn.number, seating.table
                    )

    in_virtual_time(scenario)


def test_three_handed_and_single_players_get_their_own_chairs() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            names = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus")
            await friday.begin(plan(format=Format.PROGRESSIVE, odd_numbers=OddNumbers.THREE_HANDED), names)
            await friday.attend(*[(f"e{at}", 0) for at in range(1, 8)])
            await friday.until(lambda: friday.event.current_round == 2)
            sizes = set()
            for seating in friday.event.round(1).tables:
                table = friday.table(1, seating.table)
                sizes.add(table.rules.players)
                assert {
                    seat: occupant.id for seat, occupant in table.seats.items() if isinstance(occupant, SeatedPerson)
                } == {seat: f"{entrant}.0" for seat, entrant in seating.seats.items()}
            assert sizes == {3, 4}

    in_virtual_time(scenario)


def test_partners_face_each_other_as_the_event_lists_them() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan())
            await friday.attend(*ALL_CHAIRS)
            seating, table = friday.event.seating(1, 1), friday.table(1, 1)
            ours, theirs = seating.seats[Seat.N], seating.seats[Seat.E]
            assert table.seats == {
                Seat.N: SeatedPerson(f"{ours}.0"),
                Seat.S: SeatedPerson(f"{ours}.1"),
                Seat.E: SeatedPerson(f"{theirs}.0"),
                Seat.W: SeatedPerson(f"{theirs}.1"),
            }
            assert (table.host, table.title) == ("", "Friday: round 1, table 1")

    in_virtual_time(scenario)


def test_a_side_that_does_not_come_in_time_has_lost() -> None:
    """Not before the timeout, which counts from the opening of the table; if no one comes, both lose."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(no_show_minutes=10))
            await friday.attend(*ALL_CHAIRS[:4])  # two of the teams
            opened = friday.now()
            await friday.until(lambda: bool(_forfeits(friday.event)))
            assert 600 <= friday.now() - opened <= 606
            event = friday.event
            present = {"e1", "e2"}
            for seating in event.round(1).tables:
                score = event.settled_score(1, seating.table)
                absent = tuple(
                    label for at, label in enumerate(seating.labels) if not present & set(seating.entrants_on(at))
                )
                if absent:
                    assert score == NoShow(absent=absent)
                    assert friday.table(1, seating.table).closed
                else:
                    assert isinstance(score, Played)
            await friday.until_over()
            assert len(_forfeits(friday.event)) == 5  # of six; e1 and e2 meet once

    in_virtual_time(scenario)


def test_an_event_with_an_absent_team_ends_by_itself_with_the_sums_of_a_count_by_hand() -> None:
    """Three rounds of four teams: Gus & Hal never come, so each other team wins once to nothing."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(no_show_minutes=10))
            await friday.attend(*ALL_CHAIRS[:6])
            event = await friday.until_over()
            entries = await friday.events.entries(friday.name)
            scored = [entry for entry in entries if isinstance(entry.fact, ScoreEntered)]
            assert (len(scored), {entry.by for entry in scored}) == (6, {"server"})
            assert len(_forfeits(event)) == 3
            won, points, against = (dict.fromkeys(("e1", "e2", "e3", "e4"), 0) for _ in range(3))
            for number in (1, 2, 3):
                for table in (1, 2):
                    first, second = (event.seating(number, table).entrants_on(side)[0] for side in (0, 1))
                    if "e4" in (first, second):
                        ours, theirs = (0, 5) if first == "e4" else (5, 0)  # a game to 5
                        assert event.settled_score(number, table) == NoShow(absent=("NS" if first == "e4" else "EW",))
                    else:
                        ((ours, theirs),) = played_at(friday, number, table)
                    won[first if ours > theirs else second] += 1
                    points[first] += ours
                    points[second] += theirs
                    against[first] += theirs
                    against[second] += ours
            tallies = {line.entrant: line.tally for line in standings(event)}
            assert {entrant: int(tally.matches) for entrant, tally in tallies.items()} == won
            assert {entrant: tally.points for entrant, tally in tallies.items()} == points
            assert {entrant: tally.conceded for entrant, tally in tallies.items()} == against
            assert (won["e4"], points["e4"], against["e4"], standings(event)[-1].entrant) == (0, 0, 15, "e4")
            assert sum(won.values()) == 6

    in_virtual_time(scenario)


def _forfeits(event: Event) -> list[object]:
    found = [event.settled_score(drawn.number, seating.table) for drawn in event.rounds for seating in drawn.tables]
    return [score for score in found if isinstance(score, NoShow)]


def test_a_bot_plays_for_a_partner_until_they_come() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(replace(SHORT, target=10)), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(("e1", 0), ("e2", 0), ("e2", 1))
            await asyncio.sleep(599)
            table = friday.table(1, 1)
            assert table.match is None
            missing = next(seat for seat in table.rules.seats if seat not in table.seats)
            await friday.until(lambda: friday.table(1, 1).match is not None)
            assert friday.table(1, 1).seats[missing] == SeatedBot(BOT_LEVEL, stands_for="Bob")
            await friday.attend(("e1", 1))
            assert friday.table(1, 1).latecomers == {missing: "e1.1"}
            await friday.until(lambda: friday.table(1, 1).seats[missing] == SeatedPerson("e1.1"))
            await friday.until_over()
            assert scores_of(friday, 1, 1) == played_at(friday, 1, 1)

    in_virtual_time(scenario)


def test_who_came_in_an_earlier_round_has_to_come_again() -> None:
    """One partner is enough, and a bot plays for the other; a team that went home loses the next match."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan())
            friday.follows_rounds = False
            await friday.attend(*ALL_CHAIRS)
            await friday.until(lambda: friday.event.current_round == 2)
            await friday.attend(*[chair for chair in ALL_CHAIRS if chair not in (("e1", 0), ("e1", 1), ("e2", 1))])
            await friday.until(lambda: friday.event.current_round == 3)
            first, other = (friday.event.round(2).seating_of(team) for team in ("e1", "e2"))
            assert first is not None
            assert other is not None
            label = first.labels[first.side_of("e1") or 0]
            assert friday.event.settled_score(2, first.table) == NoShow(absent=(label,))
            if other.table != first.table:
                assert isinstance(friday.event.settled_score(2, other.table), Played)
                assert SeatedPerson("e2.1") in friday.table(2, other.table).seats.values()

    in_virtual_time(scenario)


def test_a_bot_covers_a_dropout_after_a_minute_until_they_return() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture(reconnect_grace=20.0, disconnect_delay=3.0) as friday:
            await friday.begin(plan(replace(SHORT, target=10)), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(*ALL_CHAIRS[:4])
            left = friday.now()
            friday.leave("e1", 0)
            await friday.until(lambda: "e1.0" in friday.table(1, 1).substituted)
            assert 63.0 <= friday.now() - left <= 64.0
            log = friday.log(1, 1)
            friday.tables.presence.feed_opened(log, "e1.0")
            await friday.tables.arrive(log, "e1.0")
            friday.attending.add(("e1", 0))
            assert (dict(friday.table(1, 1).away), dict(friday.table(1, 1).substituted)) == ({}, {})
            assert SeatedPerson("e1.0") in friday.table(1, 1).seats.values()
            await friday.until_over()

    in_virtual_time(scenario)


def test_when_all_leave_bots_play_the_match_to_its_end() -> None:
    """The others wait for the score of the round; leaving neither wins nor loses more than the bots play."""

    async def scenario() -> None:
        async with OnlineEventFixture(idle_timeout=100.0) as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(*ALL_CHAIRS[:4])
            for chair in ALL_CHAIRS[:4]:
                friday.leave(*chair)
            await friday.until_over()
            assert scores_of(friday, 1, 1) == played_at(friday, 1, 1)

    in_virtual_time(scenario)


def test_who_comes_after_the_match_is_forfeited_begins_nothing() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(*ALL_CHAIRS[:2])
            await friday.join("e2", 0)
            await friday.until_over()
            log = friday.log(1, 1)
            for chair in (0, 1):
                await friday.join("e2", chair)
                assert await friday.online.seat(friday.name, "e2") is None
                await friday.tables.arrive(log, f"e2.{chair}")
            await asyncio.sleep(1000)
            assert friday.table(1, 1).match is None
            assert len(_forfeits(friday.event)) == 1

    in_virtual_time(scenario)


def test_a_second_device_joins_only_when_the_desk_lets_it() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.join("e1", 0, "phone")
            await friday.online.seat(friday.name, "e1")
            with pytest.raises(LinkInUse):
                await friday.join("e1", 0, "laptop")
            await friday.join("e1", 0, "phone")  # the first one may come back
            await friday.record(RejoinAllowed(entrant="e1", chair=0))
            await friday.join("e1", 0, "laptop")
            await friday.online.seat(friday.name, "e1")
            table = friday.table(1, 1)
            assert table.people == {"laptop"}  # no match is on yet
            assert table.rejoins.keys() == {table.seat_of("laptop")}
            with pytest.raises(LinkInUse):
                await friday.join("e1", 0, "tablet")  # one device for each permission

    in_virtual_time(scenario)


def test_no_seat_is_lost_to_another_device_in_a_match() -> None:
    """No matter what the desk allows and how many hands are dealt: the new device sits from the next match on."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(replace(SHORT, target=10)))
            await friday.attend(*ALL_CHAIRS)
            seating = friday.event.round(1).seating_of("e1")
            assert seating is not None
            await friday.until(lambda: friday.table(1, seating.table).hand is not None)
            before = friday.table(1, seating.table)
            friday.leave("e1", 0)
            await friday.record(RejoinAllowed(entrant="e1", chair=0))
            await friday.join("e1", 0, "laptop")
            await friday.online.seat(friday.name, "e1")
            seat = before.seat_of("e1.0")
            present: set[str] = set()

            def watched() -> bool:
                table = friday.table(1, seating.table)
                present.update(table.people, table.latecomers.values())
                return friday.event.settled_score(1, seating.table) is not None

            await friday.until(watched)
            assert "e1.0" in present
            assert "laptop" not in present
            assert friday.table(1, seating.table).rejoins.keys() == {seat}
            friday.attending.add(("e1", 0))
            await friday.until(lambda: friday.event.current_round == 2)
            following = friday.event.round(2).seating_of("e1")
            assert following is not None
            await friday.online.seat(friday.name, "e1")
            table = friday.table(2, following.table)
            assert "laptop" in table.people
            assert "e1.0" not in table.people
            assert table.rejoins.keys() == {table.seat_of("laptop")}  # others sit there: the table records it too
            await friday.until(lambda: friday.event.current_round == 3)
            last = friday.event.round(3).seating_of("e1")
            assert last is not None
            await friday.online.seat(friday.name, "e1")
            assert "laptop" in friday.table(3, last.table).people
            assert not friday.table(3, last.table).rejoins  # and after that it is no longer listed

    in_virtual_time(scenario)


def test_who_waits_for_a_bots_seat_keeps_that_seat_too() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(replace(SHORT, target=10)), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(("e1", 0), ("e2", 0), ("e2", 1))
            await friday.until(lambda: friday.table(1, 1).hand is not None)
            await friday.join("e1", 1, "phone")
            await friday.online.seat(friday.name, "e1")
            assert list(friday.table(1, 1).latecomers.values()) == ["phone"]
            await friday.record(RejoinAllowed(entrant="e1", chair=1))
            await friday.join("e1", 1, "laptop")
            await friday.online.seat(friday.name, "e1")
            assert list(friday.table(1, 1).latecomers.values()) == ["phone"]
            await friday.until(lambda: "phone" in friday.table(1, 1).people)

    in_virtual_time(scenario)


def test_a_person_plays_in_one_chair_of_an_event() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.join("e1", 0, "ann")
            for chair in (("e1", 1), ("e2", 0)):
                with pytest.raises(LinkInUse, match="already plays for Ann"):
                    await friday.join(*chair, "ann")

    in_virtual_time(scenario)


def test_players_join_only_by_their_own_link() -> None:
    """Neither the desk nor the server can join for them, and a player who has not joined has no device to change."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            joined = PlayerJoined(entrant="e1", chair=0, person="ann")
            for role in (
                ORGANIZER,
                SERVER_ROLE,
                Role(kind=RoleKind.HELPER, number=1),
                Role(kind=RoleKind.PLAYER, subject="e2"),
            ):
                with pytest.raises((NotYourRole, NotYourTable)):
                    await friday.events.execute(friday.name, role, lambda event: [joined])
            with pytest.raises(BadEntry):
                await friday.record(RejoinAllowed(entrant="e1", chair=0))
            await friday.join("e1", 0, "ann")
            for role in (SERVER_ROLE, Role(kind=RoleKind.HELPER, number=1), Role(kind=RoleKind.PLAYER, subject="e1")):
                with pytest.raises(NotYourRole):
                    await friday.events.execute(friday.name, role, lambda event: [RejoinAllowed(entrant="e1", chair=0)])
            await friday.record(RejoinAllowed(entrant="e1", chair=0))
            with pytest.raises(BadEntry):
                await friday.record(RejoinAllowed(entrant="e1", chair=0))

    in_virtual_time(scenario)


def test_an_imported_event_has_no_joined_players() -> None:
    """Its links and tables are new, and the people of another server are unknown."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.join("e1", 0, "phone")
            await friday.record(RejoinAllowed(entrant="e1", chair=0))
            friday.name, _ = await friday.events.import_event(await friday.events.entries(friday.name))
            assert (friday.event.hall.people, friday.event.hall.rejoins) == ({}, ())
            await friday.join("e1", 0, "laptop")
            await friday.online.seat(friday.name, "e1")
            assert friday.table(1, 1).people == {"laptop"}

    in_virtual_time(scenario)


def test_a_pause_stops_the_waiting_and_a_score_waits_for_its_end() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan())
            pair = set(friday.event.seating(1, 1).entrants)
            await friday.attend(*[chair for chair in ALL_CHAIRS if chair[0] in pair])
            await friday.record(EventPaused())
            await friday.until(lambda: isinstance(friday.table(1, 1).match, MatchOver))
            await asyncio.sleep(3600)
            assert friday.event.open_tables()[:2] == ((1, 1), (1, 2))
            await friday.record(EventResumed())
            went_on = friday.now()
            await friday.until(lambda: friday.event.settled_score(1, 1) is not None)
            assert friday.now() - went_on < 1
            await friday.until(lambda: friday.event.settled_score(1, 2) is not None)
            assert 600 <= friday.now() - went_on <= 606

    in_virtual_time(scenario)


# What stands, stands


def test_a_score_that_the_desk_entered_is_left_alone() -> None:
    """Entered during the match, or corrected after it."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            score = Played(games=(Totals(points=(5, 0)),))
            await friday.record(ScoreEntered(round=1, table=1, score=score))
            await friday.attend(*ALL_CHAIRS[:4])
            await asyncio.sleep(4000)
            assert friday.event.settled_score(1, 1) == score

        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(*ALL_CHAIRS[:4])
            result = (await friday.until_over()).settled_score(1, 1)
            assert result is not None
            await friday.record(ScoreCorrected(round=1, table=1, old=result, new=score, why="a bug"))
            friday.online._scheduler.wake(friday.name)
            await asyncio.sleep(4000)
            assert friday.event.settled_score(1, 1) == score

    in_virtual_time(scenario)


def test_a_score_that_cannot_be_is_left_to_the_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a bracket one side must advance; the server reports it once and doesn't retry forever."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            wrong = Played(games=(Totals(points=(1, 1)),))
            monkeypatch.setattr(OnlineMatch, "_score", lambda self, table: wrong)
            tries = 0
            execute = friday.events.execute

            async def counted(*args: object, **more: object) -> Event:
                nonlocal tries
                tries += 1
                return await execute(*args, **more)  # type: ignore[arg-type]

            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(*ALL_CHAIRS[:4])
            monkeypatch.setattr(friday.events, "execute", counted)
            await friday.until(lambda: isinstance(friday.table(1, 1).match, MatchOver))
            await asyncio.sleep(4000)
            assert (tries, friday.event.settled_score(1, 1)) == (1, None)
            await friday.record(ScoreEntered(round=1, table=1, score=Played(games=(Totals(points=(5, 1)),))))

    in_virtual_time(scenario)


# Crashes, restarts, and several processes


def test_a_table_announced_before_a_crash_is_opened_after_it() -> None:
    async def scenario() -> None:
        store = MemoryStore(clock=OnlineEventFixture.now)
        async with OnlineEventFixture(store) as friday:
            await friday.online.close()
            await friday.begin(plan())
            name, log = friday.name, log_of(friday.name, (1, 1))
            await friday.events.execute(
                name, Role(kind=RoleKind.SERVER), lambda event: [TableOpened(round=1, table=1, log=log)]
            )
        assert await store.read(log) == []
        await asyncio.sleep(5000)
        async with OnlineEventFixture(store, name=name) as friday:
            await asyncio.sleep(60)
            assert friday.table(1, 1).event == f"{name}/1/1"
            await asyncio.sleep(300)  # no one loses by the server's downtime
            assert not _forfeits(friday.event)
            await friday.attend(*ALL_CHAIRS)
            await friday.until_over()
            opened = [entry.fact for entry in await friday.events.entries(name) if isinstance(entry.fact, TableOpened)]
            assert len(opened) == len({(table.round, table.table) for table in opened}) == 6

    in_virtual_time(scenario)


def test_a_score_not_entered_before_a_crash_is_entered_after_it() -> None:
    async def scenario() -> None:
        store = MemoryStore(clock=OnlineEventFixture.now)
        async with OnlineEventFixture(store) as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.attend(*ALL_CHAIRS[:4])
            await friday.until(lambda: friday.table(1, 1).hand is not None)
            await friday.online.close()
            await friday.until(lambda: isinstance(friday.table(1, 1).match, MatchOver))
            name, played = friday.name, played_at(friday, 1, 1)
            assert friday.event.settled_score(1, 1) is None
        async with OnlineEventFixture(store, name=name) as friday:
            await friday.until(lambda: name in friday.events._cached and not friday.event.open_tables(), within=60)
            assert scores_of(friday, 1, 1) == played

    in_virtual_time(scenario)


def test_two_processes_open_each_table_and_enter_each_score_once() -> None:
    async def scenario() -> None:
        store = MemoryStore(clock=OnlineEventFixture.now)
        async with OnlineEventFixture(store) as first:
            await first.begin(plan())
            async with OnlineEventFixture(store, name=first.name) as other:
                await other.events.get(first.name)
                await first.attend(*ALL_CHAIRS[:4])
                await other.attend(*ALL_CHAIRS[4:])
                await first.until_over()
                facts = [entry.fact for entry in await first.events.entries(first.name)]
                for kind in (TableOpened, ScoreEntered):
                    found = [(fact.round, fact.table) for fact in facts if isinstance(fact, kind)]
                    assert len(found) == len(set(found)) == 6
                assert await store.verify() == []

    in_virtual_time(scenario)


def test_what_another_process_began_and_left_is_found() -> None:
    """No hint arrived; every server on the same store polls for events."""

    async def scenario() -> None:
        store = MemoryStore(clock=OnlineEventFixture.now)
        store.shared = True
        async with OnlineEventFixture(store) as first, OnlineEventFixture(store) as other:
            await first.online.close()
            await first.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            other.name = first.name
            await asyncio.sleep(30)
            await other.attend(*ALL_CHAIRS[:4])
            await other.until_over()
            assert scores_of(other, 1, 1) == played_at(other, 1, 1)

    in_virtual_time(scenario)


async def unreachable() -> None:
    raise StoreUnreachable("the store doesn't answer")


def test_an_outage_of_the_store_loses_no_match() -> None:
    """The timeout restarts when people can connect again."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await asyncio.sleep(500)
            outage = friday.tables.outage
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(friday.store, "probe", unreachable)
                outage.report(StoreUnreachable("the store doesn't answer"))
                await asyncio.sleep(500)
            await outage.wait()
            up = friday.now()
            await friday.until_over()
            assert 600 <= friday.now() - up <= 606

    in_virtual_time(scenario)


def test_looking_for_events_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        store = MemoryStore(clock=OnlineEventFixture.now)
        store.shared = True
        async with OnlineEventFixture(store) as first, OnlineEventFixture(store) as other:
            await first.online.close()
            listings, failures = store.listings, iter([RuntimeError("a mistake")])

            async def failing(**arguments: object) -> object:
                for error in failures:
                    raise error
                return await listings(**arguments)  # type: ignore[arg-type]

            monkeypatch.setattr(store, "listings", failing)
            await first.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            other.name = first.name
            await asyncio.sleep(30)
            assert other.table(1, 1).title == "Friday: round 1, table 1"

    in_virtual_time(scenario)


def test_an_imported_event_has_tables_of_its_own() -> None:
    """Its ledger may name tables of another event, which stay untouched."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"))
            await friday.until(lambda: bool(friday.tables.cached_count))
            first, log = friday.name, friday.log(1, 1)
            before = friday.table(1, 1).version
            friday.name, _ = await friday.events.import_event(await friday.events.entries(first))
            await friday.until(lambda: friday.log(1, 1) != log)
            await friday.attend(*ALL_CHAIRS[:4])
            await friday.until_over()
            assert (await friday.tables.get(log)).version == before

    in_virtual_time(scenario)


def test_what_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            append, failures = friday.tables.append, iter([RuntimeError("a mistake"), RuntimeError("another")])

            async def failing(*args: object) -> object:
                for error in failures:
                    raise error
                return await append(*args)  # type: ignore[arg-type]

            monkeypatch.setattr(friday.tables, "append", failing)
            await friday.begin(plan())
            await friday.until(lambda: friday.tables.cached_count == 2, within=60)

    in_virtual_time(scenario)


def test_an_event_in_a_hall_has_no_tables_here() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(replace(plan(), online=False))
            await asyncio.sleep(100)
            assert dict(friday.event.hall.table_logs) == {}
            assert await friday.online.seat(friday.name, "e1") is None
            with pytest.raises(LeftbowerError):
                await friday.tables.get(log_of(friday.name, (1, 1)))

    in_virtual_time(scenario)


def test_every_chair_that_is_no_bots_has_a_role() -> None:
    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan(), ("Ann & Bob", "Cid & Dot"), bots=2)
            words = [role.key for role in friday.online.player_roles(friday.event)]
            assert words == ["player:0:e1", "player:1:e1", "player:0:e2", "player:1:e2"]
            assert len(await friday.events.create_links(friday.name, friday.online.player_roles(friday.event))) == 4

    in_virtual_time(scenario)
