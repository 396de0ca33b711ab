"""What is said across the table, through the API: calls, settling, claims, throw-ins, looking back, and ready."""

from collections.abc import Callable
from typing import Any

from leftbower.notation import view_from_json
from leftbower.rules import Card
from leftbower.rules.tricks import playable
from leftbower.store.memory import MemoryStore
from server_client import AppServer, Client, checked, play_on, recount, seated, seeded, serving

HONOR: dict[str, Any] = {"rules": "club", "changes": {"target": 11, "deal_cut": "none", "supervision": "honor"}}
STRICT: dict[str, Any] = {"rules": "club", "changes": {"target": 11, "deal_cut": "none"}}


def in_phase(*phases: str) -> Callable[[dict[str, Any]], bool]:
    """Has the hand come to one of these?"""
    return lambda shown: bool(shown["hand"]) and shown["hand"]["phase"] in phases


async def playing(place: AppServer, rules: dict[str, Any], *, bots: str = "") -> tuple[dict[str, Client], str]:
    """People who have come to the first lead, by their seats."""
    free = [seat for seat in "NESW" if seat not in bots]
    people = await place.guests(*(f"Player-{seat}" for seat in free))
    table = await seated(people[0], people[1:], bots=bots, **rules)
    await play_on(people, table, until=in_phase("playing"))
    return dict(zip(free, people, strict=True)), table


async def say(client: Client, table: str, word: str, **more: Any) -> dict[str, Any]:
    """The first thing of this kind that the view lists as legal, with these words."""
    shown = await client.see(table)
    action = next(
        one
        for one in shown["hand"]["legal"]
        if one["act"] == word and all(one[name] == value for name, value in more.items())
    )
    return await client.act(table, action, shown["version"])


async def test_a_claim_is_disputed_or_granted() -> None:
    async with serving(MemoryStore(), entropy=seeded(21)) as place:
        people, table = await playing(place, STRICT)
        shown = await people["N"].see(table)
        leader = people[shown["hand"]["to_act"]]
        shown = await say(leader, table, "claim")
        assert shown["hand"]["phase"] == "answering"
        assert len(next(iter(shown["hand"]["exposed"].values()))) == 10
        others = [one for one in people.values() if one is not leader]
        active = [one for one in others if "agree" in {act["act"] for act in (await one.see(table))["hand"]["legal"]}]
        shown = await say(active[0], table, "disagree")
        assert shown["hand"]["phase"] == "playing"
        checked(
            await leader.act(table, {"act": "claim", "seat": shown["hand"]["to_act"]}, shown["version"], status=409),
            "not-now",
        )
        before = shown["scores"]
        shown = await say(leader, table, "throw-in", makers_tricks=3)
        for one in active:
            shown = await say(one, table, "agree")
        shown = await play_on(list(people.values()), table, until=lambda shown: shown["scores"] != before)
        assert sum(shown["scores"]) - sum(before) == 1
        facts = [stored.fact for stored in await place.context.store.read(table)]
        assert recount(facts) == shown["scores"]


async def test_bots_answer_claims() -> None:
    async with serving(MemoryStore(), entropy=seeded(22)) as place:
        people, table = await playing(place, STRICT, bots="ESW")
        ann = people["N"]

        def may_speak(shown: dict[str, Any]) -> bool:
            legal = (shown["hand"] or {}).get("legal", [])
            return any(one["act"] == "throw-in" and one["makers_tricks"] == 0 for one in legal)

        await play_on([ann], table, until=may_speak)
        shown = await say(ann, table, "throw-in", makers_tricks=0)
        assert shown["hand"]["phase"] == "answering"
        shown = await play_on([ann], table, until=lambda shown: shown["hand"]["phase"] != "answering")


async def renege(people: dict[str, Client], table: str) -> tuple[str, int, int]:
    """Somebody who can follow does not: who, in which trick, at which version."""
    for _ in range(400):
        for seat, client in people.items():
            shown = await client.see(table)
            hand = shown["hand"]
            if shown["phase"] != "playing" or hand["phase"] != "playing" or hand["to_act"] != seat:
                continue
            view = view_from_json(hand)
            assert view.contract is not None
            cards = [card for card in view.cards if isinstance(card, Card)]
            led = view.trick[0].suit_under(view.contract.trump) if view.trick else None
            wrong = sorted(set(cards) - set(playable(tuple(cards), led, view.contract.trump)))
            if wrong and len(view.tricks) < 3:
                await client.act(table, {"act": "play", "seat": seat, "card": str(wrong[0])}, shown["version"])
                return seat, len(view.tricks) + 1, shown["version"] + 1
        await play_on(list(people.values()), table, until=_counted(1))
    raise AssertionError("nobody could renege")


def _counted(steps: int) -> Any:
    left = steps * 4

    def enough(shown: dict[str, Any]) -> bool:
        nonlocal left
        left -= 1
        return left < 0 or shown["phase"] == "over"

    return enough


async def test_a_renege_is_called_proven_and_settled_and_the_hand_counts_when_all_are_ready() -> None:
    """Nothing marks it; it is called by a player, and ruled once the cards on the table prove it."""
    async with serving(MemoryStore(), entropy=seeded(23)) as place:
        people, table = await playing(place, HONOR)
        offender, trick, version = await renege(people, table)
        caller = next(seat for seat in "NESW" if (("NESW".index(seat) - "NESW".index(offender)) % 2))
        shown = await say(people[caller], table, "call-out", against=offender, irregularity="renege", trick=trick)
        assert shown["action_version"] == version + 1
        phases = set()

        def settled(shown: dict[str, Any]) -> bool:
            phases.add(shown["hand"]["phase"])
            verdicts = shown["hand"]["docket"]["verdicts"]
            return bool(verdicts) and shown["hand"]["phase"] in ("closing", "scored")

        shown = await play_on(list(people.values()), table, until=settled)
        [verdict] = [one for one in shown["hand"]["docket"]["verdicts"] if one["call"]["against"] == offender]
        assert verdict["guilty"]
        assert "settling" in phases
        shown = await play_on(
            list(people.values()),
            table,
            until=lambda shown: shown["phase"] != "playing" or not shown["hand"]["actions"],
        )


async def test_whoever_is_not_ready_holds_the_next_hand_back() -> None:
    async with serving(MemoryStore(), entropy=seeded(24)) as place:
        people, table = await playing(place, HONOR, bots="SW")
        shown = await play_on(list(people.values()), table, until=in_phase("closing"))
        first = people[shown["hand"]["to_act"]] if shown["hand"]["to_act"] in people else people["N"]
        shown = await first.see(table)
        assert {one["act"] for one in shown["hand"]["legal"]} >= {"ready"}
        hands = sum(stored.fact["fact"] == "deck-sealed" for stored in await place.context.store.read(table))
        await play_on(list(people.values()), table, until=in_phase("bidding"))
        later = [stored.fact for stored in await place.context.store.read(table)]
        assert sum(fact["fact"] == "deck-sealed" for fact in later) == hands + 1
        assert sum(fact["fact"] == "acted" and fact["action"]["act"] == "ready" for fact in later) >= 4


async def test_bots_call_what_the_table_proves() -> None:
    """Ann reneges until a bot notices: then there is a verdict against her, called by a bot through the same append."""
    async with serving(MemoryStore(), entropy=seeded(25)) as place:
        people, table = await playing(place, {**HONOR, "changes": {**HONOR["changes"], "target": 21}}, bots="ESW")
        called: list[dict[str, Any]] = []
        for _ in range(12):
            await renege(people, table)
            facts = [stored.fact for stored in await place.context.store.read(table)]
            called = [fact for fact in facts if fact["fact"] == "acted" and fact["action"]["act"] == "call-out"]
            if called:
                break
            await play_on(list(people.values()), table, until=in_phase("closing", "bidding"))
        assert called
        assert all(fact["action"]["against"] == "N" and fact["action_id"] == "" for fact in called)
