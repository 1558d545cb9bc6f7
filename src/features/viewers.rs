//! Profile views, counted once per visitor, profile and UTC day.
//!
//! A visitor is a network, since clients can change everything else. It is stored as a hash with a random salt, which all
//! processes share and which is deleted after the day.

use std::net::IpAddr;
use std::sync::Arc;

use crate::app::App;
use crate::domain::addresses::network;
use crate::error::AppError;
use crate::features::secret;
use crate::store::{Tx, guilds, players, viewers};

/// A profile that counts views, by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Player(i64),
    Guild(i64),
}

/// Counts a view of a profile; returns the new number of views, or `None` if this visitor was already counted today.
///
/// Requests without an address are not counted.
pub async fn count(app: &App, profile: Profile, address: Option<IpAddr>) -> Result<Option<i64>, AppError> {
    let Some(address) = address else { return Ok(None) };
    let day = app.store.now().day().0;
    let viewer = viewer(&salt(app, day).await?, profile, address);
    // Most calls are repetitions, which need no transaction.
    if app.visitors.viewers.contains_key(&(day, viewer)) {
        return Ok(None);
    }
    let count = move |tx: &mut Tx| {
        if !viewers::add(tx, day, viewer)? {
            return Ok(None);
        }
        let views = match profile {
            Profile::Player(id) => players::add_view(tx, id)?,
            Profile::Guild(id) => guilds::add_view(tx, id)?,
        };
        Ok::<_, AppError>(Some(views))
    };
    let views = app.store.write(count).await?;
    app.visitors.viewers.insert((day, viewer), ());
    Ok(views)
}

/// The salt of a day. The first call of a day deletes earlier salts and visitors.
async fn salt(app: &App, day: i32) -> Result<String, AppError> {
    if let Some((of, salt)) = app.visitors.salt.load().as_deref()
        && *of == day
    {
        return Ok(salt.clone());
    }
    let new_salt = secret::hex::<16>().map_err(AppError::internal)?;
    let salt = app.store.write(move |tx| {
        viewers::delete_before(tx, day)?;
        Ok::<_, AppError>(viewers::salt(tx, day, &new_salt)?)
    });
    let salt = salt.await?;
    app.visitors.salt.store(Some(Arc::new((day, salt.clone()))));
    Ok(salt)
}

/// The hash of a visitor for one profile. Hashes for two profiles are unrelated.
fn viewer(salt: &str, profile: Profile, address: IpAddr) -> i64 {
    let of = match profile {
        Profile::Player(id) => format!("player {id}"),
        Profile::Guild(id) => format!("guild {id}"),
    };
    let hash = secret::hash(&format!("{salt} {} {of}", network(address)));
    // 64 of 256 bits: among a million viewers, a collision is expected once in ten million days.
    hash.get(..16).and_then(|half| u64::from_str_radix(half, 16).ok()).unwrap_or_default().cast_signed()
}

/// Deletes salts and visitors of earlier days.
pub async fn delete_old(app: &App) -> Result<usize, AppError> {
    let day = app.store.now().day().0;
    if app.visitors.salt.load().as_deref().is_some_and(|(of, _)| *of != day) {
        app.visitors.salt.store(None);
    }
    app.store.write(move |tx| viewers::delete_before(tx, day).map_err(AppError::from)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_is_identified_by_network_profile_and_day() {
        let hash = |salt: &str, address: &str| viewer(salt, Profile::Player(7), address.parse().unwrap());
        let known = hash("a", "2001:db8:1:2::1");
        assert_eq!(known, hash("a", "2001:db8:1:2:ffff::9"), "one customer");
        assert_eq!(hash("a", "::ffff:192.0.2.7"), hash("a", "192.0.2.7"));
        assert_ne!(known, hash("b", "2001:db8:1:2::1"), "another day");
        assert_ne!(known, hash("a", "2001:db8:1:3::1"), "another network");
        assert_ne!(known, viewer("a", Profile::Guild(7), "2001:db8:1:2::1".parse().unwrap()), "another profile");
    }
}
