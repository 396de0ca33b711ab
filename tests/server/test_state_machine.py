"""State machine: people sit, leave, bid, play, claim, dispute, repeat requests and come too late, against a model.

The model knows who sits where, whose turn it is, that versions only grow, and the score by a recount of the log. What
it allows must get status 200, and everything else the error code that it expects.
"""

import asyncio
from contextlib import AsyncExitStack
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from leftbower.rules import DECK
from leftbower.store.memory import MemoryStore
from server_client import NO_CUTS, Client, ScoreRecount, choose, seeded, serving

PEOPLE = st.integers(0, 4)
SEATS = st.sampled_from("NESW")
RNGS = st.integers(0, 2**32).map(Random)
BOT = "bot"


class TableMachine(RuleBasedStateMachine):
    """Five people and four seats."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.seats: dict[str, str] = {}
        self.waiting: dict[str, str] = {}
        self.agreed: set[str] = set()
        self.version, self.read, self.playing = 0, 0, False
        self.recount = ScoreRecount()
        self.done: list[tuple[Client, dict[str, Any], int]] = []
        self.runner.run(self._begin())

    async def _begin(self) -> None:
        self.server = await self.stack.enter_async_context(
            serving(MemoryStore(), entropy=seeded(71), poll_interval=60.0)
        )
        self.people = await self.server.guests("Ann", "Bob", "Cat", "Dan", "Eve")
        self.table = await self.people[0].open(**NO_CUTS)
        self.host = self.people[0].person

    def teardown(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()

    # Requests

    def post(self, client: Client, route: str, body: dict[str, Any], code: str = "") -> dict[str, Any]:
        """Send a request that must succeed, or be refused with this code; then let the server do its due work."""
        result: dict[str, Any] = self.runner.run(self._post(client, route, body, code))
        return result

    async def _post(self, client: Client, route: str, body: dict[str, Any], code: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {client.token}"}
        response = await client.http.post(f"/api/tables/{self.table}/{route}", json=body, headers=headers)
        result: dict[str, Any] = response.json()
        assert result.get("error", {}).get("code", "") == code, (body, code, result)
        assert response.status_code == (403 if code == "not-the-host" else 409 if code else 200)
        async with asyncio.timeout(120):
            while self.server.context.tables.busy:
                await asyncio.sleep(0)
        return result

    def see(self, client: Client) -> dict[str, Any]:
        view: dict[str, Any] = self.runner.run(client.see(self.table))
        return view

    def seat_of(self, client: Client) -> str:
        both = (*self.waiting.items(), *self.seats.items())
        return next((seat for seat, person in both if person == client.person), "")

    def remove_person(self, person: str) -> None:
        """A person left: a bot takes over in a match, and the table has a host as long as it has people."""
        self.waiting = {seat: sitter for seat, sitter in self.waiting.items() if sitter != person}
        with_bot = {seat: BOT if sitter == person else sitter for seat, sitter in self.seats.items()}
        without = {seat: sitter for seat, sitter in self.seats.items() if sitter != person}
        self.seats = with_bot if self.playing else without
        self.agreed.discard(person)
        left = [*sorted(sitter for sitter in self.seats.values() if sitter != BOT), *sorted(self.waiting.values()), ""]
        if self.host == person:
            self.host = left[0]

    def start_if_agreed(self) -> None:
        people = {sitter for sitter in self.seats.values() if sitter != BOT}
        if not self.playing and len(self.seats) == 4 and people and people <= self.agreed:
            self.playing = True

    # What people do

    @rule(who=PEOPLE, seat=SEATS)
    def sits(self, who: int, seat: str) -> None:
        client, there = self.people[who], self.seats.get(seat)
        if self.playing:
            code = (
                "match-is-on"
                if self.seat_of(client)
                else ""
                if there == BOT and seat not in self.waiting
                else "seat-taken"
            )
        else:
            code = "" if there in (None, client.person) else "seat-taken"
        if not code:
            self.host = self.host or client.person
        if not code and self.playing:
            self.waiting[seat] = client.person
        elif not code and there is None:
            others = {other: sitter for other, sitter in self.seats.items() if sitter != client.person}
            self.seats = others | {seat: client.person}
            self.agreed.discard(client.person)
        self.post(client, "commands", {"command": "sit", "seat": seat}, code)

    @rule(who=PEOPLE)
    def drops(self, who: int) -> None:
        client = self.people[who]
        code = "" if self.seat_of(client) or self.host == client.person else "not-seated"
        if not code:
            self.remove_person(client.person)
        self.post(client, "commands", {"command": "leave"}, code)

    @rule(who=PEOPLE, seat=SEATS)
    def seats_a_bot(self, who: int, seat: str) -> None:
        client = self.people[who]
        code = "not-the-host" if client.person != self.host else "match-is-on" if self.playing else ""
        if not code and self.seats.get(seat, BOT) != BOT:
            code = "seat-taken"
        if not code:
            self.seats[seat] = BOT
            self.start_if_agreed()
        self.post(client, "commands", {"command": "seat-bot", "seat": seat, "level": "novice"}, code)

    @rule(who=PEOPLE, word=st.sampled_from(["agree", "rematch"]))
    def agrees(self, who: int, word: str) -> None:
        client = self.people[who]
        sits = client.person in self.seats.values()
        code = "not-seated" if not sits else "match-is-on" if self.playing else ""
        if not code:
            self.agreed.add(client.person)
            self.start_if_agreed()
        self.post(client, "commands", {"command": word}, code)

    @precondition(lambda self: not self.playing)
    @rule(bots=st.integers(0, 3))
    def all_sit_down_and_agree(self, bots: int) -> None:
        host = next((client for client in self.people if client.person == self.host), self.people[0])
        free = [seat for seat in "NESW" if seat not in self.seats]
        standing = [client for client in self.people if not self.seat_of(client)]
        for seat in free:
            if bots and seat != "N":
                bots -= 1
                self.seats_a_bot(self.people.index(host), seat)
            elif standing:
                self.sits(self.people.index(standing.pop(0)), seat)
        for number, client in enumerate(self.people):
            if not self.playing and client.person in self.seats.values():
                self.agrees(number, "agree")

    @precondition(lambda self: self.playing)
    @rule(rng=RNGS, steps=st.integers(1, 30))
    def play_on(self, rng: Random, steps: int) -> None:
        """Let the players to act do something regular."""
        for _ in range(steps):
            for client in self.people:
                view = self.see(client)
                if not self.playing or not view["you"]["plays"] or not view["hand"]:
                    continue
                action = choose(view["hand"], rng)
                if action is not None:
                    self.acts(client, view, action)
                    self.table_matches_model()

    @precondition(lambda self: self.playing)
    @rule(who=PEOPLE, rng=RNGS)
    def says_anything(self, who: int, rng: Random) -> None:
        """Anything in the view's list: a claim, a throw-in, an answer to one, a call, a card."""
        client = self.people[who]
        view = self.see(client)
        if view["you"]["plays"] and view["hand"] and view["hand"]["legal"]:
            self.acts(client, view, rng.choice(view["hand"]["legal"]))

    def acts(self, client: Client, view: dict[str, Any], action: dict[str, Any]) -> None:
        body = {"version": view["version"], "action_id": f"a{len(self.done)}", "action": action}
        result = self.post(client, "actions", body)
        assert result["action_version"] == view["version"] + 1
        self.done.append((client, body, result["action_version"]))

    @precondition(lambda self: self.done)
    @rule(rng=RNGS)
    def submits_again(self, rng: Random) -> None:
        """Repeat an action, no matter how old or where its client sits now: nothing happens, and the response is the
        same."""
        client, body, action_version = rng.choice(self.done)
        result = self.post(client, "actions", body)
        assert (result["action_version"], result["version"]) == (action_version, self.version)

    @precondition(lambda self: self.version > 1)
    @rule(who=PEOPLE, rng=RNGS)
    def comes_too_late(self, who: int, rng: Random) -> None:
        """A version from before the last change of the game, or one that is not there yet."""
        client = self.people[who]
        game_version = self.runner.run(self.server.context.tables.get(self.table)).game_version
        old = rng.choice([*range(1, game_version), self.version + 1])
        action = {"act": "pass", "seat": self.seat_of(client) or "N"}
        result = self.post(client, "actions", {"version": old, "action_id": "late", "action": action}, "stale")
        assert result["error"]["version"] == self.version

    @precondition(lambda self: self.playing)
    @rule(who=PEOPLE, rng=RNGS)
    def cheats(self, who: int, rng: Random) -> None:
        """Any card that is not legal."""
        client = self.people[who]
        view = self.see(client)
        seat = view["you"]["seat"] or rng.choice("NESW")
        legal = view["hand"]["legal"] if view["hand"] and view["you"]["plays"] else []
        action = {"act": "play", "seat": seat, "card": str(rng.choice(DECK))}
        if action not in legal:
            headers = {"Authorization": f"Bearer {client.token}"}
            body = {"version": view["version"], "action_id": "cheat", "action": action}
            path = f"/api/tables/{self.table}/actions"
            response = self.runner.run(client.http.post(path, json=body, headers=headers))
            assert response.status_code == 409
            expected = {"not-your-turn", "not-now", "card-not-held", "must-follow-suit"}
            assert response.json()["error"]["code"] in (expected if view["you"]["plays"] else {"not-seated"})
            assert response.json()["error"]["version"] == self.version

    # What must hold

    @invariant()
    def table_matches_model(self) -> None:
        """The table matches the model."""
        view = self.see(self.server.anonymous())
        assert view["version"] >= self.version
        self.version = view["version"]
        stored = self.runner.run(self.server.context.store.read(self.table, self.read))
        for row in stored:
            self.recount.read(row.fact)
            if row.fact["fact"] == "deck-sealed":
                self.take_over()
        self.read += len(stored)
        assert self.read == self.version
        if view["phase"] == "over" and self.playing:
            self.take_over()
            self.playing, self.agreed = False, set()
        assert (view["phase"] not in ("gathering", "over")) == self.playing
        sitters = {seat: sitter.get("person", BOT) for seat, sitter in view["seats"].items() if sitter}
        assert (sitters, view["latecomers"]) == (self.seats, self.waiting)
        assert view["host"] == self.host
        assert view["scores"] == self.recount.scores
        hand = view["hand"]
        assert hand is None or (hand["cards"], hand["dealt"], hand["dummy"], hand["legal"]) == ("", "", "", [])
        if view["phase"] == "playing":
            assert self.seats[hand["to_act"]] != BOT, "it is a bot's turn, and the server is idle"
            turn = self.recount.turn(view["dealer"])
            assert not turn or hand["phase"] not in ("bidding", "playing") or hand["to_act"] == turn

    def take_over(self) -> None:
        self.seats |= self.waiting
        self.waiting = {}


TestTableMachine = TableMachine.TestCase
TestTableMachine.settings = settings(
    max_examples=9,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
