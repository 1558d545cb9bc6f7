//! Export and deletion of an account's data.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::pictures::photograph;
use crate::support::*;

on_both!(
    an_export_contains_all_stored_data,
    deleting_an_account_deletes_all_of_its_data,
    data_expires_as_the_privacy_page_says,
);

/// Counts of the personal data of user 7001, by table.
const OF_USER: [&str; 6] = [
    "SELECT COUNT(*) FROM users WHERE discord_id = '7001' OR discord_username LIKE '%7001%'",
    "SELECT COUNT(*) FROM sessions WHERE user_id = (SELECT id FROM users WHERE discord_id = '7001')",
    "SELECT COUNT(*) FROM claims WHERE user_id = 1",
    "SELECT COUNT(*) FROM claim_attempts WHERE user_id = 1",
    "SELECT COUNT(*) FROM uploads WHERE user_id = 1",
    "SELECT COUNT(*) FROM ingest_keys WHERE user_id = 1 OR name = 'Gaming PC'",
];

async fn an_export_contains_all_stored_data(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("7001").await;
    // An account that owns no player.
    let bare = server.as_user(&token, Method::GET, "/api/me/export", None).await.json();
    assert_eq!((&bare["player"], &bare["guild"], &bare["events"]), (&json!(null), &json!(null), &json!([])));
    assert_eq!(bare["user"]["discord_email"], "7001@example.org");

    server.give_player("7001", "Exp-Owner");
    server.give_guild("7001", "EXPO");
    let picture = server.upload(&token, "profile-image", &photograph()).await;
    let made = server.as_user(&token, Method::POST, "/api/keys", Some(&json!({"name": "Gaming PC"}))).await.json();
    let user = server.database.number("SELECT id FROM users WHERE discord_id = '7001'");
    server.database.run(&format!(
        "INSERT INTO claims (user_id, kind, target, code, created_at) VALUES ({user}, 1, 'some-one', 'APOGEE-TESTTESTTEST', 5000); \
         INSERT INTO claim_attempts (user_id, attempted_at) VALUES ({user}, 6000); \
         UPDATE players SET is_hidden = TRUE, stickers = '[\"683583\"]' WHERE handle = 'Exp-Owner'; \
         INSERT INTO players (handle, handle_folded, player_name, is_hidden, created_at) VALUES ('Sec-Ret', 'sec-ret', 'S', TRUE, 1)"
    ));
    // More events than one chunk of the export contains.
    let secret = made["secret"].as_str().unwrap();
    let at = now() - 40 * DAY;
    for part in 0..3 {
        server.take_from_log_of(secret, "Exp-Owner", &npc_kills("Exp-Owner", 700, at + part * 700 * 20_000)).await;
    }
    let events = [kill("Sec-Ret", "Exp-Owner").pu(), own("login", "Exp-Owner"), own("logout", "Exp-Owner")];
    server.take_from_log_of(secret, "Exp-Owner", &in_a_row(at - DAY, events)).await;

    let response = server.as_user(&token, Method::GET, "/api/me/export", None).await;
    assert!(response.header("content-disposition").unwrap().contains("my-data.json"));
    let export = response.json();
    assert_eq!(export["success"], true);
    let events = export["events"].as_array().unwrap();
    assert_eq!(events.len(), 2_103);
    let mut ids: Vec<&str> = events.iter().map(|event| event["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 2_103, "every event is exported once");
    assert!(events.windows(2).all(|pair| pair[0]["event_time"].as_i64() >= pair[1]["event_time"].as_i64()));
    assert!(
        events
            .iter()
            .all(|e| e["killer"] == "Exp-Owner" || e["victim"] == "Exp-Owner" || e["player_name"] == "Exp-Owner")
    );
    assert!(!response.text().contains("Sec-Ret"), "names of other hidden players are not exported");
    assert!(!response.text().contains(secret) && !response.text().contains(&token));
    let player = &export["player"]["profile"];
    assert_eq!((&player["handle"], &player["pve_kills"]), (&json!("Exp-Owner"), &json!(2_100)));
    assert_eq!((&player["is_hidden"], &player["stickers"]), (&json!(true), &json!(["683583"])));
    assert_eq!(export["player"]["play_sessions"].as_array().unwrap().len(), 1);
    assert_eq!(export["guild"]["tag"], "EXPO");
    assert_eq!(export["pictures"][0]["path"], json!(picture));
    assert_eq!(export["keys"][0]["name"], "Gaming PC");
    assert_eq!(export["sessions"].as_array().unwrap().len(), 1);
    assert_eq!((&export["claims"][0]["code"], &export["claim_tries"]), (&json!("APOGEE-TESTTESTTEST"), &json!([6])));
    let other = server.sign_in("7002").await;
    let theirs = server.as_user(&other, Method::GET, "/api/me/export", None).await;
    assert!(!theirs.text().contains("7001") && !theirs.text().contains("Exp-Owner"));
}

async fn deleting_an_account_deletes_all_of_its_data(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.run();
    let (token, second, other) =
        (server.sign_in("7001").await, server.sign_in("7001").await, server.sign_in("7002").await);
    assert_eq!(server.database.number("SELECT id FROM users WHERE discord_id = '7001'"), 1);
    server.give_player("7001", "Del-Owner");
    server.give_guild("7001", "DELE");
    let picture = server.upload(&token, "profile-image", &photograph()).await;
    let unused = server.upload(&token, "guild-image", &photograph()).await;
    let unaffected = {
        server.give_player("7002", "Del-Other");
        server.upload(&other, "profile-image", &photograph()).await
    };
    let made = server.as_user(&token, Method::POST, "/api/keys", Some(&json!({"name": "Gaming PC"}))).await.json();
    let secret = made["secret"].as_str().unwrap();
    server.take_from_log_of(secret, "Del-Owner", &npc_kills("Del-Owner", 3, now() - DAY)).await;
    server.database.run(&format!(
        "UPDATE players SET profile_image = '{picture}', stickers = '[\"683583\"]' WHERE handle = 'Del-Owner'; \
         UPDATE guilds SET discord_link = 'https://discord.gg/x' WHERE tag = 'DELE'; \
         UPDATE uploads SET is_used = TRUE WHERE path = '{picture}'; \
         INSERT INTO claims (user_id, kind, target, code, created_at) VALUES (1, 1, 'x', 'APOGEE-X', 5000); \
         INSERT INTO claim_attempts (user_id, attempted_at) VALUES (1, 6000)"
    ));
    for rows in OF_USER {
        assert!(server.database.number(rows) > 0, "{rows}");
    }

    assert_eq!(server.as_user(&token, Method::DELETE, "/api/me", None).await.status, 200);
    for rows in OF_USER {
        assert_eq!(server.database.number(rows), 0, "{rows}");
    }
    for ended in [&token, &second] {
        assert_eq!(server.as_user(ended, Method::GET, "/api/player/me", None).await.code(), "UNAUTHORIZED");
        assert_eq!(server.as_user(ended, Method::POST, "/api/auth/refresh", None).await.code(), "UNAUTHORIZED");
    }
    let refused = server.try_send(secret, &npc_kills("Del-Owner", 1, now() - 2 * DAY)).await;
    assert_eq!(refused.status, 401, "the key is revoked immediately");
    for path in [&picture, &unused] {
        assert_eq!(server.get(path).await.status, 404);
    }
    assert_eq!(server.get(&unaffected).await.status, 200);
    // Events remain, customization is removed, and the profile can be claimed again.
    let page: Value = server.read("/api/player/del-owner").await;
    let player = &page["player"];
    assert_eq!((&player["pve_kills"], &player["is_claimed"]), (&json!(3), &json!(false)));
    assert_eq!((&player["profileImage"], &player["stickers"]), (&json!(null), &json!(null)));
    assert_eq!(server.read("/api/guild/settings/DELE").await["settings"]["discord_link"], json!(null));
    // Signing in again creates a new account.
    let again = server.sign_in("7001").await;
    let me = server.as_user(&again, Method::GET, "/api/player/me", None).await.json();
    assert_eq!(me["user"]["handle"], json!(null));
}

async fn data_expires_as_the_privacy_page_says(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("7001").await;
    let (now, hour) = (now(), 3_600_000);
    // For each kind of data: one row past its retention period, one just within it.
    let visit = |at: i64| {
        format!(
            "INSERT INTO visits (visited_at, session_id, kind, page_path, data) VALUES ({at}, 's', 'page_view', '/', '{{}}');"
        )
    };
    let session = |id: &str, at: i64| {
        format!(
            "INSERT INTO sessions (id, user_id, token_id, created_at, refreshed_at) VALUES ('{id}', 1, 't', {at}, {at});"
        )
    };
    let claim = |kind: i64, at: i64| {
        format!(
            "INSERT INTO claims (user_id, kind, target, code, created_at) VALUES (1, {kind}, 'x', 'APOGEE-X', {at});"
        )
    };
    let attempted = |at: i64| format!("INSERT INTO claim_attempts (user_id, attempted_at) VALUES (1, {at});");
    server.database.run(
        &[
            visit(now - 5 * DAY - hour),
            visit(now - 5 * DAY + hour),
            session("old", now - 32 * DAY),
            session("young", now - 30 * DAY),
            claim(1, now - DAY - hour),
            claim(2, now - DAY + hour),
            attempted(now - hour),
            attempted(now),
            "INSERT INTO visit_days (day, page_path, kind, visits, total_ms) VALUES (1, '/', 'page_view', 7, 0);"
                .into(),
        ]
        .concat(),
    );
    server.restart();
    let left = || {
        [
            "visits",
            "sessions WHERE id IN ('old', 'young')",
            "claims WHERE kind = 1",
            "claims WHERE kind = 2",
            "claim_attempts",
        ]
        .map(|rows| server.database.number(&format!("SELECT COUNT(*) FROM {rows}")))
    };
    eventually("expired rows are deleted", async || left() == [1, 1, 0, 1, 1]).await;
    assert_eq!(server.database.number("SELECT SUM(visits) FROM visit_days"), 7, "daily totals are not deleted");
    assert_eq!(server.as_user(&token, Method::GET, "/api/player/me", None).await.status, 200);
}
