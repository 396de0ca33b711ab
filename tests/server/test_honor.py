"""Table talk at an honor table through the API: calls, settling, claims, throw-ins, looking back, and ready."""

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
    """Is the hand in one of these phases?"""
    return lambda view: bool(view["hand"]) and view["hand"]["phase"] in phases


async def start_hand(server: AppServer, rules: dict[str, Any], *, bots: str = "") -> tuple[dict[str, Client], str]:
    """A table at the first lead, and its people by seat."""
    free = [seat for seat in "NESW" if seat not in bots]
    people = await server.guests(*(f"Player-{seat}" for seat in free))
    table = await seated(people[0], people[1:], bots=bots, **rules)
    await play_on(people, table, until=in_phase("playing"))
    return dict(zip(free, people, strict=True)), table


async def act(client: Client, table: str, kind: str, **fields: Any) -> dict[str, Any]:
    """Take the first legal action of this kind with these fields."""
    view = await client.see(table)
    action = next(
        legal
        for legal in view["hand"]["legal"]
        if legal["act"] == kind and all(legal[name] == value for name, value in fields.items())
    )
    return await client.act(table, action, view["version"])


def kinds(view: dict[str, Any]) -> set[str]:
    """The kinds of legal actions."""
    return {action["act"] for action in view["hand"]["legal"]}


async def test_a_claim_is_disputed_or_granted() -> None:
    async with serving(MemoryStore(), entropy=seeded(21)) as server:
        people, table = await start_hand(server, STRICT)
        view = await people["N"].see(table)
        leader = people[view["hand"]["to_act"]]
        view = await act(leader, table, "claim")
        assert view["hand"]["phase"] == "answering"
        assert len(next(iter(view["hand"]["exposed"].values()))) == 10
        others = [client for client in people.values() if client is not leader]
        active = [client for client in others if "agree" in kinds(await client.see(table))]
        view = await act(active[0], table, "disagree")
        assert view["hand"]["phase"] == "playing"
        checked(
            await leader.act(table, {"act": "claim", "seat": view["hand"]["to_act"]}, view["version"], status=409),
            "not-now",
        )
        before = view["scores"]
        view = await act(leader, table, "throw-in", makers_tricks=3)
        for client in active:
            view = await act(client, table, "agree")
        view = await play_on(list(people.values()), table, until=lambda view: view["scores"] != before)
        assert sum(view["scores"]) - sum(before) == 1
        facts = [stored.fact for stored in await server.context.store.read(table)]
        assert recount(facts) == view["scores"]


async def test_bots_answer_claims() -> None:
    async with serving(MemoryStore(), entropy=seeded(22)) as server:
        people, table = await start_hand(server, STRICT, bots="ESW")
        ann = people["N"]

        def may_speak(view: dict[str, Any]) -> bool:
            legal = (view["hand"] or {}).get("legal", [])
            return any(action["act"] == "throw-in" and action["makers_tricks"] == 0 for action in legal)

        await play_on([ann], table, until=may_speak)
        view = await act(ann, table, "throw-in", makers_tricks=0)
        assert view["hand"]["phase"] == "answering"
        view = await play_on([ann], table, until=lambda view: view["hand"]["phase"] != "answering")


async def renege(people: dict[str, Client], table: str) -> tuple[str, int, int]:
    """Make a player who can follow suit not do so; returns the seat, the trick and the version."""
    for _ in range(400):
        for seat, client in people.items():
            view = await client.see(table)
            hand = view["hand"]
            if view["phase"] != "playing" or hand["phase"] != "playing" or hand["to_act"] != seat:
                continue
            own = view_from_json(hand)
            assert own.contract is not None
            cards = [card for card in own.cards if isinstance(card, Card)]
            led = own.trick[0].suit_under(own.contract.trump) if own.trick else None
            wrong = sorted(set(cards) - set(playable(tuple(cards), led, own.contract.trump)))
            if wrong and len(own.tricks) < 3:
                await client.act(table, {"act": "play", "seat": seat, "card": str(wrong[0])}, view["version"])
                return seat, len(own.tricks) + 1, view["version"] + 1
        await play_on(list(people.values()), table, until=_counted(1))
    raise AssertionError("no player could renege")


def _counted(steps: int) -> Any:
    left = steps * 4

    def enough(view: dict[str, Any]) -> bool:
        nonlocal left
        left -= 1
        return left < 0 or view["phase"] == "over"

    return enough


async def test_a_renege_is_called_proven_and_settled() -> None:
    """Nothing marks it; a player calls it, and it is ruled on once the cards on the table prove it."""
    async with serving(MemoryStore(), entropy=seeded(23)) as server:
        people, table = await start_hand(server, HONOR)
        offender, trick, version = await renege(people, table)
        caller = next(seat for seat in "NESW" if (("NESW".index(seat) - "NESW".index(offender)) % 2))
        view = await act(people[caller], table, "call-out", against=offender, irregularity="renege", trick=trick)
        assert view["action_version"] == version + 1
        phases = set()

        def settled(view: dict[str, Any]) -> bool:
            phases.add(view["hand"]["phase"])
            verdicts = view["hand"]["docket"]["verdicts"]
            return bool(verdicts) and view["hand"]["phase"] in ("closing", "scored")

        view = await play_on(list(people.values()), table, until=settled)
        [verdict] = [found for found in view["hand"]["docket"]["verdicts"] if found["call"]["against"] == offender]
        assert verdict["guilty"]
        assert "settling" in phases
        view = await play_on(
            list(people.values()),
            table,
            until=lambda view: view["phase"] != "playing" or not view["hand"]["actions"],
        )


async def test_the_next_hand_waits_until_all_are_ready() -> None:
    async with serving(MemoryStore(), entropy=seeded(24)) as server:
        people, table = await start_hand(server, HONOR, bots="SW")
        view = await play_on(list(people.values()), table, until=in_phase("closing"))
        first = people[view["hand"]["to_act"]] if view["hand"]["to_act"] in people else people["N"]
        view = await first.see(table)
        assert kinds(view) >= {"ready"}
        hands = sum(stored.fact["fact"] == "deck-sealed" for stored in await server.context.store.read(table))
        await play_on(list(people.values()), table, until=in_phase("bidding"))
        later = [stored.fact for stored in await server.context.store.read(table)]
        assert sum(fact["fact"] == "deck-sealed" for fact in later) == hands + 1
        assert sum(fact["fact"] == "acted" and fact["action"]["act"] == "ready" for fact in later) >= 4


async def test_bots_call_what_the_table_proves() -> None:
    """Ann reneges until a bot notices: then there is a verdict against her, called by a bot through the same append."""
    async with serving(MemoryStore(), entropy=seeded(25)) as server:
        people, table = await start_hand(server, {**HONOR, "changes": {**HONOR["changes"], "target": 21}}, bots="ESW")
        called: list[dict[str, Any]] = []
        for _ in range(12):
            await renege(people, table)
            facts = [stored.fact for stored in await server.context.store.read(table)]
            called = [fact for fact in facts if fact["fact"] == "acted" and fact["action"]["act"] == "call-out"]
            if called:
                break
            await play_on(list(people.values()), table, until=in_phase("closing", "bidding"))
        assert called
        assert all(fact["action"]["against"] == "N" and fact["action_id"] == "" for fact in called)
