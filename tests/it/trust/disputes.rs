//! Disputes of events by the players in them: what they suspend, and what admins decide.

use reqwest::Method;
use serde_json::{Value, json};

use super::moderation::{ADMIN, act, as_admin, complete, moderated_site, shown, undo};
use super::{Owner, account_key, claim, establish, know, owner};
use crate::support::*;

on_both!(
    the_own_word_of_the_opponent_waits_and_a_withdrawal_releases_it,
    the_sixth_dispute_of_a_day_is_not_stored,
    strangers_cannot_dispute,
    confirmed_conceded_and_operator_events_keep_counting,
    a_dispute_follows_the_reports_of_its_event,
    an_upheld_dispute_voids_the_event_and_undoing_opens_it_again,
    a_dismissed_dispute_lets_the_event_count,
    voiding_an_event_ends_its_disputes,
    deleting_the_account_removes_its_disputes,
    disputed_events_leave_feeds_and_streams,
    an_export_keeps_disputes,
    the_command_decides_disputes,
);

const PEOPLE: [&str; 2] = ["real-ace", "real-foe"];

/// A site where Real-Ace reported a kill of Real-Foe, both claimed; with the id of the event.
async fn disputed_site(on: Backend) -> (Server, mock_server::MockServer, Owner, i64) {
    let (server, discord) = moderated_site(on).await;
    let ace = owner(&server, "5001", "Real-Ace").await;
    account_key(&server, "5002").await;
    claim(&server, "5002", "Real-Foe");
    let id = report_kill(&server, &ace, now() / 1000 * 1000 - DAY).await;
    (server, discord, ace, id)
}

/// Reports a kill of Real-Foe by Real-Ace; returns its id.
async fn report_kill(server: &Server, reporter: &Owner, at: i64) -> i64 {
    reporter.take(server, &[kill("Real-Ace", "Real-Foe").pu().at(at).json()]).await;
    newest(server)
}

fn newest(server: &Server) -> i64 {
    server.database.number("SELECT MAX(id) FROM events")
}

async fn dispute(server: &Server, discord_id: &str, event: i64) -> Response {
    let token = server.sign_in(discord_id).await;
    let body = json!({"reason": "zz I was in the hangar"});
    server.as_user(&token, Method::POST, &format!("/api/activity/{event}/dispute"), Some(&body)).await
}

/// Disputes an event; returns whether it is suspended.
async fn disputed(server: &Server, discord_id: &str, event: i64) -> bool {
    let answer = dispute(server, discord_id, event).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["dispute"]["is_suspended"].as_bool().unwrap()
}

async fn own(server: &Server, discord_id: &str, method: Method, path: &str) -> Response {
    server.as_user(&server.sign_in(discord_id).await, method, path, None).await
}

/// The state of the newest dispute of an account, and whether its event is suspended.
async fn newest_own(server: &Server, discord_id: &str) -> (Value, Value) {
    let page = own(server, discord_id, Method::GET, "/api/me/disputes").await.json();
    let dispute = &page["data"][0]["dispute"];
    (dispute["state"].clone(), dispute["is_suspended"].clone())
}

async fn all(server: &Server) -> Vec<Value> {
    let list = own(server, ADMIN, Method::GET, "/api/admin/disputes").await.json();
    list["data"].as_array().unwrap().clone()
}

/// Decides a dispute; returns the entry of the ledger.
async fn decide(server: &Server, dispute: i64, decision: &str) -> i64 {
    let body = json!({"decision": decision, "reason": "for a test"});
    let started = as_admin(server, &format!("/api/admin/disputes/{dispute}/decision"), &body).await;
    assert_eq!(started.status, 200, "{}", started.text());
    let id = started.json()["entry"]["id"].as_i64().unwrap();
    complete(server, id).await;
    id
}

async fn kills(server: &Server) -> Value {
    server.read("/api/player/real-ace").await["player"]["game_stats"]["pu_player_kills"].clone()
}

async fn state(server: &Server, event: i64) -> Value {
    server.read(&format!("/api/activity/{event}/evidence")).await["state"].clone()
}

/// A recount gives the figures that the site shows.
async fn require_recount(server: &mut Server) {
    let before = shown(server, &PEOPLE).await;
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(shown(server, &PEOPLE).await, before, "a recount gives the same figures");
}

async fn the_own_word_of_the_opponent_waits_and_a_withdrawal_releases_it(on: Backend) {
    let (mut server, _discord, _ace, id) = disputed_site(on).await;
    let before = shown(&server, &PEOPLE).await;
    let answer = dispute(&server, "5002", id).await.json();
    assert_eq!((&answer["dispute"]["is_suspended"], &answer["left_today"]), (&json!(true), &json!(4)), "{answer}");
    assert_eq!(answer["message"], "The event does not count until an admin has decided.");
    assert_eq!(kills(&server).await, 0);
    let evidence = server.read(&format!("/api/activity/{id}/evidence")).await;
    assert_eq!((&evidence["state"], &evidence["reasons"]), (&json!("disputed"), &json!(["disputed"])));
    assert!(!evidence.to_string().contains("hangar") && !evidence.to_string().contains("5002"), "{evidence}");
    let events = own(&server, ADMIN, Method::GET, "/api/admin/events?state=disputed").await.json();
    assert_eq!(events["data"][0]["id"], id);
    assert_eq!(own(&server, ADMIN, Method::GET, "/api/admin/events?state=held").await.json()["data"], json!([]));
    require_recount(&mut server).await;
    assert_eq!(dispute(&server, "5002", id).await.status, 409, "one dispute for each event and account");
    let path = format!("/api/activity/{id}/dispute");
    let withdrawn = own(&server, "5002", Method::DELETE, &path).await.json();
    assert_eq!((&withdrawn["dispute"]["state"], &withdrawn["left_today"]), (&json!("withdrawn"), &json!(4)));
    assert_eq!(shown(&server, &PEOPLE).await, before);
    require_recount(&mut server).await;
    assert_eq!(own(&server, "5002", Method::DELETE, &path).await.status, 409);
    assert_eq!(own(&server, "5001", Method::DELETE, &path).await.status, 404);
    let export = own(&server, "5002", Method::GET, "/api/me/export").await.json();
    assert_eq!(
        (&export["disputes"][0]["state"], &export["disputes"][0]["event_id"]),
        (&json!("withdrawn"), &json!(id.to_string()))
    );
    assert_eq!(all(&server).await, Vec::<Value>::new(), "admins do not see what was taken back");
}

async fn the_sixth_dispute_of_a_day_is_not_stored(on: Backend) {
    let (server, _discord, ace, _) = disputed_site(on).await;
    let mut ids = Vec::new();
    for part in 0..6 {
        ids.push(report_kill(&server, &ace, now() / 1000 * 1000 - 2 * DAY + part * 600_000).await);
    }
    let last = ids.pop().unwrap();
    for (made, id) in (1i64..).zip(ids) {
        let answer = dispute(&server, "5002", id).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["left_today"]),
            (200, &json!(5 - made)),
            "{}",
            answer.text()
        );
    }
    let sixth = dispute(&server, "5002", last).await;
    assert_eq!(sixth.status, 429, "{}", sixth.text());
    let wait: i64 = sixth.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=86_401).contains(&wait), "{wait}");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM disputes"), 5);
    assert_eq!(state(&server, last).await, "stands");
    // Disputes of earlier days do not matter.
    server.database.run(&format!("UPDATE disputes SET created_at = {} WHERE event_id <> {last}", now() - 2 * DAY));
    assert!(disputed(&server, "5002", last).await);
}

async fn strangers_cannot_dispute(on: Backend) {
    let (server, _discord, _ace, id) = disputed_site(on).await;
    account_key(&server, "5003").await;
    for claimed in [None, Some("Other-Ace")] {
        if let Some(handle) = claimed {
            claim(&server, "5003", handle);
        }
        let refused = dispute(&server, "5003", id).await;
        assert_eq!(refused.status, 403, "{}", refused.text());
        assert_eq!(refused.json()["error"], "You can dispute only events that name the player you have claimed.");
    }
    assert_eq!(dispute(&server, "5002", 999).await.status, 404);
    let token = server.sign_in("5002").await;
    for reason in [json!({}), json!({"reason": " "}), json!({"reason": "x".repeat(501)}), json!({"reason": "a\u{7}b"})]
    {
        let path = format!("/api/activity/{id}/dispute");
        assert_eq!(server.as_user(&token, Method::POST, &path, Some(&reason)).await.status, 400);
    }
    assert_eq!(own(&server, "5002", Method::GET, "/api/admin/disputes").await.status, 403);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM disputes"), 0);
    act(&server, "hold", json!({"events": [id]})).await;
    assert_eq!(dispute(&server, "5003", id).await.status, 404, "strangers do not learn of held events");
}

async fn confirmed_conceded_and_operator_events_keep_counting(on: Backend) {
    let (server, _discord, ace, confirmed) = disputed_site(on).await;
    establish(&server, &["5001", "5002"]);
    let foe = owner(&server, "5002", "Real-Foe").await;
    let at = now() / 1000 * 1000;
    // Both reports have to come from established accounts.
    let confirmed_at = at - 3 * DAY;
    let shared = report_kill(&server, &ace, confirmed_at).await;
    foe.send(&server, &[kill("Real-Ace", "Real-Foe").pu().at(confirmed_at).json()]).await;
    let conceded = report_kill(&server, &foe, at - 4 * DAY).await;
    server.take(&server.key("operator"), &[kill("Real-Ace", "Real-Foe").pu().at(at - 5 * DAY).json()]).await;
    let operators = newest(&server);
    let grade = async |id: i64| server.read(&format!("/api/activity/{id}/evidence")).await["grade"].clone();
    for (id, expected) in [(shared, "confirmed"), (conceded, "conceded"), (operators, "operator")] {
        assert_eq!(grade(id).await, expected);
        assert!(!disputed(&server, "5002", id).await, "{expected}");
        assert_eq!(state(&server, id).await, "stands");
    }
    assert_eq!(kills(&server).await, 4);
    // The killer disputes what only the victim reports, and cannot dispute the own report.
    assert!(disputed(&server, "5001", conceded).await);
    assert!(!disputed(&server, "5001", confirmed).await);
    assert_eq!(kills(&server).await, 3);
    // Admins see all of them, the one that rests on one word by its effect.
    let list = all(&server).await;
    assert_eq!(list.len(), 5);
    assert_eq!((&list[0]["account"]["discord_id"], &list[0]["state"]), (&json!("5002"), &json!("open")));
    assert!(list.iter().all(|dispute| dispute["stakes"][0]["points"].as_i64().unwrap() > 0), "{list:?}");
}

async fn a_dispute_follows_the_reports_of_its_event(on: Backend) {
    let (mut server, _discord, _ace, id) = disputed_site(on).await;
    let foe = owner(&server, "5002", "Real-Foe").await;
    assert!(disputed(&server, "5002", id).await);
    // The log of the player who disputes contains the fight.
    let at = server.database.number(&format!("SELECT event_time FROM events WHERE id = {id}"));
    foe.send(&server, &[kill("Real-Ace", "Real-Foe").pu().at(at).json()]).await;
    assert_eq!((state(&server, id).await, kills(&server).await), (json!("stands"), json!(1)));
    assert_eq!(newest_own(&server, "5002").await, (json!("open"), json!(false)));
    let key = server.database.number("SELECT MAX(ingest_key_id) FROM event_witnesses");
    let entry = act(&server, "void", json!({"key": key})).await;
    assert_eq!((state(&server, id).await, kills(&server).await), (json!("disputed"), json!(0)));
    require_recount(&mut server).await;
    undo(&server, entry).await;
    assert_eq!((state(&server, id).await, kills(&server).await), (json!("stands"), json!(1)));
    require_recount(&mut server).await;
    // A third-party report that a party confirms later is disputed from the start.
    account_key(&server, "5004").await;
    know(&server, &["Real-Ace"]);
    let stranger = owner(&server, "5004", "Other-Ace").await;
    stranger.send(&server, &[kill("Real-Ace", "Real-Foe").pu().at(at - DAY).json()]).await;
    let watched = newest(&server);
    assert!(disputed(&server, "5002", watched).await);
    let ace = owner(&server, "5001", "Real-Ace").await;
    ace.send(&server, &[kill("Real-Ace", "Real-Foe").pu().at(at - DAY).json()]).await;
    assert_eq!((state(&server, watched).await, kills(&server).await), (json!("disputed"), json!(1)));
}

async fn an_upheld_dispute_voids_the_event_and_undoing_opens_it_again(on: Backend) {
    let (mut server, _discord, _ace, id) = disputed_site(on).await;
    let before = shown(&server, &PEOPLE).await;
    assert!(disputed(&server, "5002", id).await);
    let number = all(&server).await[0]["id"].as_i64().unwrap();
    let entry = decide(&server, number, "uphold").await;
    assert_eq!(server.get(&format!("/api/activity/{id}/evidence")).await.status, 404);
    let events = own(&server, ADMIN, Method::GET, "/api/admin/events?state=void").await.json();
    assert_eq!(events["data"][0]["id"], id);
    assert_eq!((newest_own(&server, "5002").await.0, kills(&server).await), (json!("upheld"), json!(0)));
    let again = json!({"decision": "dismiss", "reason": "again"});
    assert_eq!(as_admin(&server, &format!("/api/admin/disputes/{number}/decision"), &again).await.status, 409);
    assert_eq!(dispute(&server, "5001", id).await.status, 409, "a void event cannot be disputed");
    require_recount(&mut server).await;
    let ledger = server.read("/api/ledger").await;
    let newest = &ledger["data"][0];
    assert_eq!(
        (&newest["action"], &newest["target"], &newest["done"]),
        (&json!("uphold"), &json!("events"), &json!(1))
    );
    let text = ledger.to_string();
    assert!(!text.contains("5002") && !text.contains(ADMIN) && !text.contains("hangar"), "{text}");
    undo(&server, entry).await;
    assert_eq!((state(&server, id).await, kills(&server).await), (json!("disputed"), json!(0)));
    assert_eq!(newest_own(&server, "5002").await, (json!("open"), json!(true)));
    require_recount(&mut server).await;
    own(&server, "5002", Method::DELETE, &format!("/api/activity/{id}/dispute")).await;
    assert_eq!(shown(&server, &PEOPLE).await, before);
}

async fn a_dismissed_dispute_lets_the_event_count(on: Backend) {
    let (mut server, _discord, _ace, id) = disputed_site(on).await;
    let before = shown(&server, &PEOPLE).await;
    assert!(disputed(&server, "5002", id).await);
    let entry = decide(&server, 1, "dismiss").await;
    assert_eq!(shown(&server, &PEOPLE).await, before);
    assert_eq!(newest_own(&server, "5002").await, (json!("dismissed"), json!(false)));
    require_recount(&mut server).await;
    let decided = all(&server).await;
    assert_eq!((&decided[0]["state"], &decided[0]["entry"]), (&json!("dismissed"), &json!(entry)));
    undo(&server, entry).await;
    assert_eq!((state(&server, id).await, kills(&server).await), (json!("disputed"), json!(0)));
    assert_eq!(newest_own(&server, "5002").await.0, "open");
    require_recount(&mut server).await;
    // The decision about an event that counts all the time can be undone, too.
    server.take(&server.key("operator"), &[kill("Real-Ace", "Real-Foe").pu().at(now() - 2 * DAY).json()]).await;
    assert!(!disputed(&server, "5002", newest(&server)).await);
    let entry = decide(&server, 2, "dismiss").await;
    assert_eq!(newest_own(&server, "5002").await.0, "dismissed");
    undo(&server, entry).await;
    assert_eq!(newest_own(&server, "5002").await, (json!("open"), json!(false)));
    let unknown = json!({"decision": "dismiss", "reason": "x"});
    assert_eq!(as_admin(&server, "/api/admin/disputes/99/decision", &unknown).await.status, 404);
}

async fn voiding_an_event_ends_its_disputes(on: Backend) {
    let (mut server, _discord, _ace, id) = disputed_site(on).await;
    assert!(disputed(&server, "5002", id).await);
    for select in [json!({"events": [id]}), json!({"account": "5001"})] {
        let entry = act(&server, "void", select).await;
        assert_eq!(newest_own(&server, "5002").await.0, "event_void");
        assert!(all(&server).await.iter().all(|dispute| dispute["state"] != "open"));
        require_recount(&mut server).await;
        undo(&server, entry).await;
        assert_eq!(newest_own(&server, "5002").await, (json!("open"), json!(true)));
        assert_eq!((state(&server, id).await, kills(&server).await), (json!("disputed"), json!(0)));
        require_recount(&mut server).await;
    }
}

async fn deleting_the_account_removes_its_disputes(on: Backend) {
    let (mut server, _discord, ace, id) = disputed_site(on).await;
    let upheld = report_kill(&server, &ace, now() / 1000 * 1000 - 2 * DAY).await;
    assert!(disputed(&server, "5002", id).await && disputed(&server, "5002", upheld).await);
    let number = server.database.number(&format!("SELECT id FROM disputes WHERE event_id = {upheld}"));
    let entry = decide(&server, number, "uphold").await;
    assert_eq!(kills(&server).await, 0);
    assert_eq!(own(&server, "5002", Method::DELETE, "/api/me").await.status, 200);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM disputes"), 0);
    assert_eq!((state(&server, id).await, kills(&server).await), (json!("stands"), json!(1)));
    assert_eq!(
        server.get(&format!("/api/activity/{upheld}/evidence")).await.status,
        404,
        "what an admin decided stays"
    );
    require_recount(&mut server).await;
    undo(&server, entry).await;
    assert_eq!((state(&server, upheld).await, kills(&server).await), (json!("stands"), json!(2)));
    require_recount(&mut server).await;
}

async fn disputed_events_leave_feeds_and_streams(on: Backend) {
    let (server, _discord, ace, _) = disputed_site(on).await;
    let mut stream = Stream::open(&server, "activity,player:real-ace", None).await;
    let id = report_kill(&server, &ace, now() / 1000 * 1000 - 1_000).await;
    stream.until("activity").await;
    assert!(disputed(&server, "5002", id).await);
    stream.until("reset").await;
    let text = id.to_string();
    for feed in ["/api/activity", "/api/player/real-ace/activity"] {
        let rows = server.read(feed).await["data"].clone();
        assert!(rows.as_array().unwrap().iter().all(|row| row["id"].as_str() != Some(&text)), "{rows}");
    }
    assert_eq!(server.read(&format!("/api/activity/{id}")).await["event"]["id"], text, "the page remains");
}

async fn an_export_keeps_disputes(on: Backend) {
    let (server, _discord, ace, id) = disputed_site(on).await;
    let other = report_kill(&server, &ace, now() / 1000 * 1000 - 2 * DAY).await;
    assert!(disputed(&server, "5002", id).await && disputed(&server, "5002", other).await);
    decide(&server, 2, "dismiss").await;
    let expected = shown(&server, &PEOPLE).await;
    let file = server.data_dir().join("all.ndjson");
    server.command(&["export", "all", file.to_str().unwrap()]);
    let mut restored = Server::prepare(on);
    let _discord = restored.with_discord().await;
    restored.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    restored.command(&["import", "all", file.to_str().unwrap()]);
    restored.command(&["import", "all", file.to_str().unwrap()]);
    restored.run();
    assert_eq!(shown(&restored, &PEOPLE).await, expected);
    let list = all(&restored).await;
    let of = |state: &str| list.iter().find(|dispute| dispute["state"] == state).unwrap();
    assert_eq!((list.len(), &of("open")["is_suspended"]), (2, &json!(true)), "{list:?}");
    assert_eq!((&of("dismissed")["is_suspended"], &of("open")["player"]), (&json!(false), &json!("Real-Foe")));
    let number = of("open")["id"].as_i64().unwrap();
    decide(&restored, number, "dismiss").await;
    assert_eq!(kills(&restored).await, 2);
}

async fn the_command_decides_disputes(on: Backend) {
    let (server, _discord, _ace, id) = disputed_site(on).await;
    assert!(disputed(&server, "5002", id).await);
    assert_eq!(server.command(&["moderate", "uphold", "1", "--reason", "a recording"]), "entry 1: done\n");
    assert_eq!(newest_own(&server, "5002").await.0, "upheld");
    assert_eq!(server.command(&["moderate", "undo", "1", "--reason", "the wrong one"]), "entry 2: done\n");
    assert_eq!(server.command(&["moderate", "dismiss", "1", "--reason", "nothing shown"]), "entry 3: done\n");
    assert_eq!(kills(&server).await, 1);
    let ended = server.try_command(&["moderate", "dismiss", "1", "--reason", "again"]);
    assert!(String::from_utf8_lossy(&ended.stderr).contains("This dispute has ended already."), "{ended:?}");
}
