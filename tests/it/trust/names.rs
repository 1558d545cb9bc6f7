//! Listed names: claimed, named by an operator, or known to the game's site.

use reqwest::Method;
use serde_json::{Value, json};

use super::{figures, owner, public_feed, site};
use crate::support::game_site::{Citizen, GameSite};
use crate::support::*;

on_both!(
    invented_names_appear_nowhere_but_in_events,
    a_claim_lists_a_name_with_its_figures,
    the_games_site_lists_a_name
);

async fn counts(server: &Server) -> Value {
    server.read("/api/stats/counts").await
}

async fn invented_names_appear_nowhere_but_in_events(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    server.stop();
    server.run();
    let before = counts(&server).await;
    let at = now() - 200 * DAY;
    for part in 0..5 {
        let kills = (0..1_000).map(|n| {
            let victim = format!("Invented-{part}-{n}");
            kill("Real-Ace", &victim).pu().at(at + (part * 1_000 + n) * 1_000_000).json()
        });
        ace.take(&server, &kills.collect::<Vec<_>>()).await;
    }
    assert_eq!(server.get("/api/player/invented-0-7").await.status, 404);
    assert_eq!(server.read("/api/search/players?q=invented").await["results"], json!([]));
    assert_eq!(counts(&server).await, before);
    let board = server.read("/api/players/leaderboard?sortBy=overall").await;
    assert_eq!(board["players"].as_array().unwrap().len(), 1, "{board}");
    assert!(!server.get("/sitemap.xml").await.text().to_lowercase().contains("invented"));
    assert_eq!(public_feed(&server).await[0]["victim"], "Invented-4-999", "events name them");
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 5_000}));
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(server.read("/api/search/players?q=invented").await["results"], json!([]));
    assert_eq!(counts(&server).await, before);
    server.take(&server.key("operator"), &[own("login", "Invented-0-7").at(at).json()]).await;
    assert_eq!(server.get("/api/player/invented-0-7").await.status, 200);
}

/// Claims a player with a code in the bio.
async fn claim_by_bio(server: &Server, game_site: &GameSite, discord_id: &str, handle: &str) {
    let token = server.sign_in(discord_id).await;
    game_site.citizen(&Citizen::new(handle, "Hello"));
    let body = json!({"handle": handle, "discordId": "1"});
    let started = server.as_user(&token, Method::POST, "/api/player/claim/start", Some(&body)).await.json();
    let code = started["verificationCode"].as_str().unwrap();
    game_site.citizen(&Citizen::new(handle, code));
    let verified = server.as_user(&token, Method::POST, "/api/player/claim/verify", Some(&body)).await;
    assert_eq!(verified.status, 200, "{}", verified.text());
}

async fn a_claim_lists_a_name_with_its_figures(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    server.run();
    let key = server.command(&["key", "create", "--reader", "--name", "team"]);
    let log = super::log_of("Real-Ace");
    let events =
        [own("login", "Real-Ace").at(now() - 900_000).json(), kill("Real-Ace", NPC).pu().at(now() - 600_000).json()];
    assert_eq!(server.send_from_log(key.trim(), &log, &events).await.json()["accepted"], 2);
    assert_eq!(server.get("/api/player/real-ace").await.status, 404);
    let rank = async || server.read("/api/players/leaderboard?sortBy=pve_kills").await["players"].clone();
    assert_eq!(rank().await, json!([]));
    claim_by_bio(&server, &game_site, "5001", "Real-Ace").await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_npc_kills": 1}));
    assert_eq!(rank().await[0]["handle"], "Real-Ace");
    assert_eq!(server.read("/api/search/fast?q=real-ace").await["results"][0]["handle"], "Real-Ace");
    assert_eq!(counts(&server).await["players"], 1);
}

async fn the_games_site_lists_a_name(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    game_site.citizen(&Citizen::new("Real-Foe", "Hello"));
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    server.database.run(&format!("UPDATE players SET site_read_at = {}", now()));
    let events = ["Real-Foe", "Invented-1"].map(|victim| kill("Real-Ace", victim).pu().at(now() - 60_000).json());
    ace.take(&server, &events).await;
    let asked = "SELECT COUNT(*) FROM players WHERE NOT is_listed AND site_asked_at = 0";
    while server.database.number(asked) > 0 {
        server.run_job("refresh").await;
    }
    assert_eq!(server.get("/api/player/real-foe").await.status, 200);
    assert_eq!(server.get("/api/player/invented-1").await.status, 404);
}
