//! Guild pages.

use std::collections::BTreeMap;

use apogee::store::{Store, guilds};
use serde_json::{Value, json};

use super::leaderboard::insert_guilds;
use crate::support::*;

on_both!(
    rows_of_a_guilds_feed_carry_timestamp_and_details_beside_the_flat_fields,
    a_guild_shows_its_sums_members_and_events,
    active_members_in_bulk_equal_single_counts
);

async fn a_guild_shows_its_sums_members_and_events(on: Backend) {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    let at = now() - 3 * DAY;
    server.take(&key, &npc_kills("Ann-1", 2, at)).await;
    server.take(&key, &in_a_row(at + 600_000, [kill("Bob-1", "Ann-1").pu(), kill("Cyd-2", "Dee-4").pu()])).await;
    server
        .take(&key, &in_a_row(at + 700_000, [own("mission_complete", "Bob-1").with("contract_name", "zzhaul")]))
        .await;

    let guild = server.read("/api/guild/alpha").await["guild"].clone();
    for (field, value) in [
        ("name", json!("Alpha Wing")),
        ("short", json!("ALPHA")),
        ("overall", json!(3)),
        ("rank_overall", json!(1)),
        ("rank_pvp", json!(1)),
        ("rank_pve", json!(1)),
        ("rank_vehicle", Value::Null),
        ("missions_completed", json!(1)),
        ("active_member_count", json!(2)),
        ("total_member_count", json!(3)),
        ("member_count", json!(3)),
        ("is_claimed", json!(false)),
    ] {
        assert_eq!(guild[field], value, "{field}: {guild}");
    }
    assert_eq!(server.read("/api/guild/BETA").await["guild"]["rank_pvp"], 1, "equal scores share a rank");
    assert_eq!(server.read("/api/guild/EMPTY").await["guild"]["rank_overall"], Value::Null);
    let stats = server.read("/api/guild/stats/ALPHA").await["data"].clone();
    let sums = json!({"pu_player_kills": 1, "pu_npc_kills": 2, "pu_vehicle_destruction_caused": 0, "overall": 3,
        "missions_completed": 1, "playtime": 0, "career": 0, "ships_flown": 0, "universe_time": 0});
    assert_eq!(stats, sums);
    let settings = server.read("/api/guild/settings/ALPHA").await["settings"].clone();
    assert_eq!(settings, json!({"guild_image": null, "banner_image": null, "discord_link": null}));

    let names = |response: &Value| -> Vec<String> {
        response["members"].as_array().unwrap().iter().map(|m| m["handle"].as_str().unwrap().to_owned()).collect()
    };
    let members = server.read("/api/guild/ALPHA/members").await;
    assert_eq!(names(&members), ["Ann-1", "Bob-1", "Idle-1"]);
    assert_eq!(members["pagination"], json!({"limit": 100, "offset": 0, "total": 3, "hasNextPage": false}));
    assert_eq!(members["members"][2]["overall"], 0, "members without activity are listed");
    let by_pvp = server.read("/api/guild/ALPHA/members?sortBy=pu_player_kills&limit=2").await;
    assert_eq!(names(&by_pvp), ["Bob-1", "Ann-1"]);
    assert_eq!(by_pvp["pagination"]["hasNextPage"], true);
    assert_eq!(names(&server.read("/api/guild/ALPHA/members?limit=2&offset=2").await), ["Idle-1"]);

    let feed = server.read("/api/guild/ALPHA/activity").await;
    assert_eq!(feed["pagination"], json!({"limit": 50, "offset": 0, "total": 4, "hasNextPage": false}));
    let times: Vec<i64> = feed["data"].as_array().unwrap().iter().map(|e| e["event_time"].as_i64().unwrap()).collect();
    assert_eq!(
        times,
        [700, 600, 20, 0].map(|s| at.div_euclid(1000) + s),
        "an event between two members is listed once"
    );
    assert_eq!(feed["data"][1]["orgs"], json!(["ALPHA"]));
    let pvp = server.read("/api/guild/ALPHA/activity?filter=pvp").await;
    assert_eq!((pvp["data"].as_array().unwrap().len(), &pvp["pagination"]["total"]), (1, &json!(1)));
    let before = feed["data"][1]["id"].as_str().unwrap();
    let rest = server.read(&format!("/api/guild/ALPHA/activity?before={before}")).await;
    assert_eq!(rest["data"], Value::from(feed["data"].as_array().unwrap()[2..].to_vec()));

    for tag in ["NOPE", "A", "TOOLONGFORATAG", "A-B", "%00", "%F0%9F%9A%80", "..%2f..%2fetc"] {
        for path in ["/api/guild/TAG", "/api/guild/stats/TAG", "/api/guild/settings/TAG", "/api/guild/TAG/members"] {
            let response = server.get(&path.replace("TAG", tag)).await;
            assert_eq!((response.status.as_u16(), response.code().as_str()), (404, "NOT_FOUND"), "{path} {tag}");
        }
    }
}

/// Large sites count the members of all guilds with one statement.
async fn active_members_in_bulk_equal_single_counts(on: Backend) {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    let (old, fresh) = (now() - 40 * DAY, now() - 3 * DAY);
    server.take(&key, &in_a_row(old, [kill("Cyd-2", "Ann-1").pu()])).await;
    server.take(&key, &in_a_row(fresh, [kill("Bob-1", "Ann-1").pu(), kill("Zed-9", NPC).pu()])).await;
    let store = Store::open(&server.database.url).unwrap();
    for since in [old - DAY, fresh - DAY, now()] {
        let all = store.read_blocking(|conn| guilds::all_active_members(conn, since)).unwrap();
        let ids: Vec<i64> = (1..=server.database.number("SELECT MAX(id) FROM guilds")).collect();
        let each = store.read_blocking(|conn| guilds::active_members(conn, &ids, since)).unwrap();
        assert_eq!(BTreeMap::from_iter(all), BTreeMap::from_iter(each.clone()));
        assert_eq!(each.is_empty(), since > fresh, "members were active, but not recently");
    }
}

async fn rows_of_a_guilds_feed_carry_timestamp_and_details_beside_the_flat_fields(on: Backend) {
    let mut server = Server::prepare(on);
    super::insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    let at = now() - DAY;
    server.take(&key, &in_a_row(at, [kill("Ann-1", NPC).pu(), own("login", "Ann-1")])).await;
    let feed = server.read("/api/guild/ALPHA/activity").await["data"].clone();
    let rows = feed.as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(row["timestamp"], row["event_time"]);
        for field in [
            "killer",
            "victim",
            "killer_is_npc",
            "victim_is_npc",
            "killer_friendly_name",
            "victim_friendly_name",
            "killer_profile_image",
            "victim_profile_image",
            "player_name",
        ] {
            assert_eq!(Some(&row["details"][field]), row.get(field), "{field}");
        }
    }
    assert_eq!((&rows[1]["details"]["killer"], &rows[1]["details"]["victim_is_npc"]), (&json!("Ann-1"), &json!(true)));
    assert_eq!(rows[0]["details"]["player_name"], "Ann-1");
}
