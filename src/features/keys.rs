//! Ingest keys: created once, shown once, stored as hashes.

use std::sync::Arc;

use crate::app::App;
use crate::domain::trust::Reporter;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::moderation::block_reason;
use crate::features::secret;
use crate::store::changes::{self, Change};
use crate::store::conn::AnyConn;
use crate::store::keys::NewKey;
use crate::store::{Store, Tx, keys, users};
use crate::views::keys::IngestKey;

/// The prefix of every key, by which people and secret scanners recognize it.
const PREFIX: &str = "apogee_";
const MAX_NAME_CHARS: usize = 60;
/// The maximum number of active keys of one user.
const MAX_ACTIVE_KEYS: i64 = 20;

/// The owner of a new key, and so the rules that its events follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOwner {
    /// The operator, whose reports are believed.
    Operator,
    /// A log reader without a user, under the rules of account keys.
    Reader,
    User(i64),
}

/// Creates a key; returns its id and the key itself, which is not stored.
pub async fn create(store: &Store, name: &str, owner: KeyOwner) -> Result<(i64, String), AppError> {
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        return Err(AppError::invalid_parameter("name", "1 to 60 characters"));
    }
    let key = new_key()?;
    let (hash, now) = (secret::hash(&key), store.now().0);
    let insert = move |tx: &mut Tx| match owner {
        KeyOwner::User(user_id) => insert_own(tx, &name, &hash, user_id, now),
        KeyOwner::Operator | KeyOwner::Reader => {
            let is_operator = owner == KeyOwner::Operator;
            let new = NewKey { name: &name, key_hash: &hash, user_id: None, is_operator, created_at: now };
            Ok(keys::insert(tx, new)?)
        }
    };
    Ok((store.write(insert).await?, key))
}

/// Inserts a key of a user with fewer than [`MAX_ACTIVE_KEYS`] live ones; returns its id.
pub fn insert_own(tx: &mut Tx, name: &str, key_hash: &str, user_id: i64, now: i64) -> Result<i64, AppError> {
    users::lock(tx, user_id)?;
    if users::find(tx, user_id)?.is_some_and(|user| user.blocked_at.is_some()) {
        return Err(AppError::Forbidden(
            "The admins of this site have blocked your account: it uploads nothing.".into(),
        ));
    }
    if keys::count_live(tx, user_id)? >= MAX_ACTIVE_KEYS {
        let sentence = format!("You have {MAX_ACTIVE_KEYS} ingest keys. Revoke one on the Connect App page first.");
        return Err(AppError::Conflict(sentence));
    }
    let new = NewKey { name, key_hash, user_id: Some(user_id), is_operator: false, created_at: now };
    Ok(keys::insert(tx, new)?)
}

/// Generates a random key.
pub fn new_key() -> Result<String, AppError> {
    Ok(format!("{PREFIX}{}", secret::hex::<24>().map_err(AppError::internal)?))
}

/// All keys, or those of one user.
pub async fn list(store: &Store, user_id: Option<i64>) -> Result<Vec<IngestKey>, AppError> {
    let rows = store.read(move |conn| keys::list(conn, user_id)).await?;
    Ok(rows.into_iter().map(IngestKey::from).collect())
}

/// Finds the active key with this id or name.
async fn find_active_id(store: &Store, which: &str) -> Result<i64, AppError> {
    let all = store.read(|conn| keys::list(conn, None)).await?;
    let named = |key: &&keys::KeyRow| key.revoked_at.is_none() && (key.id.to_string() == which || key.name == which);
    let ids: Vec<i64> = all.iter().filter(named).map(|key| key.id).collect();
    match ids[..] {
        [id] => Ok(id),
        [] => Err(AppError::NotFound(format!("No active key has the id or name '{which}'."))),
        _ => Err(AppError::NotFound(format!("{} active keys are named '{which}': pass the id of one.", ids.len()))),
    }
}

/// Confirms keys that await review after a restore: the one with this id or name, or all. Returns their number.
pub async fn confirm(store: &Store, which: Option<&str>) -> Result<usize, AppError> {
    let ids = match which {
        Some(which) => vec![find_active_id(store, which).await?],
        None => store.read(|conn| keys::for_review(conn, i64::MAX)).await?.iter().map(|key| key.id).collect(),
    };
    store.write(move |tx| Ok::<_, AppError>(keys::confirm(tx, &ids)?)).await
}

/// Revokes the active key with this id or name.
pub async fn revoke(store: &Store, which: &str) -> Result<(), AppError> {
    let (id, now) = (find_active_id(store, which).await?, store.now().0);
    revoke_by_id(store, id, now).await
}

async fn revoke_by_id(store: &Store, id: i64, now: i64) -> Result<(), AppError> {
    let act = move |tx: &mut Tx| {
        keys::revoke(tx, id, now)?;
        // Every process clears its cache of keys.
        Ok::<_, AppError>(changes::record(tx, Change::IngestKeys)?)
    };
    store.write(act).await
}

/// The active keys of the signed-in user, oldest first.
pub async fn list_own(store: &Store, member: &Member) -> Result<Vec<IngestKey>, AppError> {
    let all = list(store, Some(member.user_id)).await?;
    Ok(all.into_iter().filter(|key| key.revoked_at.is_none()).collect())
}

/// Creates a key for the signed-in user; returns it with its secret.
pub async fn create_own(store: &Store, member: &Member, name: &str) -> Result<(IngestKey, String), AppError> {
    let (id, secret) = create(store, name, KeyOwner::User(member.user_id)).await?;
    let row = store.read(move |conn| keys::find(conn, id)).await?;
    let row = row.ok_or_else(|| AppError::NotFound("Key not found.".into()))?;
    Ok((row.into(), secret))
}

/// Revokes a key of the signed-in user, or any key for admins. It is rejected from now on.
pub async fn revoke_own(app: &Arc<App>, member: &Member, id: &str) -> Result<(), AppError> {
    let (id, now) = (find_editable_id(&app.store, member, id).await?, app.store.now().0);
    revoke_by_id(&app.store, id, now).await
}

/// Confirms a key of the signed-in user, or any key for admins, so that it can upload again after a restore.
pub async fn confirm_own(store: &Store, member: &Member, id: &str) -> Result<(), AppError> {
    let id = find_editable_id(store, member, id).await?;
    store.write(move |tx| Ok::<_, AppError>(keys::confirm(tx, &[id])?)).await?;
    tracing::info!(user = member.user_id, key = id, "an ingest key was confirmed");
    Ok(())
}

/// Finds a active key that the user may change.
async fn find_editable_id(store: &Store, member: &Member, id: &str) -> Result<i64, AppError> {
    let missing = || AppError::NotFound("Key not found.".into());
    let id: i64 = id.parse().map_err(|_| missing())?;
    let key = store.read(move |conn| keys::find(conn, id)).await?;
    let is_own = |key: &keys::KeyRow| key.user_id == Some(member.user_id) || member.is_admin;
    if key.filter(is_own).is_none_or(|key| key.revoked_at.is_some()) { Err(missing()) } else { Ok(id) }
}

/// Verifies an ingest key; returns the reporter that it belongs to.
pub async fn authenticate(app: &App, key: &str) -> Result<Reporter, AppError> {
    let hash = secret::hash(key);
    if let Some(reporter) = app.projections.ingest_keys().get(&hash) {
        return Ok(reporter);
    }
    let wanted = hash.clone();
    let read = move |conn: &mut AnyConn| {
        let key = keys::find_by_hash(conn, &wanted)?;
        key_state(conn, key)
    };
    let found = app.store.read(read).await?;
    match found {
        Some(KeyState { reason: Some(reason), .. }) => Err(blocked(&reason)),
        Some(KeyState { key, .. }) if key.revoked_at.is_some() => {
            Err(AppError::Unauthorized("This ingest key was revoked. Create a new one on the Connect App page.".into()))
        }
        Some(KeyState { key, .. }) if key.review_since.is_some() => Err(AppError::Unauthorized(
            "This ingest key comes from a restored backup. Confirm it on the Connect App page to upload again.".into(),
        )),
        Some(KeyState { key, .. }) => {
            app.projections.ingest_keys().insert(hash, key.reporter());
            Ok(key.reporter())
        }
        None => Err(AppError::Unauthorized("This ingest key is unknown. Create one on the Connect App page.".into())),
    }
}

/// The reporter of what a signed-in user uploads without an ingest key. The same rules apply as to the user's keys.
pub async fn session_reporter(app: &App, member: &Member) -> Result<Reporter, AppError> {
    // No hash has this form.
    let (user_id, cached) = (member.user_id, format!("session of {}", member.user_id));
    if let Some(reporter) = app.projections.ingest_keys().get(&cached) {
        return Ok(reporter);
    }
    let found = app.store.read(move |conn| session_key(conn, user_id)).await?;
    let state = match found {
        Some(state) => state,
        None => create_session_key(&app.store, user_id).await?,
    };
    if let Some(reason) = state.reason {
        return Err(blocked(&reason));
    }
    app.projections.ingest_keys().insert(cached, state.key.reporter());
    Ok(state.key.reporter())
}

fn session_key(conn: &mut AnyConn, user_id: i64) -> diesel::QueryResult<Option<KeyState>> {
    let key = keys::find_of_session(conn, user_id)?;
    key_state(conn, key)
}

/// Reports belong to a key, so a user who uploads in the browser has one that nobody can present.
async fn create_session_key(store: &Store, user_id: i64) -> Result<KeyState, AppError> {
    let (hash, now) = (secret::hash(&new_key()?), store.now().0);
    let insert = move |tx: &mut Tx| {
        users::lock(tx, user_id)?;
        if session_key(tx, user_id)?.is_none() {
            let new = NewKey {
                name: "Browser",
                key_hash: &hash,
                user_id: Some(user_id),
                is_operator: false,
                created_at: now,
            };
            let id = keys::insert(tx, new)?;
            keys::revoke(tx, id, now)?;
        }
        Ok::<_, AppError>(session_key(tx, user_id)?)
    };
    store.write(insert).await?.ok_or_else(|| AppError::NotFound("Account not found.".into()))
}

fn blocked(reason: &str) -> AppError {
    AppError::Forbidden(format!("The admins of this site have blocked this ingest key or its account: {reason}"))
}

/// A key, and why an admin blocks it or its account.
struct KeyState {
    key: keys::KeyRow,
    reason: Option<String>,
}

fn key_state(conn: &mut AnyConn, key: Option<keys::KeyRow>) -> diesel::QueryResult<Option<KeyState>> {
    let Some(key) = key else { return Ok(None) };
    let user = key.user_id.map_or(Ok(None), |id| users::find(conn, id))?;
    let is_blocked = key.blocked_at.is_some() || user.is_some_and(|user| user.blocked_at.is_some());
    let reason = if is_blocked { block_reason(conn, key.id, key.user_id)? } else { None };
    Ok(Some(KeyState { key, reason: reason.or_else(|| is_blocked.then(String::new)) }))
}
