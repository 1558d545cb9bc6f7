//! Reads and writes of ingest: known events, new rows, and the scores derived from them.

mod events;
mod figures;
mod play_sessions;

pub use events::{
    EventPlayer, EventRow, KnownFight, KnownIdentity, RecentEvent, WitnessRow, add_witnesses, event_by_id,
    events_between, insert_event_players, insert_events, known_fights, known_identities, last_id, list_witnesses,
    lock_events, recent_events, remove_event_player, remove_events, replace_witnesses, reserve_ids, witnesses_of,
};
pub use figures::{
    MissionChange, PatchChange, PatchState, ScoreChange, ScoreRow, add_counters, add_days, add_guild_scores,
    add_mission_use, add_patch_use, add_patches, add_player_patches, add_scores, add_vehicle_use, add_weapon_use,
    insert_scores, refresh_last_active,
};
pub use play_sessions::{
    PlaySessionRow, activity_between, newest_sessions, next_login, remove_session, session_at, sessions_between,
    upsert_sessions,
};

/// Rows per statement; keeps the widest table below SQLite's limit of 32,766 bound values.
const CHUNK: usize = 1_000;
