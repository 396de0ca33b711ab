"""Response models."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class ResponseModel(BaseModel):
    """Forbids fields that are not declared."""

    model_config = ConfigDict(extra="forbid")


class NewSession(ResponseModel):
    """A person and a token to act for them. The token is shown only in this response."""

    person: str
    name: str
    token: str


class RuleSetView(ResponseModel):
    """Rules that you keep."""

    name: str
    rules: str = Field(description="The rules link, for a new table or event.")


class Me(ResponseModel):
    """The caller."""

    person: str
    name: str


class Token(ResponseModel):
    """A token, shown only in this response."""

    token: str


class Invitation(ResponseModel):
    """An invitation code of a table."""

    code: str
    table: str


class SeatedPersonView(ResponseModel):
    """A seat taken by a person."""

    person: str


class SeatedBotView(ResponseModel):
    """A seat taken by a bot."""

    bot: str = Field(description="Its level, with its temper if it calls boldly or cautiously: `expert+bold`.")
    stands_for: str = Field("", description="Name of the absent player of an event in whose chair it sits.")


Phase = Literal["gathering", "drawing", "dealing", "cutting", "playing", "over", "closed"]


class TableListing(ResponseModel):
    """A table in a list."""

    table: str
    phase: Phase
    title: str
    sheet: str
    host: str
    seats: dict[str, SeatedPersonView | SeatedBotView]


class You(ResponseModel):
    """The viewer."""

    person: str | None
    seat: str | None
    plays: bool = Field(description="False for a latecomer, who plays from the next hand.")


class PlayerIdentity(ResponseModel):
    """A player as roots bind it: a bot by level and version, a person by the commitment to their name."""

    kind: Literal["human", "bot"]
    name: str | None = Field(None, description="The level of a bot.")
    version: str | None = Field(None, description="The leftbower version of the bot.")
    commitment: str | None = Field(None, description="The hash that binds a person's name.")


class MatchView(ResponseModel):
    """The current or last match, and the roots that bind it."""

    number: int = Field(description="1 for the first match of the table.")
    root: str = Field(description="Binds table, match number, rules and players; published before the first deck.")
    players: dict[str, PlayerIdentity] = Field(description="By seat, at the start of the match.")
    final_root: str | None = Field(description="Binds the whole match; null until it is over.")


class SealView(ResponseModel):
    """The sealed deck of the current hand, the next hand, or the draw for the dealer."""

    kind: Literal["draw", "hand"]
    number: int = Field(description="The deck's number in the match.")
    link: str = Field(description="Binds everything before it in the match.")
    players: dict[str, PlayerIdentity] | None = Field(None, description="Players who changed since the previous deck.")
    root: str
    leaves: list[str]
    bot_leaf: str = Field(description="Binds the secret that seeds the bots in this deal.")


class UndoView(ResponseModel):
    """A request to undo the last action of a person."""

    person: str
    agreed: list[str]


class ClockView(ResponseModel):
    """The clock of the table, in seconds; without a clock only its kind."""

    kind: Literal["off", "relaxed", "quick"]
    per_decision: float | None = Field(None, description="Seconds per decision.")
    banks: dict[str, float] | None = Field(None, description="Seconds left in the time bank, by seat.")


class ChatLine(ResponseModel):
    """A chat message."""

    version: int
    person: str
    phrase: str = Field(description="A fixed phrase, or empty.")
    text: str = Field(description="A typed message; empty for a phrase, or if it was erased.")


class ChatView(ResponseModel):
    """The chat of the table."""

    free: bool = Field(description="Are typed messages allowed?")
    muted: list[str] = Field(description="People you have muted.")
    messages: list[ChatLine]


class TableView(ResponseModel):
    """A table as one person or a spectator may see it."""

    table: str
    version: int = Field(description="The number of the last fact; every action names a version.")
    phase: Phase
    title: str = Field(description="The host's name for the table; may be empty.")
    host: str
    rules: dict[str, Any] = Field(description="Every option of the rule set.")
    link: str = Field(description="The same as a link.")
    bot_level: str = Field(description="Level of the bots that replace people who leave.")
    clock: ClockView
    tempo: Literal["slow", "steady", "brisk"] = Field(description="How fast bots play.")
    watching: bool = Field(description="May people without a seat see the hands? Otherwise they get no `hand`.")
    hints: bool = Field(description="May people who play with others get hints during a hand?")
    seconds_left: float | None = Field(None, description="Seconds until the clock of the player to act runs out.")
    seats: dict[str, SeatedPersonView | SeatedBotView | None]
    away: list[str] = Field(description="Seated people who have dropped out.")
    substituted: list[str] = Field(description="People for whom a bot is playing.")
    latecomers: dict[str, str] = Field(
        description="Latecomers, by the bot's seat that they take over with the next hand."
    )
    agreed: list[str] = Field(description="People who agreed to the current rules.")
    agreed_before_change: list[str] = Field(
        description="People who agreed before the host changed the rules or the clock."
    )
    rejoins: list[str] = Field(
        description="Seats whose player the desk has let join from another device, which gets the seat only between "
        "matches."
    )
    rematch: list[str] = Field(description="People who want a rematch.")
    you: You
    auto_last_card: bool = Field(description="Does the server play your last card?")
    wins: list[int] = Field(description="Games won by each side.")
    scores: list[int] = Field(description="By side; with what the hand in play has brought so far.")
    dealer: str | None
    cutter: str | None = Field(
        description="The seat that is offered the cut, before a deal or the draw for the dealer."
    )
    dealing_seat: str | None = Field(description="The seat that must deal now, at an honor table.")
    may_offer_cut: bool = Field(description="May the seat under `dealing_seat` offer the cut before it deals?")
    match: MatchView | None
    sealed: SealView | None
    shuffler: str | None = Field(
        description="The seat that shuffled the deck for the draw; null for the deck of a hand."
    )
    opened: list[dict[str, Any]] = Field(description="Public cards, each with the proof of its position.")
    hand: dict[str, Any] | None = Field(description="The hand as you may see it; `legal` lists what you may do.")
    undo: UndoView | None
    chat: ChatView
    people: dict[str, str] = Field(description="Names by person id; empty for erased people.")
    names: dict[str, str] = Field(description="Names by seat, of people and bots: the same for every viewer.")


class ActionResult(TableView):
    """The table after an action."""

    action_version: int = Field(description="The version that the action created; a retry gets the same.")


class MatchListing(ResponseModel):
    """A finished match of a table."""

    number: int = Field(description="1 for the first match of the table.")
    version: int = Field(description="The table version at which it ended.")
    ended: float = Field(description="When it ended, in seconds since 1970.")
    sheet: str
    link: str = Field(description="Its rules.")
    wins: list[int] = Field(description="Games won by each side.")
    scores: list[int] = Field(description="The score of its last game.")
    winner: list[str] | None = Field(description="The seats of the winning side; null for a tie.")
    seats: dict[str, SeatedPersonView | SeatedBotView] = Field(description="Who sat where when it ended.")
    root: str = Field(description="Binds table, number, rules and players; published before the first deck.")
    final_root: str = Field(description="Binds the whole match; published at its end.")
    people: dict[str, str] = Field(description="Names of its players by id; empty for erased people.")


class Health(ResponseModel):
    """The state of the server."""

    store: Literal["ok"]
    feeds: int = Field(description="Open feeds.")
    busy: int = Field(description="Tables with work in progress.")
