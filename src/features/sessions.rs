//! Sessions: signing in with Discord, verifying and refreshing tokens, signing out.

use std::net::IpAddr;
use std::time::Duration;

use crate::app::App;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::domain::tokens::{
    Claims, MAX_SESSION_MS, REFRESH_WINDOW_SECS, RETIRED_GRACE_MS, TOKEN_TTL_SECS, TokenError,
};
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::attempts::Limit;
use crate::features::{avatars, secret};
use crate::store::sessions::{NewSession, SessionRow};
use crate::store::users::{NewUser, UserRow};
use crate::store::{Store, Tx, guilds, players, sessions, users};
use crate::upstream::discord::Identity;
use crate::views::secs;
use crate::views::sessions::{Callback, SessionView, UserView};

/// Sign-ins of one network within [`SIGN_IN_WINDOW`].
const MAX_SIGN_INS: usize = 10;
const SIGN_IN_WINDOW: Duration = Duration::from_secs(60);
/// How often the last activity of a user and session is written.
const LAST_SEEN_INTERVAL_MS: i64 = 600_000;

/// Exchanges a code for a user and a token. `device` is the name of the browser in the list of sessions.
pub async fn sign_in(
    app: &App,
    input: Callback,
    address: Option<IpAddr>,
    device: String,
) -> Result<(UserView, String), AppError> {
    let too_many = "Too many sign-ins from this address. Please wait a minute before trying again.";
    let limit = Limit { kind: "sign-in", max: MAX_SIGN_INS, window: SIGN_IN_WINDOW, sentence: too_many };
    limit.count(&app.accounts, address)?;
    if input.code.is_empty() || input.code.len() > 512 {
        return Err(AppError::invalid_parameter("code", "the code that Discord issued"));
    }
    if input.redirect_uri != redirect_uri(&app.public_url) {
        return Err(AppError::invalid_value(
            "redirect_uri",
            &input.redirect_uri,
            "the address that is configured for this site",
        ));
    }
    if input.code_verifier.as_ref().is_some_and(|verifier| !(43..=128).contains(&verifier.len())) {
        return Err(AppError::invalid_parameter("code_verifier", "43 to 128 characters"));
    }
    let Some(discord) = &app.discord.sign_in else {
        return Err(AppError::Validation("Sign-in with Discord is not configured on this site.".into()));
    };
    let signed = discord.sign_in(&input.code, &input.redirect_uri, input.code_verifier.as_deref()).await;
    let identity = signed.inspect_err(|error| tracing::warn!(%error, "a sign-in failed"))?;
    start_session(app, identity, device).await
}

/// The redirect URI registered at Discord.
pub fn redirect_uri(public_url: &str) -> String {
    format!("{}/link", public_url)
}

async fn start_session(app: &App, identity: Identity, device: String) -> Result<(UserView, String), AppError> {
    let (sid, jti) = (random_id()?, random_id()?);
    let now = app.store.now();
    let new = NewUser {
        discord_id: identity.id,
        discord_username: identity.username,
        discord_global_name: identity.global_name,
        discord_avatar: identity.avatar,
        discord_discriminator: identity.discriminator,
        discord_email: identity.email,
        at: now.0,
    };
    let session = NewSession { id: secret::hash(&sid), token_id: secret::hash(&jti), device };
    let user = app
        .store
        .write(move |tx| {
            let user = users::upsert(tx, &new)?;
            sessions::insert(tx, user.id, &session, now.0)?;
            Ok::<_, AppError>(user)
        })
        .await?;
    tracing::info!(user = user.id, "signed in");
    let token = app.accounts.tokens.issue(&user.discord_id, &sid, &jti, now).map_err(AppError::internal)?;
    Ok((view(app, user).await?, token))
}

/// 128 random bits in hexadecimal.
fn random_id() -> Result<String, AppError> {
    secret::hex::<16>().map_err(AppError::internal)
}

/// Verifies a token; returns the signed-in user.
pub async fn authenticate(app: &App, token: &str) -> Result<Viewer, AppError> {
    let now = app.store.now();
    let claims = app.accounts.tokens.verify(token, now).map_err(|fault| match fault {
        TokenError::Expired => AppError::TokenExpired,
        TokenError::Invalid => unauthenticated(),
    })?;
    let OpenSession { session, user, guild_tag, is_current } = open_session(app, &claims).await?;
    if !is_current {
        return Err(unauthenticated());
    }
    let is_new_day = EpochMillis(session.last_seen_at).day() != now.day();
    if is_new_day || now.0 - session.last_seen_at > LAST_SEEN_INTERVAL_MS {
        let (user_id, id, at) = (user.id, session.id.clone(), now.0);
        let touch = move |tx: &mut Tx| {
            users::touch(tx, user_id, at)?;
            Ok::<_, AppError>(sessions::touch(tx, &id, at)?)
        };
        app.store.write(touch).await?;
    }
    let is_admin = app.settings.is_admin(&user.discord_id);
    Ok(Viewer::Member(Member {
        user_id: user.id,
        is_admin,
        discord_id: user.discord_id,
        session_id: session.id,
        player_id: user.player_id,
        guild_ownership: guild_tag,
    }))
}

fn unauthenticated() -> AppError {
    AppError::Unauthorized("You are not signed in, or this session has ended. Please log in with Discord.".into())
}

/// The open session of a verified token.
struct OpenSession {
    session: SessionRow,
    user: UserRow,
    /// The tag of the user's guild.
    guild_tag: Option<String>,
    /// Whether the token is the valid one; otherwise it was replaced within the grace period, perhaps by another tab.
    is_current: bool,
}

/// Finds the session of a verified token. The reuse of a retired one ends it, since its tokens may have been stolen.
async fn open_session(app: &App, claims: &Claims) -> Result<OpenSession, AppError> {
    let id = secret::hash(&claims.sid);
    let found = app.store.read(move |conn| sessions::find(conn, &id)).await?;
    let (session, user, guild_tag) = found.ok_or_else(unauthenticated)?;
    let now = app.store.now().0;
    if session.ended_at.is_some() || now - session.created_at >= MAX_SESSION_MS || user.discord_id != claims.sub {
        return Err(unauthenticated());
    }
    let is_current = session.token_id == secret::hash(&claims.jti);
    let is_in_grace = || {
        now - session.refreshed_at < RETIRED_GRACE_MS
            && session.token_id == secret::hash(&app.accounts.tokens.successor_id(claims))
    };
    if !is_current && !is_in_grace() {
        end(&app.store, &session.id).await?;
        tracing::warn!(user = session.user_id, "a retired token was reused; its session was ended");
        return Err(unauthenticated());
    }
    Ok(OpenSession { session, user, guild_tag, is_current })
}

/// Exchanges a token, valid or expired less than 30 days ago, for a new one. Within the grace period, the same token gets the
/// same new one.
pub async fn refresh(app: &App, token: &str) -> Result<String, AppError> {
    let now = app.store.now();
    let claims = app.accounts.tokens.verify_for_refresh(token, now).map_err(|_| unauthenticated())?;
    let next = app.accounts.tokens.successor_id(&claims);
    loop {
        let OpenSession { session, user, is_current, .. } = open_session(app, &claims).await?;
        let mut issued_at = EpochMillis(session.refreshed_at);
        if is_current {
            let (id, old, new) = (session.id, secret::hash(&claims.jti), secret::hash(&next));
            let rotate = move |tx: &mut Tx| sessions::rotate(tx, &id, &old, &new, now.0).map_err(AppError::from);
            if !app.store.write(rotate).await? {
                // Another request has rotated the token; read the session again.
                continue;
            }
            issued_at = now;
        }
        let issued = app.accounts.tokens.issue(&user.discord_id, &claims.sid, &next, issued_at);
        return issued.map_err(AppError::internal);
    }
}

/// Ends the session of a token, which may have expired.
pub async fn sign_out(app: &App, token: &str) -> Result<(), AppError> {
    let now = app.store.now();
    let claims = app.accounts.tokens.verify_for_refresh(token, now).map_err(|_| unauthenticated())?;
    let open = open_session(app, &claims).await?;
    end(&app.store, &open.session.id).await
}

/// Open sessions of the user, most recently seen first.
pub async fn list(store: &Store, member: &Member) -> Result<Vec<SessionView>, AppError> {
    let (user_id, now) = (member.user_id, store.now().0);
    let refreshed_after = now - (REFRESH_WINDOW_SECS + TOKEN_TTL_SECS) * 1_000;
    let open =
        store.read(move |conn| sessions::list_active(conn, user_id, refreshed_after, now - MAX_SESSION_MS)).await?;
    Ok(open.into_iter().map(|session| SessionView::new(session, &member.session_id)).collect())
}

/// Ends one of the user's sessions.
pub async fn end_session(store: &Store, member: &Member, id: &str) -> Result<(), AppError> {
    let (user_id, id, now) = (member.user_id, id.to_owned(), store.now().0);
    let ended = store.write(move |tx| sessions::end_own(tx, user_id, &id, now).map_err(AppError::from)).await?;
    if ended == 0 { Err(AppError::NotFound("This session has already ended.".into())) } else { Ok(()) }
}

/// Ends all sessions of the user, including the current one; returns their number.
pub async fn end_all_sessions(store: &Store, member: &Member) -> Result<usize, AppError> {
    let (user_id, now) = (member.user_id, store.now().0);
    store.write(move |tx| sessions::end_all(tx, user_id, now).map_err(AppError::from)).await
}

async fn end(store: &Store, id: &str) -> Result<(), AppError> {
    let (id, now) = (id.to_owned(), store.now().0);
    store.write(move |tx| sessions::end(tx, &id, now).map_err(AppError::from)).await
}

/// The view of the signed-in user.
pub async fn me(app: &App, member: &Member) -> Result<UserView, AppError> {
    let id = member.user_id;
    let user = app.store.read(move |conn| users::find(conn, id)).await?.ok_or_else(unauthenticated)?;
    view(app, user).await
}

/// The view of the signed-in user, requested by Discord id. Other ids are rejected.
pub async fn user(app: &App, member: &Member, discord_id: &str) -> Result<UserView, AppError> {
    if member.discord_id != discord_id {
        return Err(AppError::Forbidden("You can only request your own account.".into()));
    }
    me(app, member).await
}

/// The view of the signed-in user, if all these Discord ids are the user's own.
pub async fn link(app: &App, member: &Member, claimed_ids: &[String]) -> Result<UserView, AppError> {
    if claimed_ids.iter().any(|id| *id != member.discord_id) {
        return Err(AppError::Forbidden("You can only link your own account.".into()));
    }
    me(app, member).await
}

async fn view(app: &App, user: UserRow) -> Result<UserView, AppError> {
    let (player_id, guild_id) = (user.player_id, user.guild_id);
    let (player, org, own_guild) = app
        .store
        .read(move |conn| {
            let player = player_id.map(|id| players::find_by_id(conn, id)).transpose()?.flatten();
            let ids: Vec<i64> = player.as_ref().and_then(|p| p.guild_id).into_iter().chain(guild_id).collect();
            let tags = guilds::tags(conn, &ids)?;
            let tag = |id: Option<i64>| tags.iter().find(|(known, _)| Some(*known) == id).map(|(_, tag)| tag.clone());
            Ok((player.as_ref().map(|p| p.handle.clone()), tag(player.and_then(|p| p.guild_id)), tag(guild_id)))
        })
        .await?;
    Ok(UserView {
        discord_avatar: avatars::user_avatar_path(&app.settings, &user),
        is_admin: app.settings.is_admin(&user.discord_id),
        discord_id: user.discord_id,
        discord_username: user.discord_username,
        discord_global_name: user.discord_global_name,
        discord_email: user.discord_email,
        discord_discriminator: user.discord_discriminator,
        handle: player,
        org_short: org,
        link_provider: "discord",
        is_active: true,
        linked_at: secs(user.linked_at),
        guild_ownership: own_guild,
    })
}

/// Deletes sessions whose last token can no longer be refreshed.
pub async fn delete_expired(store: &Store) -> Result<usize, AppError> {
    let yesterday = store.now().0 - DAY_MS;
    let (refreshed, created) = (yesterday - (REFRESH_WINDOW_SECS + TOKEN_TTL_SECS) * 1_000, yesterday - MAX_SESSION_MS);
    store.write(move |tx| sessions::delete_before(tx, refreshed, created).map_err(AppError::from)).await
}
