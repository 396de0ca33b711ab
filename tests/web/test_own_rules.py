"""Rule sets under names of one's own: by the API and on the pages that offer them."""

import re
from dataclasses import replace
from html import unescape

from leftbower.rules import preset, to_link
from leftbower.server.quotas import Quotas
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from server_client import Client, seeded, serving

OURS = to_link(replace(preset("standard"), target=7))
PATH = "/api/me/rules"


async def test_a_person_keeps_renames_and_deletes_rules() -> None:
    async with serving(MemoryStore(), entropy=seeded(1), quotas=Quotas(rule_sets=2)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        rule_set = await ann.call("PUT", PATH, {"name": " Friday ", "rules": "standard", "changes": {"target": 7}})
        assert rule_set == {"name": "Friday", "rules": OURS}
        await ann.call("PUT", PATH, {"name": "Cup", "rules": "school-cup"})
        await ann.refused("PUT", PATH, {"name": "More", "rules": "club"}, status=409, code="quota-exceeded")
        await ann.refused(
            "PUT", PATH, {"name": "Cup", "rules": OURS, "old_name": "Friday"}, status=409, code="name-taken"
        )
        await ann.refused("PUT", PATH, {"name": "X", "rules": OURS, "old_name": "Y"}, status=404, code="not-found")
        await ann.refused("PUT", PATH, {"name": "\u200b", "rules": OURS}, status=422, code="bad-name")
        await ann.refused("PUT", PATH, {"name": "X", "rules": "lb2-nonsense"}, status=422, code="bad-link")
        await ann.call("PUT", PATH, {"name": "Monday", "rules": OURS, "old_name": "Friday"})
        assert [rule_set["name"] for rule_set in await ann.call("GET", PATH)] == ["Cup", "Monday"]
        assert await bob.call("GET", PATH) == []
        await bob.refused("DELETE", f"{PATH}?name=Cup", status=404, code="not-found")
        await ann.call("DELETE", f"{PATH}?name=Cup", status=204)
        await ann.call("DELETE", "/api/me", status=204)
        assert not await server.context.store.rule_sets()


async def test_kept_rules_are_offered_wherever_rules_are_chosen() -> None:
    """A browser keeps them for a guest, without a script."""
    async with serving(MemoryStore(), entropy=seeded(2)) as server:
        install(server.app)
        nobody = server.anonymous()
        response = await nobody.http.post("/rules/own", data={"do": "keep", "name": "Friday night", "rules": OURS})
        assert (response.status_code, response.headers["location"]) == (303, f"/rules/{OURS}")
        found = re.search(r"leftbower=([^;]+)", response.headers["set-cookie"])
        assert found
        headers = {"Cookie": f"leftbower={found[1]}"}
        for path in ("/", "/rules", "/events"):
            page = unescape((await server.http.get(path, headers=headers)).text)
            assert "Your rules" in page, path
            assert "Friday night" in page, path
        for number, (form, status, texts) in enumerate(
            [
                ({"do": "rename", "old_name": "Friday night", "name": "Monday"}, 303, ()),
                ({"do": "keep", "name": " "}, 422, ("Give your rules a name.",)),
                ({"do": "delete", "old_name": "Friday night"}, 404, ()),
                ({"do": "delete", "old_name": "Monday"}, 303, ()),
            ]
        ):
            response = await server.http.post("/rules/own", data={**form, "rules": OURS}, headers=headers)
            assert response.status_code == status, number
            for text in texts:
                assert text in unescape(response.text)
        page = (await server.http.get(f"/rules/{OURS}", headers=headers)).text
        assert "Your rules" not in page
        assert "Keep these rules" in page
        broken = await server.http.post(
            "/rules/own", data={"do": "keep", "name": "X", "rules": "lb2-"}, headers=headers
        )
        assert broken.status_code == 422


async def test_a_tournament_sheet_stands_apart_from_standard() -> None:
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        install(server.app)
        page = (await server.http.get("/")).text
        standard, _, sheets = page.partition('<optgroup label="Tournament sheets">')
        assert '<option value="standard"' in standard
        assert '<option value="club"' in sheets
        assert "The hand-outs of five real tournaments" in (await server.http.get("/rules")).text
        ann: Client = await server.guest("Ann")
        view = await ann.call("POST", "/api/tables", {}, status=201)
        assert view["link"] == to_link(preset("standard"))
