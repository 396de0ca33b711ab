"""An independent computation of a record's chain, from docs/how-it-works/dealing.md and the standard library alone.

`rechained` makes a changed record consistent, as a forger with the whole record could: every inner hash is valid then,
and only the published roots reveal that it is another record.
"""

import copy
import hashlib
import json
from typing import Any

Plain = dict[str, Any]


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def text_of(thing: object) -> str:
    return json.dumps(thing, sort_keys=True, separators=(",", ":"))


def parsed(record: str) -> list[Plain]:
    return [json.loads(line) for line in record.splitlines()]


def dump_lines(lines: list[Plain]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def players_bound(players: Plain) -> Plain:
    """Without the names and salts behind commitments."""
    stripped = {}
    for seat, player in players.items():
        stripped[seat] = dict(player)
        if "commitment" in player:
            stripped[seat].pop("name", None)
            stripped[seat].pop("salt", None)
    return stripped


def root_of_match(header: Plain) -> str:
    opening = {"table": header["table"], "match": header["match"], "rules": header["rules"]}
    return sha("leftbower match 1:" + text_of(opening | {"players": players_bound(header["players"])}))


def root_of_deck(seal: Plain, link: str, number: int, kind: str) -> str:
    cards = [seal["deck"][index : index + 2] for index in range(0, len(seal["deck"]), 2)]
    leaves = [sha(f"leftbower leaf 1:{index}:{cards[index]}:{seal['salts'][index]}") for index in range(len(cards))]
    leaves.append(sha("leftbower bot leaf 1:" + seal["bot_secret"]))
    changed = text_of(players_bound(seal.get("players", {})))
    return sha(f"leftbower root 3:{link}:{number}:{kind}:{changed}:" + "".join(leaves))


def link_after(seal: Plain, played: list[Plain]) -> str:
    parts = [seal["cut"], seal.get("packets"), *played]
    return sha(f"leftbower link 1:{seal['root']}:{seal['bot_secret']}:{text_of(parts)}")


def decks_of(lines: list[Plain]) -> list[list[Plain]]:
    """The facts of a record, grouped by deck."""
    decks: list[list[Plain]] = []
    for line in lines:
        if line.get("fact") in ("draw", "deal"):
            decks.append([])
        if "fact" in line:
            decks[-1].append(line)
    return decks


def rechained(lines: list[Plain]) -> list[Plain]:
    """The same lines with every commitment, number, link and root recomputed; decks count from 1."""
    lines = copy.deepcopy(lines)
    header, last = lines[0], lines[-1]
    for holder in (header, *(line.get("seal", {}) for line in lines)):
        for player in holder.get("players", {}).values():
            if player.get("salt"):
                player["commitment"] = sha(f"leftbower name 1:{player['salt']}:{player['name']}")
    link = header["root"] = root_of_match(header)
    for number, facts in enumerate(decks_of(lines), 1):
        seal = facts[0]["seal"]
        kind = "draw" if facts[0]["fact"] == "draw" else "hand"
        seal |= {"kind": kind, "number": number, "link": link}
        seal["root"] = root_of_deck(seal, link, number, kind)
        link = link_after(seal, [{key: fact[key] for key in fact if key != "seal"} for fact in facts])
    if "end" in last:
        last["root"] = sha(f"leftbower end 1:{link}:{text_of(last['end'])}")
    if "so_far" in last:
        last["so_far"] = {"link": link}
    return lines


def without_name(record: str, name: str) -> str:
    """The record after the player with this name was erased: neither name nor salt is left."""
    lines = parsed(record)
    for holder in (lines[0], *(line.get("seal", {}) for line in lines)):
        for player in holder.get("players", {}).values():
            if player["name"] == name:
                player["name"] = ""
                del player["salt"]
    return dump_lines(lines)
