//! Which patches appear on the site, and which of their events count.

use serde_json::{Value, json};

use super::{account_key, feed, figures, log_of, owner, rejections, site};
use crate::support::*;

on_both!(
    a_patch_of_another_form_is_rejected,
    a_newer_patch_waits_until_enough_accounts_report_logins_on_it,
    two_accounts_suffice_where_fewer_are_active,
    an_operators_patch_is_adopted_unless_it_is_not_live,
    logs_of_other_channels_count_nowhere,
    a_log_that_names_another_channel_late_counts_nowhere,
    the_pinned_patch_wins_until_the_pin_is_undone,
);

fn login(player: &str, patch: &str) -> Value {
    own("login", player).with("patch", patch).at(now() - 60_000).json()
}

async fn current(server: &Server) -> String {
    server.read("/api/patch").await["data"]["patch"].as_str().unwrap().to_owned()
}

async fn missions(server: &Server, player: &str) -> Value {
    server.read(&format!("/api/player/{player}")).await["player"]["missions_completed"].clone()
}

async fn a_patch_of_another_form_is_rejected(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Ann-1").await;
    for key in [ace.key, server.key("operator")] {
        for patch in ["JOIN evil.example 999.9", "ALPHA 4.3.2 JOIN US", "4.3.2 evil.example", "4", "<b>4.3</b>"] {
            let answer = server.send_from_log(&key, &log_of("Ann-1"), &[login("Ann-1", patch)]).await.json();
            assert!(rejections(&answer)[0].starts_with("invalid patch"), "{patch}: {answer}");
        }
    }
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
}

async fn a_newer_patch_waits_until_enough_accounts_report_logins_on_it(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let mut owners = Vec::new();
    for (id, handle) in [("5001", "Ann-1"), ("5002", "Bob-1"), ("5003", "Cyd-1"), ("5004", "Dee-1")] {
        owners.push(owner(&server, id, handle).await);
        owners.last().unwrap().take(&server, &[own("login", handle).at(now() - DAY).json()]).await;
    }
    let haul = own("mission_complete", "Ann-1").with("contract_name", "zzhaul").with("patch", "sc-alpha-4.4.0").pu();
    owners[0].take(&server, &[login("Ann-1", "sc-alpha-4.4.0-hotfix"), haul.json()]).await;
    // Too far from the newest known patch, whoever reports it.
    for owner in &owners {
        owner.take(&server, &[login(&owner.handle, "4.99.0")]).await;
    }
    // Another log of the same account and one of another channel add nothing.
    let again = account_key(&server, "5001").await;
    let other_log = log_of("Ann-1").replace("id=log", "id=other");
    server.send_from_log(&again, &other_log, &[own("login", "Ann-1").with("patch", "4.4.0").json()]).await;
    let ptu = log_of("Bob-1").replace("LIVE", "PTU").replace("id=log", "id=ptu");
    server.send_from_log(&owners[1].key, &ptu, &[login("Bob-1", "4.4.0")]).await;
    owners[2].take(&server, &[login("Cyd-1", "4.4.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    assert_eq!(missions(&server, "ann-1").await, 0, "events on it are kept and wait");
    assert_eq!(feed(&server, "ann-1").await[0]["patch"], Value::Null, "its name appears nowhere");
    owners[3].take(&server, &[own("login", "Dee-1").with("patch", "ALPHA 4.4.0").at(now() - 30 * DAY).json()]).await;
    assert_eq!(current(&server).await, "ALPHA 4.4.0");
    eventually("the events on it count", async || missions(&server, "ann-1").await == 1).await;
    let board = server.read("/api/players/leaderboard?window=patch&sortBy=missions_completed").await;
    assert_eq!(board["players"][0]["handle"], "Ann-1");
    let waiting = "SELECT COUNT(*) FROM events WHERE state = 1";
    assert_eq!(server.database.number(waiting), 4, "4.99.0 is kept and not adopted");
}

async fn two_accounts_suffice_where_fewer_are_active(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (one, two) = (owner(&server, "5001", "Ann-1").await, owner(&server, "5002", "Bob-1").await);
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
    assert_eq!(feed(&server, "cyd-1").await[0]["patch"], "ALPHA 6.0.0");
    let file = server.data_dir().join("events.ndjson");
    std::fs::write(&file, own("login", "Fay-1").with("patch", "6.2").at(now() - DAY).json().to_string()).unwrap();
    server.stop();
    server.command(&["import", "events", file.to_str().unwrap()]);
    server.run();
    assert_eq!(current(&server).await, "ALPHA 6.2");
}

async fn logs_of_other_channels_count_nowhere(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let operator = server.key("operator");
    let win = |n: i64| [kill("Real-Ace", NPC).pu().at(now() - 60_000 - n).with("patch", "4.3.9").json()];
    for (key, channel, n) in [(&ace.key, "PTU", 0), (&ace.key, "EPTU", 1), (&operator, "PTU", 2)] {
        let log = log_of("Real-Ace").replace("LIVE", channel).replace("id=log", &format!("id={channel}{n}"));
        let answer = server.send_from_log(key, &log, &win(n * 60_000)).await.json();
        assert_eq!(answer["accepted"], 1, "{answer}");
        assert_eq!(feed(&server, "real-ace").await[n as usize]["channel"], channel);
    }
    assert_eq!(figures(&server, "real-ace").await, json!({}));
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
}

async fn a_log_that_names_another_channel_late_counts_nowhere(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let win = |ago: i64| [kill("Real-Ace", NPC).pu().at(now() - ago).json()];
    let kills = async || figures(&server, "real-ace").await["pu_npc_kills"].as_i64().unwrap_or(0);
    for (n, channel) in [(1, "LIVE"), (2, "HOTFIX")] {
        let log = log_of("Real-Ace").replace("LIVE", channel).replace("id=log", &format!("id={channel}"));
        server.send_from_log(&ace.key, &log, &win(n * 60_000)).await;
        assert_eq!(kills().await, n, "{channel}");
    }
    server.send_from_log(&ace.key, &log_of("Real-Ace"), &win(300_000)).await;
    assert_eq!(kills().await, 3);
    server.send_from_log(&ace.key, &log_of("Real-Ace").replace("LIVE", "PTU"), &win(400_000)).await;
    assert_eq!(kills().await, 2, "the earlier events of the log count no longer");
    let channels: Vec<_> = feed(&server, "real-ace").await.into_iter().map(|event| event["channel"].clone()).collect();
    assert_eq!(channels, [Value::Null, Value::Null, json!("PTU"), json!("PTU")]);
}

async fn the_pinned_patch_wins_until_the_pin_is_undone(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("operator");
    let won = |player: &str, patch: &str| kill(player, NPC).pu().with("patch", patch).json();
    server.take(&key, &[won("Old-1", "4.3.2"), won("New-1", "4.4.0")]).await;
    let first = async || {
        let board = server.read("/api/players/leaderboard?window=patch&sortBy=overall").await;
        board["players"][0]["handle"].clone()
    };
    assert_eq!((current(&server).await.as_str(), first().await), ("ALPHA 4.4.0", json!("New-1")));
    server.command(&["moderate", "pin", "sc-alpha-4.3.2", "--reason", "4.4 is a test"]);
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    eventually("the leaderboard follows the pin", async || first().await == "Old-1").await;
    server.take(&key, &[won("New-2", "4.5.0")]).await;
    assert_eq!(current(&server).await, "ALPHA 4.3.2", "no report replaces a pinned patch");
    // A patch without events can be pinned too.
    server.command(&["moderate", "pin", "4.6.0", "--reason", "announced"]);
    assert_eq!(current(&server).await, "ALPHA 4.6.0");
    server.command(&["moderate", "undo", "2"]);
    assert_eq!(current(&server).await, "ALPHA 4.3.2");
    server.command(&["moderate", "undo", "1"]);
    assert_eq!(current(&server).await, "ALPHA 4.5.0");
    assert_eq!(server.try_command(&["moderate", "pin", "the best one", "--reason", "x"]).code, 1);
}
