//! Device login of a log reader: a code that its user confirms on the site.

use std::net::IpAddr;

use crate::app::App;
use crate::domain::addresses;
use crate::domain::device_login::{
    LOGIN_LIFETIME_MS, LoginState, MAX_LOGIN_STARTS, MAX_WRONG_CODES, POLL_INTERVAL_SECS, code, name, parse_code,
};
use crate::domain::times::EpochMillis;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::attempts::{self, Limit};
use crate::features::{keys, secret};
use crate::store::Store;
use crate::store::keys as key_store;
use crate::store::reader::{self, LoginRow};
use crate::views::reader::{LoginStarted, LoginStatus, PendingReaderLogin};
use crate::views::secs;

use super::limit;

/// Starts a device login: creates a code for the user, and a key that is inactive until the code is confirmed.
pub async fn start_login(app: &App, device_name: &str, address: Option<IpAddr>) -> Result<LoginStarted, AppError> {
    limit("login", MAX_LOGIN_STARTS).count(&app.accounts, address)?;
    let key = keys::new_key()?;
    let now = app.store.now().0;
    let login = LoginRow {
        key_hash: secret::hash(&key),
        code: String::new(),
        name: name(device_name),
        network: network_hash(address, &secret::hash(&key)),
        state: LoginState::Waiting.code(),
        created_at: now,
    };
    for _ in 0..3 {
        let login = LoginRow { code: code(secret::bytes().map_err(AppError::internal)?), ..login.clone() };
        let new_code = login.code.clone();
        let is_new = app
            .store
            .write(move |tx| {
                reader::delete_before(tx, now - LOGIN_LIFETIME_MS)?;
                Ok::<_, AppError>(reader::insert(tx, &login)?)
            })
            .await?;
        if is_new {
            return Ok(LoginStarted {
                confirm_url: format!("{}/connect?code={new_code}", app.public_url),
                code: new_code,
                key,
                expires_in: LOGIN_LIFETIME_MS / 1000,
                interval: POLL_INTERVAL_SECS,
            });
        }
    }
    Err(AppError::Overloaded)
}

/// The status of the login of this key.
pub async fn login_status(store: &Store, key: &str) -> Result<LoginStatus, AppError> {
    let hash = secret::hash(key);
    let (login, known) =
        store.read(move |conn| Ok((reader::find_by_key(conn, &hash)?, key_store::find_by_hash(conn, &hash)?))).await?;
    // A confirmed key exists longer than its login.
    if known.is_some_and(|key| key.revoked_at.is_none()) {
        return Ok(LoginStatus { state: LoginState::Confirmed });
    }
    match login {
        Some(login) if is_pending(&login, store.now()) => Ok(LoginStatus { state: LoginState::from_code(login.state) }),
        _ => Err(AppError::NotFound("This code has expired. Start the reader's login again.".into())),
    }
}

/// The login that a user is about to confirm.
pub async fn pending_login(
    app: &App,
    member: &Member,
    typed: &str,
    address: Option<IpAddr>,
) -> Result<PendingReaderLogin, AppError> {
    let login = find_pending(app, member, typed).await?;
    Ok(PendingReaderLogin {
        is_near: login.network == network_hash(address, &login.key_hash),
        code: login.code,
        name: login.name,
        started_at: secs(login.created_at),
        expires_at: secs(login.created_at + LOGIN_LIFETIME_MS),
    })
}

/// Confirms or denies a login. A confirmed key belongs to the user.
pub async fn answer_login(app: &App, member: &Member, typed: &str, allow: bool) -> Result<LoginStatus, AppError> {
    let login = find_pending(app, member, typed).await?;
    let state = if allow { LoginState::Confirmed } else { LoginState::Refused };
    let (user_id, now) = (member.user_id, app.store.now().0);
    let is_done = app
        .store
        .write(move |tx| {
            let is_done = reader::set_state(tx, &login.code, state, now - LOGIN_LIFETIME_MS)?;
            if is_done && allow {
                keys::insert_own(tx, &login.name, &login.key_hash, user_id, now)?;
            }
            Ok::<_, AppError>(is_done)
        })
        .await?;
    if !is_done {
        return Err(unknown_code());
    }
    tracing::info!(user = user_id, allow, "a log reader login was answered");
    Ok(LoginStatus { state })
}

async fn find_pending(app: &App, member: &Member, typed: &str) -> Result<LoginRow, AppError> {
    let sentence = "Too many wrong codes. Please wait a few minutes before trying again.";
    let limit = Limit { sentence, ..limit("code", MAX_WRONG_CODES) };
    let wrong_codes = limit.attempts(&app.accounts, member.user_id);
    limit.check(&wrong_codes)?;
    let found = match parse_code(typed) {
        Some(code) => app.store.read(move |conn| reader::find_by_code(conn, &code)).await?,
        None => None,
    };
    match found.filter(|login| is_pending(login, app.store.now()) && login.state == LoginState::Waiting.code()) {
        Some(login) => Ok(login),
        None => {
            attempts::record(&wrong_codes);
            Err(unknown_code())
        }
    }
}

fn unknown_code() -> AppError {
    AppError::NotFound("No reader is waiting for this code. Codes are valid for ten minutes and for one use.".into())
}

fn is_pending(login: &LoginRow, now: EpochMillis) -> bool {
    now.0 - login.created_at < LOGIN_LIFETIME_MS
}

/// A hash of the caller's network that can only be compared within one login.
fn network_hash(address: Option<IpAddr>, key_hash: &str) -> String {
    address.map_or_else(String::new, |address| secret::hash(&format!("{} {key_hash}", addresses::network(address))))
}
