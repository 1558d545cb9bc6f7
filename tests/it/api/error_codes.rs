//! Every documented error code is returned by some request.

use std::collections::BTreeSet;

use apogee::error::Code;
use reqwest::{Method, StatusCode};

use crate::support::game_site::Citizen;
use crate::support::mock_server::MockResponse;
use crate::support::*;

const ALL: [Code; 15] = [
    Code::Validation,
    Code::CodeNotFound,
    Code::Unauthorized,
    Code::TokenExpired,
    Code::Forbidden,
    Code::SuspiciousAccessBlocked,
    Code::NotFound,
    Code::MethodNotAllowed,
    Code::Conflict,
    Code::PayloadTooLarge,
    Code::UnsupportedMediaType,
    Code::RateLimitExceeded,
    Code::UpstreamUnavailable,
    Code::Overloaded,
    Code::Internal,
];

fn name(code: Code) -> String {
    serde_json::to_value(code).unwrap().as_str().unwrap().to_owned()
}

#[test]
fn the_list_of_codes_is_complete() {
    let document: serde_json::Value = serde_json::from_str(&apogee::routes::openapi::text().unwrap()).unwrap();
    let described: BTreeSet<String> = document["components"]["schemas"]["Code"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ALL.map(name).into_iter().collect::<BTreeSet<_>>(), described);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_code_is_returned_by_some_request() {
    let mut produced: BTreeSet<String> = BTreeSet::new();
    let server = Server::prepare(Backend::Postgres);
    let mut server = server;
    server.database.run(
        "INSERT INTO players (handle, handle_folded, player_name, is_hidden, created_at) VALUES ('Hid-Den', 'hid-den', 'Hid', TRUE, 1)",
    );
    let _discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    server.run();
    let key = server.key("reader");
    let ingest = "/api/ingest/events";
    let mut note = |response: Response| {
        let code = response.code();
        let known =
            ALL.into_iter().find(|c| name(*c) == code).unwrap_or_else(|| panic!("{code} is not a documented code"));
        assert_eq!(response.status.as_u16(), known.status(), "{code}");
        produced.insert(code);
        response
    };
    note(server.get("/api/players/top?limit=0").await);
    note(server.get("/api/nothing").await);
    note(server.get("/api/player/hid-den/weapons").await);
    note(server.execute(server.request(Method::DELETE, "/api/patch")).await);
    note(server.post(ingest, "wrong", "{}").await);
    note(server.post(ingest, &key, vec![b' '; 1024 * 1024 + 1]).await);
    let request = server.request(Method::POST, ingest).bearer_auth(&key).header("content-encoding", "br");
    note(server.execute(request).await);

    let expired = accounts::expired(&server.sign_in("7001").await);
    note(server.as_user(&expired, Method::GET, "/api/player/me", None).await);

    let (token, claim) = (server.sign_in("7001").await, serde_json::json!({"handle": "Kite-Flier"}));
    let act = |act: &str| {
        let path = format!("/api/player/claim/{act}");
        let (server, token, claim) = (&server, &token, &claim);
        async move { server.as_user(token, Method::POST, &path, Some(claim)).await }
    };
    let started = act("start").await.json();
    note(act("verify").await);
    game_site.set_response("/citizens/Kite-Flier", MockResponse::CloseConnection);
    note(act("verify").await);
    game_site.citizen(&Citizen::new("Kite-Flier", started["verificationCode"].as_str().unwrap()));
    assert_eq!(act("verify").await.status, StatusCode::OK);
    note(act("start").await);
    let update = "/api/player/update-profile/kite-flier";
    assert_eq!(server.as_user(&token, Method::POST, update, None).await.status, StatusCode::OK);
    let limited = note(server.as_user(&token, Method::POST, update, None).await);
    assert!(limited.header("retry-after").is_some());

    // An address that exceeds its limit and keeps sending.
    let strict = crate::api::rate_limits::strict(Backend::Sqlite, "reads = 1\nblock-after = 2").await;
    strict.get("/api/patch").await;
    note(strict.get("/api/patch").await);
    strict.get("/api/patch").await;
    note(strict.get("/api/patch").await);

    // A missing table is an internal error with a fixed message that contains nothing of the database's error.
    server.database.run("ALTER TABLE commits RENAME TO commits_gone");
    let broken = note(server.get("/api/commits").await);
    assert_eq!(broken.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!broken.text().contains("commits"), "{}", broken.text());
    server.database.run("ALTER TABLE commits_gone RENAME TO commits");
    assert_eq!(server.get("/api/commits").await.status, StatusCode::OK, "and recovers");

    // Without a database, the client should retry later.
    server.database.refuse_connections();
    let busy = note(server.get("/api/activity").await);
    assert_eq!(busy.header("retry-after"), Some("1"));
    let ready = note(server.get("/api/ready").await);
    assert_eq!(ready.json()["database"], false);
    assert_eq!(server.get("/api/health").await.status, StatusCode::OK, "the process remains healthy");
    server.database.accept_connections();
    let began = std::time::Instant::now();
    while server.get("/api/ready").await.status != StatusCode::OK {
        assert!(began.elapsed().as_secs() < 120, "the server does not reconnect to its database");
    }

    let expected: BTreeSet<String> = ALL.into_iter().map(name).collect();
    assert_eq!(produced, expected);
}
