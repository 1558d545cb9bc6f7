//! Rule 1: an account uploads the log of the player that it has claimed.

use reqwest::Method;
use serde_json::{Value, json};

use super::{account_key, claim, figures, list, log_of, owner, public_feed, rejections, site};
use crate::support::*;

on_both!(
    an_account_uploads_only_the_log_of_its_player,
    events_of_others_in_the_own_log_are_rejected,
    a_key_without_a_user_uploads_logs_that_nobody_has_claimed,
    giving_a_claim_back_changes_nothing_that_counted,
    a_signed_in_user_uploads_without_a_key,
);

on_sqlite!(
    a_key_tells_its_kind,
    free_text_in_class_names_is_rejected,
    an_entity_id_comes_from_the_own_log_or_the_operator
);

/// Everything that a foreign log must not change.
async fn shown(server: &Server) -> (Value, Vec<Value>, i64) {
    let stored = server.database.number("SELECT COUNT(*) FROM events");
    (figures(server, "real-ace").await, public_feed(server).await, stored)
}

async fn an_account_uploads_only_the_log_of_its_player(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let attacker = account_key(&server, "5002").await;
    list(&server, &["Real-Foe"]);
    let at = now() - 3_600_000;
    let real = kill("Real-Ace", "Real-Foe").pu().at(at).json();
    ace.take(&server, std::slice::from_ref(&real)).await;
    let before = shown(&server).await;
    let forged = [kill("Real-Ace", "Real-Foe").ac().at(at - 1_000).json(), own("login", "Real-Ace").json(), real];
    for (handle, claimed_by) in [("Real-Ace", "other"), ("Real-Foe", "nobody"), ("Never-Seen", "nobody")] {
        let refused = server.send_from_log(&attacker, &log_of(handle), &forged).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (403, "CLAIM_REQUIRED"), "{}", refused.text());
        assert_eq!(refused.json()["claimed_by"], claimed_by);
        let sentence = refused.json()["error"].as_str().unwrap().to_owned();
        assert!(
            sentence.contains(handle) && sentence.contains(&format!("/player/claim?handle={handle}")),
            "{sentence}"
        );
    }
    for refused in [
        server.try_send(&attacker, &forged).await,
        server.send_from_log(&attacker, "id=a, first=1, last=2", &forged).await,
    ] {
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert!(refused.text().contains("Apogee-Log"), "{}", refused.text());
    }
    assert_eq!(shown(&server).await, before);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM logs"), 1, "nothing of a refused batch is stored");
}

async fn events_of_others_in_the_own_log_are_rejected(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, third) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5002", "Other-1").await);
    list(&server, &["Real-Foe"]);
    ace.take(&server, &[kill("Real-Ace", "Real-Foe").pu().at(now() - 60_000).json()]).await;
    let before = shown(&server).await;
    let foreign = [
        kill("Real-Ace", "Real-Foe").pu().at(now() - 61_000).json(),
        own("login", "Real-Ace").json(),
        own("mission_complete", "Real-Ace").with("contract_name", "zzhaul").json(),
    ];
    let answer = third.send(&server, &foreign).await;
    assert_eq!((&answer["accepted"], &answer["duplicates"]), (&json!(0), &json!(0)));
    assert_eq!(
        rejections(&answer),
        ["Other-1 takes no part in it: an account uploads the events of its own player"; 3]
    );
    assert_eq!(shown(&server).await, before);
}

async fn a_key_without_a_user_uploads_logs_that_nobody_has_claimed(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let key = server.command(&["key", "create", "--reader", "--name", "team"]);
    list(&server, &["Real-Ace"]);
    let own_kill = [kill("Real-Ace", NPC).pu().at(now() - 60_000).json()];
    assert_eq!(server.send_from_log(key.trim(), &log_of("Real-Ace"), &own_kill).await.json()["accepted"], 1);
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_npc_kills": 1}));
    owner(&server, "5001", "Real-Ace").await;
    let refused = server.send_from_log(key.trim(), &log_of("Real-Ace"), &own_kill).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["claimed_by"]), (403, &json!("other")), "{}", refused.text());
}

async fn giving_a_claim_back_changes_nothing_that_counted(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    list(&server, &["Real-Foe"]);
    ace.take(&server, &[kill("Real-Ace", "Real-Foe").pu().at(now() - 60_000).json()]).await;
    let token = server.sign_in("5001").await;
    assert_eq!(server.as_user(&token, Method::DELETE, "/api/player/unlink", None).await.status, 200);
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
    super::equals_a_recount(&mut server, &["real-ace", "real-foe"]).await;
    let refused = server.send_from_log(&ace.key, &log_of("Real-Ace"), &[own("login", "Real-Ace").json()]).await;
    assert_eq!(refused.json()["claimed_by"], "nobody", "{}", refused.text());
}

async fn a_key_tells_its_kind(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let kind = async |key: &str| {
        let request = server.request(Method::GET, "/api/ingest/key").bearer_auth(key);
        server.execute(request).await
    };
    assert_eq!(kind(&server.key("reader")).await.json()["kind"], "operator");
    assert_eq!(kind(&account_key(&server, "5001").await).await.json()["kind"], "account");
    assert_eq!(kind("apogee_unknown").await.status, 401);
}

async fn free_text_in_class_names_is_rejected(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let spam = "free viagra at <evil.example>";
    for field in ["weapon", "vehicle_name", "damage_type", "zone", "sub_game_mode", "contract_id"] {
        let answer = ace.send(&server, &[kill("Real-Ace", "Real-Foe").with(field, spam).json()]).await;
        assert!(rejections(&answer)[0].contains(field), "{answer}");
    }
    let npc = kill("Real-Ace", spam).with("victim_is_npc", true).json();
    assert!(rejections(&ace.send(&server, &[npc]).await)[0].contains("victim"));
    let real =
        kill("Real-Ace", NPC).with("weapon", "BEHR P6_LR_Sniper_Rifle").with("zone", "OOC_Stanton_2b_Daymar").json();
    ace.take(&server, &[real]).await;
}

async fn an_entity_id_comes_from_the_own_log_or_the_operator(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() - 3_600_000;
    let login = |n: i64, geid: &str| own("login", "Real-Ace").at(at + n * 60_000).with("player_geid", geid).json();
    let geid = async || server.read("/api/player/real-ace").await["player"]["player_geid"].clone();
    for geid in ["free viagra at evil.example", "12345"] {
        assert!(rejections(&ace.send(&server, &[login(0, geid)]).await)[0].contains("6 to 20 digits"));
    }
    server.take(&server.key("operator"), &[login(1, "200100000001")]).await;
    assert_eq!(geid().await, "200100000001");
    ace.take(&server, &[login(2, "200100000002")]).await;
    assert_eq!(geid().await, "200100000002");
    claim(&server, "5001", "Other-1");
    assert_eq!(geid().await, "200100000002");
}

async fn a_signed_in_user_uploads_without_a_key(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    list(&server, &["Real-Foe"]);
    let token = server.sign_in("5001").await;
    let events = [kill("Real-Ace", "Real-Foe").pu().at(now() - 60_000).json()];
    let refused = server.send_from_log(&token, &log_of("Real-Ace"), &events).await;
    assert_eq!((refused.status.as_u16(), refused.json()["claimed_by"].as_str()), (403, Some("nobody")));
    claim(&server, "5001", "Real-Ace");
    let answer = server.send_from_log(&token, &log_of("Real-Ace"), &events).await.json();
    assert_eq!((&answer["accepted"], &answer["rejected"]), (&json!(1), &json!([])));
    // Keys of the same user report for the same account.
    let made = server.as_user(&token, Method::POST, "/api/keys", Some(&json!({"name": "PC"}))).await.json();
    let again = server.send_from_log(made["secret"].as_str().unwrap(), &log_of("Real-Ace"), &events).await.json();
    assert_eq!((&again["accepted"], &again["duplicates"]), (&json!(0), &json!(1)));
    let keys = server.as_user(&token, Method::GET, "/api/keys", None).await.json();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1, "{keys}");
    server.command(&["moderate", "block", "--account", "5001", "--reason", "forged logs"]);
    // Another process has blocked the account.
    let is_refused = async || {
        let answer = server.send_from_log(&token, &log_of("Real-Ace"), &events).await;
        answer.status == 403 && answer.text().contains("forged logs")
    };
    eventually("the account's uploads stop", is_refused).await;
}
