//! Reads and writes of ingest: known events, new rows, and the scores derived from them.

mod events;
mod figures;
mod play_sessions;
mod ships;

pub use events::{
    EventPlayer, EventRow, FIRST_REMOVED_STATE, KnownReport, delete_opt_in, event_by_id, events_between,
    insert_event_players, insert_events, known_fights, known_identities, last_id, lock_reports, opt_in_reports,
    others_of, remove_event_players, reports_between, reports_of, reserve_ids, update_reports,
};
pub use figures::{
    GiverChange, MissionChange, PatchChange, ScoreChange, ScoreRow, add_counters, add_days, add_giver_use,
    add_guild_scores, add_mission_use, add_patch_use, add_patches, add_player_patches, add_scores, add_vehicle_use,
    add_weapon_use, insert_scores, refresh_last_active,
};
pub use play_sessions::{
    PlaySessionRow, activity_between, last_activity, next_login, remove_session, session_at, sessions_between,
    upsert_sessions,
};
pub use ships::{SeatUse, ShipRow, add_ships, replace_ship_times, seat_uses};
