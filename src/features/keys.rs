//! Ingest keys: made once, shown once, kept as hashes.

use std::sync::Arc;

use crate::app::App;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::chance;
use crate::features::changes::{self, Change, Noted};
use crate::store::{Store, Tx, keys};
use crate::views::keys::IngestKey;

/// How a key begins, so that people and scanners recognise one.
const PREFIX: &str = "apogee_";
const NAME_MAX: usize = 60;
/// Live keys of one user.
const MOST: usize = 20;

/// Makes a key; gives its id and the key itself, which is kept nowhere.
pub async fn create(store: &Store, name: &str, user_id: Option<i64>) -> Result<(i64, String), AppError> {
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_MAX || name.chars().any(char::is_control) {
        return Err(AppError::parameter("name", "1 to 60 characters"));
    }
    let key = new_key()?;
    let (hash, now) = (chance::hash(&key), App::now().0);
    let id = store.write(move |tx| keys::insert(tx, &name, &hash, user_id, now).map_err(AppError::from)).await?;
    Ok((id, key))
}

/// A key that nobody has yet.
pub fn new_key() -> Result<String, AppError> {
    Ok(format!("{PREFIX}{}", chance::hex::<24>().map_err(AppError::internal)?))
}

/// All keys, or those of one user.
pub async fn list(store: &Store, user_id: Option<i64>) -> Result<Vec<IngestKey>, AppError> {
    let rows = store.read(move |conn| keys::list(conn, user_id)).await?;
    Ok(rows.into_iter().map(IngestKey::from).collect())
}

/// Ends a key, named by its id or by its name; of one user or of anybody.
pub async fn revoke(store: &Store, which: &str, user_id: Option<i64>) -> Result<(), AppError> {
    let all = store.read(move |conn| keys::list(conn, user_id)).await?;
    let named = |key: &&keys::KeyRow| key.revoked_at.is_none() && (key.id.to_string() == which || key.name == which);
    let ids: Vec<i64> = all.iter().filter(named).map(|key| key.id).collect();
    let [id] = ids[..] else {
        let sentence = match ids.len() {
            0 => format!("There is no live key '{which}'."),
            n => format!("{n} live keys are called '{which}': name one by its id."),
        };
        return Err(AppError::NotFound(sentence));
    };
    let now = App::now().0;
    store
        .write(move |tx| {
            keys::revoke(tx, id, now)?;
            // Every process forgets the keys it has just seen, this one included.
            changes::note(tx, Change::Keys)
        })
        .await?;
    Ok(())
}

/// The live keys of the signed-in user, oldest first.
pub async fn own(app: &App, member: &Member) -> Result<Vec<IngestKey>, AppError> {
    let all = list(&app.store, Some(member.user_id)).await?;
    Ok(all.into_iter().filter(|key| key.revoked_at.is_none()).collect())
}

/// Makes a key of the signed-in user; gives it with its secret.
pub async fn make(app: &App, member: &Member, name: &str) -> Result<(IngestKey, String), AppError> {
    if own(app, member).await?.len() >= MOST {
        return Err(AppError::Conflict(format!("You have {MOST} keys. Revoke one before you make another.")));
    }
    let (id, secret) = create(&app.store, name, Some(member.user_id)).await?;
    let row = app.store.read(move |conn| keys::find(conn, id)).await?;
    let row = row.ok_or_else(|| AppError::NotFound("There is no such key.".into()))?;
    Ok((row.into(), secret))
}

/// Ends a key of the signed-in user, or for an admin anybody's; it is refused from now on.
pub async fn end(app: &Arc<App>, member: &Member, id: &str) -> Result<(), AppError> {
    let missing = || AppError::NotFound("There is no such key.".into());
    let (id, now): (i64, i64) = (id.parse().map_err(|_| missing())?, App::now().0);
    let key = app.store.read(move |conn| keys::find(conn, id)).await?;
    let is_own = |key: &keys::KeyRow| key.user_id == Some(member.user_id) || member.is_admin;
    if key.filter(is_own).is_none_or(|key| key.revoked_at.is_some()) {
        return Err(missing());
    }
    let after = Arc::clone(app);
    let act = move |tx: &mut Tx| {
        keys::revoke(tx, id, now)?;
        changes::note(tx, Change::Keys)
    };
    app.store.write_then(act, move |noted: &Noted| changes::take(&after, noted)).await?;
    Ok(())
}

/// The id of the key that a sender presents.
pub async fn authenticate(app: &App, key: &str) -> Result<i64, AppError> {
    let hash = chance::hash(key);
    if let Some(id) = app.keys.get(&hash) {
        return Ok(id);
    }
    let wanted = hash.clone();
    let found = app.store.read(move |conn| keys::find_by_hash(conn, &wanted)).await?;
    match found {
        Some(key) if key.revoked_at.is_none() => {
            app.keys.insert(hash, key.id);
            Ok(key.id)
        }
        Some(_) => {
            Err(AppError::Unauthorized("This ingest key was revoked. Make a new one on the Connect App page.".into()))
        }
        None => Err(AppError::Unauthorized("This ingest key is not known. Make one on the Connect App page.".into())),
    }
}
