//! Hiding: with the response, a player disappears from everything public. Showing restores everything.

use reqwest::Method;
use serde_json::{Value, json};

use super::settings::People;
use crate::support::*;

on_both!(
    only_owner_and_admins_find_a_hidden_profile,
    hiding_takes_effect_with_the_response,
    hiding_survives_a_power_cut
);

const SETTINGS: &str = "/api/player/settings";

/// Every path of the description that is read without a token, with every known value of its parameters. New routes are included
/// automatically; an unknown parameter fails the test.
async fn public_paths(server: &Server) -> Vec<String> {
    let document = server.get("/api/openapi.json").await.json();
    let mut paths: Vec<String> =
        ["/", "/players", "/player/bob-1", "/guild/ALPHA", "/sitemap.xml"].map(str::to_owned).into();
    for (path, item) in document["paths"].as_object().unwrap() {
        let operation = &item["get"];
        // Streams never end and are tested separately; messages of commits contain any words. Other skipped routes require a
        // signed-in user.
        let needs_token = operation["responses"]["401"].is_object();
        let is_other = ["/api/live", "/api/commits", "/metrics"].contains(&path.as_str());
        if operation.is_null() || needs_token || is_other {
            continue;
        }
        let names: Vec<&str> = path.split('{').skip(1).map(|part| part.split('}').next().unwrap()).collect();
        match names[..] {
            [] => paths.push(path.clone()),
            ["handle"] => paths.extend(["cyd-2", "ann-1"].map(|handle| path.replace("{handle}", handle))),
            ["tag"] => paths.extend(["ALPHA", "BETA"].map(|tag| path.replace("{tag}", tag))),
            ["id"] => paths.extend((1..=30).map(|id| path.replace("{id}", &id.to_string()))),
            _ => panic!("add example values for {path}"),
        }
    }
    for list in ["/api/activity", "/api/guild/ALPHA/activity", "/api/player/cyd-2/activity", "/api/guild/ALPHA/members"]
    {
        paths.push(format!("{list}?limit=100"));
    }
    paths.extend(["/api/players/top?limit=100", "/api/players/leaderboard?limit=100"].map(str::to_owned));
    for window in ["24h", "7d", "30d", "patch"] {
        for sort in ["overall", "pve_kills", "playtime", "missions_completed"] {
            paths.push(format!("/api/players/leaderboard?window={window}&sortBy={sort}"));
        }
    }
    for text in ["bo", "bob", "bob-1", "bab-1", "bobby"] {
        paths.push(format!("/api/search/fast?q={text}"));
        paths.push(format!("/api/search/players?q={text}"));
    }
    paths
}

fn names_bob(path: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    // The page of a hidden player contains its own address.
    if path == "/player/bob-1" { text.replace(path, "").contains("bob") } else { text.contains("bob") }
}

async fn bobs_site(on: Backend) -> (People, String) {
    let people = People::on(on).await;
    let server = &people.server;
    server.database.run("UPDATE players SET player_name = 'Bobby' WHERE handle = 'Bob-1'");
    let key = server.key("reader");
    let at = now() - DAY / 2;
    server.take(&key, &npc_kills("Bob-1", 5, at)).await;
    server.take(&key, &npc_kills("Ann-1", 4, at)).await;
    server.take(&key, &npc_kills("Cyd-2", 3, at)).await;
    let events = [
        kill("Bob-1", "Cyd-2").pu().with("patch", "ALPHA 4.9.2").with("text", "Bob-1 was there"),
        kill("Cyd-2", "Bob-1").pu(),
        own("login", "Bob-1"),
        own("mission_complete", "Bob-1").with("contract_name", "zzhaul"),
        own("logout", "Bob-1"),
    ];
    server.take(&key, &in_a_row(at + 600_000, events)).await;
    (people, key)
}

async fn hiding_takes_effect_with_the_response(on: Backend) {
    let (people, key) = bobs_site(on).await;
    let server = &people.server;
    let paths = public_paths(server).await;
    assert!(paths.len() > 80, "{}", paths.len());
    let mut shown = Vec::new();
    for path in &paths {
        if names_bob(path, &server.get(path).await.text()) {
            shown.push(path.clone());
        }
    }
    for list in [
        "/api/activity?limit=100",
        "/api/players/leaderboard?window=7d&sortBy=overall",
        "/api/guild/ALPHA/members",
        "/api/guild/ALPHA",
        "/api/search/fast?q=bob-1",
        "/api/player/cyd-2/activity",
        "/sitemap.xml",
        "/player/bob-1",
    ] {
        assert!(shown.iter().any(|path| path == list), "{list} named Bob before: {shown:?}");
    }
    let sums = server.read("/api/guild/stats/ALPHA").await;
    let board = server.read("/api/players/leaderboard").await;
    let before = server.read("/api/player/ann-1").await;
    assert_eq!((&before["player"]["rank_overall"], &board["pagination"]["total"]), (&json!(2), &json!(3)));
    let patch = server.read("/api/patch").await;
    let mut activity = Stream::open(server, "activity,guild:ALPHA", None).await;
    let mut own_topic = Stream::open(server, "player:bob-1", None).await;

    assert_eq!(people.save("503", SETTINGS, json!({"profile_hidden": true})).await.status, 200);
    activity.until("reset").await;
    for path in &paths {
        let response = server.get(path).await;
        assert!(response.status.as_u16() < 500, "{path}");
        assert!(!names_bob(path, &response.text()), "{path}: {}", response.text());
    }
    assert_eq!(
        server.read("/api/player/bob-1").await,
        json!({"success": true, "player": {"handle": "Bob-1", "is_hidden": true}})
    );
    for below in ["weapons", "vehicles", "missions", "activity", "history"] {
        assert_eq!(server.get(&format!("/api/player/bob-1/{below}")).await.code(), "FORBIDDEN", "{below}");
    }
    assert_eq!(server.get("/api/player/settings/handle/bob-1").await.code(), "FORBIDDEN");
    let view = server.execute(server.request(Method::POST, "/api/player/bob-1/view")).await;
    assert_eq!(view.code(), "FORBIDDEN");
    // Sums are unchanged. Events show a placeholder, and those without another visible player are omitted.
    assert_eq!(server.read("/api/guild/stats/ALPHA").await, sums);
    assert_eq!(server.read("/api/patch").await, patch);
    let feed = server.read("/api/player/cyd-2/activity?filter=pvp").await;
    let names: Vec<(&Value, &Value)> =
        feed["data"].as_array().unwrap().iter().map(|row| (&row["killer"], &row["victim"])).collect();
    assert_eq!(names, [(&json!("Cyd-2"), &json!("Hidden")), (&json!("Hidden"), &json!("Cyd-2"))]);
    let all = server.read("/api/activity?limit=100").await["data"].as_array().unwrap().clone();
    assert_eq!(all.len(), 4 + 3 + 2, "the hidden player's own rows are omitted");
    let hidden = all.iter().find(|row| row["killer"] == "Hidden").unwrap();
    assert_eq!((&hidden["killer_friendly_name"], &hidden["orgs"]), (&json!("Hidden"), &json!(["BETA"])));
    assert_eq!(server.read("/api/guild/ALPHA/members").await["pagination"]["total"], 2);
    assert_eq!(server.read("/api/guild/ALPHA/activity").await["pagination"]["total"], 4);
    // Paging in small steps skips hidden rows and ends.
    let (mut seen, mut before_id) = (0, String::new());
    loop {
        let part = server.read(&format!("/api/activity?limit=3{before_id}")).await["data"].as_array().unwrap().clone();
        let Some(last) = part.last() else { break };
        seen += part.len();
        before_id = format!("&before={}", last["id"].as_str().unwrap());
    }
    assert_eq!(seen, all.len());
    // Replays and new messages do not contain the name.
    let mut replay = Stream::open(server, "activity,player:bob-1", Some("0")).await;
    let mut watching = Stream::open(server, "player:bob-1,player:fence-1", None).await;
    server.take(&key, &npc_kills("Bob-1", 2, now() - 7_200_000)).await;
    let events = [kill("Bob-1", "Ann-1").pu(), own("login", "Ann-1"), own("login", "Bob-1")];
    server.take(&key, &events.map(EventBuilder::json)).await;
    server.fence(&key, "Fence-1").await;
    let seen = replay.before("Fence-1").await;
    assert!(seen.iter().any(|frame| frame.event == "reset"), "{seen:?}");
    assert!(seen.iter().any(|frame| frame.data["killer"] == "Hidden"), "{seen:?}");
    assert!(!names_bob("stream", &format!("{seen:?}")), "{seen:?}");
    assert_eq!(watching.before("Fence-1").await, [], "nothing on the topic of the hidden player");
    assert_eq!(own_topic.next(HANG).await.unwrap().event, "reset");
    assert_eq!(own_topic.next(HANG).await, None, "a reset is the end of a stream");
    // Ranks close the gap; new events count for the guild.
    assert_eq!(server.read("/api/player/ann-1").await["player"]["rank_overall"], 1);
    assert_eq!(server.read("/api/players/leaderboard").await["pagination"]["total"], 2);
    let more = sums["data"]["overall"].as_i64().unwrap() + 3;
    assert_eq!(server.read("/api/guild/stats/ALPHA").await["data"]["overall"], more);

    // Owner and admin still see everything.
    for (person, flag) in [("503", "viewing_as_owner"), ("900", "viewing_as_admin")] {
        let token = server.sign_in(person).await;
        let page = server.as_user(&token, Method::GET, "/api/player/bob-1", None).await.json();
        assert_eq!((&page["player"]["is_hidden"], &page["player"][flag]), (&json!(true), &json!(true)), "{person}");
        let feed = server.as_user(&token, Method::GET, "/api/player/bob-1/activity", None).await;
        assert!(feed.text().contains("Bob-1"), "{person}");
    }
    let stranger = server.sign_in("504").await;
    let page = server.as_user(&stranger, Method::GET, "/api/player/bob-1", None).await.json();
    assert_eq!(page["player"], json!({"handle": "Bob-1", "is_hidden": true}));

    // After showing the profile again, everything is as before.
    assert_eq!(people.save("503", SETTINGS, json!({"profile_hidden": false})).await.status, 200);
    for path in &shown {
        assert!(names_bob(path, &server.get(path).await.text()), "{path} names Bob again");
    }
    let bob = server.read("/api/player/bob-1").await["player"].clone();
    assert_eq!((&bob["rank_overall"], &bob["overall"]), (&json!(1), &json!(9)));
    assert_eq!(server.read("/api/players/leaderboard").await["pagination"]["total"], 3);
}

async fn hiding_survives_a_power_cut(on: Backend) {
    let (mut people, _) = bobs_site(on).await;
    // Existing players are in the index on disk.
    people.server.restart_as_process();
    let found = |response: Value| response["results"].as_array().unwrap().len();
    assert_eq!(found(people.server.read("/api/search/fast?q=bob").await), 1);
    assert_eq!(people.save("503", SETTINGS, json!({"profile_hidden": true})).await.status, 200);
    people.server.kill();
    people.server.run();
    assert_eq!(found(people.server.read("/api/search/fast?q=bob").await), 0);
    assert_eq!(people.server.read("/api/players/leaderboard").await["pagination"]["total"], 2);
    assert_eq!(people.save("503", SETTINGS, json!({"profile_hidden": false})).await.status, 200);
    people.server.kill();
    people.server.run();
    assert_eq!(found(people.server.read("/api/search/fast?q=bob").await), 1);
}

async fn only_owner_and_admins_find_a_hidden_profile(on: Backend) {
    let (people, _) = bobs_site(on).await;
    let server = &people.server;
    server.database.run(
        "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('Bobcat', 'bobcat', 'Bobcat', 1)",
    );
    assert_eq!(people.save("503", SETTINGS, json!({"profile_hidden": true})).await.status, 200);
    let found = async |token: Option<&str>, path: &str| {
        let mut request = server.request(Method::GET, path);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let response = server.execute(request).await;
        assert_eq!(response.status, 200, "{}", response.text());
        let caching = response.headers.get("cache-control").unwrap().to_str().unwrap().to_owned();
        let handles: Vec<String> = response.json()["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["handle"].as_str().unwrap().to_owned())
            .collect();
        (handles, caching)
    };
    let (owner, admin, stranger) =
        (server.sign_in("503").await, server.sign_in("900").await, server.sign_in("501").await);
    eventually("finding the new player", async || found(None, "/api/search/fast?q=bobcat").await.0 == ["Bobcat"]).await;
    for path in ["/api/search/fast?q=bob", "/api/search/players?q=BOB", "/api/search/fast?q=bobby&limit=1"] {
        for token in [&owner, &admin] {
            let (handles, caching) = found(Some(token), path).await;
            assert!(handles.contains(&"Bob-1".to_owned()), "{path}: {handles:?}");
            assert!(caching.contains("no-store") || caching.contains("private"), "{path}: {caching}");
        }
        for token in [None, Some(stranger.as_str())] {
            assert!(!found(token, path).await.0.contains(&"Bob-1".to_owned()), "{path}");
        }
    }
    // Ranked by score; nothing else changes.
    assert_eq!(found(Some(&owner), "/api/search/fast?q=bob").await.0, ["Bob-1", "Bobcat"]);
    assert_eq!(found(Some(&owner), "/api/search/fast?q=ann-1").await.0, ["Ann-1"]);
    // Leaderboards remain public.
    let board = server.as_user(&owner, Method::GET, "/api/players/leaderboard?limit=100", None).await;
    assert!(!board.text().contains("Bob-1"));
}
