"""The record of a match as JSON lines: a header, every fact in order, and the final score with the reason.

    {"format": "leftbower-record", "version": 1, "rules": {…}, "players": {"N": {"name": …, "kind": "human"}, …}}
    {"fact": "draw", …}  {"fact": "deal", …}  {"fact": "act", …}  …
    {"end": {"scores": [10, 6], "wins": [1, 0], "reason": "target-reached"}}

A draw or a deal from a sealed deck carries its `seal`, unchanged; `leftbower verify` checks it. Then the header has
`table`, `match` and `root`, the match root. The last line has the final `root` next to `end`; during the match it is
{"so_far": {"link": …}} instead.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from leftbower.codec import Codec, JsonObject
from leftbower.engine.actions import Play
from leftbower.engine.deal import Deal, Draw
from leftbower.engine.game import InHand, Scores, add_points
from leftbower.engine.hand import apply
from leftbower.engine.match import Fact, InGame, Match, MatchOver, advance_match, new_match
from leftbower.engine.states import OpenState, Playing, Scored
from leftbower.errors import BadJson, BadRecord, LeftbowerError, show
from leftbower.notation.codec import fact_from_json, fact_to_json
from leftbower.notation.replay import Fault, ReplayedGame
from leftbower.rules import HouseRules, Seat, from_json, to_json

FORMAT: Final = "leftbower-record"
VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPlayer:
    """A player of the match: a name, and whether it is a person (`human`) or a `bot` of some version."""

    name: str
    """Empty for a person whose name was erased."""
    kind: str = "human"
    version: str = ""
    commitment: str = ""
    """The hash that commits to the name, if the match root covers it."""
    salt: str = ""
    """Proves that the commitment is to this name; erased with it."""


_PLAYERS: Final = Codec[RecordedPlayer](BadRecord, omit=("version", "commitment", "salt"))
player_to_json = _PLAYERS.writer(RecordedPlayer)
"""Writes a player for the header of a record: name and kind, and any other fields that are set."""
_read_player = _PLAYERS.reader(RecordedPlayer)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChain:
    """The place of a match with sealed decks: its table and number, and its first and last root."""

    table: str
    match: int
    """Its number among the matches of the table."""
    root: str
    """The match root."""
    last: str
    """The final root; during the match, the link after the finished games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A match from its first draw on; every state is a fold of its facts."""

    rules: HouseRules
    players: Mapping[Seat, RecordedPlayer] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    seals: Mapping[int, JsonObject] = field(default_factory=dict)
    """The seals of draws and deals, by the index of the fact."""
    chain: RecordChain | None = None
    """The chain of the seals; None if no deck was sealed."""

    def fold(self) -> Match:
        """The match after all facts."""
        match: Match = new_match(self.rules)
        for fact in self.facts:
            match = advance_match(match, fact)
        return match


def dumps(record: Record) -> str:
    """The record as JSON lines. There is a last line if the match is over or its decks were sealed."""
    chain = record.chain
    belongs: JsonObject = {"table": chain.table, "match": chain.match, "root": chain.root} if chain else {}
    players = {str(seat): player_to_json(player) for seat, player in record.players.items()}
    lines: list[JsonObject] = [
        {"format": FORMAT, "version": VERSION, **belongs, "rules": to_json(record.rules), "players": players},
        *(fact_to_json(fact) | _sealed(record.seals.get(number)) for number, fact in enumerate(record.facts)),
    ]
    match = record.fold()
    if isinstance(match, MatchOver):
        lines.append({"end": end_to_json(match)} | ({"root": chain.last} if chain else {}))
    elif chain:
        lines.append({"so_far": {"link": chain.last}})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def end_to_json(match: MatchOver) -> JsonObject:
    """The last line of a record: scores of the last game, games won, and why the match ended."""
    reason = "target-reached" if match.rules.fixed_hands is None else "hands-played"
    return {"scores": list(match.last.scores), "wins": list(match.wins), "reason": reason if match.winner else "tie"}


def loads(text: str) -> Record:
    """Parse a record; the error names the first line that is wrong."""
    record, replayed = read_record(text)
    if replayed.fault:
        raise replayed.fault.error
    return record


def read_record(text: str) -> tuple[Record, ReplayedGame]:
    """Parse a record up to the first error, with the result of its replay. A header that can't be read raises."""
    lines = _json_lines(text)
    path, header = next(lines, ("line 1", JsonObject()))
    rules, players = _read_header(path, header)
    chain = _read_chain(path, header)
    reader = _Reader(new_match(rules), chained=chain is not None)
    fault = reader.read_all(lines)
    if chain:
        chain = replace(chain, last=reader.last)
    record = Record(rules=rules, players=players, facts=tuple(reader.facts), seals=reader.seals, chain=chain)
    return record, reader.result(rules, fault)


class _Reader:
    """Reads the lines of a record and replays the match."""

    def __init__(self, match: Match, *, chained: bool) -> None:
        self.match, self.chained = match, chained
        self.last = ""
        """The final root."""
        self.facts: list[Fact] = []
        self.seals: dict[int, JsonObject] = {}
        self.hands: list[Scored] = []
        self.scores: Scores = (0,) * len(match.rules.sides)

    def read_all(self, lines: Iterator[tuple[str, JsonObject]]) -> Fault | None:
        """Read all lines, up to the first error."""
        path = "line 1"
        try:
            for path, line in lines:
                if "end" in line:
                    return self._read_end(path, line, lines)
                if "so_far" in line:
                    break
                fact = None
                try:
                    bare, seal = _without_seal(line)
                    fact = fact_from_json(bare)
                    self._follow(fact)
                    if seal is not None:
                        self.seals[len(self.facts) - 1] = seal
                except LeftbowerError as error:
                    return self._fault(error.at(path), fact)
        except LeftbowerError as error:
            return self._fault(error, None)
        return self._fault(BadRecord("the record stops before the match is over", path=f"after {path}"), None)

    def result(self, rules: HouseRules, fault: Fault | None) -> ReplayedGame:
        """The replayed games so far."""
        return ReplayedGame(
            rules=rules, hands=tuple(self.hands), scores=self.scores, unfinished=self._hand(), fault=fault
        )

    def _follow(self, fact: Fact) -> None:
        before = self._hand()
        self.match = advance_match(self.match, fact)
        self.facts.append(fact)
        if isinstance(fact, Draw):
            self.scores = (0,) * len(self.match.rules.sides)
        elif before is not None and not isinstance(fact, Deal):
            after = apply(before, fact)
            if isinstance(after, Scored):
                self.hands.append(after)
                self.scores = add_points(self.match.rules, before.hand.scores, after.points)

    def _hand(self) -> OpenState | None:
        """The current hand, if there is one."""
        game = self.match.game if isinstance(self.match, InGame) else None
        return game.hand if isinstance(game, InHand) else None

    def _fault(self, error: LeftbowerError, fact: Fact | None) -> Fault:
        hand = self._hand()
        return Fault(
            error=error,
            hand=len(self.hands) + 1 if hand or isinstance(fact, Deal) else None,
            trick=len(hand.tricks) + 1 if isinstance(hand, Playing) else None,
            seat=hand.to_act if hand else None,
            card=fact.card if isinstance(fact, Play) else None,
        )

    def _read_end(self, path: str, line: JsonObject, rest: Iterator[tuple[str, JsonObject]]) -> Fault | None:
        """Check that the last line is the last, and that it matches the facts."""
        if not isinstance(self.match, MatchOver):
            return self._fault(BadRecord("the record ends before the match does", path=path), None)
        end = end_to_json(self.match)
        if line["end"] != end:
            return self._fault(BadRecord("the facts add up to %(end)s", path=path, end=json.dumps(end)), None)
        root = line.get("root", "")
        if not isinstance(root, str) or bool(root) is not self.chained:
            says = BadRecord("the end must have a root if the header has one, and only then", path=path)
            return self._fault(says, None)
        self.last = root
        for after, _ in rest:
            return self._fault(BadRecord("there is a line after the end", path=after), None)
        return None


def _sealed(seal: JsonObject | None) -> JsonObject:
    return {} if seal is None else {"seal": seal}


def _without_seal(line: JsonObject) -> tuple[JsonObject, JsonObject | None]:
    """Split a fact from its seal."""
    if line.get("fact") not in ("deal", "draw") or "seal" not in line:
        return line, None
    if not isinstance(line["seal"], dict):
        raise BadRecord("the seal must be a JSON object", path="seal")
    return {name: value for name, value in line.items() if name != "seal"}, line["seal"]


def _read_header(path: str, header: JsonObject) -> tuple[HouseRules, dict[Seat, RecordedPlayer]]:
    if header.get("format") != FORMAT:
        raise BadRecord('a record starts with {"format": "%(format)s", …}', path=path, format=FORMAT)
    if header.get("version") != VERSION or isinstance(header["version"], bool):
        raise BadRecord(
            "this leftbower reads version %(known)s, not %(version)s",
            path=path,
            known=VERSION,
            version=show(header.get("version")),
        )
    rules, players = header.get("rules"), header.get("players", {})
    if not isinstance(rules, dict) or not isinstance(players, dict):
        raise BadRecord("the header's rules and players must be JSON objects", path=path)
    try:
        return from_json(rules), {Seat.parse(seat): _read_player(player) for seat, player in players.items()}
    except LeftbowerError as error:
        raise error.at(path) from None


def _read_chain(path: str, header: JsonObject) -> RecordChain | None:
    match header:
        case {"table": str(table), "match": int(number), "root": str(root)}:
            return RecordChain(table=table, match=number, root=root, last="")
        case _ if {"table", "match", "root"} & set(header):
            raise BadRecord("a sealed match needs its table, number and root", path=path)
        case _:
            return None


def _json_lines(text: str) -> Iterator[tuple[str, JsonObject]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        path = f"line {number}"
        try:
            plain = json.loads(line)
        except (ValueError, RecursionError):
            raise BadJson("this line is not JSON", path=path) from None
        if not isinstance(plain, dict):
            raise BadJson("this line must be a JSON object", path=path)
        yield path, plain
