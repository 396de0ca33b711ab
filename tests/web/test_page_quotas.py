"""Pages are limited as the API is: events and guests from one address, and a table's quota in plain words."""

from event_client import event_site, open_event
from leftbower.server.quotas import Quotas


async def test_events_from_one_address_are_counted_by_day() -> None:
    """Created and imported ones together; those that are there go on."""
    async with event_site(quotas=Quotas(events_per_address=2)) as friday:
        for _ in range(2):
            await open_event(friday)
        await friday.organizer.send("/events", title="Friday", status=429)
        await friday.organizer.send("/events/import", ledger="{}", status=429)
        await friday.settle(1, 1, "10-6")


async def test_guests_by_pages_are_counted_by_address() -> None:
    async with event_site(quotas=Quotas(guests_per_address=2)) as friday:
        tables = []
        for _ in range(2):
            response = await friday.anonymous().send("/play")
            tables.append(response.headers["location"])
        await friday.anonymous().send("/play", status=429)
        await friday.anonymous().send(f"{tables[0]}/commands", command="sit", seat="N", name="Zoe", status=429)


async def test_a_page_says_what_to_do_about_a_quota() -> None:
    async with event_site(quotas=Quotas(requests_per_person=5)) as friday:
        visitor = friday.anonymous()
        table = (await visitor.send("/tables", name="Zoe")).headers["location"]
        for _ in range(4):
            await visitor.send(f"{table}/commands", command="set-tempo", tempo="slow")
        response = await visitor.send(f"{table}/commands", command="set-tempo", tempo="slow", status=409)
        assert "Too many requests at this table; start a match or open a new table." in response.text
