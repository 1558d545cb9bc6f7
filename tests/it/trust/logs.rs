//! The log that a batch comes from, as the header `Apogee-Log` names it.

use reqwest::Method;
use serde_json::json;

use super::{owner, site};
use crate::support::*;

on_both!(
    an_invalid_header_is_rejected_and_nothing_is_stored,
    a_log_is_one_row_that_later_batches_extend,
    each_report_names_its_own_log,
    the_logs_of_an_account_are_exported_and_deleted,
);

/// Every log as one line.
fn logs(server: &Server) -> Vec<String> {
    let texts = ["handle", "handle_folded", "build", "branch", "channel", "reader"];
    let texts = texts.map(|column| format!("coalesce({column}, '-')")).join(" || ' ' || ");
    server.database.words(&format!(
        "SELECT log || ' ' || {texts} || ' ' || first_at || ' ' || last_at AS value FROM logs ORDER BY id"
    ))
}

async fn an_invalid_header_is_rejected_and_nothing_is_stored(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let events = [own("login", "Ann-1").json()];
    for (header, sentence) in [
        ("", "invalid Apogee-Log parameter '': expected name=value"),
        ("id=a", "invalid Apogee-Log: 'first' is missing, expected at least id, first and last"),
        ("id=a.b, first=1, last=2", "invalid Apogee-Log id 'a.b': expected 1 to 64 letters, digits, '-' or '_'"),
        ("id=a, handle=%41, first=1, last=2", "invalid Apogee-Log handle 'A': expected 3 to 60 letters"),
        ("id=a, first=2, last=1", "invalid Apogee-Log: 'last' is before 'first'"),
        ("id=a, first=1, last=2, build=\"7\"", "invalid Apogee-Log parameter 'build=\"7\"': expected name=value"),
        (
            &format!("id=a, first=1, last=2, x={}", "y".repeat(1000)),
            "invalid Apogee-Log of 1025 bytes: expected at most 1024",
        ),
    ] {
        let answer = server.send_from_log(&key, header, &events).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (400, "VALIDATION"), "{header}");
        assert!(answer.json()["error"].as_str().unwrap().starts_with(sentence), "{header}: {}", answer.text());
    }
    for table in ["events", "logs", "players"] {
        assert_eq!(server.database.number(&format!("SELECT COUNT(*) FROM {table}")), 0, "{table}");
    }
    // Without an event there is no log either.
    assert_eq!(server.send_from_log(&key, "id=a, first=1, last=2", &[]).await.status, 200);
    server.take(&key, &events).await;
    assert_eq!(logs(&server), Vec::<String>::new());
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events WHERE log_id IS NULL"), 1);
}

async fn a_log_is_one_row_that_later_batches_extend(on: Backend) {
    let server = Server::start(on).await;
    let (key, other) = (server.key("reader"), server.key("other"));
    let first =
        "id=log-1, build=9687209, branch=sc-alpha-4.1.0, channel=LIVE, reader=Apogee%2F0.1.0, first=20, last=30";
    let login = [own("login", "Ann-1").id("log-1:1").json()];
    assert_eq!(server.send_from_log(&key, first, &login).await.json()["accepted"], 1);
    assert_eq!(logs(&server), ["log-1 - - 9687209 sc-alpha-4.1.0 LIVE Apogee/0.1.0 20 30"]);
    let received = server.database.number("SELECT received_at FROM logs");
    assert!((now() - received).abs() < 60_000, "{received}");

    // The same batch again changes nothing.
    assert_eq!(server.send_from_log(&key, first, &login).await.json()["duplicates"], 1);
    let later = "id=log-1, handle=Ann-1, channel=PTU, reader=Apogee%2F0.2.0, first=25, last=40, head=00, offset=7";
    server.send_from_log(&key, later, &[own("logout", "Ann-1").id("log-1:2").json()]).await;
    let earlier = "id=log-1, handle=Bob-1, reader=Apogee%2F0.2.0, first=10, last=15";
    server.send_from_log(&key, earlier, &[own("login", "Ann-1").id("log-1:3").at(now() - DAY).json()]).await;
    let row = "log-1 Ann-1 ann-1 9687209 sc-alpha-4.1.0 PTU Apogee/0.2.0 10 40";
    assert_eq!(logs(&server), [row]);
    assert_eq!(server.database.number("SELECT received_at FROM logs"), received);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events e JOIN logs l ON l.id = e.log_id"), 3);

    // An id belongs to the key that sent it.
    server.send_from_log(&other, "id=log-1, first=1, last=2", &[own("login", "Cyd-1").json()]).await;
    assert_eq!(logs(&server), [row, "log-1 - - - - - - 1 2"]);
}

async fn each_report_names_its_own_log(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ann, bob) = (owner(&server, "5001", "Ann-1").await, owner(&server, "5002", "Bob-1").await);
    let at = now() - DAY;
    let report = |ms: i64| [kill("Ann-1", "Bob-1").pu().at(at + ms).json()];
    ann.take(&server, &report(0)).await;
    bob.send(&server, &report(800)).await;
    server.send_from_log(&server.key("operator"), "id=of-operator, first=1, last=2", &report(400)).await;
    let of_events = "SELECT l.log AS value FROM events e JOIN logs l ON l.id = e.log_id ORDER BY e.id";
    assert_eq!(server.database.words(of_events), ["log-Ann-1", "log-Bob-1", "of-operator"]);
}

async fn the_logs_of_an_account_are_exported_and_deleted(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (key, other) = (owner(&server, "5001", "Ann-1").await.key, server.key("other"));
    let header = "id=log-1, handle=Ann-1, build=9687209, first=1744385053958, last=1744391653000";
    server.send_from_log(&key, header, &[own("login", "Ann-1").json()]).await;
    server.send_from_log(&other, "id=theirs, handle=Bob-1, first=1, last=2", &[own("login", "Bob-1").json()]).await;
    let token = server.sign_in("5001").await;
    let export = server.as_user(&token, Method::GET, "/api/me/export", None).await.json();
    let mut log = export["logs"][0].clone();
    assert!(log["received_at"].take().is_i64());
    assert_eq!(
        (export["logs"].as_array().map(Vec::len), log),
        (
            Some(1),
            json!({"log": "log-1", "handle": "Ann-1", "build": "9687209", "branch": null, "channel": null, "reader": null,
                "first_at": 1_744_385_053, "last_at": 1_744_391_653, "received_at": null})
        )
    );
    assert_eq!(server.as_user(&token, Method::DELETE, "/api/me", None).await.status, 200);
    assert_eq!(logs(&server), ["theirs Bob-1 bob-1 - - - - 1 2"]);
    // The next log does not get the id that the event of the deleted one still names.
    server.send_from_log(&other, "id=next, handle=Cyd-1, first=1, last=2", &[own("login", "Cyd-1").json()]).await;
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events e JOIN logs l ON l.id = e.log_id"), 2);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 3, "events remain");
}
