"""A table as a fold over its log: facts, reducer, command validation, due actions, and JSON for each viewer."""

from leftbower.table.chain import current_link as current_link
from leftbower.table.clocks import (
    DELAY_FACTORS as DELAY_FACTORS,
    TIME_ALLOWANCES as TIME_ALLOWANCES,
    Tempo as Tempo,
    TimeControl as TimeControl,
)
from leftbower.table.counters import is_spectator as is_spectator
from leftbower.table.due import (
    CANCELLABLE as CANCELLABLE,
    EVENT_RECONNECT_GRACE_SECONDS as EVENT_RECONNECT_GRACE_SECONDS,
    HAND_PAUSE_SECONDS as HAND_PAUSE_SECONDS,
    IDLE_TIMEOUT_SECONDS as IDLE_TIMEOUT_SECONDS,
    RECONNECT_GRACE_SECONDS as RECONNECT_GRACE_SECONDS,
    TRICK_DISPLAY_SECONDS as TRICK_DISPLAY_SECONDS,
    BotActDue as BotActDue,
    CutDue as CutDue,
    DealDue as DealDue,
    DeckDue as DeckDue,
    DrawDue as DrawDue,
    DueAction as DueAction,
    LastCardDue as LastCardDue,
    MatchOpeningDue as MatchOpeningDue,
    PartnerDue as PartnerDue,
    SubstituteDue as SubstituteDue,
    TimeoutDue as TimeoutDue,
    Timeouts as Timeouts,
    next_due as next_due,
    pause_before_deal as pause_before_deal,
    person_to_act as person_to_act,
)
from leftbower.table.facts import (
    CHAT_PHRASES as CHAT_PHRASES,
    Acted as Acted,
    Agreed as Agreed,
    BotRemoved as BotRemoved,
    BotSeated as BotSeated,
    BotSubstituted as BotSubstituted,
    ChatSent as ChatSent,
    Created as Created,
    CutOffered as CutOffered,
    DeckCut as DeckCut,
    DeckSealed as DeckSealed,
    Disconnected as Disconnected,
    DrawDeckSealed as DrawDeckSealed,
    FreeChatChanged as FreeChatChanged,
    HandDealt as HandDealt,
    HintsChanged as HintsChanged,
    HostChanged as HostChanged,
    LastCardModeChanged as LastCardModeChanged,
    Left as Left,
    MatchOpened as MatchOpened,
    Muted as Muted,
    PlayerRemoved as PlayerRemoved,
    Reconnected as Reconnected,
    RejoinAnnounced as RejoinAnnounced,
    RematchRequested as RematchRequested,
    RulesChanged as RulesChanged,
    Sat as Sat,
    SeatsSwapped as SeatsSwapped,
    TableClosed as TableClosed,
    TableFact as TableFact,
    TempoChanged as TempoChanged,
    TimeControlChanged as TimeControlChanged,
    TimedOut as TimedOut,
    UndoAnswered as UndoAnswered,
    UndoRequested as UndoRequested,
    WatchingChanged as WatchingChanged,
    table_fact_from_json as table_fact_from_json,
    table_fact_to_json as table_fact_to_json,
)
from leftbower.table.matches import (
    check_match_access as check_match_access,
    match_to_json as match_to_json,
    readable_matches as readable_matches,
)
from leftbower.table.projection import (
    current_scores as current_scores,
    hand_view_for as hand_view_for,
    open_positions_for as open_positions_for,
    opened_card_to_json as opened_card_to_json,
    table_to_json as table_to_json,
    viewing_seat as viewing_seat,
)
from leftbower.table.reducer import (
    apply_fact as apply_fact,
    replay as replay,
    with_store_stamp as with_store_stamp,
)
from leftbower.table.seat_names import (
    free_name as free_name,
    name_key as name_key,
    seat_names as seat_names,
)
from leftbower.table.state import (
    Agreement as Agreement,
    FinishedMatch as FinishedMatch,
    SeatedBot as SeatedBot,
    SeatedPerson as SeatedPerson,
    Seats as Seats,
    Table as Table,
    cutting_seat as cutting_seat,
    idempotency_key as idempotency_key,
    occupant_from_json as occupant_from_json,
    occupant_to_json as occupant_to_json,
)
from leftbower.table.validate import validate as validate, validate_before_apply as validate_before_apply
