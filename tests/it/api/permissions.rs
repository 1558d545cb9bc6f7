//! Permissions: every route that writes or requires a session, called by every role.
//!
//! Every such route needs a row in [`ROWS`]; this test fails without it.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;

use crate::api::openapi::operations;
use crate::support::game_site::{Citizen, GameSite};
use crate::support::*;

on_sqlite!(t42_every_writing_route_checks_every_role);

/// `(method, described path, requested path, body, statuses without a valid token, statuses with one)`.
///
/// Without a valid token: no token, an expired one, a retired one, one with `alg: none`, one signed with another key. With one:
/// another user, the owner of Own-1 (Discord id 601), the owner of the guild OWNED (602), an admin (900). `ID` is the caller's
/// Discord id. The site has the same state before each call.
type Row = (&'static str, &'static str, &'static str, &'static str, [u16; 5], [u16; 4]);

/// Rejects every caller without a valid token.
const BARRED: [u16; 5] = [401; 5];
/// Admins only; others cannot find out whether the item exists.
const ADMINS_200: [u16; 4] = [403, 403, 403, 200];
const ADMINS_404: [u16; 4] = [403, 403, 403, 404];
/// Routes that ignore tokens, with their response to this body.
const fn any(status: u16) -> ([u16; 5], [u16; 4]) {
    ([status; 5], [status; 4])
}
/// Routes of guests: an invalid token counts as none, an expired one is an error.
const GUESTS: [u16; 5] = [200, 401, 200, 200, 200];

const CLAIM: &str = r#"{"handle":"Free-1"}"#;
const GUILD_CLAIM: &str = r#"{"guildShort":"FREE"}"#;
const HIDE: &str = r#"{"handle":"Own-1","profile_hidden":true}"#;
const WORN: &str = r#"{"playerHandle":"Own-1","stickers":[]}"#;
/// An action on a player that does not exist.
const REMOVE: &str = r#"{"action":"remove","target":{"player":"Nobody-Here"},"reason":"x"}"#;
const INVITE: &str = r#"{"guildShort":"OWNED","discordLink":"https://discord.gg/x"}"#;
/// Callers with permission get the error of an invalid image.
const NO_FORM: &str = "{}";
const PICTURE: &str = r#"{"imagePath":"/uploads/0123456789abcdef0123456789abcdef.jpg"}"#;
const READER_ANSWER: &str = "/api/reader/login/{code}/answer";
const SETTINGS_OF: &str = "/api/player/settings/{discordId}";
const HOLDER: &str = "/api/admin/stickers/{sticker}/players/{handle}";
const UPDATE: &str = "/api/player/update-profile/{handle}";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("post", "/api/player/claim/start", "/api/player/claim/start", CLAIM, BARRED, [200, 409, 200, 200]),
    // Without a started claim, verification fails.
    ("post", "/api/player/claim/verify", "/api/player/claim/verify", CLAIM, BARRED, [400, 400, 400, 400]),
    ("post", "/api/player/claim/cancel", "/api/player/claim/cancel", "{}", BARRED, [200, 200, 200, 200]),
    ("delete", "/api/player/unlink", "/api/player/unlink", "{}", BARRED, [400, 200, 400, 400]),
    // Admins cannot unlink other users either.
    ("delete", "/api/player/unlink", "/api/player/unlink", r#"{"discordId":"601"}"#, BARRED, [403, 200, 403, 403]),
    ("post", "/api/guild/claim/start", "/api/guild/claim/start", GUILD_CLAIM, BARRED, [200, 200, 200, 200]),
    ("post", "/api/guild/claim/verify", "/api/guild/claim/verify", GUILD_CLAIM, BARRED, [400, 400, 400, 400]),
    ("post", "/api/player/settings", "/api/player/settings", HIDE, BARRED, [403, 200, 403, 200]),
    ("post", "/api/player/settings/stickers", "/api/player/settings/stickers", WORN, BARRED, [403, 200, 403, 200]),
    ("get", SETTINGS_OF, "/api/player/settings/601", "", BARRED, [403, 200, 403, 200]),
    ("delete", SETTINGS_OF, "/api/player/settings/601", "", BARRED, [403, 200, 403, 200]),
    ("post", "/api/guild/settings", "/api/guild/settings", INVITE, BARRED, [403, 403, 200, 200]),
    // The owner has already done it before the admin calls.
    ("post", UPDATE, "/api/player/update-profile/Own-1", "", BARRED, [403, 200, 403, 429]),
    ("get", "/api/player/me", "/api/player/me", "", BARRED, [200, 200, 200, 200]),
    ("get", "/api/link/user/{discordId}", "/api/link/user/601", "", BARRED, [403, 200, 403, 403]),
    ("get", "/api/link/user/{discordId}", "/api/link/user/ID", "", BARRED, [200, 200, 200, 200]),
    ("post", "/api/link/discord-login", "/api/link/discord-login", "{}", BARRED, [200, 200, 200, 200]),
    ("post", "/api/upload/profile-image", "/api/upload/profile-image", NO_FORM, BARRED, [403, 415, 403, 415]),
    ("post", "/api/upload/profile-banner-image", "/api/upload/profile-banner-image", NO_FORM, BARRED, [403, 415, 403, 415]),
    ("post", "/api/upload/guild-image", "/api/upload/guild-image", NO_FORM, BARRED, [403, 403, 415, 415]),
    ("post", "/api/upload/banner-image", "/api/upload/banner-image", NO_FORM, BARRED, [403, 403, 415, 415]),
    ("post", "/api/upload/cropped-profile-image", "/api/upload/cropped-profile-image", NO_FORM, BARRED, [403, 415, 415, 415]),
    ("post", "/api/upload/cropped-banner-image", "/api/upload/cropped-banner-image", NO_FORM, BARRED, [403, 415, 415, 415]),
    ("delete", "/api/upload/image", "/api/upload/image", PICTURE, BARRED, [403, 200, 403, 200]),
    ("get", "/api/keys", "/api/keys", "", BARRED, [200, 200, 200, 200]),
    ("post", "/api/keys", "/api/keys", r#"{"name":"mine"}"#, BARRED, [200, 200, 200, 200]),
    // Other users cannot find out the owner of a key.
    ("delete", "/api/keys/{id}", "/api/keys/7777", "", BARRED, [404, 200, 404, 200]),
    ("post", "/api/keys/{id}/confirm", "/api/keys/7777/confirm", "", BARRED, [404, 200, 404, 200]),
    ("get", "/api/me/sessions", "/api/me/sessions", "", BARRED, [200, 200, 200, 200]),
    ("delete", "/api/me/sessions", "/api/me/sessions", "", BARRED, [200, 200, 200, 200]),
    ("delete", "/api/me/sessions/{id}", "/api/me/sessions/none", "", BARRED, [404, 404, 404, 404]),
    ("get", "/api/me/export", "/api/me/export", "", BARRED, [200, 200, 200, 200]),
    ("delete", "/api/me", "/api/me", "", BARRED, [200, 200, 200, 200]),
    // An expired token can be refreshed, and its session can be ended.
    ("post", "/api/auth/refresh", "/api/auth/refresh", "", [401, 200, 401, 401, 401], [200, 200, 200, 200]),
    ("post", "/api/auth/logout", "/api/auth/logout", "", [401, 200, 401, 401, 401], [200, 200, 200, 200]),
    ("post", "/api/auth/discord/callback", "/api/auth/discord/callback", "{}", any(400).0, any(400).1),
    ("post", "/api/player/{handle}/view", "/api/player/Own-1/view", "", GUESTS, [200, 200, 200, 200]),
    ("post", "/api/guild/{tag}/view", "/api/guild/OWNED/view", "", any(200).0, any(200).1),
    ("post", "/api/analytics/track", "/api/analytics/track", "{}", any(400).0, any(400).1),
    ("post", "/api/reader/login", "/api/reader/login", r#"{"name":"machine"}"#, any(200).0, any(200).1),
    ("get", "/api/reader/login/{code}", "/api/reader/login/BCDF-GHJK", "", BARRED, [200, 200, 200, 200]),
    ("post", READER_ANSWER, "/api/reader/login/BCDF-GHJK/answer", r#"{"allow":true}"#, BARRED, [200, 200, 200, 200]),
    ("post", "/api/reader/samples", "/api/reader/samples", r#"{"samples":[]}"#, any(200).0, any(200).1),
    ("get", "/api/reader/samples/list", "/api/reader/samples/list", "", BARRED, [403, 403, 403, 200]),
    ("get", "/api/admin/state", "/api/admin/state", "", BARRED, ADMINS_200),
    ("post", "/api/admin/jobs/{name}/run", "/api/admin/jobs/none/run", "", BARRED, ADMINS_404),
    ("post", "/api/admin/statsfeed/{id}/{switch}", "/api/admin/statsfeed/999/on", "", BARRED, ADMINS_404),
    ("post", "/api/admin/webhooks/{name}/{act}", "/api/admin/webhooks/none/on", "", BARRED, ADMINS_404),
    ("post", "/api/admin/deliveries/{id}/again", "/api/admin/deliveries/999/again", "", BARRED, ADMINS_404),
    ("post", "/api/admin/users/{id}/sign-out", "/api/admin/users/999/sign-out", "", BARRED, ADMINS_404),
    ("post", "/api/admin/moderation", "/api/admin/moderation", REMOVE, BARRED, ADMINS_404),
    ("post", "/api/admin/moderation/{id}/undo", "/api/admin/moderation/999/undo", "", BARRED, ADMINS_404),
    ("get", "/api/admin/reports", "/api/admin/reports?player=Own-1", "", BARRED, ADMINS_200),
    ("get", "/api/admin/moderation", "/api/admin/moderation", "", BARRED, ADMINS_200),
    ("get", "/api/admin/stickers", "/api/admin/stickers", "", BARRED, ADMINS_200),
    ("post", HOLDER, "/api/admin/stickers/196404/players/Own-1", "", BARRED, ADMINS_200),
    ("delete", HOLDER, "/api/admin/stickers/196404/players/Own-1", "", BARRED, ADMINS_404),
    // A user uploads a log, which the header names.
    ("post", "/api/ingest/events", "/api/ingest/events", r#"{"events":[]}"#, BARRED, [400, 400, 400, 400]),
    // These verify keys and signatures and ignore tokens.
    ("get", "/api/ingest/key", "/api/ingest/key", "", any(401).0, any(401).1),
    ("get", "/api/reader/login/state", "/api/reader/login/state", "", [401, 404, 404, 404, 404], any(404).1),
    ("post", "/api/webhooks/github", "/api/webhooks/github", "{}", any(404).0, any(404).1),
    ("post", "/api/discord/interactions", "/api/discord/interactions", "{}", any(404).0, any(404).1),
];

#[test]
fn every_writing_route_has_a_row() {
    let document: Value = serde_json::from_str(&apogee::routes::openapi::text().unwrap()).unwrap();
    let needs_token = |method: &str, path: &str| document["paths"][path][method]["responses"]["401"].is_object();
    let routes = operations();
    let guarded: BTreeSet<(String, String)> =
        routes.iter().filter(|(method, path)| method != "get" || needs_token(method, path)).cloned().collect();
    let rows: BTreeSet<(String, String)> =
        ROWS.iter().map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned())).collect();
    let missing: Vec<_> = guarded.difference(&rows).collect();
    let gone: Vec<_> = rows.difference(&routes).collect();
    assert!(missing.is_empty() && gone.is_empty(), "without a row: {missing:?}; not described: {gone:?}");
}

/// All callers.
#[derive(Debug, Clone, Copy)]
enum Who {
    NoToken,
    Expired,
    Retired,
    Unsigned,
    OtherKey,
    Member(&'static str),
}

const CALLERS: [Who; 9] = [
    Who::NoToken,
    Who::Expired,
    Who::Retired,
    Who::Unsigned,
    Who::OtherKey,
    Who::Member("603"),
    Who::Member("601"),
    Who::Member("602"),
    Who::Member("900"),
];

impl Who {
    /// The token of a call. Invalid tokens are derived from the owner's.
    async fn token(self, server: &Server) -> Option<String> {
        let owner = async || server.sign_in("601").await;
        Some(match self {
            Self::NoToken => return None,
            Self::Expired => accounts::expired(&owner().await),
            Self::Retired => {
                let token = owner().await;
                let traded = server.as_user(&token, Method::POST, "/api/auth/refresh", None).await;
                assert_eq!(traded.status, 200, "{}", traded.text());
                // Within ten seconds of its retirement, the token could still be refreshed.
                server.database.run("UPDATE sessions SET refreshed_at = refreshed_at - 10000");
                token
            }
            Self::Unsigned => accounts::unsigned(&owner().await),
            Self::OtherKey => accounts::foreign(&owner().await),
            Self::Member(id) => server.sign_in(id).await,
        })
    }

    fn discord_id(self) -> &'static str {
        match self {
            Self::Member(id) => id,
            _ => "601",
        }
    }
}

const PEOPLE: [&str; 4] = ["601", "602", "603", "900"];

/// An unclaimed player and guild on the game's site; Own-1 and OWNED have owners here.
async fn site(on: Backend) -> (Server, GameSite, mock_server::MockServer) {
    let mut server = Server::prepare(on);
    server.database.run(
        "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('Own-1', 'own-1', 'Own', 1); \
         INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('OWNED', 'Owned', 'owned', 1)",
    );
    let discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", "900");
    game_site.citizen(&Citizen::new("Free-1", "Hello"));
    game_site.citizen(&Citizen::new("Own-1", "Hello"));
    game_site.organization("FREE", "Free Fliers", "We fly.");
    server.run();
    (server, game_site, discord)
}

/// Every role gets the expected status.
fn reset(server: &Server) {
    server.database.run(&format!(
        "DELETE FROM claims; DELETE FROM claim_attempts; DELETE FROM uploads; DELETE FROM ingest_keys; DELETE FROM sticker_grants; \
         DELETE FROM reader_logins; \
         INSERT INTO reader_logins (key_hash, code, name, network, created_at) \
           VALUES ('hash of a reader', 'BCDF-GHJK', 'machine', '', {now}); \
         UPDATE users SET player_id = NULL, guild_id = NULL; \
         UPDATE users SET player_id = (SELECT id FROM players WHERE handle = 'Own-1') WHERE discord_id = '601'; \
         UPDATE users SET guild_id = (SELECT id FROM guilds WHERE tag = 'OWNED') WHERE discord_id = '602'; \
         INSERT INTO uploads (user_id, path, kind, bytes, created_at) \
           SELECT id, '/uploads/0123456789abcdef0123456789abcdef.jpg', 'profile-image', 1, {now} FROM users WHERE discord_id = '601'; \
         INSERT INTO ingest_keys (id, name, key_hash, user_id, created_at) \
           SELECT 7777, 'reader', 'hash', id, 1 FROM users WHERE discord_id = '601'; \
         UPDATE players SET is_hidden = FALSE",
        now = now()
    ));
}

async fn t42_every_writing_route_checks_every_role(on: Backend) {
    let (server, _game_site, _discord) = site(on).await;
    let mut wrong = Vec::new();
    for (method, _, path, body, without, with) in ROWS {
        // A route may have deleted an account.
        if server.database.number("SELECT COUNT(*) FROM users") < PEOPLE.len() as i64 {
            for person in PEOPLE {
                server.sign_in(person).await;
            }
        }
        for (who, expected) in CALLERS.into_iter().zip(without.iter().chain(with)) {
            let token = who.token(&server).await;
            reset(&server);
            let method: Method = method.to_ascii_uppercase().parse().unwrap();
            let path = path.replace("/ID", &format!("/{}", who.discord_id()));
            // Each call comes from another address, because some limits count addresses.
            let mut request = server.request(method.clone(), &path).header("x-forwarded-for", accounts::new_address());
            if let Some(token) = &token {
                request = request.bearer_auth(token);
            }
            if !body.is_empty() {
                request = request.header("content-type", "application/json").body(*body);
            }
            let response = server.execute(request).await;
            if response.status.as_u16() != *expected {
                wrong.push(format!("{method} {path} {body} {who:?}: expected {expected}, got {}", response.text()));
            }
            // Only an expired token can be refreshed, so only its error may differ from that of a forged one.
            if response.status == 401 && !path.starts_with("/api/ingest/") {
                let code = if matches!(who, Who::Expired) { "TOKEN_EXPIRED" } else { "UNAUTHORIZED" };
                assert_eq!(response.code(), code, "{method} {path} {who:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A rejected call changes nothing.
    server.sign_in("601").await;
    reset(&server);
    for who in [Who::NoToken, Who::Unsigned, Who::OtherKey, Who::Retired, Who::Expired, Who::Member("603")] {
        let token = who.token(&server).await.unwrap_or_default();
        for body in [HIDE, r#"{"discordId":"601","profile_hidden":true}"#] {
            server.post("/api/player/settings", &token, body).await;
        }
    }
    assert_eq!(server.read("/api/player/own-1").await["player"]["is_hidden"], false);
    // A retired token may be stolen, so using it ends the whole session.
    let first = server.sign_in("601").await;
    let traded = server.as_user(&first, Method::POST, "/api/auth/refresh", None).await.json();
    let second = traded["token"].as_str().unwrap().to_owned();
    server.database.run("UPDATE sessions SET refreshed_at = refreshed_at - 10000");
    let me = async |token: &str| server.as_user(token, Method::GET, "/api/player/me", None).await.status.as_u16();
    assert_eq!([me(&second).await, me(&first).await, me(&second).await], [200, 401, 401]);
}
