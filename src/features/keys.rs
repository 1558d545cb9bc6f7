//! Ingest keys: made once, shown once, kept as hashes.

use crate::app::App;
use crate::error::AppError;
use crate::features::chance;
use crate::features::changes::{self, Change};
use crate::store::{Store, keys};
use crate::views::keys::IngestKey;

/// How a key begins, so that people and scanners recognise one.
const PREFIX: &str = "apogee_";
const NAME_MAX: usize = 60;

/// Makes a key; gives its id and the key itself, which is kept nowhere.
pub async fn create(store: &Store, name: &str, user_id: Option<i64>) -> Result<(i64, String), AppError> {
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_MAX || name.chars().any(char::is_control) {
        return Err(AppError::parameter("name", "1 to 60 characters"));
    }
    let key = format!("{PREFIX}{}", chance::hex::<24>().map_err(AppError::internal)?);
    let (hash, now) = (chance::hash(&key), App::now().0);
    let id = store.write(move |tx| keys::insert(tx, &name, &hash, user_id, now).map_err(AppError::from)).await?;
    Ok((id, key))
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
