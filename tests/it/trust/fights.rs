//! Rule 2: your log counts for you.

use serde_json::{Value, json};

use super::{Owner, account_key, claim, equals_a_recount, feed, figures, list, owner, public_feed, site};
use crate::support::*;

on_both!(
    each_side_of_a_fight_counts_by_its_own_log_in_any_order,
    a_log_changes_no_figure_of_the_other_side,
    an_operator_counts_for_both_sides_and_covers_none_that_is_counted,
    two_reports_of_one_account_are_two_fights,
    an_event_id_of_one_account_leaves_those_of_others,
    a_session_that_two_accounts_report_counts_once,
    replays_and_shuffles_change_nothing,
);

fn fight(at: i64) -> EventBuilder {
    kill("Real-Ace", "Real-Foe").pu().at(at)
}

async fn two_owners(server: &Server) -> (Owner, Owner) {
    (owner(server, "5001", "Real-Ace").await, owner(server, "5002", "Real-Foe").await)
}

async fn each_side_of_a_fight_counts_by_its_own_log_in_any_order(on: Backend) {
    for is_victim_first in [false, true] {
        let (mut server, _discord) = site(on).await;
        server.run();
        let (ace, foe) = two_owners(&server).await;
        let at = now() / 1_000 * 1_000 - 3_600_000;
        let by_killer = fight(at).with("weapon", "zzrifle").json();
        let by_victim = fight(at + 900).with("zone", "OOC_Stanton_2b_Daymar").ac().json();
        let reports = [(&ace, by_killer), (&foe, by_victim)];
        let (first, second) = if is_victim_first { (1, 0) } else { (0, 1) };
        reports[first].0.take(&server, std::slice::from_ref(&reports[first].1)).await;
        let answer = reports[second].0.send(&server, std::slice::from_ref(&reports[second].1)).await;
        assert_eq!((&answer["accepted"], &answer["duplicates"]), (&json!(0), &json!(1)), "one event");
        // Each side counts with the mode of its own log.
        assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
        assert_eq!(figures(&server, "real-foe").await, json!({"ac_player_deaths": 1}));
        let all = public_feed(&server).await;
        assert_eq!(all.len(), 1, "the feed of everybody shows the fight once: {all:?}");
        assert_eq!(all[0]["reported_by"], json!(["killer", "victim"]));
        // The first report stands, and the later one fills its empty fields.
        assert_eq!(all[0]["game_mode"], if is_victim_first { "AC" } else { "PU" });
        assert_eq!((&all[0]["weapon"], &all[0]["text"]), (&json!("zzrifle"), &Value::Null));
        for (player, mode) in [("real-ace", "PU"), ("real-foe", "AC")] {
            let rows = feed(&server, player).await;
            assert_eq!((rows.len(), &rows[0]["game_mode"]), (1, &json!(mode)), "its own log's row");
            assert_eq!(rows[0]["id"], all[0]["id"], "one event with one id");
        }
        let page = server.read(&format!("/api/activity/{}", all[0]["id"].as_str().unwrap())).await;
        assert_eq!(page["event"]["reported_by"], json!(["killer", "victim"]));
        equals_a_recount(&mut server, &["real-ace", "real-foe"]).await;
    }
}

async fn a_log_changes_no_figure_of_the_other_side(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, foe) = two_owners(&server).await;
    let before = (
        figures(&server, "real-foe").await,
        server.read("/api/player/real-foe").await["player"]["last_active"].clone(),
    );
    ace.take(&server, &[fight(now() - 60_000).json(), kill("Real-Foe", "Real-Ace").pu().at(now() - 50_000).json()])
        .await;
    let after = (
        figures(&server, "real-foe").await,
        server.read("/api/player/real-foe").await["player"]["last_active"].clone(),
    );
    assert_eq!(after, before, "no death is raised and no kill is given");
    assert_eq!(feed(&server, "real-foe").await, Vec::<Value>::new());
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1, "pu_player_deaths": 1}));
    // A report of the own kill in another mode turns nothing of the other log into that mode.
    foe.send(&server, &[fight(now() - 60_000).ac().json()]).await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1, "pu_player_deaths": 1}));
}

async fn an_operator_counts_for_both_sides_and_covers_none_that_is_counted(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, foe) = two_owners(&server).await;
    let operator = server.key("operator");
    let at = now() - 3_600_000;
    ace.take(&server, &[fight(at).json()]).await;
    assert_eq!(server.send(&operator, &[fight(at + 700).ac().json()]).await["duplicates"], 1);
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
    assert_eq!(figures(&server, "real-foe").await, json!({"ac_player_deaths": 1}));
    assert_eq!(public_feed(&server).await[0]["reported_by"], json!(["killer", "operator"]));
    assert_eq!(foe.send(&server, &[fight(at + 300).json()]).await["duplicates"], 1);
    assert_eq!(figures(&server, "real-foe").await, json!({"ac_player_deaths": 1}), "the operator was first");
    let two = server.key("another operator");
    server.take(&operator, &[fight(at + 60_000).json()]).await;
    assert_eq!(server.send(&two, &[fight(at + 61_000).json()]).await["duplicates"], 1, "two readers of one operator");
    equals_a_recount(&mut server, &["real-ace", "real-foe"]).await;
}

async fn two_reports_of_one_account_are_two_fights(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (one, two) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5001", "Real-Ace").await);
    list(&server, &["Real-Foe"]);
    let at = now() - 3_600_000;
    let event = fight(at).id("log-1:44").json();
    one.take(&server, std::slice::from_ref(&event)).await;
    assert_eq!(two.send(&server, &[event]).await["duplicates"], 1, "whichever key sends it again");
    two.take(&server, &[fight(at + 2_000).id("log-1:45").json()]).await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 2}));
}

async fn an_event_id_of_one_account_leaves_those_of_others(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, foe) = two_owners(&server).await;
    let at = now() - 3_600_000;
    // The other side reports a fight with the same id a month earlier.
    foe.take(&server, &[fight(at - 30 * DAY).id("log-1:44").json()]).await;
    let real = [
        fight(at).id("log-1:44").json(),
        own("mission_complete", "Real-Ace").with("contract_name", "zzhaul").pu().at(at).id("log-1:45").json(),
    ];
    ace.take(&server, &real).await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
    assert_eq!(ace.send(&server, &real).await["duplicates"], 2);
}

async fn a_session_that_two_accounts_report_counts_once(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let operator = server.key("operator");
    let at = now() - 3_600_000;
    let log = [
        own("login", "Real-Ace").at(at).json(),
        own("mission_complete", "Real-Ace").with("contract_name", "zzhaul").pu().at(at + 60_000).json(),
        own("logout", "Real-Ace").at(at + 600_000).json(),
    ];
    server.take(&operator, &log).await;
    let ace = owner(&server, "5001", "Real-Ace").await;
    assert_eq!(ace.send(&server, &log).await["duplicates"], 3);
    let player = server.read("/api/player/real-ace").await["player"].clone();
    assert_eq!((&player["missions_completed"], &player["playtime"]), (&json!(1), &json!(600)));
    assert_eq!(feed(&server, "real-ace").await.len(), 3);
    equals_a_recount(&mut server, &["real-ace"]).await;
}

async fn replays_and_shuffles_change_nothing(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, foe) = two_owners(&server).await;
    let at = now() / 1_000 * 1_000 - DAY;
    let events: Vec<Value> = (0..12).map(|n| fight(at + n * 60_000).id(&format!("k{n}")).json()).collect();
    let mut shuffled = events.clone();
    shuffled.reverse();
    shuffled.swap(2, 9);
    ace.take(&server, &events).await;
    foe.send(&server, &shuffled).await;
    let shown =
        async || (figures(&server, "real-ace").await, figures(&server, "real-foe").await, public_feed(&server).await);
    let before = shown().await;
    assert_eq!((&before.0, &before.1), (&json!({"pu_player_kills": 12}), &json!({"pu_player_deaths": 12})));
    for (owner, events) in [(&foe, &events), (&ace, &shuffled), (&foe, &shuffled)] {
        assert_eq!(owner.send(&server, events).await["duplicates"], 12);
    }
    assert_eq!(shown().await, before);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 24, "each report is kept");
    account_key(&server, "5003").await;
    claim(&server, "5003", "Third-1");
}
