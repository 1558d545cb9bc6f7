//! Totals of the current patch and of the site.

use serde_json::{Value, json};

use crate::support::*;

on_both!(patch_totals_count_only_events_of_the_patch, counts_follow_every_new_player);

async fn patch_totals_count_only_events_of_the_patch(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let none = server.read("/api/patch").await["data"].clone();
    assert_eq!(none["patch"], "ALPHA 4.3.2", "the setting applies until an event names a patch");
    assert_eq!(none["stats"]["player_kills"], 0);
    assert_eq!(none["stats"]["most_used_weapon"], Value::Null);
    let at = now() - DAY;
    let old = |event: EventBuilder| event.with("patch", "ALPHA 4.9.2");
    let new = |event: EventBuilder| event.with("patch", "ALPHA 4.10.0");
    let seat = |vehicle: &str| own("seat_entered", "Ann-1").with("vehicle_name", vehicle).pu();
    let mission = |what: &str| own(what, "Bob-1").with("contract_name", "zzhaul").pu();
    let events = [
        old(kill("Ann-1", "Bob-1").pu()),
        new(kill("Ann-1", "Bob-1").pu().with("weapon", "zzrifle")),
        new(kill("Bob-1", NPC).pu().with("weapon", "zzpistol")),
        new(kill("Bob-1", NPC).pu().with("weapon", "zzpistol")),
        new(kill("Ann-1", "Bob-1").ac().with("weapon", "zzcannon")),
        new(kill("Ann-1", "Bob-1")),
        new(kill(NPC, "Ann-1").pu()),
        new(kill("Ann-1", "Ann-1").pu()),
        new(kill("unknown", "Ann-1").pu()),
        new(loss("vehicle_destruction", "Ann-1", "Bob-1").pu()),
        new(loss("vehicle_instant_destruction", "Ann-1", "unknown").pu()),
        new(loss("vehicle_soft_death", "Ann-1", "Bob-1").pu()),
        new(loss("vehicle_destruction", NPC, "Bob-1").pu()),
        kill("Ann-1", NPC).pu(),
        new(seat("ZZZZ_Kite_2636093660432")),
        new(seat("ZZZZ_Kite_2636093660433")),
        new(seat("ZZZZ_Gull")),
        old(seat("ZZZZ_Gull")),
        new(mission("mission_accepted")),
        new(mission("mission_accepted")),
        new(mission("mission_complete")),
    ];
    server.take(&key, &in_a_row(at, events)).await;
    let patch = server.read("/api/patch").await["data"].clone();
    assert_eq!(patch["patch"], "ALPHA 4.10.0", "versions are compared by number, not as text");
    let stats = &patch["stats"];
    assert_eq!(["player_kills", "npc_kills", "vehicle_destructions"].map(|f| stats[f].as_i64().unwrap()), [1, 2, 2]);
    assert_eq!(stats["most_used_weapon"]["uses"], 2);
    assert_eq!(stats["most_used_vehicle"]["uses"], 2);
    let contract = &stats["most_common_mission"];
    assert_eq!((&contract["accepted"], &contract["completed"]), (&json!(2), &json!(1)));
    // A late event of an older patch changes nothing.
    server.take(&key, &[old(kill("Ann-1", "Bob-1").pu().at(at + 900_000)).json()]).await;
    assert_eq!(server.read("/api/patch").await["data"], patch);
    assert_eq!(server.read("/api/player/ann-1").await["player"]["patch"], "ALPHA 4.10.0");
}

async fn counts_follow_every_new_player(on: Backend) {
    let mut server = Server::prepare(on);
    super::leaderboard::insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    assert_eq!(server.read("/api/stats/counts").await, json!({"success": true, "players": 5, "orgs": 4}));
    server.take(&key, &[kill("New-One", "New-Two").pu().json(), kill("Ann-1", "NEW-ONE").pu().json()]).await;
    assert_eq!(server.read("/api/stats/counts").await["players"], 7);
    server.restart();
    assert_eq!(server.read("/api/stats/counts").await["players"], 7);
}
