"""People who sit, stand, bid, play, claim, dispute, drop, return, double-submit and come too late, against a model.

The model knows who sits where, whose turn it is, that versions only grow, and the score by a recount of the log. What
it holds possible must be answered with 200, and everything else with the code it expects.
"""

import asyncio
from contextlib import AsyncExitStack
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from leftbower.rules import DECK
from leftbower.store.memory import MemoryStore
from server_client import NO_CUTS, Client, ScoreRecount, choose, seeded, serving

PEOPLE = st.integers(0, 4)
SEATS = st.sampled_from("NESW")
CHANCE = st.integers(0, 2**32).map(Random)
BOT = "bot"


class Evening(RuleBasedStateMachine):
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
        self.place = await self.stack.enter_async_context(
            serving(MemoryStore(), entropy=seeded(71), poll_interval=60.0)
        )
        self.people = await self.place.guests("Ann", "Bob", "Cat", "Dan", "Eve")
        self.table = await self.people[0].open(**NO_CUTS)
        self.host = self.people[0].person

    def teardown(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()

    # How the model is told

    def post(self, client: Client, what: str, body: dict[str, Any], code: str = "") -> dict[str, Any]:
        """Ask for something that must be had, or refused with this code; then let the house do what it owes."""
        answer: dict[str, Any] = self.runner.run(self._post(client, what, body, code))
        return answer

    async def _post(self, client: Client, what: str, body: dict[str, Any], code: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {client.token}"}
        answer = await client.http.post(f"/api/tables/{self.table}/{what}", json=body, headers=headers)
        said: dict[str, Any] = answer.json()
        assert said.get("error", {}).get("code", "") == code, (body, code, said)
        assert answer.status_code == (403 if code == "not-the-host" else 409 if code else 200)
        async with asyncio.timeout(10):
            while self.place.context.tables.busy:
                await asyncio.sleep(0)
        return said

    def see(self, client: Client) -> dict[str, Any]:
        shown: dict[str, Any] = self.runner.run(client.see(self.table))
        return shown

    def seat_of(self, client: Client) -> str:
        both = (*self.waiting.items(), *self.seats.items())
        return next((seat for seat, person in both if person == client.person), "")

    def has_left(self, person: str) -> None:
        """Somebody has gone: a bot plays on in a match, and a table has a host while anybody is there."""
        self.waiting = {seat: one for seat, one in self.waiting.items() if one != person}
        rest = {seat: BOT if one == person else one for seat, one in self.seats.items()}
        self.seats = rest if self.playing else {seat: one for seat, one in self.seats.items() if one != person}
        self.agreed.discard(person)
        left = [*sorted(one for one in self.seats.values() if one != BOT), *sorted(self.waiting.values()), ""]
        if self.host == person:
            self.host = left[0]

    def may_have_begun(self) -> None:
        people = {one for one in self.seats.values() if one != BOT}
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
            self.seats = {at: one for at, one in self.seats.items() if one != client.person} | {seat: client.person}
            self.agreed.discard(client.person)
        self.post(client, "commands", {"command": "sit", "seat": seat}, code)

    @rule(who=PEOPLE)
    def drops(self, who: int) -> None:
        client = self.people[who]
        code = "" if self.seat_of(client) or self.host == client.person else "not-seated"
        if not code:
            self.has_left(client.person)
        self.post(client, "commands", {"command": "leave"}, code)

    @rule(who=PEOPLE, seat=SEATS)
    def seats_a_bot(self, who: int, seat: str) -> None:
        client = self.people[who]
        code = "not-the-host" if client.person != self.host else "match-is-on" if self.playing else ""
        if not code and self.seats.get(seat, BOT) != BOT:
            code = "seat-taken"
        if not code:
            self.seats[seat] = BOT
            self.may_have_begun()
        self.post(client, "commands", {"command": "seat-bot", "seat": seat, "level": "novice"}, code)

    @rule(who=PEOPLE, word=st.sampled_from(["agree", "rematch"]))
    def agrees(self, who: int, word: str) -> None:
        client = self.people[who]
        sits = client.person in self.seats.values()
        code = "not-seated" if not sits else "match-is-on" if self.playing else ""
        if not code:
            self.agreed.add(client.person)
            self.may_have_begun()
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
    @rule(rng=CHANCE, steps=st.integers(1, 30))
    def play_on(self, rng: Random, steps: int) -> None:
        """Whoever is asked does something proper."""
        for _ in range(steps):
            for client in self.people:
                shown = self.see(client)
                if not self.playing or not shown["you"]["plays"] or not shown["hand"]:
                    continue
                action = choose(shown["hand"], rng)
                if action is not None:
                    self.acts(client, shown, action)
                    self.look()

    @precondition(lambda self: self.playing)
    @rule(who=PEOPLE, rng=CHANCE)
    def says_anything(self, who: int, rng: Random) -> None:
        """Anything that the view lists: a claim, a throw-in, an answer to one, a call, a card."""
        client = self.people[who]
        shown = self.see(client)
        if shown["you"]["plays"] and shown["hand"] and shown["hand"]["legal"]:
            self.acts(client, shown, rng.choice(shown["hand"]["legal"]))

    def acts(self, client: Client, shown: dict[str, Any], action: dict[str, Any]) -> None:
        body = {"version": shown["version"], "action_id": f"a{len(self.done)}", "action": action}
        said = self.post(client, "actions", body)
        assert said["action_version"] == shown["version"] + 1
        self.done.append((client, body, said["action_version"]))

    @precondition(lambda self: self.done)
    @rule(rng=CHANCE)
    def submits_again(self, rng: Random) -> None:
        """The same act, however long ago and wherever its client sits by now: nothing is done, and it is answered."""
        client, body, acted = rng.choice(self.done)
        said = self.post(client, "actions", body)
        assert (said["action_version"], said["version"]) == (acted, self.version)

    @precondition(lambda self: self.version > 1)
    @rule(who=PEOPLE, rng=CHANCE)
    def comes_too_late(self, who: int, rng: Random) -> None:
        client = self.people[who]
        old = rng.choice([*range(1, self.version), self.version + 1])
        action = {"act": "pass", "seat": self.seat_of(client) or "N"}
        said = self.post(client, "actions", {"version": old, "action_id": "late", "action": action}, "stale")
        assert said["error"]["version"] == self.version

    @precondition(lambda self: self.playing)
    @rule(who=PEOPLE, rng=CHANCE)
    def cheats(self, who: int, rng: Random) -> None:
        """A card that is not among the legal ones, whatever else it is."""
        client = self.people[who]
        shown = self.see(client)
        seat = shown["you"]["seat"] or rng.choice("NESW")
        legal = shown["hand"]["legal"] if shown["hand"] and shown["you"]["plays"] else []
        action = {"act": "play", "seat": seat, "card": str(rng.choice(DECK))}
        if action not in legal:
            headers = {"Authorization": f"Bearer {client.token}"}
            body = {"version": shown["version"], "action_id": "cheat", "action": action}
            path = f"/api/tables/{self.table}/actions"
            answer = self.runner.run(client.http.post(path, json=body, headers=headers))
            assert answer.status_code == 409
            expected = {"not-your-turn", "not-now", "card-not-held", "must-follow-suit"}
            assert answer.json()["error"]["code"] in (expected if shown["you"]["plays"] else {"not-seated"})
            assert answer.json()["error"]["version"] == self.version

    # What must hold

    @invariant()
    def look(self) -> None:
        """The table is as the model has it."""
        shown = self.see(self.place.stranger())
        assert shown["version"] >= self.version
        self.version = shown["version"]
        stored = self.runner.run(self.place.context.store.read(self.table, self.read))
        for one in stored:
            self.recount.read(one.fact)
            if one.fact["fact"] == "deck-sealed":
                self.take_over()
        self.read += len(stored)
        assert self.read == self.version
        if shown["phase"] == "over" and self.playing:
            self.take_over()
            self.playing, self.agreed = False, set()
        assert (shown["phase"] not in ("gathering", "over")) == self.playing
        sitters = {seat: one.get("person", BOT) for seat, one in shown["seats"].items() if one}
        assert (sitters, shown["latecomers"]) == (self.seats, self.waiting)
        assert shown["host"] == self.host
        assert shown["scores"] == self.recount.scores
        hand = shown["hand"]
        assert hand is None or (hand["cards"], hand["dealt"], hand["dummy"], hand["legal"]) == ("", "", "", [])
        if shown["phase"] == "playing":
            assert self.seats[hand["to_act"]] != BOT, "a bot is asked, and the house is at rest"
            turn = self.recount.turn(shown["dealer"])
            assert not turn or hand["phase"] not in ("bidding", "playing") or hand["to_act"] == turn

    def take_over(self) -> None:
        self.seats |= self.waiting
        self.waiting = {}


TestEvening = Evening.TestCase
TestEvening.settings = settings(
    max_examples=9,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
