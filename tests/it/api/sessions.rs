//! Signing in: who gets a token, for how long it is good, and what ends it.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::support::stand_in::{Reply, StandIn};
use crate::support::*;

on_both!(
    t39_only_discords_own_id_says_who_somebody_is,
    t39_a_sign_in_needs_the_configured_address_and_a_fresh_code,
    t40_sessions_are_hashed_at_rest_and_end_on_the_server,
    t45_the_eleventh_sign_in_a_minute_from_one_address_waits,
    t21_a_discord_that_fails_costs_nobody_but_who_signs_in,
);

const CALLBACK: &str = "/api/auth/discord/callback";
const ME: &str = "/api/player/me";

async fn site(on: Backend) -> (Server, StandIn) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.run();
    (server, discord)
}

async fn me(server: &Server, token: &str) -> Answer {
    server.as_user(token, Method::GET, ME, None).await
}

async fn t39_only_discords_own_id_says_who_somebody_is(on: Backend) {
    let mut server = Server::prepare(on);
    // Two people whom Discord tells with one name and one e-mail address.
    let discord = StandIn::start(|call, _| {
        let body = if call.path.ends_with("/oauth2/token") {
            let form = String::from_utf8_lossy(&call.body).into_owned();
            let code = form.split('&').find_map(|pair| pair.strip_prefix("code=")).unwrap_or_default().to_owned();
            json!({"access_token": code, "token_type": "Bearer", "expires_in": 60, "scope": "identify email"})
        } else {
            let id = call.header("authorization").unwrap().trim_start_matches("Bearer ").to_owned();
            json!({"id": id, "username": "same", "global_name": "Same", "email": "same@example.org", "avatar": null})
        };
        Reply::ok(body.to_string()).with("Content-Type", "application/json")
    })
    .await;
    let _own = server.with_discord().await;
    server.env("APOGEE_DISCORD_API_URL", &discord.url);
    server.run();
    let (first, second) = (server.sign_in("7001").await, server.sign_in("7002").await);
    assert_eq!(me(&server, &first).await.json()["user"]["discord_id"], "7001");
    assert_eq!(me(&server, &second).await.json()["user"]["discord_id"], "7002");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM users"), 2);
    // Signing in again is the same user with the same things.
    let linked = me(&server, &first).await.json()["user"]["linked_at"].clone();
    let again = server.sign_in("7001").await;
    assert_eq!(me(&server, &again).await.json()["user"]["linked_at"], linked);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM users"), 2);
    // What a page tells of itself changes nobody: not the id, not the handle, not the guild.
    server.database.run(
        "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('Ann-1', 'ann-1', 'Ann', 1)",
    );
    let told =
        json!({"discordUser": {"id": "7002", "discord_id": "7002"}, "playerHandle": "Ann-1", "orgShort": "ALPHA"});
    let answer = server.as_user(&first, Method::POST, "/api/link/discord-login", Some(&told)).await;
    assert_eq!(answer.code(), "FORBIDDEN");
    let told = json!({"discordUser": {"discord_id": "7001", "id": "7002"}, "playerHandle": "Ann-1"});
    let answer = server.as_user(&first, Method::POST, "/api/link/discord-login", Some(&told)).await;
    assert_eq!(answer.code(), "FORBIDDEN");
    let told = json!({"discordUser": {"id": "7001"}, "playerHandle": "Ann-1", "is_admin": true});
    let user = server.as_user(&first, Method::POST, "/api/link/discord-login", Some(&told)).await.json();
    assert_eq!((&user["user"]["handle"], &user["user"]["is_admin"]), (&json!(null), &json!(false)));
    let request = server.request(Method::GET, ME).header("x-user-handle", "Ann-1");
    assert_eq!(server.ask(request).await.code(), "UNAUTHORIZED");
    assert_eq!(server.as_user(&first, Method::GET, "/api/link/user/7002", None).await.code(), "FORBIDDEN");
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
        // A code that Discord does not know: used, foreign or made up.
        (json!({"code": "used", "redirect_uri": own}), 401),
        (json!({"code": "7001", "redirect_uri": own, "code_verifier": verifier}), 200),
    ] {
        let answer = server.ask(server.request(Method::POST, CALLBACK).json(&body)).await;
        assert_eq!(answer.status.as_u16(), status, "{body}: {}", answer.text());
    }
    // What the page proves is handed on to Discord, which alone can judge it.
    let form = String::from_utf8(discord.seen().iter().rev().nth(1).unwrap().body.clone()).unwrap();
    assert!(form.contains(&format!("code_verifier={verifier}")) && form.contains("redirect_uri="), "{form}");
}

async fn t40_sessions_are_hashed_at_rest_and_end_on_the_server(on: Backend) {
    let (server, _discord) = site(on).await;
    let (token, other) = (server.sign_in("7001").await, server.sign_in("7001").await);
    let (one, two) = (accounts::claims(&token), accounts::claims(&other));
    assert_ne!(one["sid"], two["sid"], "each sign-in is a session of its own");
    for field in ["sid", "jti"] {
        let secret = one[field].as_str().unwrap();
        assert!(secret.len() >= 32 && secret.bytes().all(|b| b.is_ascii_hexdigit()), "128 bits: {secret}");
        let rows = format!("SELECT COUNT(*) FROM sessions WHERE id = '{secret}' OR token_id = '{secret}'");
        assert_eq!(server.database.number(&rows), 0, "{field} is not kept as it is");
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM sessions WHERE length(id) = 64"), 2);
    // Signed out is signed out, here and nowhere else; a token that has been traded ends its session.
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
    let again = server.as_user(&old, Method::POST, "/api/auth/refresh", None).await;
    assert_eq!(again.code(), "UNAUTHORIZED");
    assert_eq!(me(&server, &new).await.code(), "UNAUTHORIZED", "one of the two was a thief");
    // Two trades of one token at the same moment: at most one of them succeeds.
    let third = server.sign_in("7001").await;
    let trade = || server.as_user(&third, Method::POST, "/api/auth/refresh", None);
    let (a, b) = tokio::join!(trade(), trade());
    assert!([a.status.as_u16(), b.status.as_u16()].iter().filter(|status| **status == 200).count() <= 1);
    // Thirty days after its end a token is nothing any more.
    let fourth = server.sign_in("7001").await;
    let ancient = accounts::aged(&fourth, 31 * 86_400);
    assert_eq!(server.as_user(&ancient, Method::POST, "/api/auth/refresh", None).await.code(), "UNAUTHORIZED");
    assert_eq!(me(&server, &fourth).await.status, 200);
    // A deleted user is nobody, whatever their token says.
    server.database.run("DELETE FROM users");
    assert_eq!(me(&server, &fourth).await.code(), "UNAUTHORIZED");
}

async fn t45_the_eleventh_sign_in_a_minute_from_one_address_waits(on: Backend) {
    let (mut server, _discord) = site(on).await;
    for _ in 0..10 {
        assert_eq!(server.try_sign_in_from("7001", "198.51.100.7").await.status, 200);
    }
    let eleventh = server.try_sign_in_from("7002", "198.51.100.7").await;
    assert_eq!((eleventh.status.as_u16(), eleventh.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"));
    let wait: u64 = eleventh.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // What stands left of what a trusted proxy wrote was written by anybody.
    assert_eq!(server.try_sign_in_from("7002", "203.0.113.9, 198.51.100.7").await.status, 429);
    assert_eq!(server.try_sign_in_from("7002", "198.51.100.8").await.status, 200);
    for n in 0..10 {
        assert_eq!(server.try_sign_in_from("7001", &format!("2001:db8:1:2::{n}")).await.status, 200);
    }
    assert_eq!(server.try_sign_in_from("7001", "2001:db8:1:2:ffff::1").await.status, 429, "one customer, one /64");
    assert_eq!(server.try_sign_in_from("7001", "2001:db8:1:3::1").await.status, 200);
    // Without a trusted proxy the header changes nothing.
    server.stop();
    server.env("APOGEE_TRUSTED_PROXIES", "");
    server.run();
    for n in 0..10 {
        assert_eq!(server.try_sign_in_from("7001", &format!("198.51.100.{n}")).await.status, 200);
    }
    assert_eq!(server.try_sign_in_from("7001", "198.51.100.99").await.status, 429);
}

async fn t21_a_discord_that_fails_costs_nobody_but_who_signs_in(on: Backend) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("7001").await;
    drop(discord);
    let failing = StandIn::start(|_, number| match number {
        0 => Reply::status(500, "oops"),
        1 => Reply::HangUp,
        2 => Reply::ok("<html>not json</html>"),
        _ => Reply::Silence,
    })
    .await;
    server.stop();
    server.env("APOGEE_DISCORD_API_URL", &failing.url);
    server.run();
    for tried in 0..if on == Backend::Sqlite { 4 } else { 3 } {
        let began = Instant::now();
        let answer = server.try_sign_in("7002").await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (502, "UPSTREAM_UNAVAILABLE"), "{tried}");
        assert!(answer.json()["error"].as_str().unwrap().contains("Discord"), "{}", answer.text());
        assert!(began.elapsed() < Duration::from_secs(15), "{tried}: nobody waits for ever");
    }
    assert_eq!(me(&server, &token).await.status, 200, "who is in stays in");
    assert_eq!(server.get("/api/players/top").await.status, 200);
}
