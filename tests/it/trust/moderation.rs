//! What admins do: blocking, removing, pinning, renaming and merging, with undo and the figures that follow.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Owner, account_key, claim, figures, list, owner, public_feed, rejections};
use crate::support::*;

on_both!(
    without_a_blocked_account_figures_are_those_of_a_site_that_never_received_its_reports,
    a_removed_event_leaves_feeds_streams_and_its_page_says_why,
    a_report_that_another_one_supports_stays,
    overlapping_removals_are_undone_one_by_one,
    a_time_range_of_a_players_own_log_is_removed,
    removed_reports_use_none_of_the_limits_of_an_account,
    a_renamed_player_keeps_its_history,
    a_merged_player_becomes_another_one_and_back,
    moderation_continues_after_a_kill,
    the_command_moderates_beside_a_running_server_and_without_one,
    an_export_keeps_removed_reports_and_the_history,
    the_title_of_a_contract_appears_once_an_operator_or_three_accounts_report_it,
);

on_sqlite!(moderation_is_for_admins_and_invalid_requests_change_nothing);

const ADMIN: &str = "900";

async fn moderated_site(on: Backend) -> (Server, mock_server::MockServer) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    server.run();
    (server, discord)
}

async fn as_admin(server: &Server, method: Method, path: &str, body: Option<&Value>) -> Response {
    let token = server.sign_in(ADMIN).await;
    server.as_user(&token, method, path, body).await
}

/// Runs an action and waits until it is applied; returns the id of its entry.
async fn act(server: &Server, body: Value) -> i64 {
    let mut body = body;
    body["reason"] = json!("for a test");
    let started = as_admin(server, Method::POST, "/api/admin/moderation", Some(&body)).await;
    assert_eq!(started.status, 200, "{}", started.text());
    let id = started.json()["entry"]["id"].as_i64().unwrap();
    applied(server, id).await;
    id
}

async fn undo(server: &Server, id: i64) {
    let started = as_admin(server, Method::POST, &format!("/api/admin/moderation/{id}/undo"), None).await;
    assert_eq!(started.status, 200, "{}", started.text());
    applied(server, id).await;
}

async fn applied(server: &Server, id: i64) {
    let applied = format!("SELECT COUNT(*) FROM moderation WHERE id = {id} AND is_applied");
    eventually(&format!("entry {id} is applied"), async || server.database.number(&applied) == 1).await;
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
        all.push(without_ids(server.read(&format!("/api/player/{handle}/activity")).await["data"].clone()));
    }
    all.push(without_ids(server.read("/api/activity").await["data"].clone()));
    for sort in ["overall", "pu_player_kills", "missions_completed", "playtime"] {
        let board = server.read(&format!("/api/players/leaderboard?sortBy={sort}")).await;
        let rows = board["players"].as_array().unwrap_or_else(|| panic!("{board}"));
        all.push(rows.iter().filter(|row| row["overall"] != 0).map(|row| row["handle"].clone()).collect());
    }
    Value::Array(all)
}

fn without_ids(mut rows: Value) -> Value {
    for row in rows.as_array_mut().unwrap() {
        row.as_object_mut().unwrap().remove("id");
    }
    rows
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
    events.extend((0..30).map(|n| kill("Real-Foe", NPC).pu().at(at - 7_200_000 + n * 10_000).json()));
    events
}

async fn without_a_blocked_account_figures_are_those_of_a_site_that_never_received_its_reports(on: Backend) {
    let (mut server, _discord) = moderated_site(on).await;
    let (clean, _other_discord) = moderated_site(on).await;
    let at = now() / 1000 * 1000 - 3 * DAY;
    let people = ["real-ace", "real-foe"];
    owner(&clean, "5001", "Real-Ace").await.take(&clean, &honest_events(at)).await;
    account_key(&clean, "5002").await;
    claim(&clean, "5002", "Real-Foe");
    let expected = shown(&clean, &people).await;
    let (forger, honest) = (owner(&server, "5002", "Real-Foe").await, owner(&server, "5001", "Real-Ace").await);
    forger.take(&server, &invented_events(at)).await;
    honest.send(&server, &honest_events(at)).await;
    let before = shown(&server, &people).await;
    assert_ne!(before, expected);
    let block = json!({"action": "block", "target": {"account": "5002"}});
    let entry = act(&server, block.clone()).await;
    assert_eq!(shown(&server, &people).await, expected);
    let refused = server.try_send(&forger.key, &[]).await;
    assert_eq!((refused.status.as_u16(), refused.text().contains("for a test")), (403, true), "{}", refused.text());
    let token = server.sign_in("5002").await;
    let create = async || server.as_user(&token, Method::POST, "/api/keys", Some(&json!({"name": "PC"}))).await.status;
    assert_eq!(create().await, 403);
    undo(&server, entry).await;
    assert_eq!(shown(&server, &people).await, before, "undoing brings everything back");
    assert_eq!((server.try_send(&forger.key, &[]).await.status.as_u16(), create().await.as_u16()), (400, 200));
    act(&server, block).await;
    super::equals_a_recount(&mut server, &people).await;
    assert_eq!(shown(&server, &people).await, expected);
    act(&server, json!({"action": "unblock", "target": {"account": "5002"}})).await;
    assert_eq!(shown(&server, &people).await, before);
}

async fn a_removed_event_leaves_feeds_streams_and_its_page_says_why(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let mut stream = Stream::open(&server, "activity,player:real-ace", None).await;
    server.take(&server.key("operator"), &[kill("Real-Ace", "Real-Foe").pu().at(now() - 1_000).json()]).await;
    let sent = stream.until("activity").await;
    let id: i64 = sent.data["id"].as_str().unwrap().parse().unwrap();
    let entry = act(&server, json!({"action": "remove", "target": {"event": id}})).await;
    stream.until("reset").await;
    assert_eq!(public_feed(&server).await, Vec::<Value>::new());
    let page = server.read(&format!("/api/activity/{id}")).await;
    assert_eq!((&page["event"], &page["removed"]["reason"]), (&Value::Null, &json!("for a test")));
    assert_eq!(figures(&server, "real-ace").await, json!({}));
    // A stream that resumes before the event does not receive it either.
    let mut resumed = Stream::open(&server, "activity", Some("0")).await;
    server.take(&server.key("operator"), &[kill("Other-Ace", "Real-Foe").pu().at(now() - 500).json()]).await;
    assert_eq!(resumed.until("activity").await.data["killer"], "Other-Ace");
    undo(&server, entry).await;
    assert_eq!(public_feed(&server).await.len(), 2);
    assert_eq!(server.read(&format!("/api/activity/{id}")).await["event"]["killer"], "Real-Ace");
}

async fn a_report_that_another_one_supports_stays(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let (ace, foe) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5002", "Real-Foe").await);
    let at = now() - 3_600_000;
    ace.take(&server, &[kill("Real-Ace", "Real-Foe").pu().at(at).json()]).await;
    foe.send(&server, &[kill("Real-Ace", "Real-Foe").ac().at(at + 500).json()]).await;
    let id = public_feed(&server).await[0]["id"].clone();
    let entry = act(&server, json!({"action": "block", "target": {"account": "5001"}})).await;
    let row = public_feed(&server).await[0].clone();
    assert_eq!((&row["id"], &row["game_mode"], &row["reported_by"]), (&id, &json!("AC"), &json!(["victim"])));
    assert_eq!(
        (figures(&server, "real-ace").await, figures(&server, "real-foe").await),
        (json!({}), json!({"ac_player_deaths": 1}))
    );
    assert_eq!(server.read(&format!("/api/activity/{}", id.as_str().unwrap())).await["event"]["game_mode"], "AC");
    undo(&server, entry).await;
    let row = public_feed(&server).await[0].clone();
    assert_eq!((&row["game_mode"], &row["reported_by"]), (&json!("PU"), &json!(["killer", "victim"])));
    // An event of a blocked account alone has no page.
    ace.take(&server, &[kill("Real-Ace", NPC).pu().at(at + 60_000).json()]).await;
    let alone = public_feed(&server).await[0]["id"].as_str().unwrap().to_owned();
    act(&server, json!({"action": "block", "target": {"account": "5001"}})).await;
    assert_eq!(server.get(&format!("/api/activity/{alone}")).await.status, 404);
}

async fn overlapping_removals_are_undone_one_by_one(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Real-Ace", 10, now() - DAY)).await;
    let key_id = server.database.number("SELECT MAX(id) FROM ingest_keys");
    let kills = async || figures(&server, "real-ace").await["pu_npc_kills"].as_i64().unwrap_or(0);
    let one = act(&server, json!({"action": "remove", "target": {"event": 3}})).await;
    assert_eq!(kills().await, 9);
    let all = act(&server, json!({"action": "remove", "target": {"key": key_id}})).await;
    assert_eq!(kills().await, 0);
    undo(&server, one).await;
    assert_eq!(kills().await, 0, "the other entry is in force");
    let back = act(&server, json!({"action": "restore", "target": {"event": 5}})).await;
    assert_eq!(kills().await, 1);
    undo(&server, all).await;
    assert_eq!(kills().await, 10);
    undo(&server, back).await;
    assert_eq!(kills().await, 10);
    let again = as_admin(&server, Method::POST, &format!("/api/admin/moderation/{one}/undo"), None).await;
    assert_eq!(again.status, 409, "{}", again.text());
}

async fn a_time_range_of_a_players_own_log_is_removed(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() / 1_000 * 1_000 - DAY;
    let wins: Vec<Value> = (0..6).map(|n| kill("Real-Ace", NPC).pu().at(at + n * 60_000).json()).collect();
    ace.take(&server, &wins).await;
    server.take(&server.key("operator"), &[kill("Real-Ace", NPC).pu().at(at + 90_000).json()]).await;
    let (from, until) = ((at + 60_000) / 1_000, (at + 180_000) / 1_000);
    let path = format!("/api/admin/reports?player=real-ace&from={from}&until={until}");
    let listed = as_admin(&server, Method::GET, &path, None).await.json();
    assert_eq!((&listed["total"], listed["data"].as_array().unwrap().len()), (&json!(2), 2), "a list to look through");
    let target = json!({"player": "Real-Ace", "from": from, "until": until});
    act(&server, json!({"action": "remove", "target": target})).await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_npc_kills": 5}), "the operator's report stays");
}

async fn removed_reports_use_none_of_the_limits_of_an_account(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() / 1_000 * 1_000 - DAY;
    let kills = |places: std::ops::Range<i64>| -> Vec<Value> {
        places.map(|n| kill("Real-Ace", NPC).pu().at(at + n * 2_000).id(&n.to_string()).json()).collect()
    };
    // 20 kills in a minute are the limit.
    ace.take(&server, &kills(0..20)).await;
    let again = kills(20..29);
    let refused = ace.send(&server, &again).await;
    assert_eq!((&refused["accepted"], rejections(&refused).len()), (&json!(0), again.len()), "{refused}");
    act(&server, json!({"action": "remove", "target": {"player": "Real-Ace"}})).await;
    ace.take(&server, &again).await;
    assert_eq!(figures(&server, "real-ace").await["pu_npc_kills"], 9);
}

async fn a_renamed_player_keeps_its_history(on: Backend) {
    let (mut server, _discord) = moderated_site(on).await;
    server.take(&server.key("operator"), &honest_events(now() / 1_000 * 1_000 - DAY)).await;
    let before = shown(&server, &["real-ace", "real-foe"]).await;
    let taken = json!({"action": "rename", "target": {"player": "Real-Ace"}, "handle": "Real-Foe", "reason": "x"});
    assert_eq!(as_admin(&server, Method::POST, "/api/admin/moderation", Some(&taken)).await.status, 409);
    let entry = act(&server, json!({"action": "rename", "target": {"player": "Real-Ace"}, "handle": "New-Ace"})).await;
    assert_eq!(server.get("/api/player/real-ace").await.status, 404);
    assert_eq!(figures(&server, "new-ace").await["pu_player_kills"], 1);
    assert_eq!(public_feed(&server).await[0]["player_name"], "New-Ace");
    assert_eq!(server.read("/api/search/fast?q=new-ace").await["results"][0]["handle"], "New-Ace");
    super::equals_a_recount(&mut server, &["new-ace", "real-foe"]).await;
    undo(&server, entry).await;
    assert_eq!(shown(&server, &["real-ace", "real-foe"]).await, before);
}

async fn a_merged_player_becomes_another_one_and_back(on: Backend) {
    let (mut server, _discord) = moderated_site(on).await;
    let operator = server.key("operator");
    let at = now() / 1_000 * 1_000 - 3 * DAY;
    server.take(&operator, &honest_events(at)).await;
    server.take(&operator, &npc_kills("New-Ace", 3, at + DAY)).await;
    let people = ["real-ace", "real-foe", "new-ace"];
    let before = shown(&server, &people).await;
    let entry = act(&server, json!({"action": "merge", "target": {"player": "Real-Ace"}, "handle": "New-Ace"})).await;
    assert_eq!(server.get("/api/player/real-ace").await.status, 404);
    let merged = figures(&server, "new-ace").await;
    assert_eq!((&merged["pu_player_kills"], &merged["pu_npc_kills"]), (&json!(1), &json!(3)));
    assert_eq!(server.read("/api/player/new-ace").await["player"]["playtime"], 600);
    assert_eq!(server.read("/api/player/new-ace/activity").await["data"].as_array().unwrap().len(), 8);
    super::equals_a_recount(&mut server, &["new-ace", "real-foe"]).await;
    undo(&server, entry).await;
    assert_eq!(shown(&server, &people).await, before);
}

async fn moderation_continues_after_a_kill(on: Backend) {
    let (mut server, _discord) = moderated_site(on).await;
    server.restart_as_process();
    let key = server.key("reader");
    for part in 0..3 {
        server.take(&key, &npc_kills("Real-Ace", 1_000, now() - (part + 1) * DAY)).await;
    }
    let id = server.database.number("SELECT MAX(id) FROM ingest_keys");
    let body = json!({"action": "block", "target": {"key": id}, "reason": "for a test"});
    assert_eq!(as_admin(&server, Method::POST, "/api/admin/moderation", Some(&body)).await.status, 200);
    server.kill();
    server.database.run("UPDATE leases SET expires_at = 0");
    server.run();
    applied(&server, 1).await;
    assert_eq!(server.database.number("SELECT done FROM moderation WHERE id = 1"), 3_000);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events WHERE state = 8"), 3_000);
    assert_eq!(figures(&server, "real-ace").await, json!({}));
}

async fn the_command_moderates_beside_a_running_server_and_without_one(on: Backend) {
    let (mut server, _discord) = moderated_site(on).await;
    let key = server.key("reader");
    server.take(&key, &honest_events(now() / 1000 * 1000 - DAY)).await;
    let id = server.database.number("SELECT MAX(id) FROM ingest_keys").to_string();
    let kills = async |server: &Server| figures(server, "real-ace").await["pu_player_kills"].as_i64().unwrap_or(0);
    assert_eq!(server.command(&["moderate", "block", "--key", &id, "--reason", "invented"]), "entry 1: done\n");
    assert_eq!(kills(&server).await, 0);
    eventually("the key stops", async || server.try_send(&key, &[]).await.status == 403).await;
    assert_eq!(server.command(&["moderate", "undo", "1"]), "entry 1: done\n");
    assert_eq!(kills(&server).await, 1);
    let listed = server.command(&["moderate", "list"]);
    assert_eq!(listed, format!("1\tblock\tkey {id}\tundone\tinvented\n"));
    let unknown = server.try_command(&["moderate", "block", "--key", "999", "--reason", "x"]);
    assert!(unknown.error.contains("No ingest key has the id 999."), "{unknown:?}");
    server.stop();
    assert_eq!(server.command(&["moderate", "remove", "--event", "2", "--reason", "never was"]), "entry 2: done\n");
    server.run();
    assert_eq!(kills(&server).await, 0);
}

async fn an_export_keeps_removed_reports_and_the_history(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let at = now() / 1000 * 1000 - 3 * DAY;
    let (forger, honest) = (owner(&server, "5002", "Real-Foe").await, owner(&server, "5001", "Real-Ace").await);
    forger.take(&server, &invented_events(at)).await;
    honest.send(&server, &honest_events(at)).await;
    act(&server, json!({"action": "remove", "target": {"player": "Real-Foe"}})).await;
    let people = ["real-ace", "real-foe"];
    let expected = shown(&server, &people).await;
    let file = server.data_dir().join("all.ndjson");
    server.command(&["export", "all", file.to_str().unwrap()]);
    let mut restored = Server::prepare(on);
    restored.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    let _restored_discord = restored.with_discord().await;
    restored.command(&["import", "all", file.to_str().unwrap()]);
    restored.run();
    assert_eq!(shown(&restored, &people).await, expected);
    let removed = "SELECT COUNT(*) FROM events WHERE state = 4";
    assert_eq!(restored.database.number(removed), server.database.number(removed));
    undo(&server, 1).await;
    undo(&restored, 1).await;
    assert_eq!(shown(&restored, &people).await, shown(&server, &people).await, "the entry can be undone there too");
}

async fn moderation_is_for_admins_and_invalid_requests_change_nothing(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let Owner { key, .. } = owner(&server, "5002", "Real-Ace").await;
    list(&server, &["Real-Foe"]);
    let body = json!({"action": "remove", "target": {"player": "Real-Ace"}, "reason": "x"});
    let token = server.sign_in("5002").await;
    for (method, path) in [
        (Method::POST, "/api/admin/moderation"),
        (Method::POST, "/api/admin/moderation/1/undo"),
        (Method::GET, "/api/admin/moderation"),
        (Method::GET, "/api/admin/reports?player=real-ace"),
    ] {
        let body = (method == Method::POST).then_some(&body);
        assert_eq!(server.as_user(&token, method.clone(), path, body).await.status, 403, "{path}");
    }
    for (body, status) in [
        (json!({"action": "remove", "target": {}, "reason": "x"}), 400),
        (json!({"action": "remove", "target": {"player": "Real-Ace", "key": 1}, "reason": "x"}), 400),
        (json!({"action": "remove", "target": {"player": "Real-Ace"}, "reason": " "}), 400),
        (json!({"action": "remove", "target": {"patch": "4.3.2"}, "reason": "x"}), 400),
        (json!({"action": "block", "target": {"player": "Real-Ace"}, "reason": "x"}), 400),
        (json!({"action": "pin", "target": {"patch": "the best one"}, "reason": "x"}), 400),
        (json!({"action": "rename", "target": {"player": "Real-Ace"}, "reason": "x"}), 400),
        (json!({"action": "merge", "target": {"player": "Real-Ace"}, "handle": "Real-Ace", "reason": "x"}), 400),
        (json!({"action": "merge", "target": {"player": "Real-Ace"}, "handle": "Real-Foe", "reason": "x"}), 409),
        (json!({"action": "remove", "target": {"player": "Nobody-Here"}, "reason": "x"}), 404),
        (json!({"action": "remove", "target": {"event": 77}, "reason": "x"}), 404),
        (json!({"action": "erase", "target": {"event": 77}, "reason": "x"}), 400),
    ] {
        let refused = as_admin(&server, Method::POST, "/api/admin/moderation", Some(&body)).await;
        assert_eq!(refused.status.as_u16(), status, "{body}: {}", refused.text());
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM moderation"), 0);
    assert_eq!(server.try_send(&key, &[]).await.status, 400, "the key still works");
}

async fn the_title_of_a_contract_appears_once_an_operator_or_three_accounts_report_it(on: Backend) {
    let (server, _discord) = moderated_site(on).await;
    let title = "Win prizes at evil.example";
    let at = now() - 3_600_000;
    let mission = |player: &str, title: &str| {
        let accepted = own("mission_accepted", player).with("contract_name", title);
        accepted.with("contract_id", "HaulCargo_AToB").pu().at(at).json()
    };
    let mut shown = Vec::new();
    for (number, player) in ["Real-Ace", "Real-Bee", "Real-Cyd"].into_iter().enumerate() {
        owner(&server, &format!("500{number}"), player).await.take(&server, &[mission(player, title)]).await;
        let missions = server.read("/api/player/Real-Ace/missions").await.to_string();
        let is_in_feed = public_feed(&server).await.iter().any(|row| row["contract_name"] == title);
        assert_eq!(missions.contains(title), is_in_feed, "{missions}");
        shown.push(is_in_feed);
    }
    assert_eq!(shown, [false, false, true]);
    act(&server, json!({"action": "block", "target": {"account": "5002"}})).await;
    let rows = public_feed(&server).await;
    assert!(rows.iter().all(|row| row["contract_name"] != title), "a blocked account does not count: {rows:?}");
    let unlisted = "A title of the operator";
    server.take(&server.key("reader"), &[mission("Real-Dan", unlisted)]).await;
    assert!(public_feed(&server).await.iter().any(|row| row["contract_name"] == unlisted));
}
