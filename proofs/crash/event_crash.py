"""Crash test of an event: kill its server in round three, and check that everything confirmed is still there.

Twelve teams play a Swiss event over HTTP, with a phone for each side of each table. In round three the server is killed
at named moments and at random ones, and restarted on the same file and port. Phones resend unanswered forms unchanged.
At the end the ledger is compared with the responses, and the standings with an independent recount.
"""

import asyncio
import json
import re
import signal
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from proofs.crash import recount
from proofs.crash.answer_log import AnswerLog, compare_with_ledger, standings_errors
from proofs.crash.crash import ANY_MOMENT, KILL_KINDS, MAX_EXAMPLES, STALL_TIMEOUT_SECONDS, ServerLauncher
from proofs.crash.http_client import CONNECTION_ERRORS, Connection, Response, connect
from proofs.crash.killable_server import MOMENTS, KillPlan
from proofs.crash.phones import HTML, SAME_ORIGIN, Form, PhonePage, cookie_header, encode_form, post, sign_in_by_link
from proofs.crash.players import REPEAT_PROBABILITY, ServerAddress, playing

TEAMS: Final = 12
CRASH_ROUND: Final = 3
"""The round in which the server is killed."""
_MAX_OCCURRENCES: Final = 4
"""A server is killed at a random occurrence of a moment, at most this one."""
_MAX_UPTIME_SECONDS: Final = 0.5
"""A server that is killed from outside lives at most this long."""
_OFFLINE_PROBABILITY: Final = 0.3
"""How often a phone is offline when a hand ends."""
_MAX_OFFLINE_TAPS: Final = 5
_POLL_SECONDS: Final = 0.02
_LINK: Final = re.compile(r"<b>Table (\d+), (NS|EW)</b> <output>[^<]*/join/([0-9a-f]+)<")
_VERSION: Final = re.compile(rb'data-version="(\d+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCrashReport:
    """The result of a crash test of events."""

    seed: int
    events: int
    kills: Mapping[str, int]
    """By moment."""
    answered: int
    """Taps answered with 200."""
    offline: int
    """Taps made while the phone could not reach the desk."""
    resent: int
    """Taps resent because the response was lost."""
    repeated: int
    """Taps resent although they had been answered."""
    lines: int
    """In the ledgers at the end."""
    lost: int = 0
    """Answered taps that are missing or differ in the ledger."""
    doubled: int = 0
    """Taps that are in it more than once."""
    unanswered: int = 0
    """Taps in the ledger that were never answered."""
    wrong: int = 0
    """Lines of the standings that differ from a recount of the answered taps."""
    stuck: int = 0
    """Events in which play, or the feed of a phone, did not continue."""
    examples: tuple[str, ...] = ()
    """The first errors, one sentence each."""

    @property
    def sound(self) -> bool:
        """Is everything in the ledger exactly once, and did all phones continue?"""
        return not self.examples


class Phone:
    """The phone of one side of a table; reconnects whenever the server is back."""

    def __init__(
        self, address: ServerAddress, answers: AnswerLog, rng: Random, event: str, table: int, side: str
    ) -> None:
        self._address, self._answers, self._rng, self._event = address, answers, rng, event
        self.table, self.who = table, f"table {table} {side}"
        self.cookie = ""
        self.page = PhonePage()
        self._version: int | None = None
        self._news = asyncio.Event()
        self._queue: list[Form] = []
        """Unanswered forms, in order; more than one if the phone was offline."""
        self._tried: Form | None = None
        """The form that was sent last."""
        self._done = ("", "")
        """Round and version of the page whose form was sent last; the next form waits for a newer page."""
        self._reported = ("", 0)
        """The round, and how many hands were reported in it when the phone was last offline."""

    async def stay(self) -> None:
        """Listen and tap until canceled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._reconnecting(self._listen))
            group.create_task(self._reconnecting(self._play))

    async def _reconnecting(self, use: Callable[[Connection], Awaitable[None]]) -> None:
        while True:
            with suppress(*CONNECTION_ERRORS):
                async with connect(await self._address.port()) as connection:
                    await use(connection)
            await asyncio.sleep(_POLL_SECONDS)

    async def _listen(self, connection: Connection) -> None:
        path = f"/e/{self._event}/table/feed"
        async for version, html in connection.events(path, self.cookie, SAME_ORIGIN, last_id=self._version):
            if self._version is not None and version < self._version:
                self._answers.wrong.append(f"{self.who} was shown version {self._version}, then {version}")
            self._version, self.page = version, PhonePage.of(html)
            self._news.set()

    async def _play(self, connection: Connection) -> None:
        while not connection.is_closing():
            if not self._queue:
                form = await self._wait_for_form()
                self._done = form["round"], form["version"]
                self._queue = self._tap_offline(form)
            form = self._queue[0]
            self._answers.resent += form is self._tried
            self._tried = form
            response = await self._post(connection, form)
            self._queue.pop(0)
            if response.status == 200 and self._rng.random() < REPEAT_PROBABILITY and not connection.is_closing():
                self._answers.repeated += 1
                await self._post(connection, form)

    async def _post(self, connection: Connection, form: Form) -> Response:
        response = await post(connection, f"/e/{self._event}/table/commands", self.cookie, form)
        self._answers.record(self.table, self.who, form, response)
        return response

    def _tap_offline(self, form: Form) -> list[Form]:
        """A form alone or, now and then, several hands that were tapped before the desk could be reached."""
        page, hands = self.page, list(self._answers.hands.get((int(form["round"]), self.table), ()))
        if "tap" not in form or page.hands != len(hands) or self._rng.random() > _OFFLINE_PROBABILITY:
            return [form]
        queue: list[Form] = []
        while max(recount.game_score(hands)) < recount.TARGET and len(queue) < _MAX_OFFLINE_TAPS:
            fields = {"round": form["round"], "tap": form["tap"], "hands": str(len(hands))}
            queue.append(fields | {"id": self._rng.randbytes(8).hex()})
            hands.append(form["tap"])
            form = page.choose(self._rng) or form
        self._answers.offline += len(queue)
        self._reported = queue[0]["round"], len(hands)
        return queue

    async def _wait_for_form(self) -> Form:
        """Wait until the page has a form to send."""
        while (form := self._next_form()) is None:
            self._news.clear()
            await self._news.wait()
        return form

    def _next_form(self) -> Form | None:
        """The next form: North and South keep the score, East and West confirm it."""
        page = self.page
        if (page.round, page.version) == self._done or not page.round or int(page.round) > CRASH_ROUND:
            return None
        if page.round == self._reported[0] and 0 <= page.hands < self._reported[1]:
            return None  # the page has not all of the hands yet
        keeps = bool(page.taps) or "report" in page.commands
        may_send = keeps if self.who.endswith("NS") else "confirm" in page.commands
        return page.choose(self._rng) if may_send else None


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
    """Play events until the server was killed `kills` times. Ctrl-C stops early.

    `fault` is planted in the servers, as in `KillPlan`; after `timeout` seconds without progress, play is stuck.
    """
    done: Counter[str] = Counter()
    runs: list[_EventRun] = []
    with tempfile.TemporaryFile() as errors:
        async with ServerLauncher(errors) as launcher:
            try:
                while done.total() < kills and not any(run.sentences for run in runs):
                    rng = Random(f"{seed}:{len(runs)}")
                    runs.append(_EventRun(launcher, database, rng, teams, fault, timeout))
                    await runs[-1].play(kills, done, progress)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.uncancel():
                    raise
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update({kind: len(sentences) for kind, sentences in run.errors.items()})
    return EventCrashReport(
        seed=seed,
        events=len(runs),
        kills=dict(done),
        answered=sum(len(run.answers.answered) for run in runs),
        offline=sum(run.answers.offline for run in runs),
        resent=sum(run.answers.resent for run in runs),
        repeated=sum(run.answers.repeated for run in runs),
        lines=sum(run.lines for run in runs),
        lost=counts["lost"],
        doubled=counts["doubled"],
        unanswered=counts["unanswered"],
        wrong=counts["wrong"],
        stuck=counts["stuck"],
        examples=tuple(sentence for run in runs for sentence in run.sentences)[:MAX_EXAMPLES],
    )


class _Stuck(Exception):
    """The event does not continue."""


class _EventRun:
    """One event."""

    def __init__(
        self, launcher: ServerLauncher, database: str, rng: Random, teams: int, fault: str, timeout: float
    ) -> None:
        self._launcher, self._database, self._rng, self._fault = launcher, database, rng, fault
        self._teams, self._timeout = teams, timeout
        self._address, self.answers = ServerAddress(), AnswerLog()
        self._port, self._event, self._cookie = 0, "", ""
        self._phones: list[Phone] = []
        self.lines = 0
        self.errors: dict[str, list[str]] = {kind: [] for kind in ("lost", "doubled", "unanswered", "wrong", "stuck")}

    @property
    def sentences(self) -> list[str]:
        """Every error so far."""
        return [*self.answers.wrong, *(sentence for sentences in self.errors.values() for sentence in sentences)]

    async def play(self, kills: int, done: Counter[str], progress: Callable[[int], None]) -> None:
        """Play two rounds without kills and a third with kills, and draw a fourth that all phones show."""
        await self._start()
        await self._open_event()
        async with playing(self._phones):
            try:
                await self._play_rounds(kills, done, progress)
            except _Stuck as stuck:
                self.errors["stuck"] += [] if self.sentences else [str(stuck)]
        await self._compare_all()

    async def _play_rounds(self, kills: int, done: Counter[str], progress: Callable[[int], None]) -> None:
        for number in range(1, CRASH_ROUND):
            await self._wait_until_over(number)
            await self._draw()
        while done.total() < kills and not self._is_over(CRASH_ROUND) and not self.sentences:
            kind = KILL_KINDS[done.total() % len(KILL_KINDS)]
            if await self._wait_for_kill(kind):
                done[kind] += 1
                progress(done.total())
        await self._start()
        await self._wait_until_over(CRASH_ROUND)
        await self._draw()
        await self._wait_until("a phone is not shown round four", self._all_phones_show_the_next)

    # The desk

    async def _open_event(self) -> None:
        """Open an event, enter teams, draw, and sign in a phone for each side of each table."""
        async with connect(self._port) as connection:
            form = {"title": "Round three", "rules": "prize-night", "format": "swiss", "rounds": str(CRASH_ROUND + 1)}
            response = await connection.request("POST", "/events", SAME_ORIGIN, HTML, body=encode_form(form))
            self._cookie = cookie_header(response)
            self._event = response.headers["location"].split("/")[2]
        await self._post_to_desk(
            command="enter", names="\n".join(f"Ann {number} & Bob {number}" for number in range(1, self._teams + 1))
        )
        await self._post_to_desk(command="publish", page="yes", standings="yes")
        await self._draw()
        for table, side, code in await self._new_links():
            phone = Phone(self._address, self.answers, Random(self._rng.random()), self._event, int(table), side)
            phone.cookie = await sign_in_by_link(self._port, self._event, code)
            self._phones.append(phone)

    async def _new_links(self) -> list[tuple[str, str, str]]:
        """Create links for phones; returns table, side and code of each."""
        async with connect(self._port) as connection:
            form = encode_form({"command": "tables"})
            path = f"/e/{self._event}/desk/links"
            response = await connection.request("POST", path, self._cookie, SAME_ORIGIN, HTML, body=form)
        return _LINK.findall(response.body.decode())

    async def _draw(self) -> None:
        match = _VERSION.search((await self._get("/desk")).body)
        assert match is not None
        await self._post_to_desk(command="draw", version=match[1].decode())

    async def _post_to_desk(self, **form: str) -> None:
        async with connect(self._port) as connection:
            response = await post(connection, f"/e/{self._event}/desk/commands", self._cookie, form)
        if response.status != 200:
            raise RuntimeError(f"the desk sent {form} and got {response.status}: {response.body.decode()}")
        self.answers.desk.append(form)

    async def _get(self, path: str) -> Response:
        async with connect(self._port) as connection:
            response = await connection.request("GET", f"/e/{self._event}{path}", self._cookie, HTML)
        if response.status != 200:
            raise RuntimeError(f"{path} got {response.status}: {response.body.decode()}")
        return response

    # The server

    async def _start(self, kind: str = "") -> None:
        """Kill the running server, and start another on the same port."""
        self._address.close()
        plan = KillPlan(
            database=self._database,
            port=self._port,
            moment=kind if kind in MOMENTS else "",
            occurrence=self._rng.randint(1, _MAX_OCCURRENCES),
            fault=self._fault,
        )
        killed_after = self._rng.uniform(0, _MAX_UPTIME_SECONDS) if kind == ANY_MOMENT else None
        port = await self._launcher.start(plan, killed_after=killed_after)
        if port:
            self._port = port
            with suppress(*CONNECTION_ERRORS):  # it may already be killed
                await self._compare_ledger()
            self._address.open(port)
        elif not kind:
            raise RuntimeError(f"the server does not start, and ends with status {self._launcher.status}")

    async def _wait_for_kill(self, kind: str) -> bool:
        """Start a server, and wait until it is killed like this; False if the round ended before."""
        await self._start(kind)
        ended = asyncio.create_task(self._launcher.ended())
        try:
            async with asyncio.timeout(self._timeout):
                while not ended.done() and not self._is_over(CRASH_ROUND) and not self.sentences:
                    await asyncio.wait([ended], timeout=_POLL_SECONDS)
        except TimeoutError:
            ended.cancel()
            raise _Stuck(f"play did not reach {kind} again within {self._timeout:.0f} seconds") from None
        if not ended.done():
            self._launcher.kill()
            await ended
            return False
        await ended
        if self._launcher.status != -signal.SIGKILL:
            self.answers.wrong.append(f"a server was not killed, but exited with status {self._launcher.status}")
        return True

    # Rounds

    def _is_over(self, number: int) -> bool:
        return sum(round_ == number for round_, _ in self.answers.confirmed) == self._teams // 2

    async def _wait_until_over(self, number: int) -> None:
        await self._wait_until(f"round {number} is not over", lambda: self._is_over(number))

    def _all_phones_show_the_next(self) -> bool:
        return all(phone.page.round == str(CRASH_ROUND + 1) for phone in self._phones)

    async def _wait_until(self, problem: str, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(self._timeout):
                while not condition():
                    await asyncio.sleep(_POLL_SECONDS)
                    if self.sentences:
                        raise _Stuck(f"{problem}, as something is wrong")
        except TimeoutError:
            raise _Stuck(f"{problem} after {self._timeout:.0f} seconds") from None

    # Comparison

    async def _compare_ledger(self) -> Sequence[Mapping[str, Any]]:
        """Compare the ledger with the responses before clients connect; it may already have unanswered taps."""
        if not self._event:
            return ()
        text = (await self._get("/desk/ledger.jsonl")).body.decode()
        ledger = [json.loads(line) for line in text.splitlines()]
        self._add_errors(
            {
                kind: sentences
                for kind, sentences in compare_with_ledger(self.answers, ledger).items()
                if kind != "unanswered"
            }
        )
        return ledger

    async def _compare_all(self) -> None:
        """Compare everything at the end, and the standings with the recount."""
        ledger = await self._compare_ledger()
        self.lines = len(ledger)
        results = (await self._get("/results.json")).json
        self._add_errors(compare_with_ledger(self.answers, ledger))
        self._add_errors({"wrong": standings_errors(self.answers, ledger, results["standings"])})

    def _add_errors(self, errors: Mapping[str, Sequence[str]]) -> None:
        for kind, sentences in errors.items():
            self.errors[kind] += [sentence for sentence in sentences if sentence not in self.errors[kind]]
