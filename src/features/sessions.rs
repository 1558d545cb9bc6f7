//! Sessions: signing in with Discord, who a token belongs to, trading it for a new one, signing out.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::app::App;
use crate::domain::addresses::network;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::domain::tokens::{Claims, REFRESH_SECS, TOKEN_SECS, TokenFault};
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::chance;
use crate::store::users::{NewUser, UserRow};
use crate::store::{guilds, players, sessions, users};
use crate::upstream::discord::Identity;
use crate::views::sessions::UserView;

/// How often one address may try to sign in within a minute.
const SIGN_INS: usize = 10;
const MINUTE: Duration = Duration::from_secs(60);
/// A person is "seen" at most this often, so that reading costs no writing.
const SEEN_MS: i64 = 600_000;

/// The code that Discord gave the page, and what the page says with it.
pub struct SignIn {
    pub code: String,
    pub redirect_uri: String,
    pub code_verifier: Option<String>,
    pub address: Option<IpAddr>,
}

/// Trades a code for a user and a token.
pub async fn sign_in(app: &App, input: SignIn) -> Result<(UserView, String), AppError> {
    limit(app, input.address)?;
    if input.code.is_empty() || input.code.len() > 512 {
        return Err(AppError::parameter("code", "the code that Discord gave"));
    }
    if input.redirect_uri != redirect_uri(app) {
        return Err(AppError::parameter("redirect_uri", "the address that is configured for this site"));
    }
    if input.code_verifier.as_ref().is_some_and(|verifier| !(43..=128).contains(&verifier.len())) {
        return Err(AppError::parameter("code_verifier", "43 to 128 characters"));
    }
    let Some(discord) = &app.discord else {
        return Err(AppError::Validation("Sign-in with Discord is not set up on this site.".into()));
    };
    let signed = discord.sign_in(&input.code, &input.redirect_uri, input.code_verifier.as_deref()).await;
    let identity = signed.inspect_err(|error| tracing::warn!(%error, "a sign-in failed"))?;
    begin(app, identity).await
}

/// Where Discord sends people back to.
pub fn redirect_uri(app: &App) -> String {
    format!("{}/link", app.public_url)
}

fn limit(app: &App, address: Option<IpAddr>) -> Result<(), AppError> {
    let Some(address) = address else { return Ok(()) };
    let tries = app.sign_ins.get_with(network(address), || Arc::new(Mutex::new(Vec::new())));
    let mut tries = tries.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    tries.retain(|at| now.duration_since(*at) < MINUTE);
    if let (true, Some(first)) = (tries.len() >= SIGN_INS, tries.first()) {
        return Err(AppError::RateLimited {
            sentence: "Too many sign-ins from this address. Please wait a minute before trying again.".into(),
            retry_after_secs: (MINUTE - now.duration_since(*first)).as_secs() + 1,
        });
    }
    tries.push(now);
    Ok(())
}

async fn begin(app: &App, identity: Identity) -> Result<(UserView, String), AppError> {
    let (sid, jti) = (random_id()?, random_id()?);
    let now = App::now();
    let new = NewUser {
        discord_id: identity.id,
        discord_username: identity.username,
        discord_global_name: identity.global_name,
        discord_avatar: identity.avatar,
        discord_discriminator: identity.discriminator,
        discord_email: identity.email,
        at: now.0,
    };
    let (session, token_id) = (chance::hash(&sid), chance::hash(&jti));
    let user = app
        .store
        .write(move |tx| {
            let user = users::upsert(tx, &new)?;
            sessions::insert(tx, &session, user.id, &token_id, now.0)?;
            Ok::<_, AppError>(user)
        })
        .await?;
    tracing::info!(user = user.id, "signed in");
    let token = app.tokens.issue(&user.discord_id, &sid, &jti, now).map_err(AppError::internal)?;
    Ok((view(app, user).await?, token))
}

/// 128 random bits.
fn random_id() -> Result<String, AppError> {
    chance::hex::<16>().map_err(AppError::internal)
}

/// Who presents a token; a token that is no good is an error.
pub async fn authenticate(app: &App, token: &str) -> Result<Viewer, AppError> {
    let now = App::now();
    let claims = app.tokens.read(token, now).map_err(|fault| match fault {
        TokenFault::Expired => AppError::TokenExpired,
        TokenFault::Invalid => refused(),
    })?;
    let (session, user, guild_tag) = live_session(app, &claims).await?;
    if now.0 - user.last_seen_at > SEEN_MS {
        let (id, at) = (user.id, now.0);
        app.store.write(move |tx| users::touch(tx, id, at).map_err(AppError::from)).await?;
    }
    let is_admin = app.settings.is_admin(&user.discord_id);
    Ok(Viewer::Member(Member {
        user_id: user.id,
        is_admin,
        discord_id: user.discord_id,
        session_id: session,
        player_id: user.player_id,
        guild_ownership: guild_tag,
    }))
}

fn refused() -> AppError {
    AppError::Unauthorized("You are not signed in, or this session has ended. Please log in with Discord.".into())
}

/// The session of a well-signed token, its user and that user's guild. A retired token ends the session it came from.
async fn live_session(app: &App, claims: &Claims) -> Result<(String, UserRow, Option<String>), AppError> {
    let id = chance::hash(&claims.sid);
    let wanted = id.clone();
    let found = app.store.read(move |conn| sessions::find(conn, &wanted)).await?;
    let (session, user, guild_tag) = found.ok_or_else(refused)?;
    if session.ended_at.is_some() || user.discord_id != claims.sub {
        return Err(refused());
    }
    if session.token_id != chance::hash(&claims.jti) {
        end(app, &id).await?;
        tracing::warn!(user = user.id, "a retired token was presented; its session was ended");
        return Err(refused());
    }
    Ok((id, user, guild_tag))
}

/// Trades a token, also one that expired less than 30 days ago, for a new one.
pub async fn refresh(app: &App, token: &str) -> Result<String, AppError> {
    let now = App::now();
    let claims = app.tokens.read_for_refresh(token, now).map_err(|_| refused())?;
    let (id, user, _) = live_session(app, &claims).await?;
    let jti = random_id()?;
    let (wanted, old, new) = (id.clone(), chance::hash(&claims.jti), chance::hash(&jti));
    let rotated =
        app.store.write(move |tx| sessions::rotate(tx, &wanted, &old, &new, now.0).map_err(AppError::from)).await?;
    if !rotated {
        // Somebody else traded the same token at the same moment: one of the two is not the owner.
        end(app, &id).await?;
        return Err(refused());
    }
    app.tokens.issue(&user.discord_id, &claims.sid, &jti, now).map_err(AppError::internal)
}

/// Ends the session of a token, also of one that has expired.
pub async fn sign_out(app: &App, token: &str) -> Result<(), AppError> {
    let claims = app.tokens.read_for_refresh(token, App::now()).map_err(|_| refused())?;
    let (id, ..) = live_session(app, &claims).await?;
    end(app, &id).await
}

async fn end(app: &App, id: &str) -> Result<(), AppError> {
    let (id, now) = (id.to_owned(), App::now().0);
    app.store.write(move |tx| sessions::end(tx, &id, now).map_err(AppError::from)).await
}

/// The signed-in user as the page knows them.
pub async fn me(app: &App, member: &Member) -> Result<UserView, AppError> {
    let id = member.user_id;
    let user = app.store.read(move |conn| users::find(conn, id)).await?.ok_or_else(refused)?;
    view(app, user).await
}

/// The same, asked for by Discord id: nobody learns of anybody else.
pub async fn user(app: &App, member: &Member, discord_id: &str) -> Result<UserView, AppError> {
    if member.discord_id != discord_id {
        return Err(AppError::Forbidden("You can only ask for your own account.".into()));
    }
    me(app, member).await
}

/// The same, told of by the page under these ids; all of them have to be the token's own.
pub async fn link(app: &App, member: &Member, told: &[String]) -> Result<UserView, AppError> {
    if told.iter().any(|id| *id != member.discord_id) {
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
    let is_admin = app.settings.is_admin(&user.discord_id);
    Ok(UserView::new(user, player, org, own_guild, is_admin))
}

/// Forgets sessions whose last token cannot be traded any more.
pub async fn forget_old(app: &App) -> Result<usize, AppError> {
    let before = EpochMillis(App::now().0 - (REFRESH_SECS + TOKEN_SECS) * 1_000 - DAY_MS);
    app.store.write(move |tx| sessions::forget_before(tx, before.0).map_err(AppError::from)).await
}
