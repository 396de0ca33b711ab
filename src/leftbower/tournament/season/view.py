"""A season with its evenings: the names of its players, and who sat in which chair."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Final
from unicodedata import normalize

from leftbower.i18n import gettext as _
from leftbower.tournament.model.state import Event
from leftbower.tournament.season.facts import Identity, PlayersConfirmed
from leftbower.tournament.season.live import LiveTable
from leftbower.tournament.season.results import EveningScore, chair_names, evening_scores
from leftbower.tournament.season.state import Season

_SIMILARITY: Final = 0.72
"""Least similarity of a suggested name."""


@dataclass(frozen=True)
class SeasonView:
    """A version of a season, and of each event that it names."""

    season: Season
    events: Mapping[str, Event]
    """By the names that the season's log has for them; one that can't be read is missing."""
    live: Mapping[str, LiveTable] = field(default_factory=dict)
    """The live tables of the season, by name."""

    @cached_property
    def chairs(self) -> dict[str, dict[str, str]]:
        """Names by chair, for each event and live table."""
        events = {name: chair_names(event, teams=self.season.plan.teams) for name, event in self.events.items()}
        return events | {name: dict(table.names) for name, table in self.live.items()}

    @cached_property
    def spellings(self) -> dict[str, list[str]]:
        """All names under which each player was confirmed, oldest first; an erased player has none."""
        return {
            player.id: [
                name
                for event, chair in (() if player.erased else player.chairs)
                if (name := self.chairs.get(event, {}).get(chair))
            ]
            for player in self.season.players.values()
        }

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of each player: as in the first evening that has it."""
        return {
            player: next(iter(spellings), _("Player %(number)d", number=number))
            for number, (player, spellings) in enumerate(self.spellings.items(), 1)
        }

    def public_name(self, name: str) -> str:
        """A name from an event, unless it is one of an erased player."""
        return self._erased_names.get(name_key(name), name)

    @cached_property
    def _erased_names(self) -> dict[str, str]:
        return {
            name_key(self.chairs.get(event, {}).get(chair, "")): self.names[player.id]
            for player in self.season.players.values()
            if player.erased
            for event, chair in player.chairs
        }

    @cached_property
    def identities(self) -> dict[str, dict[str, Identity]]:
        """Identities by chair, for each evening: the confirmed ones, and names that were confirmed for one player."""
        return {each.event: self._identities(each.event) for each in (*self.season.evenings, *self.season.tables)}

    @cached_property
    def scores(self) -> dict[str, dict[str, EveningScore]]:
        """What each player has from each evening; nothing from one that can't be read."""
        plan, identities = self.season.plan, self.identities
        return {
            name: evening_scores(plan, self.events[name], found) if name in self.events else {}
            for name, found in identities.items()
        }

    def with_event(self, name: str, event: Event) -> "SeasonView":
        """The same season with another version of an evening that has the same people."""
        changed = SeasonView(self.season, {**self.events, name: event}, self.live)
        known = {"chairs": self.chairs, "spellings": self.spellings, "names": self.names, "identities": self.identities}
        scores = evening_scores(self.season.plan, event, self.identities[name])
        vars(changed).update(known, scores={**self.scores, name: scores})
        return changed

    def _identities(self, event: str) -> dict[str, Identity]:
        chairs, evening = self.chairs.get(event, {}), self.season.evening(event)
        assert evening is not None
        found = {chair: identity for chair, identity in evening.identities.items() if chair in chairs}
        counts = Counter(name_key(name) for chair, name in chairs.items() if not chair.startswith("s"))
        taken = {identity.player for identity in found.values()}
        for chair, name in chairs.items():
            players = self._players_by_name.get(name_key(name), set())
            is_free = chair.startswith("s") or (counts[name_key(name)] == 1 and not players & taken)
            if chair not in found and len(players) == 1 and is_free:
                found[chair] = Identity(chair=chair, player=next(iter(players)))
        return found

    @cached_property
    def _players_by_name(self) -> dict[str, set[str]]:
        players: dict[str, set[str]] = {}
        for player, spellings in self.spellings.items():
            for name in spellings:
                players.setdefault(name_key(name), set()).add(player)
        return players

    def unconfirmed(self, event: str) -> dict[str, str]:
        """Names by chair, of the chairs without an identity; their results don't count yet.

        Substitutes need none if they get nothing and nobody is rated.
        """
        found, plan = self.identities.get(event, {}), self.season.plan
        return {
            chair: name
            for chair, name in self.chairs.get(event, {}).items()
            if chair not in found and (plan.substitute_share or plan.ratings or not chair.startswith("s"))
        }

    def suggest(self, name: str) -> str:
        """The player whose name is most like this one, or has the same first name; empty if there is none."""
        key = name_key(name)
        if closest := get_close_matches(key, self._players_by_name, n=1, cutoff=_SIMILARITY):
            return min(self._players_by_name[closest[0]])
        known = self._players_by_name.items()
        first = {player for other, ids in known for player in ids if other.partition(" ")[0] == key.partition(" ")[0]}
        return min(first) if len(first) == 1 else ""

    def confirm_known(self, event: str) -> list[PlayersConfirmed]:
        """Confirm the known names of an evening; in the first evening everyone joins."""
        found = self.identities[event] if self.season.players else self._everyone(self.chairs[event])
        return [PlayersConfirmed(event=event, identities=tuple(found.values()))] if found else []

    def _everyone(self, chairs: Mapping[str, str]) -> dict[str, Identity]:
        """Everyone as a new player; a substitute may be one who has a chair."""
        players: dict[str, str] = {}
        for chair, name in chairs.items():
            same = [players[other] for other in players if name_key(chairs[other]) == name_key(name)]
            is_same = chair.startswith("s") and same
            players[chair] = same[0] if is_same else f"p{len(set(players.values())) + 1}"
        return {chair: Identity(chair=chair, player=player) for chair, player in players.items()}


def name_key(name: str) -> str:
    """A name without differences in case and spaces."""
    return " ".join(normalize("NFKC", name).casefold().split())
