//! The career of a player.

use serde_json::{Value, json};

use super::settings::People;
use crate::support::*;

on_both!(
    a_career_tells_time_contracts_ships_and_lives,
    a_ship_counts_once_from_its_first_flight,
    boards_windows_and_search_order_by_career,
    a_patch_without_kills_tells_careers,
    rankings_open_on_career_while_nobody_visible_scores_in_the_patch,
    a_guild_tells_the_givers_of_its_visible_members,
);

const HOUR: i64 = 3_600_000;

/// Midnight UTC two days ago.
fn day() -> i64 {
    (now().div_euclid(DAY) - 2) * DAY
}

fn arrival(player: &str, at: i64) -> EventBuilder {
    own("connection_success", player).pu().with("seconds", 63).at(at)
}

fn departure(player: &str, at: i64) -> EventBuilder {
    own("universe_left", player).pu().with("text", "quit").at(at)
}

fn contract(identifier: &str, player: &str, mission: i64, at: i64) -> EventBuilder {
    let event = own(identifier, player).pu().at(at).with("contract_name", "zzhaul").with("issuer", "Covalex_Hauling");
    event.with("mission_id", format!("00000000-0000-4000-8000-{mission:012}")).with("contract_kind", "Hauling")
}

async fn career(server: &Server, player: &str) -> Value {
    server.read(&format!("/api/player/{player}/career?days=9")).await["data"].clone()
}

async fn a_career_tells_time_contracts_ships_and_lives(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let start = day() + DAY - HOUR;
    let seat =
        |identifier, at| own(identifier, "Ace-Pilot").pu().at(at).with("vehicle_name", "ZZZZ_Kite_4100000000001");
    let events: Vec<EventBuilder> = vec![
        arrival("Ace-Pilot", start),
        contract("mission_accepted", "Ace-Pilot", 1, start + 60_000),
        seat("seat_entered", start + 90_000),
        contract("mission_complete", "Ace-Pilot", 1, start + 660_000).with("seconds", 600),
        contract("mission_ended", "Ace-Pilot", 2, start + 900_000).with("outcome", "failed").with("seconds", 200),
        own("blueprint_received", "Ace-Pilot").pu().at(start + 661_000).with("text", "Morozov-SH Helmet Thule"),
        own("blueprint_received", "Ace-Pilot").pu().at(start + 999_000).with("text", "Morozov-SH Helmet Thule"),
        seat("seat_exited", start + 1_090_000),
        kill("unknown", "Ace-Pilot").pu().at(start + HOUR),
        own("downed", "Ace-Pilot").pu().at(start + HOUR - 20_000),
        own("ship_crashed", "Ace-Pilot").pu().at(start + HOUR).with("vehicle_name", "ZZZZ_Kite_4100000000001"),
        // The second hour is on the next day.
        departure("Ace-Pilot", start + 2 * HOUR + 720_000),
        own("game_crashed", "Ace-Pilot").at(start + 2 * HOUR + 721_000).with("text", "STATUS_CRYENGINE_OUT_OF_SYSMEM"),
    ];
    let events: Vec<Value> = events.into_iter().map(EventBuilder::json).collect();
    server.take(&key, &events).await;
    let career = career(&server, "ace-pilot").await;
    // Ten points for the first hour, twelve for the 72 minutes of the next day, and five for the contract.
    for (field, value) in [
        ("career", json!(27)),
        ("rank_career", json!(1)),
        ("contracts_completed", json!(1)),
        ("universe_time", json!(7_920)),
        ("ships_flown", json!(1)),
        ("rank_ships_flown", json!(1)),
        ("longest_life", json!(4_320)),
        ("deaths", json!(1)),
        ("survival", json!(7_920)),
        ("downed", json!(1)),
        ("ship_crashes", json!(1)),
        ("game_crashes", json!(1)),
        ("contract_success", json!(50.0)),
        ("contract_duration", json!(400)),
        ("pay", Value::Null),
        ("places", Value::Null),
    ] {
        assert_eq!(career[field], value, "{field}");
    }
    // Days without play are left out, so that the test does not depend on the day on which it ends.
    let days = career["days"].as_array().unwrap().iter().map(figures).filter(|figures| *figures != (0, 0, 0));
    assert_eq!(days.collect::<Vec<_>>(), [(3_600, 1, 15), (4_320, 0, 12)]);
    let giver = json!({"giver": "Covalex Hauling", "completed": 1, "failed": 1, "abandoned": 0, "duration": 400, "success": 50.0});
    assert_eq!(career["givers"], json!([giver]));
    let ship = &career["ships"][0];
    assert_eq!((ship["uses"].as_i64(), ship["timed"].as_i64()), (Some(1), Some(1_000)));
    assert_eq!(ship["last_flown"], (start + 1_090_000) / 1000);
    let received = json!([{"name": "Morozov-SH Helmet Thule", "received_at": (start + 661_000) / 1000}]);
    assert_eq!(career["blueprints"], received);
    let quickest = json!([{"kind": "Hauling", "seconds": 600}]);
    let records = json!({"longest_stay": 7_920, "most_contracts_in_a_day": 1, "quickest": quickest});
    assert_eq!(career["records"], records);
    let first_contract = json!([{"id": "340671", "earned_at": (start + 660_000) / 1000}]);
    assert_eq!(career["stickers"], first_contract, "a sticker is earned when the event happened");
    let nobody = server.get("/api/player/nobody/career").await;
    assert_eq!(nobody.status, 404);
}

fn figures(day: &Value) -> (i64, i64, i64) {
    let figure = |name: &str| day[name].as_i64().unwrap();
    (figure("universe_time"), figure("contracts"), figure("career"))
}

async fn a_ship_counts_once_from_its_first_flight(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let seat = |identifier, vehicle: &str, at| own(identifier, "Ace-Pilot").at(at).with("vehicle_name", vehicle);
    // The days with a first flight.
    let history = async || {
        let path = "/api/player/ace-pilot/history?metric=ships_flown&days=9";
        let days = server.read(path).await["data"].as_array().unwrap().clone();
        let counted = days.iter().filter(|day| day["value"] != 0);
        counted.map(|day| (day["day"].as_str().unwrap().to_owned(), day["value"].as_i64().unwrap())).collect::<Vec<_>>()
    };
    let on = |at: i64| {
        let day = jiff::Timestamp::from_millisecond(at).unwrap().strftime("%Y-%m-%d").to_string();
        vec![(day, 1)]
    };
    let noon = day() + DAY / 2;
    // Copies of a ship count as the ship, one end of a use is enough, and Arena Commander does not count.
    let later = [
        seat("seat_exited", "AEGS_Avenger_Titan_4100000000001", noon).pu().json(),
        seat("seat_entered", "AEGS_Avenger_Titan_PU_AI_CRIM_4100000000002", noon + 1_000).pu().json(),
        seat("seat_entered", "AEGS_Gladius_200000001", noon).ac().json(),
    ];
    server.take(&key, &later).await;
    assert_eq!(history().await, on(noon));
    server.take(&key, &[seat("seat_entered", "AEGS_Avenger_Titan_4100000000003", noon - DAY).pu().json()]).await;
    assert_eq!(history().await, on(noon - DAY), "an earlier flight that arrives later");
    let rows = server.read("/api/activity").await["data"].as_array().unwrap().clone();
    let first = rows.iter().filter(|row| row["is_first_flight"] == true).map(|row| row["event_time"].as_i64().unwrap());
    assert_eq!((rows.len(), first.collect::<Vec<_>>()), (4, vec![(noon - DAY) / 1000]), "feeds tell it once");
    assert_eq!(career(&server, "ace-pilot").await["ships"][0]["uses"], 2);
}

async fn boards_windows_and_search_order_by_career(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    // From noon, so that no stay passes midnight, where each day's points are rounded down.
    let noon = day() + DAY / 2;
    for (player, hours, from) in
        [("Tess-Long", 9, noon - 20 * DAY), ("Tess-New", 1, noon), ("Tess-Mid", 3, noon - 9 * DAY)]
    {
        server.take(&key, &[arrival(player, from).json(), departure(player, from + hours * HOUR).json()]).await;
    }
    server.take(&key, &[kill("Tess-Ace", NPC).pu().json()]).await;
    let board = async |window: &str| {
        let path = format!("/api/players/leaderboard?sortBy=career&window={window}");
        let rows = server.read(&path).await["players"].as_array().unwrap().clone();
        let row = |row: &Value| (row["handle"].as_str().unwrap().to_owned(), row["career"].as_i64().unwrap());
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let rows = |rows: &[(&str, i64)]| rows.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect::<Vec<_>>();
    assert_eq!(board("all").await, rows(&[("Tess-Long", 90), ("Tess-Mid", 30), ("Tess-New", 10)]));
    assert_eq!(board("7d").await, rows(&[("Tess-New", 10)]));
    assert_eq!(board("30d").await, rows(&[("Tess-Long", 90), ("Tess-Mid", 30), ("Tess-New", 10)]));
    // Players with kills come first, then those without by career.
    let found = server.read("/api/search/players?q=tess").await.to_string();
    let place = |name: &str| found.find(name).unwrap_or_else(|| panic!("{name} in {found}"));
    let places = ["Tess-Ace", "Tess-Long", "Tess-Mid", "Tess-New"].map(place);
    assert!(places.is_sorted(), "{found}");
}

async fn a_patch_without_kills_tells_careers(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let start = now() - 20 * HOUR;
    for (n, loading) in [40, 70, 50, 60, 55].into_iter().enumerate() {
        let player = format!("Tess-{n}");
        let patched = |event: EventBuilder| event.with("patch", "ALPHA 4.10.0").json();
        let mut events = vec![
            patched(arrival(&player, start).with("seconds", loading)),
            patched(contract("mission_complete", &player, n as i64 + 1, start + 60_000)),
            patched(own("seat_exited", &player).pu().at(start).with("vehicle_name", "ZZZZ_Kite_4100000000001")),
            patched(departure(&player, start + 5 * HOUR)),
        ];
        if n == 0 {
            events.push(patched(
                own("game_crashed", &player).at(start + HOUR).with("text", "STATUS_CRYENGINE_OUT_OF_SYSMEM"),
            ));
        }
        server.take(&key, &events).await;
        let shown = &server.read("/api/patch").await["data"]["stats"]["career"]["crashes_per_100_hours"];
        assert_eq!(shown.is_null(), n < 4, "crashes with {} players", n + 1);
    }
    let stats = server.read("/api/patch").await["data"]["stats"].clone();
    assert_eq!([&stats["npc_kills"], &stats["player_kills"]], [0, 0]);
    let career = json!({
        "contracts_completed": 5, "universe_time": 90_000, "ships_flown": 5,
        "top_giver": {"name": "Covalex Hauling", "uses": 5}, "loading_time": 55, "crashes_per_100_hours": 4.0,
    });
    assert_eq!(stats["career"], career);
}

async fn rankings_open_on_career_while_nobody_visible_scores_in_the_patch(on: Backend) {
    let people = People::on(on).await;
    let server = &people.server;
    let key = server.key("reader");
    // What the HTML says, and the best member of a guild.
    let opening = async || {
        let page = server.get("/players").await.text();
        let why = page.split_once("name=\"rankings-open-on-career\" content=\"").map(|(_, rest)| rest.to_owned());
        let best = server.read("/api/guild/ALPHA").await["guild"]["top_members"][0]["handle"].clone();
        (why.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()), best)
    };
    let why = |fact: &str| {
        Some(format!("{fact}, so rankings and profiles open on Career: time and contracts in the universe."))
    };
    let noon = day() + DAY / 2;
    let stay = |patch: &str, from: i64| {
        let events = [arrival("Ann-1", from), departure("Ann-1", from + HOUR)];
        events.map(|event| event.with("patch", patch).json())
    };
    assert_eq!(opening().await, (None, json!("Ann-1")), "nobody has a career");
    server.take(&key, &stay("ALPHA 4.3.0", noon)).await;
    server.take(&key, &[kill("Bob-1", NPC).pu().with("patch", "ALPHA 4.3.0").json()]).await;
    assert_eq!(opening().await, (None, json!("Bob-1")));
    let hide = async |is_hidden: bool| {
        let saved = people.save("503", "/api/player/settings", json!({"profile_hidden": is_hidden})).await;
        assert_eq!(saved.status, 200);
    };
    hide(true).await;
    assert_eq!(opening().await, (why("Nobody has scored a kill in ALPHA 4.3.0 yet"), json!("Ann-1")));
    hide(false).await;
    assert_eq!(opening().await, (None, json!("Bob-1")));
    server.take(&key, &stay("ALPHA 4.10.0", noon + 2 * HOUR)).await;
    assert_eq!(opening().await, (why("Game builds after 4.3 write no kills to the log"), json!("Ann-1")));
}

async fn a_guild_tells_the_givers_of_its_visible_members(on: Backend) {
    let mut people = People::on(on).await;
    let server = &people.server;
    let key = server.key("reader");
    let noon = day() + DAY / 2;
    let ended =
        |player: &str, n: i64, outcome: &str| contract("mission_ended", player, n, noon + n).with("outcome", outcome);
    let events = [
        arrival("Ann-1", noon - HOUR),
        contract("mission_complete", "Ann-1", 1, noon),
        ended("Ann-1", 2, "failed"),
        ended("Ann-1", 3, "abandoned"),
        ended("Ann-1", 4, "withdrawn"),
        own("mission_complete", "Ann-1").pu().at(noon + 5).with("contract_name", "zzhunt"),
        departure("Ann-1", noon + HOUR),
    ];
    server.take(&key, &events.map(EventBuilder::json)).await;
    server.take(&key, &[contract("mission_complete", "Bob-1", 6, noon).json()]).await;
    let career = async || server.read("/api/guild/ALPHA/career").await["data"].clone();
    let of = |completed: i64| {
        json!({
            "career": 30, "rank_career": 1, "contracts_completed": 3, "universe_time": 7_200,
            "givers": [
                {"giver": "Covalex Hauling", "completed": completed, "failed": 1, "abandoned": 1},
                {"giver": null, "completed": 1, "failed": 0, "abandoned": 0},
            ],
        })
    };
    assert_eq!(career().await, of(2));
    people.save("503", "/api/player/settings", json!({"profile_hidden": true})).await;
    assert_eq!(career().await["givers"].to_string().matches("\"completed\":1").count(), 2);
    let empty = server.read("/api/guild/EMPTY/career").await["data"].clone();
    assert_eq!((&empty["givers"], &empty["rank_career"]), (&json!([]), &Value::Null));
    assert_eq!(server.get("/api/guild/NOPE/career").await.status, 404);
    let counted = career().await;
    people.server.stop();
    people.server.command(&["reindex"]);
    people.server.run();
    assert_eq!(people.server.read("/api/guild/ALPHA/career").await["data"], counted, "after a recount");
}
