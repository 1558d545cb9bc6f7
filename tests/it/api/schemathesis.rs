//! T35: schemathesis against the OpenAPI description, in every role: `make daily` installs it and runs this test.
//!
//! `APOGEE_CASES` sets the number of generated cases per operation (30 by default). Signed-in users skip the operations that end
//! their session, because later requests would be anonymous. The live stream never ends; `live.rs` tests it.

use std::process::Command;

use crate::faults::env_or;
use crate::support::game_site::{Citizen, GameSite};
use crate::support::mock_server::MockServer;
use crate::support::*;

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,unsupported_method,allow_header_conformance,ignored_auth";

/// Operations that end the caller's session.
const SESSION_ENDING_PATHS: [&str; 3] = ["/api/auth/logout", "/api/me", "/api/admin/users/{id}/sign-out"];

/// The demo site with the owner of a player (7001), the owner of a guild (7002), and an admin (900).
async fn site(on: Backend) -> (Server, MockServer, GameSite) {
    let mut server = Server::prepare(on);
    server.command(&["demo", "--players", "300"]);
    let (discord, game_site) = (server.with_discord().await, server.with_game_site().await);
    game_site.citizen(&Citizen::new("Free-1", "Hello"));
    server.env("APOGEE_ADMIN_DISCORD_IDS", "900");
    // All requests come from one address.
    std::fs::write(server.data_dir().join("apogee.toml"), "[limits]\nenabled = false\n").unwrap();
    server.run();
    for person in ["7001", "7002", "900"] {
        server.sign_in(person).await;
    }
    server.give_player("7001", "Schema-1");
    server.give_guild("7002", "SCHEMA");
    (server, discord, game_site)
}

/// Operations that are not called: a stream that does not end, and the state of a reader's login, to which an unknown key is an expired
/// login (404) and not a wrong credential.
const EXCLUDED_PATHS: [&str; 2] = ["/api/live", "/api/reader/login/state"];

/// Runs schemathesis in a role; returns whether all responses match the description.
fn is_as_described(server: &Server, who: &str, token: Option<&str>) -> bool {
    let program = std::env::var("SCHEMATHESIS").expect("SCHEMATHESIS names the program: make daily");
    let cases = env_or("APOGEE_CASES", 30).to_string();
    let mut run = Command::new(program);
    run.args(["--no-color", "run", &server.url("/api/openapi.json"), "--phases", "examples,coverage,fuzzing"]);
    run.args(["--checks", CHECKS, "--max-examples", &cases, "--generation-database", "none", "--seed", "35"]);
    run.args(["--warnings", "off", "--request-timeout", "30", "--continue-on-failure"]);
    run.args(EXCLUDED_PATHS.iter().flat_map(|path| ["--exclude-path", path]));
    if let Some(token) = token {
        run.args(["--header", &format!("Authorization: Bearer {token}")]);
        run.args(SESSION_ENDING_PATHS.iter().flat_map(|path| ["--exclude-path", path]));
    }
    println!("T35: as {who}");
    run.current_dir(server.data_dir()).status().unwrap().success()
}

async fn t35_every_response_matches_its_description(on: Backend) {
    let (server, _discord, _game_site) = site(on).await;
    let key = server.key("reader");
    let mut wrong = Vec::new();
    for who in ["guest", "reader", "7001", "7002", "900"] {
        let token = match who {
            "guest" => None,
            "reader" => Some(key.clone()),
            person => Some(server.sign_in(person).await),
        };
        if !tokio::task::block_in_place(|| is_as_described(&server, who, token.as_deref())) {
            wrong.push(who);
        }
    }
    assert!(wrong.is_empty(), "on {on:?}, as {wrong:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs schemathesis: make daily"]
async fn t35_every_response_matches_its_description_on_sqlite() {
    t35_every_response_matches_its_description(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs schemathesis: make daily"]
async fn t35_every_response_matches_its_description_on_postgres() {
    t35_every_response_matches_its_description(Backend::Postgres).await;
}
