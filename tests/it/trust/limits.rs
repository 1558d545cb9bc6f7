//! Rule 3: nothing impossible. The table of limits is tested in `domain::trust::decide`.

use serde_json::{Value, json};

use super::{figures, list, owner, rejections, site};
use crate::support::*;

on_both!(a_limit_counts_what_the_account_has_stored, an_account_reports_as_many_events_a_day_as_the_setting_permits,);

on_sqlite!(kills_of_builds_that_write_none_are_rejected_unless_the_setting_opens_them, years_of_backups_pass);

async fn a_limit_counts_what_the_account_has_stored(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() - DAY;
    let burst = |from: i64, count: i64| -> Vec<Value> {
        (0..count)
            .map(|n| kill("Real-Ace", NPC).pu().at(at + from + n * 2_000).id(&format!("{}", from + n)).json())
            .collect()
    };
    ace.take(&server, &burst(0, 12)).await;
    let answer = ace.send(&server, &burst(24_000, 9)).await;
    assert_eq!(
        (&answer["accepted"], rejections(&answer)),
        (&json!(8), vec!["more than 20 fights of one killer in 60 s"])
    );
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_npc_kills": 20}));
    // What is stored already is a duplicate and not one too many.
    assert_eq!(ace.send(&server, &burst(0, 12)).await["duplicates"], 12);
    // The operator is not limited, and uses up nothing of the account.
    server.take(&server.key("operator"), &npc_kills("Real-Ace", 30, at - 20 * DAY)).await;
    ace.take(&server, &burst(-20 * DAY + 3_600_000, 20)).await;
}

async fn an_account_reports_as_many_events_a_day_as_the_setting_permits(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    ace.take(&server, &[kill("Real-Ace", NPC).pu().json()]).await;
    server.database.run("UPDATE key_days SET reports = 49999");
    let two = [own("login", "Real-Ace").json(), own("logout", "Real-Ace").json()];
    let refused = server.send_from_log(&ace.key, &super::log_of("Real-Ace"), &two).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"), "{}", refused.text());
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    ace.take(&server, &two[..1]).await;
    server.take(&server.key("operator"), &two[1..]).await;
}

async fn kills_of_builds_that_write_none_are_rejected_unless_the_setting_opens_them(on: Backend) {
    for (setting, is_open) in [(None, false), (Some("any"), true)] {
        let (mut server, _discord) = site(on).await;
        if let Some(setting) = setting {
            server.env("APOGEE_TRUST_LAST_FIGHT_PATCH", setting);
        }
        server.run();
        let ace = owner(&server, "5001", "Real-Ace").await;
        list(&server, &["Real-Foe"]);
        server.take(&server.key("operator"), &[own("login", "Real-Foe").with("patch", "4.7.0").json()]).await;
        let fight = |n: i64, patch: &str| {
            kill("Real-Ace", "Real-Foe").pu().at(now() - 3_600_000 + n * 60_000).with("patch", patch).json()
        };
        let answer = ace.send(&server, &[fight(0, "4.3.2"), fight(1, "4.7.0")]).await;
        assert_eq!(rejections(&answer).len(), usize::from(!is_open), "{answer}");
        let expected = if is_open { 2 } else { 1 };
        assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": expected}));
    }
}

async fn years_of_backups_pass(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let evening = |day: i64| (0..10).map(move |n| kill("Real-Ace", NPC).pu().at(now() - day * DAY + n * 60_000).json());
    let years: Vec<Value> = (10..110).flat_map(|n| evening(n * 20)).collect();
    ace.take(&server, &years).await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_npc_kills": 1_000}));
}
