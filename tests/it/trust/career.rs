//! Events of today's logs: what feeds show of them, and pay and places, which only their owner can share.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Owner, equals_a_recount, feed, figures, owner, public_feed, rejections, site};
use crate::support::*;

on_both!(
    pay_and_places_are_stored_only_while_the_owner_of_the_player_shares_them,
    shared_pay_and_places_are_in_no_feed_and_on_no_page_of_an_event,
    a_copy_of_the_site_shares_the_same_and_its_events_keep_their_numbers,
    an_owner_who_leaves_shares_nothing,
    a_mission_with_an_id_counts_once_with_its_first_title,
    feeds_omit_what_only_counts,
    the_name_of_a_blueprint_appears_once_three_accounts_report_it,
    streams_are_not_told_of_events_that_were_old_when_they_arrived,
);

const SETTINGS: &str = "/api/player/settings";
const MISSION: &str = "8f4ba5a6-3a5e-4a5b-9f4e-0a4c3a8f1c55";
const STORED: &str = "SELECT COUNT(*) FROM events WHERE category = 9";

/// A payout and a visited place.
fn pay_and_place(handle: &str) -> [Value; 2] {
    let at = now() / 1_000 * 1_000 - 600_000;
    let payout = own("payout", handle).with("amount", 28_375).with("mission_id", MISSION).pu().at(at);
    let place = own("place_visited", handle).with("zone", "Stanton1_Lorville").pu().at(at + 60_000);
    [payout.json(), place.json()]
}

async fn share(server: &Server, discord_id: &str, sharing: Value) {
    let token = server.sign_in(discord_id).await;
    let body = json!({ "sharing": sharing });
    let answer = server.as_user(&token, Method::POST, SETTINGS, Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

async fn sharing(server: &Server, handle: &str) -> Value {
    server.read(&format!("{SETTINGS}/handle/{handle}")).await["settings"]["sharing"].clone()
}

/// How many of these events are accepted and dropped; none is rejected.
async fn sent(server: &Server, ace: &Owner, events: &[Value]) -> (Value, Value) {
    let answer = ace.send(server, events).await;
    assert_eq!((rejections(&answer), &answer["duplicates"]), (Vec::new(), &json!(0)), "{answer}");
    (answer["accepted"].clone(), answer["dropped"].clone())
}

async fn pay_and_places_are_stored_only_while_the_owner_of_the_player_shares_them(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let both = pay_and_place("Real-Ace");
    assert_eq!(sharing(&server, "real-ace").await, json!({"pay": false, "places": false}));
    assert_eq!(sent(&server, &ace, &both).await, (json!(0), json!(2)));
    // The operator's key does not decide for the owner, and nobody has claimed the other player.
    let operator = server.key("operator");
    let answer = server.send(&operator, &[&both[..], &pay_and_place("Real-Foe")[..]].concat()).await;
    assert_eq!((&answer["accepted"], &answer["dropped"]), (&json!(0), &json!(4)), "{answer}");
    assert_eq!(server.database.number(STORED), 0);
    assert_eq!(server.get("/api/player/real-foe").await.status, 404, "a dropped event lists nobody");

    share(&server, "5001", json!({"pay": true})).await;
    assert_eq!(sent(&server, &ace, &both).await, (json!(1), json!(1)));
    share(&server, "5001", json!({"places": true})).await;
    assert_eq!(sharing(&server, "real-ace").await, json!({"pay": true, "places": true}));
    assert_eq!(sent(&server, &ace, &both[1..]).await, (json!(1), json!(0)));
    assert_eq!(ace.send(&server, &both).await["duplicates"], 2);

    share(&server, "5001", json!({"places": false})).await;
    assert_eq!(server.database.number(STORED), 1, "pay is still shared");
    share(&server, "5001", json!({"pay": false})).await;
    assert_eq!(server.database.number(STORED), 0);
    // The same events come back.
    share(&server, "5001", json!({"pay": true, "places": true})).await;
    assert_eq!(sent(&server, &ace, &both).await, (json!(2), json!(0)));
}

async fn shared_pay_and_places_are_in_no_feed_and_on_no_page_of_an_event(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let token = server.sign_in("5001").await;
    share(&server, "5001", json!({"pay": true, "places": true})).await;
    let mut stream = Stream::open(&server, "activity,player:real-ace", None).await;
    let profile = server.read("/api/player/real-ace").await;
    ace.take(&server, &pay_and_place("Real-Ace")).await;
    assert_eq!(server.read("/api/player/real-ace").await, profile, "nothing is derived");
    server.fence(&server.key("operator"), "Fence-1").await;
    assert_eq!(stream.next(HANG).await.unwrap().data["player_name"], "Fence-1");
    assert_eq!((feed(&server, "real-ace").await.len(), public_feed(&server).await.len()), (0, 1));
    for id in 1..=2 {
        assert_eq!(server.get(&format!("/api/activity/{id}")).await.status, 404);
    }
    let export = server.as_user(&token, Method::GET, "/api/me/export", None).await.json();
    assert_eq!((&export["events"], &export["player"]["sharing"]["pay"]), (&json!([]), &json!(true)));
    let shared = export["player"]["shared"].as_array().unwrap();
    let fields =
        |n: usize| [&shared[n]["identifier"], &shared[n]["amount"], &shared[n]["mission_id"], &shared[n]["zone"]];
    assert_eq!(fields(0), [&json!("payout"), &json!(28_375), &json!(MISSION), &Value::Null]);
    assert_eq!(fields(1), [&json!("place_visited"), &Value::Null, &Value::Null, &json!("Stanton1_Lorville")]);
    equals_a_recount(&mut server, &["real-ace"]).await;
}

async fn a_copy_of_the_site_shares_the_same_and_its_events_keep_their_numbers(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    share(&server, "5001", json!({"pay": true, "places": true})).await;
    ace.take(&server, &pay_and_place("Real-Ace")).await;
    server.fence(&server.key("operator"), "Fence-1").await;
    share(&server, "5001", json!({"places": false})).await;
    server.stop();
    let file = server.data_dir().join("all.ndjson");
    server.command(&["export", "all", file.to_str().unwrap()]);
    let mut copy = Server::prepare(on);
    copy.command(&["import", "all", file.to_str().unwrap()]);
    copy.run();
    assert_eq!(sharing(&copy, "real-ace").await, json!({"pay": true, "places": false}));
    assert_eq!(copy.database.number("SELECT amount FROM events WHERE id = 1"), 28_375);
    assert_eq!(copy.database.number("SELECT COUNT(*) FROM events WHERE id = 2"), 0);
    assert_eq!(copy.read("/api/activity/3").await["event"]["player_name"], "Fence-1");
}

async fn an_owner_who_leaves_shares_nothing(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", "900");
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    for (method, path) in [(Method::DELETE, "/api/player/unlink"), (Method::DELETE, "/api/me")] {
        super::claim(&server, "5001", "Real-Ace");
        share(&server, "5001", json!({"pay": true, "places": true})).await;
        ace.take(&server, &pay_and_place("Real-Ace")).await;
        let token = server.sign_in("5001").await;
        let body = json!({"discordId": "5001"});
        assert_eq!(server.as_user(&token, method, path, Some(&body)).await.status, 200, "{path}");
        assert_eq!((server.database.number(STORED), &sharing(&server, "real-ace").await["pay"]), (0, &json!(false)));
    }
    // An admin edits the settings of all players, but this is the owner's to decide.
    let admin = server.sign_in("900").await;
    let body = json!({"handle": "Real-Ace", "sharing": {"places": true}});
    let refused = server.as_user(&admin, Method::POST, SETTINGS, Some(&body)).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (403, "FORBIDDEN"));
}

async fn a_mission_with_an_id_counts_once_with_its_first_title(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() - 30 * DAY;
    let done = |n: i64, title: &str, id: &str| {
        let mission = own("mission_complete", "Real-Ace").with("mission_id", id).with("contract_name", title);
        mission
            .with("contract_id", "Haul_Cargo")
            .with("issuer", "Covalex_Hauling")
            .pu()
            .at(at + n)
            .id(&n.to_string())
            .json()
    };
    ace.take(&server, &[done(0, "First", MISSION)]).await;
    for again in [done(60_000, "Second", MISSION), done(20 * DAY, "Third", MISSION)] {
        assert_eq!(ace.send(&server, &[again]).await["duplicates"], 1);
    }
    server.take(&server.key("operator"), &[done(1, "Other", "8f4ba5a6-3a5e-4a5b-9f4e-0a4c3a8f1c56")]).await;
    assert_eq!(server.read("/api/player/real-ace").await["player"]["missions_completed"], 2);
    let titles = server.read("/api/player/real-ace/missions").await.to_string();
    assert!(!titles.contains("Second") && !titles.contains("Third"), "{titles}");
    assert_eq!(feed(&server, "real-ace").await[1]["issuer"], "Covalex_Hauling");
}

async fn feeds_omit_what_only_counts(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() / 1_000 * 1_000 - 3_600_000;
    let events = [
        own("connection_success", "Real-Ace").with("seconds", 63),
        own("downed", "Real-Ace"),
        own("ship_crashed", "Real-Ace").with("vehicle_name", "ANVL_C8R_Pisces_2790253947791"),
        own("mission_ended", "Real-Ace").with("mission_id", MISSION).with("outcome", "failed").with("seconds", 90),
        own("game_crashed", "Real-Ace").with("text", "STATUS_CRYENGINE_OUT_OF_SYSMEM"),
        own("universe_left", "Real-Ace").with("text", "crash"),
    ];
    ace.take(&server, &in_a_row(at, events.map(EventBuilder::pu))).await;
    assert_eq!((feed(&server, "real-ace").await, public_feed(&server).await), (Vec::new(), Vec::new()));
    assert_eq!(figures(&server, "real-ace").await, json!({}));
    // Their owner can download them.
    let token = server.sign_in("5001").await;
    let export = server.as_user(&token, Method::GET, "/api/me/export", None).await.json();
    let ended = &export["events"][2];
    assert_eq!(
        (&ended["identifier"], &ended["outcome"], &ended["seconds"]),
        (&json!("mission_ended"), &json!("failed"), &json!(90))
    );
    assert_eq!(export["events"].as_array().unwrap().len(), 6);
    let wrong = own("universe_left", "Real-Ace").with("text", "bored").json();
    assert_eq!(
        rejections(&ace.send(&server, &[wrong]).await),
        ["invalid text 'bored': expected one of disconnect, quit, crash, unknown"]
    );
}

async fn the_name_of_a_blueprint_appears_once_three_accounts_report_it(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let mut names = Vec::new();
    for (n, handle) in ["Real-Ace", "Real-Foe", "Real-Hal"].into_iter().enumerate() {
        let owner = owner(&server, &format!("500{n}"), handle).await;
        owner.take(&server, &[own("blueprint_received", handle).with("text", "Morozov-SH Helmet Thule").json()]).await;
        names.push(feed(&server, "real-ace").await[0]["text"].clone());
    }
    assert_eq!(names, [Value::Null, Value::Null, json!("Morozov-SH Helmet Thule")]);
}

async fn streams_are_not_told_of_events_that_were_old_when_they_arrived(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let mut stream = Stream::open(&server, "activity,player:real-ace", None).await;
    ace.take(&server, &[kill("Real-Ace", NPC).pu().at(now() - 2 * DAY - 60_000).json()]).await;
    ace.take(&server, &[kill("Real-Ace", NPC).pu().at(now() - 2 * DAY + 600_000).json()]).await;
    let first = stream.until("activity").await;
    let feed = feed(&server, "real-ace").await;
    assert_eq!((&first.data["id"], feed.len()), (&feed[0]["id"], 2), "feeds have both");
}
