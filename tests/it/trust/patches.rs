//! Which patches appear on the site.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{account_key, establish, site};
use crate::support::*;

on_both!(
    a_patch_of_another_form_is_rejected,
    one_account_does_not_make_a_patch,
    three_independent_accounts_make_a_patch,
    two_accounts_suffice_where_fewer_are_active,
    an_operators_patch_is_adopted_unless_it_is_not_live,
    the_pinned_patch_wins,
);

/// A live login on a patch.
fn login(player: &str, patch: &str) -> Value {
    own("login", player).with("patch", patch).at(now()).json()
}

async fn current(server: &Server) -> String {
    server.read("/api/patch").await["data"]["patch"].as_str().unwrap().to_owned()
}

/// The patch in the newest row of a player's feed.
async fn in_feed(server: &Server, player: &str) -> Value {
    server.read(&format!("/api/player/{player}/activity")).await["data"][0]["patch"].clone()
}

async fn a_patch_of_another_form_is_rejected(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    for key in [account_key(&server, "5001").await, server.key("operator")] {
        for patch in ["JOIN evil.example 999.9", "ALPHA 4.3.2 JOIN US", "4.3.2 evil.example", "4", "<b>4.3</b>"] {
            let answer = server.send(&key, &[login("Ann-1", patch)]).await;
            assert!(answer["rejected"][0]["error"].as_str().unwrap().starts_with("invalid patch"), "{patch}: {answer}");
        }
    }
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    assert_eq!(server.read("/api/stats/counts").await["players"], 0);
}

async fn one_account_does_not_make_a_patch(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let key = account_key(&server, "5001").await;
    establish(&server, &["5001"]);
    let kills = [login("Ann-1", "4.99.0"), kill("Ann-1", NPC).pu().with("patch", "4.99.0").at(now()).json()];
    server.take(&key, &kills).await;
    let reader = server.command(&["key", "create", "--reader", "--name", "team"]);
    server.take(reader.trim(), &[login("Bob-1", "4.4.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    for player in ["ann-1", "bob-1"] {
        assert_eq!(in_feed(&server, player).await, Value::Null);
        assert_eq!(server.read(&format!("/api/player/{player}")).await["player"]["patch"], "ALPHA 4.3.2");
    }
    assert_eq!(server.read("/api/activity").await["data"][0]["patch"], Value::Null);
    let board = server.read("/api/players/leaderboard?window=patch&sortBy=overall").await;
    assert_eq!(board["players"], json!([]));
    assert_eq!(server.command(&["patch", "list"]), "ALPHA 4.99.0\tnot adopted\nALPHA 4.4.0\tnot adopted\n");
}

async fn three_independent_accounts_make_a_patch(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let established = ["5001", "5002", "5003", "5004"];
    let mut keys = Vec::new();
    for id in established {
        keys.push(account_key(&server, id).await);
    }
    establish(&server, &established);
    let (young, other) = (account_key(&server, "5005").await, account_key(&server, "5001").await);
    let won = kill("Ann-1", NPC).pu().with("patch", "sc-alpha-4.4.0").json();
    server.take(&keys[0], &[login("Ann-1", "sc-alpha-4.4.0-hotfix"), won]).await;
    // A young account, another key of the same account, and a log of yesterday do not add to it.
    server.take(&young, &[login("Bob-1", "4.4.0")]).await;
    server.take(&other, &[login("Cyd-1", "4.4.0")]).await;
    server.take(&keys[1], &[own("login", "Dee-1").with("patch", "4.4.0").at(now() - DAY).json()]).await;
    server.take(&keys[2], &[login("Eve-1", "ALPHA 4.4.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    // Too far from the newest known patch, even if four accounts report it.
    for key in &keys {
        server.send(key, &[login("Far-1", "4.99.0")]).await;
    }
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    server.take(&keys[3], &[login("Gil-1", "4.4.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.4.0");
    assert_eq!(server.read("/api/patch").await["data"]["stats"]["npc_kills"], 1, "events before the adoption count");
    assert_eq!(in_feed(&server, "eve-1").await, "ALPHA 4.4.0");
    assert_eq!(in_feed(&server, "far-1").await, Value::Null);
    let board = server.read("/api/players/leaderboard?window=patch&sortBy=overall").await;
    assert_eq!(board["players"][0]["handle"], "Ann-1");
}

async fn two_accounts_suffice_where_fewer_are_active(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (one, two) = (account_key(&server, "5001").await, account_key(&server, "5002").await);
    establish(&server, &["5001", "5002"]);
    server.take(&one, &[login("Ann-1", "5.0.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    server.take(&two, &[login("Bob-1", "5.0.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 5.0.0");
}

async fn an_operators_patch_is_adopted_unless_it_is_not_live(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (key, operator) = (account_key(&server, "5001").await, server.key("operator"));
    server.take(&operator, &[login("Ann-1", "6.1.0-ptu"), login("Bob-1", "sc-alpha-6.1.0-tech-preview")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    server.take(&key, &[login("Cyd-1", "6.0.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    server.take(&operator, &[own("login", "Dee-1").with("patch", "6.0.0").at(now() - DAY).json()]).await;
    assert_eq!(current(&server).await, "ALPHA 6.0.0");
    assert_eq!(in_feed(&server, "cyd-1").await, "ALPHA 6.0.0");
    // An account cannot take it back, nor add another spelling.
    server.take(&key, &[login("Eve-1", "sc-alpha-6.0.0-hotfix")]).await;
    assert_eq!(current(&server).await, "ALPHA 6.0.0");
    let file = server.data_dir().join("events.ndjson");
    std::fs::write(&file, own("login", "Fay-1").with("patch", "6.2").at(now() - DAY).json().to_string()).unwrap();
    server.stop();
    server.command(&["import", "events", file.to_str().unwrap()]);
    server.run();
    assert_eq!(current(&server).await, "ALPHA 6.2");
}

async fn the_pinned_patch_wins(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("operator");
    let won = |player: &str, patch: &str| kill(player, NPC).pu().with("patch", patch).json();
    server.take(&key, &[won("Old-1", "4.3.2"), won("New-1", "4.4.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.4.0");
    let first = async || {
        let board = server.read("/api/players/leaderboard?window=patch&sortBy=overall").await;
        board["players"][0]["handle"].clone()
    };
    assert_eq!(first().await, "New-1");
    assert_eq!(server.command(&["patch", "pin", "sc-alpha-4.3.2"]), "pinned ALPHA 4.3.2\n");
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    let began = Instant::now();
    while first().await != "Old-1" {
        assert!(began.elapsed() < Duration::from_secs(10), "the leaderboard does not follow the pin");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    server.take(&key, &[won("New-2", "4.5.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2", "no report replaces a pinned patch");
    let listed = server.command(&["patch", "list"]);
    assert_eq!(listed, "ALPHA 4.5.0\tadopted\nALPHA 4.4.0\tadopted\nALPHA 4.3.2\tpinned\tcurrent\n");
    server.command(&["patch", "unpin"]);
    assert_eq!(current(&server).await, "ALPHA 4.5.0");
    let again = server.try_command(&["patch", "unpin"]);
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(server.try_command(&["patch", "pin", "the best one"]).status.code(), Some(1));
    // A patch without events can be pinned too.
    server.command(&["patch", "pin", "4.6.0"]);
    assert_eq!(current(&server).await, "ALPHA 4.6.0");
}
