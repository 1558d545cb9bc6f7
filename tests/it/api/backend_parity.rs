//! T18: both databases return the same bytes for the same requests.
//!
//! One server is filled over HTTP, and its content is copied to a SQLite and a PostgreSQL database. The requests cover
//! everything that the two databases compare, sort, round and store differently.

use crate::support::*;

/// Handles that differ by case, by wildcards of `LIKE`, and by their order in a locale.
const HANDLES: [&str; 10] =
    ["Ann-1", "ann_1", "ANN-10", "Zed", "zed-2", "_under", "-dash", "9lives", "Zed_2", "a1b2c3"];

/// Display names.
const ODD: [&str; 6] = ["an%n", "Ångström", "Ölaf", "ölaf2", "straße", "日本"];

/// Reads of one player. `HANDLE` is replaced by each handle in two spellings.
const OF_A_PLAYER: [&str; 11] = [
    "/api/player/HANDLE",
    "/api/player/HANDLE/weapons",
    "/api/player/HANDLE/weapons?gameMode=ac&limit=1",
    "/api/player/HANDLE/vehicles",
    "/api/player/HANDLE/missions",
    "/api/player/HANDLE/activity?limit=3",
    "/api/player/HANDLE/activity?limit=2&offset=2",
    "/api/player/HANDLE/history?metric=pve_kills&days=90",
    "/api/player/HANDLE/history?metric=playtime&days=7",
    "/api/player/settings/handle/HANDLE",
    "/api/search/fast?q=HANDLE",
];

/// Other reads.
const OTHERS: [&str; 44] = [
    "/api/stats/counts",
    "/api/patch",
    "/api/players/top",
    "/api/players/top?sortBy=pve_kills&limit=3",
    "/api/players/leaderboard",
    "/api/players/leaderboard?order=asc",
    "/api/players/leaderboard?sortBy=pu_player_kills&limit=5",
    "/api/players/leaderboard?sortBy=vehicle_destructions&order=asc&limit=5&page=2",
    "/api/players/leaderboard?sortBy=handle&limit=50",
    "/api/players/leaderboard?sortBy=handle&order=asc&limit=50",
    "/api/players/leaderboard?sortBy=playtime",
    "/api/players/leaderboard?sortBy=missions_completed&window=7d",
    "/api/players/leaderboard?window=24h",
    "/api/players/leaderboard?window=30d&limit=2&page=2",
    "/api/players/leaderboard?page=9223372036854775807",
    "/api/players/leaderboard?page=9223372036854775808",
    "/api/players/leaderboard?page=-1",
    "/api/guilds/leaderboard",
    "/api/guilds/leaderboard?sortBy=name",
    "/api/guilds/leaderboard?sortBy=name&sortOrder=asc",
    "/api/guilds/leaderboard?sortBy=members&limit=1&offset=1",
    "/api/guilds/leaderboard?window=7d",
    "/api/guild/ALPHA",
    "/api/guild/alpha",
    "/api/guild/stats/ALPHA",
    "/api/guild/ALPHA/members",
    "/api/guild/ALPHA/members?sortBy=handle&limit=1&offset=1",
    "/api/guild/ALPHA/activity?limit=4",
    "/api/guild/settings/ALPHA",
    "/api/guild/BETA",
    "/api/guild/a%25",
    "/api/guild/%00",
    "/api/activity?limit=5",
    "/api/activity?limit=100",
    "/api/activity?before=9223372036854775807",
    "/api/activity?before=-9223372036854775808",
    "/api/activity?filter=kills&limit=7",
    "/api/activity/9223372036854775807",
    "/api/search/players?q=%25",
    "/api/search/players?q=_",
    "/api/search/players?q=a%00n",
    "/api/search/guilds?q=al",
    "/api/commits",
    "/sitemap.xml",
];

/// A time in the past, equal within a run: days ago and milliseconds.
fn moment(days: i64, n: i64) -> i64 {
    now() / DAY * DAY - days * DAY + n * 61_007 + 3
}

/// Every kind of event, ties, players with only kills or only deaths, and texts in many scripts.
fn events() -> Vec<serde_json::Value> {
    let mut all = Vec::new();
    for (n, pair) in (0..).zip(HANDLES.windows(2)) {
        for i in 0..=n % 4 {
            let days = 2 + (n * 7 + i) % 40;
            all.push(kill(pair[0], pair[1]).pu().with("weapon", "behr_Rifle_01").at(moment(days, n * 40 + i)).json());
            all.push(kill(pair[0], NPC).ac().with("weapon", "a_B.c").at(moment(days + 1, n * 40 + i)).json());
            all.push(loss("vehicle_destruction", pair[1], pair[0]).pu().at(moment(days + 2, n * 40 + i)).json());
        }
        let mission = own("mission_complete", pair[1]).with("contract_name", format!("Haul_%ÄÖ_{}", n % 3));
        all.push(mission.at(moment(4, n)).json());
        all.push(own("login", pair[0]).at(moment(3, n)).json());
    }
    all
}

async fn filled() -> Server {
    let server = Server::start(Backend::Sqlite).await;
    let key = server.key("reader");
    for batch in events().chunks(40) {
        let response = server.send(&key, batch).await;
        assert_eq!(response["rejected"], serde_json::json!([]), "{response}");
    }
    for (n, odd) in ODD.iter().enumerate() {
        server.database.run(&format!(
            "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('Odd-{n}', 'odd-{n}', '{odd}', {n})"
        ));
    }
    server.database.run(
        "INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('ALPHA', 'Älpha', 'älpha', 1); \
         INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('BETA', 'alpha b', 'alpha b', 1); \
         INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('GAMMA', 'Alpha C', 'alpha c', 1); \
         UPDATE players SET guild_id = (SELECT id FROM guilds WHERE tag = 'ALPHA') WHERE handle_folded LIKE '%n%'; \
         UPDATE players SET guild_id = (SELECT id FROM guilds WHERE tag = 'BETA') WHERE handle_folded LIKE 'z%'",
    );
    server
}

/// The response without headers that differ between processes.
fn comparable(response: &Response) -> String {
    let header = |name| response.header(name).unwrap_or("-").to_owned();
    format!("{} {} {}\n{}", response.status, header("content-type"), header("cache-control"), response.text())
}

fn requests() -> Vec<String> {
    let mut all: Vec<String> = OTHERS.map(ToOwned::to_owned).to_vec();
    for handle in HANDLES.iter().chain(&ODD) {
        for spelled in [(*handle).to_owned(), handle.to_uppercase()] {
            let encoded: String = spelled.bytes().map(|byte| format!("%{byte:02X}")).collect();
            all.extend(OF_A_PLAYER.iter().map(|path| path.replace("HANDLE", &encoded)));
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t18_both_databases_return_the_same_bytes() {
    let mut first = filled().await;
    first.stop();
    let content = first.data_dir().join("content.ndjson");
    first.command(&["export", "all", content.to_str().unwrap()]);
    let [sqlite, postgres] = [Backend::Sqlite, Backend::Postgres].map(|on| {
        let mut copy = Server::prepare(on);
        copy.command(&["import", "all", content.to_str().unwrap()]);
        copy.run();
        copy
    });
    let address = [sqlite.address.clone(), postgres.address.clone()];
    let (mut different, mut good) = (Vec::new(), 0);
    for path in requests() {
        let [one, two] = [sqlite.get(&path).await, postgres.get(&path).await];
        good += usize::from(one.status == 200);
        let [one, two] = [comparable(&one).replace(&address[0], ""), comparable(&two).replace(&address[1], "")];
        if one != two {
            different.push(format!("{path}\n  SQLite:   {one}\n  Postgres: {two}"));
        }
    }
    assert!(good > 150, "{good} requests returned data");
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}
