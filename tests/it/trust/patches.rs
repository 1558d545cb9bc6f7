//! Which patches appear on the site.

use serde_json::{Value, json};

use super::{account_key, establish, know, log_of, owner, site};
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
            let answer = server.send_from_log(&key, &log_of("Ann-1"), &[login("Ann-1", patch)]).await.json();
            assert!(answer["rejected"][0]["error"].as_str().unwrap().starts_with("invalid patch"), "{patch}: {answer}");
        }
    }
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    assert_eq!(server.read("/api/stats/counts").await["players"], 0);
}

async fn one_account_does_not_make_a_patch(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ann = owner(&server, "5001", "Ann-1").await;
    establish(&server, &["5001"]);
    let haul = own("mission_complete", "Ann-1").with("contract_name", "zzhaul").with("patch", "4.99.0").pu();
    ann.take(&server, &[login("Ann-1", "4.99.0"), haul.at(now()).json()]).await;
    let reader = server.command(&["key", "create", "--reader", "--name", "team"]);
    know(&server, &["Bob-1"]);
    let answer = server.send_from_log(reader.trim(), &log_of("Bob-1"), &[login("Bob-1", "4.4.0")]).await.json();
    assert_eq!(answer["held"], json!([{"index": 0, "reason": "unclaimed"}]));
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
    let mut owners = Vec::new();
    for (id, handle) in established.into_iter().zip(["Ann-1", "Dee-1", "Eve-1", "Gil-1"]) {
        owners.push(owner(&server, id, handle).await);
    }
    establish(&server, &established);
    let young = owner(&server, "5005", "Bob-1").await;
    let haul = own("mission_complete", "Ann-1").with("contract_name", "zzhaul").with("patch", "sc-alpha-4.4.0").pu();
    owners[0].take(&server, &[login("Ann-1", "sc-alpha-4.4.0-hotfix"), haul.json()]).await;
    // A young account, another log of the same account, a log of yesterday, and one of another channel do not add to it.
    young.take(&server, &[login("Bob-1", "4.4.0")]).await;
    let other = account_key(&server, "5001").await;
    know(&server, &["Cyd-1"]);
    server.send_from_log(&other, &log_of("Cyd-1"), &[login("Cyd-1", "4.4.0")]).await;
    owners[1].take(&server, &[own("login", "Dee-1").with("patch", "4.4.0").at(now() - DAY).json()]).await;
    let ptu = log_of("Gil-1").replace("LIVE", "PTU");
    let answer = server.send_from_log(&owners[3].key, &ptu, &[login("Gil-1", "4.4.0")]).await.json();
    assert_eq!(answer["held"], json!([{"index": 0, "reason": "other_channel"}]));
    owners[2].take(&server, &[login("Eve-1", "ALPHA 4.4.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    // Too far from the newest known patch, even if four accounts report it.
    for owner in &owners {
        owner.send(&server, &[login(&owner.handle, "4.99.0")]).await;
    }
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    let live = log_of("Gil-1").replace("id=log-Gil-1", "id=another");
    server.send_from_log(&owners[3].key, &live, &[login("Gil-1", "4.4.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.4.0");
    let contracts = server.read("/api/player/ann-1").await["player"]["missions_completed"].clone();
    assert_eq!(contracts, 1, "events before the adoption count");
    assert_eq!(in_feed(&server, "bob-1").await, "ALPHA 4.4.0");
    let board = server.read("/api/players/leaderboard?window=patch&sortBy=missions_completed").await;
    assert_eq!(board["players"][0]["handle"], "Ann-1");
}

async fn two_accounts_suffice_where_fewer_are_active(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (one, two) = (owner(&server, "5001", "Ann-1").await, owner(&server, "5002", "Bob-1").await);
    establish(&server, &["5001", "5002"]);
    one.take(&server, &[login("Ann-1", "5.0.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    two.take(&server, &[login("Bob-1", "5.0.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 5.0.0");
}

async fn an_operators_patch_is_adopted_unless_it_is_not_live(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (cyd, operator) = (owner(&server, "5001", "Cyd-1").await, server.key("operator"));
    server.take(&operator, &[login("Ann-1", "6.1.0-ptu"), login("Bob-1", "sc-alpha-6.1.0-tech-preview")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    cyd.take(&server, &[login("Cyd-1", "6.0.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    server.take(&operator, &[own("login", "Dee-1").with("patch", "6.0.0").at(now() - DAY).json()]).await;
    assert_eq!(current(&server).await, "ALPHA 6.0.0");
    assert_eq!(in_feed(&server, "cyd-1").await, "ALPHA 6.0.0");
    // An account cannot take it back, nor add another spelling.
    cyd.take(&server, &[login("Cyd-1", "sc-alpha-6.0.0-hotfix")]).await;
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
    eventually("the leaderboard follows the pin", async || first().await == "Old-1").await;
    server.take(&key, &[won("New-2", "4.5.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2", "no report replaces a pinned patch");
    let listed = server.command(&["patch", "list"]);
    assert_eq!(listed, "ALPHA 4.5.0\tadopted\nALPHA 4.4.0\tadopted\nALPHA 4.3.2\tpinned\tcurrent\n");
    server.command(&["patch", "unpin"]);
    assert_eq!(current(&server).await, "ALPHA 4.5.0");
    let again = server.try_command(&["patch", "unpin"]);
    assert_eq!(again.code, 1);
    assert_eq!(server.try_command(&["patch", "pin", "the best one"]).code, 1);
    // A patch without events can be pinned too.
    server.command(&["patch", "pin", "4.6.0"]);
    assert_eq!(current(&server).await, "ALPHA 4.6.0");
}
