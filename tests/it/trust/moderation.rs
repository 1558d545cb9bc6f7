//! What admins do to events: voiding, holding, releasing and undoing, with the figures that follow.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Owner, account_key, claim, know, owner};
use crate::support::*;

on_both!(
    voiding_a_key_leaves_the_figures_of_a_site_that_never_received_its_reports,
    a_player_is_held_and_released,
    voided_events_leave_feeds_streams_and_queues,
    a_voided_account_cannot_report_again,
    a_preview_predicts_and_changes_nothing,
    the_history_is_for_admins_and_names_no_account,
    the_command_moderates_beside_a_running_server,
    moderation_continues_after_a_kill,
    an_export_keeps_states_and_void_reports,
);

const ADMIN: &str = "900";

async fn moderated_site(on: Backend) -> (Server, mock_server::MockServer) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    server.run();
    (server, discord)
}

async fn as_admin(server: &Server, path: &str, body: &Value) -> Response {
    let token = server.sign_in(ADMIN).await;
    server.as_user(&token, Method::POST, path, Some(body)).await
}

/// The history, as an admin reads it.
async fn history(server: &Server, query: &str) -> Response {
    let token = server.sign_in(ADMIN).await;
    server.as_user(&token, Method::GET, &format!("/api/admin/moderation{query}"), None).await
}

/// Runs an action and waits until it is complete; returns the id of its entry.
async fn act(server: &Server, action: &str, select: Value) -> i64 {
    let body = json!({"action": action, "select": select, "reason": "for a test"});
    let started = as_admin(server, "/api/admin/moderation", &body).await;
    assert_eq!(started.status, 200, "{}", started.text());
    let id = started.json()["entry"]["id"].as_i64().unwrap();
    complete(server, id).await;
    id
}

async fn undo(server: &Server, id: i64) {
    let started = as_admin(server, &format!("/api/admin/moderation/{id}/undo"), &json!({"reason": "a mistake"})).await;
    assert_eq!(started.status, 200, "{}", started.text());
    complete(server, started.json()["entry"]["id"].as_i64().unwrap()).await;
}

async fn complete(server: &Server, id: i64) {
    let complete = format!("SELECT COUNT(*) FROM moderation WHERE id = {id} AND state = 2");
    eventually(&format!("entry {id} is complete"), async || server.database.number(&complete) == 1).await;
}

/// Everything that a site shows about these players, apart from ids and times of rows.
async fn shown(server: &Server, handles: &[&str]) -> Value {
    let mut all = Vec::new();
    for handle in handles {
        let mut player = server.read(&format!("/api/player/{handle}")).await["player"].clone();
        for key in ["id", "created_at", "views", "profile_views"] {
            player.as_object_mut().unwrap().remove(key);
        }
        player["game_stats"].as_object_mut().unwrap().remove("last_updated");
        all.push(player);
        for page in ["weapons", "vehicles", "missions", "history"] {
            all.push(server.read(&format!("/api/player/{handle}/{page}")).await);
        }
        let mut feed = server.read(&format!("/api/player/{handle}/activity")).await["data"].clone();
        for row in feed.as_array_mut().unwrap() {
            row.as_object_mut().unwrap().remove("id");
        }
        all.push(feed);
    }
    for sort in ["overall", "pu_player_kills", "missions_completed", "playtime"] {
        let board = server.read(&format!("/api/players/leaderboard?sortBy={sort}")).await;
        let rows = board["data"].as_array().or(board["players"].as_array()).unwrap_or_else(|| panic!("{board}"));
        all.push(rows.iter().filter(|row| row["overall"] != 0).map(|row| row["handle"].clone()).collect());
    }
    Value::Array(all)
}

fn honest_events(at: i64) -> Vec<Value> {
    vec![
        own("login", "Real-Ace").at(at).json(),
        kill("Real-Ace", "Real-Foe").pu().with("weapon", "zzrifle").at(at + 60_000).json(),
        kill("Real-Foe", "Real-Ace").pu().at(at + 120_000).json(),
        own("mission_complete", "Real-Ace").with("contract_name", "zzhaul").pu().at(at + 180_000).json(),
        own("logout", "Real-Ace").at(at + 600_000).json(),
    ]
}

fn invented_events(at: i64) -> Vec<Value> {
    let mut events = vec![
        // The same fight a second earlier in another mode, with another weapon.
        kill("Real-Ace", "Real-Foe").ac().with("weapon", "zzpistol").at(at + 59_000).json(),
        own("login", "Real-Foe").at(at + 90_000).json(),
        own("mission_complete", "Real-Foe").with("contract_name", "zznothing").pu().at(at + 150_000).json(),
        loss("vehicle_destruction", "Real-Foe", "Real-Ace").with("vehicle_name", "ZZZZ_Kite_1").pu().at(at).json(),
    ];
    events.extend(npc_kills("Real-Foe", 30, at - 7_200_000));
    events
}

async fn voiding_a_key_leaves_the_figures_of_a_site_that_never_received_its_reports(on: Backend) {
    let (mut server, _discord) = moderated_site(on).await;
    let (clean, _other_discord) = moderated_site(on).await;
    let at = now() / 1000 * 1000 - 3 * DAY;
    let people = ["real-ace", "real-foe"];
    for site in [&clean, &server] {
        know(site, &["Real-Ace", "Real-Foe"]);
    }
    owner(&clean, "5001", "Real-Ace").await.take(&clean, &honest_events(at)).await;
    account_key(&clean, "5002").await;
    claim(&clean, "5002", "Real-Foe");
    let expected = shown(&clean, &people).await;
    let (forger, honest) = (owner(&server, "5002", "Real-Foe").await, owner(&server, "5001", "Real-Ace").await);
    forger.take(&server, &invented_events(at)).await;
    honest.send(&server, &honest_events(at)).await;
    let before = shown(&server, &people).await;
    assert_ne!(before, expected);
    let key = server.database.number("SELECT MIN(ingest_key_id) FROM events");
    let entry = act(&server, "void", json!({"key": key})).await;
    assert_eq!(shown(&server, &people).await, expected);
    assert_eq!(server.try_send(&forger.key, &[]).await.status, 401, "the key is revoked, too");
    undo(&server, entry).await;
    assert_eq!(shown(&server, &people).await, before, "undoing restores everything");
    act(&server, "void", json!({"key": key})).await;
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(shown(&server, &people).await, expected, "a recount gives the same figures");
    // A report that arrives now joins the honest one.
    let late = kill("Real-Ace", "Real-Foe").pu().at(at + 61_000).json();
    assert_eq!(server.send(&account_key(&server, "5003").await, &[late]).await["duplicates"], 1);
    let feed = server.read("/api/player/real-ace/activity?limit=50").await["data"].clone();
    let fight = feed.as_array().unwrap().iter().find(|row| row["killer"] == "Real-Ace").unwrap();
    assert_eq!((&fight["witnesses"], &fight["weapon"]), (&json!(2), &json!("zzrifle")));
}

async fn a_player_is_held_and_released(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let at = now() / 1000 * 1000 - DAY;
    server.take(&server.key("operator"), &honest_events(at)).await;
    let people = ["real-ace", "real-foe"];
    let before = shown(&server, &people).await;
    let hold = act(&server, "hold", json!({"player": "Real-Ace"})).await;
    let held = server.read("/api/player/real-ace").await["player"].clone();
    assert_eq!((&held["game_stats"]["pu_player_kills"], &held["playtime"]), (&json!(0), &json!(0)));
    let token = server.sign_in(ADMIN).await;
    let list = async |query: &str| {
        server.as_user(&token, Method::GET, &format!("/api/admin/events?{query}"), None).await.json()["data"].clone()
    };
    let of_player = list("player=real-ace&state=held").await;
    assert_eq!(of_player.as_array().unwrap().len(), 5);
    assert_eq!((&of_player[0]["identifier"], &of_player[0]["state"]), (&json!("logout"), &json!("held")));
    assert_eq!(list("state=stands").await, json!([]));
    // Held events are released by player, although no feed contains them.
    let release = act(&server, "release", json!({"player": "real-ace"})).await;
    assert_eq!(shown(&server, &people).await, before);
    // An undo reverts what its entry changed, and not what a later one did.
    undo(&server, hold).await;
    assert_eq!(shown(&server, &people).await, before);
    undo(&server, release).await;
    assert_eq!(list("state=held").await.as_array().unwrap().len(), 5);
}

async fn voided_events_leave_feeds_streams_and_queues(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let mut stream = Stream::open(&server, "activity,player:real-ace", None).await;
    server.take(&server.key("operator"), &[kill("Real-Ace", "Real-Foe").pu().at(now() - 1_000).json()]).await;
    let sent = stream.until("activity").await;
    let shown = server.read("/api/activity").await["data"][0]["id"].clone();
    assert_eq!(sent.data["id"], shown);
    let id: i64 = shown.as_str().unwrap().parse().unwrap();
    act(&server, "void", json!({"events": [id]})).await;
    stream.until("reset").await;
    assert_eq!(server.read("/api/activity").await["data"], json!([]));
    assert_eq!(server.get(&format!("/api/activity/{id}")).await.status, 404);
    assert_eq!(server.read("/api/player/real-ace/activity").await["data"], json!([]));
    // A stream that resumes before the event does not receive it either.
    let mut resumed = Stream::open(&server, "activity", Some("0")).await;
    server.take(&server.key("operator"), &[kill("Other-Ace", "Real-Foe").pu().at(now() - 500).json()]).await;
    let next = resumed.until("activity").await;
    assert_eq!(next.data["killer"], "Other-Ace");
}

async fn a_voided_account_cannot_report_again(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let (one, two) = (owner(&server, "5002", "Real-Ace").await, owner(&server, "5002", "Real-Ace").await);
    know(&server, &["Real-Foe", "Other-Foe"]);
    let at = now() - DAY;
    one.take(&server, &[kill("Real-Ace", "Real-Foe").pu().at(at).json()]).await;
    assert_eq!(two.send(&server, &[kill("Real-Ace", "Other-Foe").pu().at(at).json()]).await["accepted"], 1);
    let entry = act(&server, "void", json!({"account": "5002"})).await;
    assert_eq!(server.read("/api/player/real-ace").await["player"]["game_stats"]["pu_player_kills"], 0);
    for Owner { key, .. } in [&one, &two] {
        assert_eq!(server.try_send(key, &[]).await.status, 401);
    }
    let token = server.sign_in("5002").await;
    let create = async || server.as_user(&token, Method::POST, "/api/keys", Some(&json!({"name": "PC"}))).await;
    assert_eq!(create().await.status, 403);
    undo(&server, entry).await;
    assert_eq!(create().await.status, 200);
    assert_eq!(server.read("/api/player/real-ace").await["player"]["game_stats"]["pu_player_kills"], 2);
}

async fn a_preview_predicts_and_changes_nothing(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let at = now() / 1000 * 1000 - DAY;
    server.take(&server.key("operator"), &honest_events(at)).await;
    let before = shown(&server, &["real-ace", "real-foe"]).await;
    let overall = async |handle: &str| {
        let board = server.read("/api/players/leaderboard?sortBy=overall").await;
        let rows = board["data"].as_array().or(board["players"].as_array()).unwrap().clone();
        rows.iter().find(|row| row["handle"] == handle).map_or(0, |row| row["overall"].as_i64().unwrap())
    };
    let (ace, foe) = (overall("Real-Ace").await, overall("Real-Foe").await);
    let select = json!({"player": "Real-Ace"});
    let preview =
        as_admin(&server, "/api/admin/moderation/preview", &json!({"action": "void", "select": select})).await;
    let preview = preview.json();
    assert_eq!((&preview["events"], &preview["reports"], &preview["players"]), (&json!(5), &json!(0), &json!(2)));
    assert_eq!(shown(&server, &["real-ace", "real-foe"]).await, before);
    act(&server, "void", select).await;
    for (handle, had) in [("Real-Ace", ace), ("Real-Foe", foe)] {
        let effect = preview["effect"].as_array().unwrap().iter().find(|row| row["handle"] == handle).unwrap();
        assert_eq!((&effect["before"], &effect["after"]), (&json!(had), &json!(overall(handle).await)), "{preview}");
    }
    let nobody = json!({"action": "void", "select": {"player": "Nobody-Here"}});
    assert_eq!(as_admin(&server, "/api/admin/moderation/preview", &nobody).await.status, 404);
    let both = json!({"action": "void", "select": {"player": "Real-Ace", "key": 1}, "reason": "x"});
    assert_eq!(as_admin(&server, "/api/admin/moderation", &both).await.status, 400);
    let silent = json!({"action": "void", "select": {"player": "Real-Ace"}, "reason": " "});
    assert_eq!(as_admin(&server, "/api/admin/moderation", &silent).await.status, 400);
}

async fn the_history_is_for_admins_and_names_no_account(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let ace = owner(&server, "5002", "Real-Ace").await;
    know(&server, &["Real-Foe"]);
    ace.take(&server, &[kill("Real-Ace", "Real-Foe").pu().at(now() - DAY).json()]).await;
    let entry = act(&server, "void", json!({"account": "5002"})).await;
    undo(&server, entry).await;
    for token in [None, Some(server.sign_in("5002").await)] {
        let mut request = server.request(Method::GET, "/api/admin/moderation");
        if let Some(token) = &token {
            request = request.bearer_auth(token);
        }
        let refused = server.execute(request).await;
        assert_eq!(refused.status.as_u16(), if token.is_some() { 403 } else { 401 }, "{}", refused.text());
    }
    let page = history(&server, "").await.json();
    let entries = page["data"].as_array().unwrap();
    let words = |field: &str| entries.iter().map(|entry| entry[field].clone()).collect::<Vec<_>>();
    assert_eq!(words("action"), [json!("undo"), json!("void")]);
    assert_eq!(words("target"), [json!("account"), json!("account")]);
    assert_eq!(words("name"), [Value::Null, Value::Null]);
    assert_eq!(words("reason"), [json!("a mistake"), json!("for a test")]);
    assert_eq!((words("done"), words("state")), (vec![json!(1); 2], vec![json!("done"); 2]));
    assert_eq!((&entries[1]["undone_by"], &entries[0]["undoes"]), (&entries[0]["id"], &entries[1]["id"]));
    let text = page.to_string();
    assert!(!text.contains("5002") && !text.contains(ADMIN), "{text}");
    for again in [entry, entries[0]["id"].as_i64().unwrap()] {
        let refused =
            as_admin(&server, &format!("/api/admin/moderation/{again}/undo"), &json!({"reason": "again"})).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
    }
    act(&server, "hold", json!({"player": "Real-Ace"})).await;
    assert_eq!(history(&server, "?limit=1").await.json()["data"][0]["name"], "Real-Ace");
    server.database.run("UPDATE players SET is_hidden = TRUE WHERE handle_folded = 'real-ace'");
    assert_eq!(
        history(&server, "?limit=1").await.json()["data"][0]["name"],
        Value::Null,
        "hidden players are not named"
    );
    assert_eq!(history(&server, "?before=0").await.status, 400);
    let first = history(&server, &format!("?limit=1&before={}", entry + 2)).await.json();
    let rest = history(&server, &format!("?limit=1&before={}", first["next"])).await.json();
    assert_eq!(rest["data"][0]["id"], entry);
}

async fn the_command_moderates_beside_a_running_server(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let key = server.key("reader");
    server.take(&key, &honest_events(now() / 1000 * 1000 - DAY)).await;
    let id = server.database.number("SELECT MAX(id) FROM ingest_keys").to_string();
    let kills = async || server.read("/api/player/real-ace").await["player"]["game_stats"]["pu_player_kills"].clone();
    let preview = server.command(&["moderate", "void", "--key", &id, "--preview"]);
    assert!(preview.starts_with("events\t5\nreports\t5\nplayers\t2\n"), "{preview}");
    assert_eq!(kills().await, 1);
    assert_eq!(server.command(&["moderate", "void", "--key", &id, "--reason", "invented"]), "entry 1: done\n");
    assert_eq!(kills().await, 0);
    assert_eq!(server.try_send(&key, &[]).await.status, 401);
    assert_eq!(server.command(&["moderate", "undo", "1", "--reason", "wrong key"]), "entry 2: done\n");
    assert_eq!(kills().await, 1);
    let listed = server.command(&["moderate", "list"]);
    let expected = format!("2\tundo\tkey\t{id}\tdone\twrong key\n1\tvoid\tkey\t{id}\tundone by 2\tinvented\n");
    assert_eq!(listed, expected);
    let unknown = server.try_command(&["moderate", "void", "--key", "999", "--reason", "x"]);
    assert!(unknown.error.contains("No ingest key has the id 999."), "{unknown:?}");
}

async fn moderation_continues_after_a_kill(on: Backend) {
    let (mut server, _discord) = moderated_site(on).await;
    server.restart_as_process();
    let key = server.key("reader");
    for part in 0..3 {
        server.take(&key, &npc_kills("Real-Ace", 1_000, now() - (part + 1) * DAY)).await;
    }
    let id = server.database.number("SELECT MAX(id) FROM ingest_keys");
    let body = json!({"action": "void", "select": {"key": id}, "reason": "for a test"});
    assert_eq!(as_admin(&server, "/api/admin/moderation", &body).await.status, 200);
    server.kill();
    server.database.run("UPDATE leases SET expires_at = 0");
    server.run();
    complete(&server, 1).await;
    assert_eq!(server.database.number("SELECT done FROM moderation WHERE id = 1"), 3_000);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM moderation_events"), 3_000);
    assert_eq!(server.read("/api/player/real-ace").await["player"]["game_stats"]["pu_npc_kills"], 0);
}

async fn an_export_keeps_states_and_void_reports(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let at = now() / 1000 * 1000 - 3 * DAY;
    let (forger, honest) = (owner(&server, "5002", "Real-Foe").await, owner(&server, "5001", "Real-Ace").await);
    forger.take(&server, &invented_events(at)).await;
    honest.send(&server, &honest_events(at)).await;
    let key = server.database.number("SELECT MIN(ingest_key_id) FROM events");
    act(&server, "void", json!({"key": key})).await;
    let expected = shown(&server, &["real-ace", "real-foe"]).await;
    let file = server.data_dir().join("all.ndjson");
    server.command(&["export", "all", file.to_str().unwrap()]);
    let mut restored = Server::prepare(on);
    restored.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    let _restored_discord = restored.with_discord().await;
    restored.command(&["import", "all", file.to_str().unwrap()]);
    restored.run();
    assert_eq!(shown(&restored, &["real-ace", "real-foe"]).await, expected);
    let states = "SELECT COUNT(*) FROM events WHERE reasons = 4";
    assert_eq!(restored.database.number(states), server.database.number(states));
    assert_eq!(
        restored.database.number("SELECT COUNT(*) FROM event_witnesses WHERE is_void AND report IS NOT NULL"),
        1
    );
    assert_eq!(history(&restored, "").await.json()["data"][0]["reason"], "for a test");
}
