//! Sign-in: tokens, their validity, and the end of sessions.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::support::mock_server::{MockResponse, MockServer};
use crate::support::*;

on_sqlite!(
    t39_only_the_discord_id_identifies_a_user,
    t39_a_sign_in_needs_the_configured_address_and_a_fresh_code,
    t40_sessions_are_hashed_at_rest_and_end_on_the_server,
    t45_the_eleventh_sign_in_per_minute_from_one_address_is_rejected,
    t21_a_discord_outage_affects_only_sign_in,
    two_refreshes_of_one_token_get_the_same_new_token,
    a_session_lasts_at_most_90_days,
    own_sessions_are_listed_and_ended,
    an_avatar_is_fetched_once_and_served_from_this_site,
);

const CALLBACK: &str = "/api/auth/discord/callback";
const ME: &str = "/api/player/me";

async fn site(on: Backend) -> (Server, MockServer) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.run();
    (server, discord)
}

async fn me(server: &Server, token: &str) -> Response {
    server.as_user(token, Method::GET, ME, None).await
}

async fn t39_only_the_discord_id_identifies_a_user(on: Backend) {
    let mut server = Server::prepare(on);
    // Discord reports the same name and e-mail address for two users.
    let discord = MockServer::start(|call, _| {
        let body = if call.path.ends_with("/oauth2/token") {
            let form = String::from_utf8_lossy(&call.body).into_owned();
            let code = form.split('&').find_map(|pair| pair.strip_prefix("code=")).unwrap_or_default().to_owned();
            json!({"access_token": code, "token_type": "Bearer", "expires_in": 60, "scope": "identify email"})
        } else {
            let id = call.header("authorization").unwrap().trim_start_matches("Bearer ").to_owned();
            json!({"id": id, "username": "same", "global_name": "Same", "email": "same@example.org", "avatar": null})
        };
        MockResponse::ok(body.to_string()).with_header("Content-Type", "application/json")
    })
    .await;
    let _own = server.with_discord().await;
    server.env("APOGEE_DISCORD_API_URL", &discord.url);
    server.run();
    let (first, second) = (server.sign_in("7001").await, server.sign_in("7002").await);
    assert_eq!(me(&server, &first).await.json()["user"]["discord_id"], "7001");
    assert_eq!(me(&server, &second).await.json()["user"]["discord_id"], "7002");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM users"), 2);
    // Signing in again returns the same user.
    let linked = me(&server, &first).await.json()["user"]["linked_at"].clone();
    let again = server.sign_in("7001").await;
    assert_eq!(me(&server, &again).await.json()["user"]["linked_at"], linked);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM users"), 2);
    // Identity claims of the client are ignored: Discord id, handle and guild.
    server.database.run(
        "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('Ann-1', 'ann-1', 'Ann', 1)",
    );
    let body =
        json!({"discordUser": {"id": "7002", "discord_id": "7002"}, "playerHandle": "Ann-1", "orgShort": "ALPHA"});
    let response = server.as_user(&first, Method::POST, "/api/link/discord-login", Some(&body)).await;
    assert_eq!(response.code(), "FORBIDDEN");
    let body = json!({"discordUser": {"discord_id": "7001", "id": "7002"}, "playerHandle": "Ann-1"});
    let response = server.as_user(&first, Method::POST, "/api/link/discord-login", Some(&body)).await;
    assert_eq!(response.code(), "FORBIDDEN");
    let body = json!({"discordUser": {"id": "7001"}, "playerHandle": "Ann-1", "is_admin": true});
    let user = server.as_user(&first, Method::POST, "/api/link/discord-login", Some(&body)).await.json();
    assert_eq!((&user["user"]["handle"], &user["user"]["is_admin"]), (&json!(null), &json!(false)));
    let request = server.request(Method::GET, ME).header("x-user-handle", "Ann-1");
    assert_eq!(server.execute(request).await.code(), "UNAUTHORIZED");
}

async fn t39_a_sign_in_needs_the_configured_address_and_a_fresh_code(on: Backend) {
    let (server, discord) = site(on).await;
    let own = server.url("/link");
    let verifier = "v".repeat(43);
    for (body, status) in [
        (json!({"code": "7001", "redirect_uri": "https://evil.example/link"}), 400),
        (json!({"code": "7001", "redirect_uri": format!("{own}/")}), 400),
        (json!({"code": "7001"}), 400),
        (json!({"code": "", "redirect_uri": own}), 400),
        (json!({"code": "x".repeat(600), "redirect_uri": own}), 400),
        (json!({"code": "7001", "redirect_uri": own, "code_verifier": "short"}), 400),
        (json!({"redirect_uri": own}), 400),
        (json!({"code": 7001, "redirect_uri": own}), 400),
        // A code that Discord rejects: used, of another application, or invented.
        (json!({"code": "used", "redirect_uri": own}), 401),
        (json!({"code": "7001", "redirect_uri": own, "code_verifier": verifier}), 200),
    ] {
        let response = server.execute(server.request(Method::POST, CALLBACK).json(&body)).await;
        assert_eq!(response.status.as_u16(), status, "{body}: {}", response.text());
    }
    // The PKCE verifier is forwarded to Discord, which checks it.
    let form = String::from_utf8(discord.requests().iter().rev().nth(1).unwrap().body.clone()).unwrap();
    assert!(form.contains(&format!("code_verifier={verifier}")) && form.contains("redirect_uri="), "{form}");
}

async fn t40_sessions_are_hashed_at_rest_and_end_on_the_server(on: Backend) {
    let (server, _discord) = site(on).await;
    let (token, other) = (server.sign_in("7001").await, server.sign_in("7001").await);
    let (one, two) = (accounts::claims(&token), accounts::claims(&other));
    assert_ne!(one["sid"], two["sid"], "each sign-in creates a session");
    for field in ["sid", "jti"] {
        let secret = one[field].as_str().unwrap();
        assert!(secret.len() >= 32 && secret.bytes().all(|b| b.is_ascii_hexdigit()), "128 bits: {secret}");
        let rows = format!("SELECT COUNT(*) FROM sessions WHERE id = '{secret}' OR token_id = '{secret}'");
        assert_eq!(server.database.number(&rows), 0, "{field} is stored as a hash only");
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM sessions WHERE length(id) = 64"), 2);
    // Signing out ends only this session. Reusing a refreshed token ends its session.
    let out = server.as_user(&token, Method::POST, "/api/auth/logout", None).await;
    assert_eq!(out.json(), json!({"success": true}));
    assert_eq!(me(&server, &token).await.code(), "UNAUTHORIZED");
    assert_eq!(server.as_user(&token, Method::POST, "/api/auth/refresh", None).await.code(), "UNAUTHORIZED");
    assert_eq!(me(&server, &other).await.status, 200);
    let old = accounts::expired(&other);
    assert_eq!(me(&server, &old).await.code(), "TOKEN_EXPIRED");
    let new = server.as_user(&old, Method::POST, "/api/auth/refresh", None).await.json();
    let new = new["token"].as_str().unwrap().to_owned();
    assert_eq!(me(&server, &new).await.status, 200);
    age_refreshes(&server, 10_000);
    let again = server.as_user(&old, Method::POST, "/api/auth/refresh", None).await;
    assert_eq!(again.code(), "UNAUTHORIZED");
    assert_eq!(me(&server, &new).await.code(), "UNAUTHORIZED", "reuse of a retired token ends the session");
    // A token cannot be refreshed thirty days after its expiry.
    let fourth = server.sign_in("7001").await;
    let ancient = accounts::aged(&fourth, 31 * 86_400);
    assert_eq!(server.as_user(&ancient, Method::POST, "/api/auth/refresh", None).await.code(), "UNAUTHORIZED");
    assert_eq!(me(&server, &fourth).await.status, 200);
    // Tokens of a deleted user are invalid.
    server.database.run("DELETE FROM users");
    assert_eq!(me(&server, &fourth).await.code(), "UNAUTHORIZED");
}

/// Moves the last refresh of all sessions into the past.
fn age_refreshes(server: &Server, ms: i64) {
    server.database.run(&format!("UPDATE sessions SET refreshed_at = refreshed_at - {ms}"));
}

async fn two_refreshes_of_one_token_get_the_same_new_token(on: Backend) {
    let (server, _discord) = site(on).await;
    let old = accounts::expired(&server.sign_in("7001").await);
    let trade = async |token: &str| server.as_user(token, Method::POST, "/api/auth/refresh", None).await;
    // Two tabs at the same time, and a third one a little later.
    let (a, b) = tokio::join!(trade(&old), trade(&old));
    let new = a.json()["token"].as_str().unwrap().to_owned();
    assert_eq!((b.json()["token"].as_str(), b.status.as_u16()), (Some(new.as_str()), 200), "{}", b.text());
    age_refreshes(&server, 3_000);
    let c = trade(&old).await.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(accounts::claims(&c)["jti"], accounts::claims(&new)["jti"]);
    assert_eq!(me(&server, &new).await.status, 200);
    // Ten seconds after its retirement, using the token ends the session.
    age_refreshes(&server, 7_000);
    assert_eq!(trade(&old).await.code(), "UNAUTHORIZED");
    assert_eq!(me(&server, &new).await.code(), "UNAUTHORIZED");

    // A retired token grants no access. Using it within ten seconds does not end the session, but it can sign out.
    let first = server.sign_in("7001").await;
    let second = trade(&first).await.json()["token"].as_str().unwrap().to_owned();
    assert_eq!([me(&server, &first).await.status.as_u16(), me(&server, &second).await.status.as_u16()], [401, 200]);
    let out = server.as_user(&first, Method::POST, "/api/auth/logout", None).await;
    assert_eq!((out.status.as_u16(), me(&server, &second).await.code().as_str()), (200, "UNAUTHORIZED"));
    assert_eq!(trade(&first).await.code(), "UNAUTHORIZED", "an ended session cannot be refreshed");
    // The predecessor of a retired token ends the session.
    let first = server.sign_in("7001").await;
    let second = trade(&first).await.json()["token"].as_str().unwrap().to_owned();
    let third = trade(&second).await.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(trade(&first).await.code(), "UNAUTHORIZED");
    assert_eq!(me(&server, &third).await.code(), "UNAUTHORIZED");
}

/// Both processes derive the same successor, whichever responds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_return_the_same_new_token() {
    let (one, _discord) = site(Backend::Postgres).await;
    let mut other = one.beside();
    other.run();
    for _ in 0..5 {
        let old = accounts::expired(&one.sign_in("7001").await);
        let trade = |server: &Server| {
            let request = server.request(Method::POST, "/api/auth/refresh").bearer_auth(&old);
            async move { request.send().await.unwrap().json::<serde_json::Value>().await.unwrap() }
        };
        let (a, b) = tokio::join!(trade(&one), trade(&other));
        assert!(a["token"].is_string(), "{a}");
        assert_eq!(a["token"], b["token"], "{b}");
        for server in [&one, &other] {
            assert_eq!(me(server, a["token"].as_str().unwrap()).await.status, 200);
        }
    }
}

async fn a_session_lasts_at_most_90_days(on: Backend) {
    let (mut server, _discord) = site(on).await;
    let token = server.sign_in("7001").await;
    let begun = |server: &Server, days: i64, ms: i64| {
        server.database.run(&format!("UPDATE sessions SET created_at = {}", now() - days * DAY + ms));
    };
    begun(&server, 90, 60_000);
    assert_eq!(me(&server, &token).await.status, 200);
    begun(&server, 90, 0);
    assert_eq!(me(&server, &token).await.code(), "UNAUTHORIZED");
    let trade = server.as_user(&accounts::expired(&token), Method::POST, "/api/auth/refresh", None).await;
    assert_eq!(trade.code(), "UNAUTHORIZED", "a refresh does not extend the maximum duration");
    begun(&server, 92, 0);
    server.restart();
    let left = "SELECT COUNT(*) FROM sessions";
    eventually("old sessions are deleted", async || server.database.number(left) == 0).await;
}

async fn own_sessions_are_listed_and_ended(on: Backend) {
    let (server, _discord) = site(on).await;
    let sign_in = async |agent: &str| {
        let body = json!({"code": "7001", "redirect_uri": server.url("/link")});
        let request = server.request(Method::POST, CALLBACK).header("x-forwarded-for", accounts::new_address());
        let response = server.execute(request.header("user-agent", agent).json(&body)).await;
        response.json()["token"].as_str().unwrap().to_owned()
    };
    let list = async |token: &str| {
        let response = server.as_user(token, Method::GET, "/api/me/sessions", None).await;
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()["sessions"].as_array().unwrap().clone()
    };
    let other = server.sign_in("7002").await;
    let phone = sign_in("Mozilla/5.0 (Linux; Android 15) Chrome/141.0 Mobile Safari/537.36").await;
    let tool = sign_in("<b>tool</b>").await;
    let own = sign_in("Mozilla/5.0 (Windows NT 10.0; rv:144.0) Gecko/20100101 Firefox/144.0").await;
    server.database.run(&format!(
        "UPDATE sessions SET last_seen_at = 5000, refreshed_at = {0} WHERE device LIKE 'Chrome%'; \
         UPDATE sessions SET last_seen_at = 0, refreshed_at = {0} - 60000 WHERE device = ''",
        now() - 20 * DAY,
    ));
    let shown = list(&own).await;
    let of = |field: &str| shown.iter().map(|session| session[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("device"), [json!("Firefox on Windows"), json!("Chrome on Android"), json!(null)]);
    assert_eq!(of("is_current"), [json!(true), json!(false), json!(false)]);
    let seen: Vec<i64> = of("last_seen_at").iter().map(|at| at.as_i64().unwrap()).collect();
    assert!(seen.is_sorted_by(|a, b| a > b) && seen[0] > now() / 1000 - 60, "{seen:?}");
    let text = format!("{shown:?}");
    assert!(!text.contains("Mozilla") && !text.contains("tool"), "only the name of the browser is stored: {text}");
    // Use of a session is recorded, at most every ten minutes.
    assert_eq!(me(&server, &phone).await.status, 200);
    assert!(list(&phone).await.iter().all(|session| session["last_seen_at"].as_i64().unwrap() > 5));

    // Ending one session invalidates its token and no other.
    let path = |session: &serde_json::Value| format!("/api/me/sessions/{}", session["id"].as_str().unwrap());
    let phones = shown.iter().find(|session| session["device"] == "Chrome on Android").unwrap();
    assert_eq!(server.as_user(&other, Method::DELETE, &path(phones), None).await.code(), "NOT_FOUND");
    assert_eq!(me(&server, &phone).await.status, 200);
    assert_eq!(server.as_user(&own, Method::DELETE, &path(phones), None).await.status, 200);
    assert_eq!(server.as_user(&own, Method::DELETE, &path(phones), None).await.code(), "NOT_FOUND");
    assert_eq!(me(&server, &phone).await.code(), "UNAUTHORIZED");
    assert_eq!([me(&server, &tool).await.status, me(&server, &own).await.status], [200, 200]);
    assert_eq!(list(&own).await.len(), 2);
    // Signing out everywhere includes this session, and no other user.
    let ended = server.as_user(&own, Method::DELETE, "/api/me/sessions", None).await;
    assert_eq!(ended.json(), json!({"success": true, "ended": 2}));
    for token in [&tool, &own] {
        assert_eq!(me(&server, token).await.code(), "UNAUTHORIZED");
    }
    assert_eq!(me(&server, &other).await.status, 200);
    assert_eq!(list(&other).await.len(), 1);
}

async fn an_avatar_is_fetched_once_and_served_from_this_site(on: Backend) {
    const HASH: &str = "a_0123456789abcdef0123456789abcdef";
    let mut server = Server::prepare(on);
    let picture = pictures::file(&pictures::flag(128, 128), image::ImageFormat::Png);
    let cdn = MockServer::start(move |call, _| match call.path.as_str() {
        "/avatars/7001/a_0123456789abcdef0123456789abcdef.png?size=128" => {
            MockResponse::ok(picture.clone()).with_header("Content-Type", "image/png")
        }
        _ => MockResponse::status(404, "not a picture"),
    })
    .await;
    let discord = MockServer::start(|call, _| {
        let body = if call.path.ends_with("/oauth2/token") {
            let form = String::from_utf8_lossy(&call.body).into_owned();
            let code = form.split('&').find_map(|pair| pair.strip_prefix("code=")).unwrap_or_default().to_owned();
            json!({"access_token": code, "token_type": "Bearer", "expires_in": 60, "scope": "identify email"})
        } else {
            let id = call.header("authorization").unwrap().trim_start_matches("Bearer ").to_owned();
            let avatar = match id.as_str() {
                "7001" => json!(HASH),
                "7002" => json!("0123456789abcdef0123456789abcdef"),
                "7003" => json!("../../../etc/passwd"),
                _ => json!(null),
            };
            json!({"id": id, "username": "user", "avatar": avatar})
        };
        MockResponse::ok(body.to_string()).with_header("Content-Type", "application/json")
    })
    .await;
    let _own = server.with_discord().await;
    server.env("APOGEE_DISCORD_API_URL", &discord.url);
    server.env("APOGEE_DISCORD_CDN_URL", &cdn.url);
    server.run();
    let token = server.sign_in("7001").await;
    let path = me(&server, &token).await.json()["user"]["discord_avatar"].as_str().unwrap().to_owned();
    assert!(path.starts_with("/avatars/users/"), "{path}");
    for _ in 0..3 {
        let response = server.get(&path).await;
        assert_eq!((response.status.as_u16(), response.header("content-type")), (200, Some("image/jpeg")));
        let shown = image::load_from_memory(&response.bytes).unwrap();
        assert_eq!((shown.width(), shown.height()), (96, 96));
    }
    assert_eq!(cdn.request_count(), 1, "the cached picture is served");
    // A picture that Discord does not have is requested once; an invalid hash is never requested.
    let gone = server.sign_in("7002").await;
    let path_of_gone = me(&server, &gone).await.json()["user"]["discord_avatar"].as_str().unwrap().to_owned();
    for _ in 0..2 {
        assert_eq!(server.get(&path_of_gone).await.code(), "NOT_FOUND");
    }
    assert_eq!(cdn.request_count(), 2);
    for bare in ["7003", "7004"] {
        let token = server.sign_in(bare).await;
        assert_eq!(me(&server, &token).await.json()["user"]["discord_avatar"], json!(null), "{bare}");
    }
    let id = path.split('/').nth(3).unwrap();
    let key = path.rsplit('/').next().unwrap();
    for odd in [
        format!("/avatars/users/{id}/00112233445566778899aabbccddeeff"),
        format!("/avatars/users/999/{key}"),
        format!("/avatars/users/x/{key}"),
        format!("/avatars/users/{id}/..%2f..%2fsecret"),
        format!("/avatars/{key}"),
    ] {
        assert_eq!(server.get(&odd).await.status, 404, "{odd}");
    }
    assert_eq!(cdn.request_count(), 2);
    // The picture is deleted with the account.
    let cached = |server: &Server| std::fs::read_dir(server.data_dir().join("avatars/users")).unwrap().count();
    let before = cached(&server);
    assert_eq!(server.as_user(&token, Method::DELETE, "/api/me", None).await.status, 200);
    assert_eq!((server.get(&path).await.status.as_u16(), cached(&server)), (404, before - 1));
    // Pictures that were not requested for a month are deleted.
    let month_ago = std::time::SystemTime::now() - Duration::from_secs(31 * 86_400);
    for file in std::fs::read_dir(server.data_dir().join("avatars/users")).unwrap() {
        let file = std::fs::File::options().write(true).open(file.unwrap().path()).unwrap();
        file.set_modified(month_ago).unwrap();
    }
    server.restart();
    eventually("unused pictures are deleted", async || cached(&server) == 0).await;
}

async fn t45_the_eleventh_sign_in_per_minute_from_one_address_is_rejected(on: Backend) {
    let (mut server, _discord) = site(on).await;
    for _ in 0..10 {
        assert_eq!(server.try_sign_in_from("7001", "198.51.100.7").await.status, 200);
    }
    let eleventh = server.try_sign_in_from("7002", "198.51.100.7").await;
    assert_eq!((eleventh.status.as_u16(), eleventh.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"));
    let wait: u64 = eleventh.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Addresses to the left of the trusted proxy's entry may be forged and are ignored.
    assert_eq!(server.try_sign_in_from("7002", "203.0.113.9, 198.51.100.7").await.status, 429);
    assert_eq!(server.try_sign_in_from("7002", "198.51.100.8").await.status, 200);
    for n in 0..10 {
        assert_eq!(server.try_sign_in_from("7001", &format!("2001:db8:1:2::{n}")).await.status, 200);
    }
    assert_eq!(server.try_sign_in_from("7001", "2001:db8:1:2:ffff::1").await.status, 429, "one customer, one /64");
    assert_eq!(server.try_sign_in_from("7001", "2001:db8:1:3::1").await.status, 200);
    // Without a trusted proxy, the header is ignored.
    server.stop();
    server.env("APOGEE_TRUSTED_PROXIES", "");
    server.run();
    for n in 0..10 {
        assert_eq!(server.try_sign_in_from("7001", &format!("198.51.100.{n}")).await.status, 200);
    }
    assert_eq!(server.try_sign_in_from("7001", "198.51.100.99").await.status, 429);
}

async fn t21_a_discord_outage_affects_only_sign_in(on: Backend) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("7001").await;
    drop(discord);
    let failing = MockServer::start(|_, number| match number {
        0 => MockResponse::status(500, "oops"),
        1 => MockResponse::CloseConnection,
        _ => MockResponse::ok("<html>not json</html>"),
    })
    .await;
    server.stop();
    server.env("APOGEE_DISCORD_API_URL", &failing.url);
    server.run();
    for tried in 0..3 {
        let response = server.try_sign_in("7002").await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (502, "UPSTREAM_UNAVAILABLE"), "{tried}");
        assert!(response.json()["error"].as_str().unwrap().contains("Discord"), "{}", response.text());
    }
    assert_eq!(me(&server, &token).await.status, 200, "signed-in users are not affected");
    assert_eq!(server.get("/api/players/top").await.status, 200);
}
