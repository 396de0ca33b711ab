"""Engine: hands, games and matches as folds over actions, and the view each seat gets of them."""

from leftbower.engine.actions import (
    Act as Act,
    Action as Action,
    Agree as Agree,
    Bury as Bury,
    CallOut as CallOut,
    Claim as Claim,
    Correct as Correct,
    DefendAlone as DefendAlone,
    DefendTogether as DefendTogether,
    Disagree as Disagree,
    GoAlone as GoAlone,
    GoTogether as GoTogether,
    KeepHand as KeepHand,
    LayAway as LayAway,
    Name as Name,
    Order as Order,
    Pass as Pass,
    Play as Play,
    Ready as Ready,
    Settle as Settle,
    ShowFarmersHand as ShowFarmersHand,
    Talk as Talk,
    Terms as Terms,
    ThrowIn as ThrowIn,
    TurnUp as TurnUp,
)
from leftbower.engine.bidding import unasked_alone as unasked_alone
from leftbower.engine.claim_proof import (
    certain_order as certain_order,
    claim_is_certain as claim_is_certain,
    is_certain as is_certain,
)
from leftbower.engine.deal import (
    Deal as Deal,
    Draw as Draw,
    closed_kitty as closed_kitty,
    deal_hand as deal_hand,
    draw_dealer as draw_dealer,
    usual_packets as usual_packets,
)
from leftbower.engine.game import (
    Game as Game,
    GameOver as GameOver,
    InHand as InHand,
    Scores as Scores,
    ToDeal as ToDeal,
    add_points as add_points,
    advance_game as advance_game,
    may_end_tied as may_end_tied,
    new_game as new_game,
    winner as winner,
)
from leftbower.engine.hand import (
    acts as acts,
    apply as apply,
    legal_actions as legal_actions,
    replay as replay,
    start as start,
    talk as talk,
    whose_turn as whose_turn,
)
from leftbower.engine.honor import points_so_far as points_so_far
from leftbower.engine.legal_view import HandViews as HandViews, view as view
from leftbower.engine.match import (
    Fact as Fact,
    InGame as InGame,
    Match as Match,
    MatchOver as MatchOver,
    ToDraw as ToDraw,
    advance_match as advance_match,
    is_match_decided as is_match_decided,
    new_match as new_match,
)
from leftbower.engine.play import active_seats as active_seats, first_leader as first_leader
from leftbower.engine.states import (
    Answering as Answering,
    AskingDefenders as AskingDefenders,
    AskingFarmers as AskingFarmers,
    Bidding as Bidding,
    Closing as Closing,
    Contract as Contract,
    DecidingAlone as DecidingAlone,
    Discarding as Discarding,
    Docket as Docket,
    ExchangingDummy as ExchangingDummy,
    FaceDown as FaceDown,
    Hand as Hand,
    OpenState as OpenState,
    Penalty as Penalty,
    Playing as Playing,
    PublicContract as PublicContract,
    Reason as Reason,
    Scored as Scored,
    Settling as Settling,
    State as State,
    Trick as Trick,
    Verdict as Verdict,
    makers_tricks as makers_tricks,
)
from leftbower.engine.view import (
    Ending as Ending,
    Phase as Phase,
    UpCardStatus as UpCardStatus,
    View as View,
    disputed_tricks as disputed_tricks,
    looking_back as looking_back,
)
