//! T52: logs, error pages and the admin page contain no secrets, and input cannot add lines to the log.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::support::accounts::SECRET;
use crate::support::*;

const ADMIN: &str = "918273645546372819";
const BOT_TOKEN: &str = "hush-token-of-the-bot";
const WEBHOOK_SECRET: &str = "hush-secret-of-the-webhook";

async fn site(format: &str) -> (Server, mock_server::MockServer) {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    let discord = server.with_discord().await;
    for (name, value) in [
        ("APOGEE_LOG", "debug"),
        ("APOGEE_LOG_FORMAT", format),
        ("APOGEE_ADMIN_DISCORD_IDS", ADMIN),
        ("APOGEE_DISCORD_BOT_TOKEN", BOT_TOKEN),
        ("APOGEE_GITHUB_WEBHOOK_SECRET", WEBHOOK_SECRET),
    ] {
        server.env(name, value);
    }
    server.run();
    (server, discord)
}

/// Uses every secret correctly and in invalid ways; returns the secrets and the error responses.
async fn use_secrets(server: &Server) -> (Vec<String>, String) {
    let key = server.key("reader");
    let token = server.sign_in(ADMIN).await;
    let mut responses = String::new();
    server.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    let wrong = [
        server.request(Method::POST, "/api/ingest/events").bearer_auth(&key).body("{\"events\": [{}"),
        server.request(Method::POST, "/api/ingest/events").bearer_auth(format!("{key}x")).json(&json!({"events": []})),
        server.request(Method::GET, "/api/player/me").bearer_auth(format!("{token}x")),
        server.request(Method::GET, &format!("/api/player/me?token={token}")),
        server.request(Method::GET, "/api/player/me").basic_auth(ADMIN, Some(&token)),
        server.request(Method::POST, "/api/auth/refresh").json(&json!({"token": format!("{token}x")})),
        server
            .request(Method::POST, "/api/auth/discord/callback")
            .json(&json!({"code": "no-digits", "redirect_uri": server.url("/link")})),
    ];
    for request in wrong {
        responses += &server.execute(request).await.text();
    }
    // An internal error, with its cause in the log and on the admin page.
    server.database.run("ALTER TABLE commits RENAME TO commits_gone");
    responses += &server.get("/api/commits").await.text();
    server.database.run("ALTER TABLE commits_gone RENAME TO commits");
    let state = server.as_user(&token, Method::GET, "/api/admin/state", None).await;
    assert_eq!(state.status, StatusCode::OK);
    responses += &state.text();
    let given = [SECRET, BOT_TOKEN, WEBHOOK_SECRET, "secret-of-the-application"].map(str::to_owned);
    (given.into_iter().chain([key, token]).collect(), responses)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t52_logs_errors_and_the_admin_page_contain_no_secrets() {
    for format in ["text", "json"] {
        let (mut server, _discord) = site(format).await;
        let (secrets, responses) = use_secrets(&server).await;
        let shown = server.try_command(&["check", "--json"]).output;
        server.stop();
        let log = server.log();
        assert!(log.contains("/api/commits") && log.contains("DEBUG"), "everything else is logged: {log}");
        for secret in secrets {
            for (place, text) in [("the log", &log), ("answers", &responses), ("check", &shown)] {
                let found = text.lines().find(|line| line.contains(&secret));
                assert_eq!(found, None, "{secret} is in {place}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t52_input_cannot_inject_log_lines() {
    const FORGED: &str = "2026-01-01T00:00:00Z ERROR forged";
    let (mut server, _discord) = site("text").await;
    let key = server.key("reader");
    for text in ["%0A2026-01-01T00:00:00Z%20ERROR%20forged", "%0D%0A", "%1B%5B31mred", "%E2%80%AEdetsrever"] {
        for path in [format!("/api/player/{text}"), format!("/api/search/fast?q={text}"), format!("/{text}")] {
            server.get(&path).await;
        }
    }
    let name = format!("Ann\n{FORGED}\u{1b}[31m\u{202e}");
    let odd =
        json!({"events": [{"identifier": name, "event_time": now(), "killer": name, "victim": name, "weapon": name}]});
    let request = server.request(Method::POST, "/api/ingest/events").bearer_auth(&key).json(&odd);
    server.execute(request).await;
    server.execute(server.request(Method::POST, "/api/auth/refresh").json(&json!({"token": name}))).await;
    server.stop();
    let log = server.log();
    assert!(log.lines().count() > 10, "{log}");
    for line in log.lines() {
        let (date, rest) = line.split_at_checked(27).unwrap_or((line, ""));
        assert!(
            date.starts_with("20") && date.ends_with('Z') && rest.starts_with(' '),
            "a line without a timestamp: {line:?}"
        );
        assert!(!line.contains(|c: char| c.is_control() && c != '\t'), "{line:?}");
        assert!(!line.starts_with(FORGED), "{line:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_error_is_logged_once_at_debug_with_its_route() {
    let (mut server, _discord) = site("text").await;
    for path in
        ["/api/nothing", "/api/player/nobody-here", "/api/pl%61yer/nobody-here", "/api/players/top?limit=0", "/nowhere"]
    {
        assert!(server.get(path).await.status.is_client_error(), "{path}");
    }
    server.stop();
    let log = server.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("status=40")).collect();
    assert_eq!(lines.len(), 5, "{log}");
    for line in &lines {
        assert!(line.contains("DEBUG") && line.contains("answered") && !line.contains("NotFound"), "{line}");
    }
    assert_eq!(lines.iter().filter(|line| line.contains("/api/player/{handle}")).count(), 2, "{lines:?}");
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("WARN") && line.contains("request{")).collect();
    assert!(warnings.is_empty() && !log.contains("NotFound(") && !log.contains("nobody-here"), "{log}");
}
