"""Round three: the server of an evening is killed while phones tap, and everything that was confirmed is still there.

Twelve teams play a Swiss evening over HTTP, a phone for each side of each table. In round three the server is killed
again and again, at named moments and at any other, and started again on the same file and port. Phones send again,
unchanged, whatever they have had no answer to. In the end the ledger is held against what they were answered, and the
standings against a second reading of it that uses nothing of ours.
"""

import asyncio
import json
import re
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from proofs.crash.answer_log import AnswerLog, compare_with_ledger, standings_errors
from proofs.crash.crash import ANY_MOMENT, KILL_KINDS, MAX_EXAMPLES, STALL_TIMEOUT_SECONDS, ServerLauncher
from proofs.crash.http_client import CONNECTION_ERRORS, Connection, Response, connect
from proofs.crash.killable_server import MOMENTS, KillPlan
from proofs.crash.phones import HTML, SAME_ORIGIN, Form, PhonePage, cookie_header, encode_form, post, sign_in_by_link
from proofs.crash.players import REPEAT_PROBABILITY, ServerAddress, playing

TEAMS: Final = 12
KILLED_IN: Final = 3
"""The round in which the server is killed."""
_OFTEN: Final = 4
"""A server ends at one of so many occurrences of a moment."""
_LONGEST: Final = 0.5
"""Seconds within which a server is killed at any moment."""
_WAIT: Final = 0.02
_LINK: Final = re.compile(r"<b>Table (\d+), (NS|EW)</b> <output>[^<]*/join/([0-9a-f]+)<")
_VERSION: Final = re.compile(rb'data-version="(\d+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCrashReport:
    """What was left of the evenings."""

    seed: int
    events: int
    kills: Mapping[str, int]
    """By moment."""
    answered: int
    """Taps that were answered with yes."""
    resent: int
    """Taps sent again as their answer was lost."""
    repeated: int
    """Taps sent again though they had been answered."""
    lines: int
    """In the ledgers at the end."""
    lost: int = 0
    """Answered taps that are not in the ledger, or are something else there."""
    doubled: int = 0
    """Taps that are in it more than once."""
    unanswered: int = 0
    """Taps in the ledger of which nobody was told."""
    wrong: int = 0
    """Lines of the standings that are not what the answered taps come to."""
    stuck: int = 0
    """Kills after which play, or a phone's feed, did not go on."""
    examples: tuple[str, ...] = ()
    """What is wrong, in a sentence each."""

    @property
    def sound(self) -> bool:
        """Is everything there once, and did everybody go on?"""
        return not self.examples


class Phone:
    """The phone of one side of a table, which comes back whenever the server does."""

    def __init__(self, door: ServerAddress, memory: AnswerLog, rng: Random, event: str, table: int, side: str) -> None:
        self._door, self._memory, self._chance, self._event = door, memory, rng, event
        self.table, self.who = table, f"table {table} {side}"
        self.cookie = ""
        self.offer = PhonePage()
        self._version: int | None = None
        self._news = asyncio.Event()
        self._sent: Form | None = None
        """What has had no answer yet."""
        self._done = ("", "")
        """The round and version of the page on which something was done last; another has to come first."""

    async def stay(self) -> None:
        """Listen and tap, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._coming_back(self._listen))
            group.create_task(self._coming_back(self._play))

    async def _coming_back(self, what: Callable[[Connection], Any]) -> None:
        while True:
            with suppress(*CONNECTION_ERRORS):
                async with connect(await self._door.port()) as connection:
                    await what(connection)
            await asyncio.sleep(_WAIT)

    async def _listen(self, connection: Connection) -> None:
        path = f"/e/{self._event}/table/feed"
        async for version, html in connection.events(path, self.cookie, SAME_ORIGIN, seen=self._version):
            if self._version is not None and version < self._version:
                self._memory.wrong.append(f"{self.who} was shown version {self._version}, and then {version}")
            self._version, self.offer = version, PhonePage.of(html)
            self._news.set()

    async def _play(self, connection: Connection) -> None:
        while not connection.is_closing():
            again, form = self._sent is not None, self._sent or await self._wanted()
            self._sent = form
            self._memory.resent += again
            response = await self._post(connection, form)
            self._sent, self._done = None, (form["r"], form["v"])
            if response.status == 200 and self._chance.random() < REPEAT_PROBABILITY and not connection.is_closing():
                self._memory.repeated += 1
                await self._post(connection, form)

    async def _post(self, connection: Connection, form: Form) -> Response:
        response = await post(connection, f"/e/{self._event}/table/commands", self.cookie, form)
        self._memory.hear(self.table, self.who, form, response)
        return response

    async def _wanted(self) -> Form:
        """What the page offers, once it offers anything that is to be done."""
        while (form := self._next()) is None:
            self._news.clear()
            await self._news.wait()
        return form

    def _next(self) -> Form | None:
        """North and South keep the score here, East and West confirm it."""
        offer = self.offer
        if (offer.round, offer.moved) == self._done or not offer.round or int(offer.round) > KILLED_IN:
            return None
        keeps = bool(offer.taps) or "tell" in offer.does
        able = keeps if self.who.endswith("NS") else "confirm" in offer.does
        return offer.chosen(self._chance) if able else None


async def run_event_crash_test(
    database: str,
    *,
    kills: int,
    seed: int = 1,
    teams: int = TEAMS,
    fault: str = "",
    timeout: float = STALL_TIMEOUT_SECONDS,
    progress: Callable[[int], None] = lambda done: None,
) -> EventCrashReport:
    """As many evenings as it takes to kill the server so often. Ctrl-C ends it early with what is done.

    `plant` names a fault that the servers get, as a `KillPlan` has it; after `patience` seconds play is stuck.
    """
    done: Counter[str] = Counter()
    evenings: list[_EventRun] = []
    with tempfile.TemporaryFile() as errors:
        async with ServerLauncher(errors) as keeper:
            try:
                while done.total() < kills and not any(one.sentences for one in evenings):
                    chance = Random(f"{seed}:{len(evenings)}")
                    evenings.append(_EventRun(keeper, database, chance, teams, fault, timeout))
                    await evenings[-1].play(kills, done, progress)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.uncancel():
                    raise
    found: Counter[str] = Counter()
    for one in evenings:
        found.update({what: len(told) for what, told in one.found.items()})
    return EventCrashReport(
        seed=seed,
        events=len(evenings),
        kills=dict(done),
        answered=sum(len(one.memory.answered) for one in evenings),
        resent=sum(one.memory.resent for one in evenings),
        repeated=sum(one.memory.repeated for one in evenings),
        lines=sum(one.lines for one in evenings),
        lost=found["lost"],
        doubled=found["doubled"],
        unanswered=found["unheard"],
        wrong=found["wrong"],
        stuck=found["stuck"],
        examples=tuple(sentence for one in evenings for sentence in one.sentences)[:MAX_EXAMPLES],
    )


class _Stuck(Exception):
    """The evening does not go on."""


class _EventRun:
    """One evening."""

    def __init__(
        self, keeper: ServerLauncher, database: str, rng: Random, teams: int, fault: str, timeout: float
    ) -> None:
        self._keeper, self._database, self._chance, self._fault = keeper, database, rng, fault
        self._teams, self._timeout = teams, timeout
        self._door, self.memory = ServerAddress(), AnswerLog()
        self._port, self._event, self._cookie = 0, "", ""
        self._phones: list[Phone] = []
        self.lines = 0
        self.found: dict[str, list[str]] = {what: [] for what in ("lost", "doubled", "unheard", "wrong", "stuck")}

    @property
    def sentences(self) -> list[str]:
        """Whatever is wrong."""
        return [*self.memory.wrong, *(one for told in self.found.values() for one in told)]

    async def play(self, kills: int, done: Counter[str], progress: Callable[[int], None]) -> None:
        """Two rounds in peace, a third with kills until it is over, and the draw of a fourth that everybody sees."""
        await self._start()
        await self._open()
        async with playing(self._phones):
            try:
                await self._rounds(kills, done, progress)
            except _Stuck as stuck:
                self.found["stuck"] += [] if self.sentences else [str(stuck)]
        await self._hold_against()

    async def _rounds(self, kills: int, done: Counter[str], progress: Callable[[int], None]) -> None:
        for number in range(1, KILLED_IN):
            await self._over(number)
            await self._draw()
        while done.total() < kills and not self._is_over(KILLED_IN) and not self.sentences:
            kind = KILL_KINDS[done.total() % len(KILL_KINDS)]
            if await self._killed(kind):
                done[kind] += 1
                progress(done.total())
        await self._start()
        await self._over(KILLED_IN)
        await self._draw()
        await self._until("a phone is not shown round four", self._all_see_the_next)

    # At the desk

    async def _open(self) -> None:
        """An event, teams, a draw, and a phone for each side of each table."""
        async with connect(self._port) as connection:
            form = {"title": "Round three", "rules": "prize-night", "format": "swiss", "rounds": str(KILLED_IN + 1)}
            opened = await connection.request("POST", "/events", SAME_ORIGIN, HTML, body=encode_form(form))
            self._cookie = cookie_header(opened)
            self._event = opened.headers["location"].split("/")[2]
        await self._tell(do="enter", names="\n".join(f"Ann {one} & Bob {one}" for one in range(1, self._teams + 1)))
        await self._tell(do="publish", page="yes", standings="yes")
        await self._draw()
        for table, side, code in await self._new_links():
            phone = Phone(self._door, self.memory, Random(self._chance.random()), self._event, int(table), side)
            phone.cookie = await sign_in_by_link(self._port, self._event, code)
            self._phones.append(phone)

    async def _new_links(self) -> list[tuple[str, str, str]]:
        """Table, side and code of every phone."""
        async with connect(self._port) as connection:
            form = encode_form({"do": "tables"})
            path = f"/e/{self._event}/desk/links"
            response = await connection.request("POST", path, self._cookie, SAME_ORIGIN, HTML, body=form)
        return _LINK.findall(response.body.decode())

    async def _draw(self) -> None:
        shown = _VERSION.search((await self._see("/desk")).body)
        assert shown is not None
        await self._tell(do="draw", v=shown[1].decode())

    async def _tell(self, **form: str) -> None:
        async with connect(self._port) as connection:
            response = await post(connection, f"/e/{self._event}/desk/commands", self._cookie, form)
        if response.status != 200:
            raise RuntimeError(
                f"the desk sent {form} and was answered with {response.status}: {response.body.decode()}"
            )
        self.memory.desk.append(form)

    async def _see(self, path: str) -> Response:
        async with connect(self._port) as connection:
            response = await connection.request("GET", f"/e/{self._event}{path}", self._cookie, HTML)
        if response.status != 200:
            raise RuntimeError(f"{path} was answered with {response.status}: {response.body.decode()}")
        return response

    # The server

    async def _start(self, kind: str = "") -> None:
        """End what runs, and start a server where the last one was."""
        self._door.close()
        doom = KillPlan(
            database=self._database,
            port=self._port,
            moment=kind if kind in MOMENTS else "",
            occurrence=self._chance.randint(1, _OFTEN),
            fault=self._fault,
        )
        killed_after = self._chance.uniform(0, _LONGEST) if kind == ANY_MOMENT else None
        port = await self._keeper.start(doom, killed_after=killed_after)
        if port:
            self._port = port
            with suppress(*CONNECTION_ERRORS):  # it may be killed by now
                await self._look()
            self._door.open(port)
        elif not kind:
            raise RuntimeError(f"the server does not start, and ends with status {self._keeper.status}")

    async def _killed(self, kind: str) -> bool:
        """Start a server that is killed like this; False when the round was over before."""
        await self._start(kind)
        ended = asyncio.create_task(self._keeper.ended())
        try:
            async with asyncio.timeout(self._timeout):
                while not ended.done() and not self._is_over(KILLED_IN) and not self.sentences:
                    await asyncio.wait([ended], timeout=_WAIT)
        except TimeoutError:
            ended.cancel()
            raise _Stuck(f"play did not come to {kind} again within {self._timeout:.0f} seconds") from None
        if not ended.done():
            self._keeper.kill()
            await ended
            return False
        await ended
        if self._keeper.status != -signal.SIGKILL:
            self.memory.wrong.append(f"a server was not killed, but ended with status {self._keeper.status}")
        return True

    # The course of the evening

    def _is_over(self, number: int) -> bool:
        return sum(round_ == number for round_, _ in self.memory.confirmed) == self._teams // 2

    async def _over(self, number: int) -> None:
        await self._until(f"round {number} is not over", lambda: self._is_over(number))

    def _all_see_the_next(self) -> bool:
        return all(phone.offer.round == str(KILLED_IN + 1) for phone in self._phones)

    async def _until(self, what: str, it_is_so: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(self._timeout):
                while not it_is_so():
                    await asyncio.sleep(_WAIT)
                    if self.sentences:
                        raise _Stuck(f"{what}, as something is wrong")
        except TimeoutError:
            raise _Stuck(f"{what} after {self._timeout:.0f} seconds") from None

    # What is left

    async def _look(self) -> Sequence[Mapping[str, Any]]:
        """Before anybody is let in: the ledger against what was answered; taps on their way may be there already."""
        if not self._event:
            return ()
        text = (await self._see("/desk/ledger.jsonl")).body.decode()
        ledger = [json.loads(line) for line in text.splitlines()]
        self._find({what: told for what, told in compare_with_ledger(self.memory, ledger).items() if what != "unheard"})
        return ledger

    async def _hold_against(self) -> None:
        """In the end: everything, and the standings against the second reading."""
        ledger = await self._look()
        self.lines = len(ledger)
        shown = (await self._see("/results.json")).json
        self._find(compare_with_ledger(self.memory, ledger))
        self._find({"wrong": standings_errors(self.memory, ledger, shown["standings"])})

    def _find(self, found: Mapping[str, Sequence[str]]) -> None:
        for what, told in found.items():
            self.found[what] += [one for one in told if one not in self.found[what]]
