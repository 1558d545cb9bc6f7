//! Requests of admins as entries of the history.

use crate::domain::names::{Handle, fold_for_lookup};
use crate::domain::patches::Patch;
use crate::domain::trust::Action;
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::moderation::ModerationRow;
use crate::store::players::PlayerRow;
use crate::store::{ingest, keys, players, users};
use crate::views::moderation::{ModerationRequest, ModerationTarget};

const MAX_REASON_CHARS: usize = 500;

/// The entry of a request. A target that does not exist, or that the action does not concern, is an error.
pub(super) fn parse(conn: &mut AnyConn, request: &ModerationRequest) -> Result<ModerationRow, AppError> {
    let mut row = target(conn, &request.target)?;
    row.action = request.action.code();
    row.reason = reason(&request.reason)?;
    match request.action {
        Action::Block | Action::Unblock => {
            require(row.key_id.is_some() || row.user_id.is_some(), "a key or an account")?
        }
        Action::Remove | Action::Restore => {
            require(row.patch_version.is_none(), "an event, a key, an account or a player")?;
        }
        Action::Pin => require(row.patch_version.is_some(), "a patch")?,
        Action::Rename => {
            require(row.player_id.is_some(), "a player")?;
            row.argument = Some(new_handle(request)?.to_string());
        }
        Action::Merge => {
            require(row.player_id.is_some(), "a player")?;
            let into = player(conn, new_handle(request)?.as_str())?;
            if Some(into.id) == row.player_id {
                return Err(AppError::invalid_parameter("handle", "another player"));
            }
            (row.into_player_id, row.argument) = (Some(into.id), Some(into.handle));
        }
    }
    Ok(row)
}

fn require(is_possible: bool, what: &str) -> Result<(), AppError> {
    if is_possible { Ok(()) } else { Err(AppError::Validation(format!("This action concerns {what}."))) }
}

fn new_handle(request: &ModerationRequest) -> Result<Handle, AppError> {
    let text = request.handle.as_deref().unwrap_or_default().trim();
    Handle::parse(text).map_err(|_| AppError::invalid_value("handle", text, "3 to 60 letters, digits, '-' or '_'"))
}

/// The text with which an action is explained.
fn reason(text: &str) -> Result<String, AppError> {
    let text = text.trim();
    let is_valid = (1..=MAX_REASON_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if is_valid { Ok(text.to_owned()) } else { Err(AppError::invalid_parameter("reason", "1 to 500 characters")) }
}

/// An entry with the target of a request.
pub(super) fn target(conn: &mut AnyConn, target: &ModerationTarget) -> Result<ModerationRow, AppError> {
    let ModerationTarget { key, account, player: handle, event, patch, from, until } = target;
    let given = [key.is_some(), account.is_some(), handle.is_some(), event.is_some(), patch.is_some()];
    if given.iter().filter(|is_given| **is_given).count() != 1 {
        return Err(AppError::Validation("Name exactly one of key, account, player, event and patch.".into()));
    }
    let millis = |secs: Option<i64>| secs.map(|secs| secs.saturating_mul(1_000));
    let mut row = ModerationRow { from_time: millis(*from), until_time: millis(*until), ..ModerationRow::default() };
    let not_found = |sentence: String| AppError::NotFound(sentence);
    if let Some(id) = key {
        keys::find(conn, *id)?.ok_or_else(|| not_found(format!("No ingest key has the id {id}.")))?;
        (row.key_id, row.name) = (Some(*id), Some(format!("key {id}")));
    } else if let Some(id) = account {
        let user = users::find_by_discord_id(conn, id.trim())?;
        let user = user.ok_or_else(|| not_found(format!("No account has the Discord id '{id}'.")))?;
        (row.user_id, row.name) = (Some(user.id), Some(format!("account {}", user.id)));
    } else if let Some(handle) = handle {
        let found = player(conn, handle)?;
        (row.player_id, row.name) = (Some(found.id), Some(found.handle));
    } else if let Some(id) = event {
        let event = ingest::event_by_id(conn, *id)?.filter(|event| event.fight_of.is_none());
        event.ok_or_else(|| not_found("Event not found.".into()))?;
        (row.event_id, row.name) = (Some(*id), Some(format!("event {id}")));
    } else if let Some(text) = patch {
        let patch = Patch::parse(text.trim())
            .ok_or_else(|| AppError::invalid_value("patch", text, "a patch, such as 4.3.2"))?;
        (row.patch_version, row.name) = (Some(patch.version()), Some(patch.as_str().to_owned()));
    }
    Ok(row)
}

fn player(conn: &mut AnyConn, handle: &str) -> Result<PlayerRow, AppError> {
    let folded = fold_for_lookup(handle.trim()).unwrap_or_default();
    players::find_by_handle(conn, &folded)?.ok_or_else(|| AppError::player_not_found(handle))
}
