//! Stickers: the published catalogue, and what admins grant and revoke.

use reqwest::Method;
use serde_json::{Value, json};

use super::settings::People;
use crate::support::*;

on_sqlite!(
    the_catalogue_shows_what_earns_each_sticker,
    admins_grant_and_revoke_stickers,
    the_sticker_command_works_beside_a_running_server,
);

const SPUTNIK: &str = "196404";

async fn the_catalogue_shows_what_earns_each_sticker(on: Backend) {
    let mut server = Server::prepare(on);
    server.run();
    let stickers = server.read("/api/stickers").await["stickers"].as_array().unwrap().clone();
    assert_eq!(stickers.len(), 16);
    assert!(stickers.iter().all(|sticker| sticker["earned_by"].as_str().is_some_and(|text| text.ends_with('.'))));
    let granted: Vec<&str> = stickers
        .iter()
        .filter(|sticker| sticker["is_granted"] == true)
        .map(|sticker| sticker["name"].as_str().unwrap())
        .collect();
    assert_eq!(granted, ["Sputnik", "Ship rat"]);
    // A site can replace the stickers.
    let own = "[[stickers]]\nid = \"202611\"\nname = \"Comet\"\ndescription = \"Seen once\"\nrarity = \"rare\"\n\
        requirement = \"Be there\"\ncategory = \"in-game\"\nrule = { views = 7 }\n";
    server.stop();
    std::fs::write(server.data_dir().join("apogee.toml"), own).unwrap();
    server.run();
    let stickers = server.read("/api/stickers").await["stickers"].clone();
    let comet = json!([{ "id": "202611", "name": "Comet", "description": "Seen once", "rarity": "rare",
        "category": "in-game", "requirement": "Be there", "earned_by": "Get 7 profile views.", "is_granted": false,
        "image": "/static/stickers/202611.png" }]);
    assert_eq!(stickers, comet);
}

/// The ids of the stickers that Ann has unlocked.
async fn unlocked(server: &Server) -> Vec<String> {
    let list = server.read("/api/player/settings/handle/ann-1").await["unlockedStickers"].as_array().unwrap().clone();
    let open = list.iter().filter(|sticker| sticker["unlocked"] == true);
    open.map(|sticker| sticker["id"].as_str().unwrap().to_owned()).collect()
}

/// Ann's stickers on the leaderboard.
async fn worn_on_board(server: &Server) -> Value {
    let board = server.read("/api/players/top").await["players"].clone();
    let row = board.as_array().unwrap().iter().find(|row| row["handle"] == "Ann-1").unwrap().clone();
    row["stickers"].clone()
}

/// A site on which Ann has a score.
async fn site(on: Backend) -> People {
    let people = People::on(on).await;
    let key = people.server.key("reader");
    people.server.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    people
}

async fn wear(people: &People, stickers: Value) -> Response {
    people.save("501", "/api/player/settings/stickers", json!({ "playerHandle": "Ann-1", "stickers": stickers })).await
}

async fn admins_grant_and_revoke_stickers(on: Backend) {
    let people = site(on).await;
    let server = &people.server;
    let admin = server.sign_in("900").await;
    let act = async |method: Method, sticker: &str, handle: &str| {
        let path = format!("/api/admin/stickers/{sticker}/players/{handle}");
        server.as_user(&admin, method, &path, None).await
    };
    assert_eq!(wear(&people, json!([SPUTNIK])).await.code(), "VALIDATION");
    assert_eq!(act(Method::POST, SPUTNIK, "ann-1").await.status, 200);
    assert_eq!(unlocked(server).await, [SPUTNIK]);
    assert_eq!(act(Method::POST, "ship%20rat", "Ann-1").await.status, 200, "a sticker can be named by id or name");
    assert_eq!(wear(&people, json!([SPUTNIK, "538261"])).await.status, 200);
    assert_eq!(worn_on_board(server).await, json!([SPUTNIK, "538261"]));
    let holders = server.as_user(&admin, Method::GET, "/api/admin/stickers", None).await.json()["stickers"].clone();
    let sputnik = holders.as_array().unwrap().iter().find(|sticker| sticker["id"] == SPUTNIK).unwrap();
    assert_eq!((&sputnik["holder_count"], &sputnik["holders"][0]["handle"]), (&json!(1), &json!("Ann-1")));
    // Repeated grants, unknown stickers and unknown players.
    assert_eq!(act(Method::POST, SPUTNIK, "ann-1").await.code(), "CONFLICT");
    assert_eq!(act(Method::POST, "999999", "ann-1").await.code(), "NOT_FOUND");
    assert_eq!(act(Method::POST, SPUTNIK, "nobody-here").await.code(), "NOT_FOUND");
    assert_eq!(act(Method::DELETE, SPUTNIK, "bob-1").await.code(), "NOT_FOUND");
    assert_eq!(act(Method::DELETE, SPUTNIK, "ann-1").await.status, 200);
    assert_eq!(worn_on_board(server).await, json!(["538261"]), "a revoked sticker is removed from the profile");
    assert_eq!(unlocked(server).await, ["538261"]);
    assert_eq!(wear(&people, json!([SPUTNIK])).await.code(), "VALIDATION");
}

async fn the_sticker_command_works_beside_a_running_server(on: Backend) {
    let people = site(on).await;
    let server = &people.server;
    let run = |args: &[&str]| server.command(args);
    assert_eq!(run(&["sticker", "grant", "sputnik", "ann-1"]), "granted Sputnik to ann-1\n");
    assert_eq!(wear(&people, json!([SPUTNIK])).await.status, 200);
    assert_eq!(worn_on_board(server).await, json!([SPUTNIK]));
    assert!(run(&["sticker", "list"]).contains("Sputnik\tAn admin of this site grants it.\n\tAnn-1\n"));
    assert_eq!(run(&["sticker", "revoke", SPUTNIK, "Ann-1"]), "revoked Sputnik from Ann-1\n");
    assert!(unlocked(server).await.is_empty());
    eventually("the running server's leaderboard is updated", async || worn_on_board(server).await == json!([])).await;
    let refused = server.try_command(&["sticker", "grant", "no-such", "ann-1"]);
    assert_eq!(refused.code, 1);
    assert!(refused.error.contains("'no-such'") && refused.error.contains("Sputnik"), "{refused:?}");
}
