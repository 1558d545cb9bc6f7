//! Random events in random order, with repetitions, over several batches and readers: on both databases, all figures equal those
//! of a plain recount.
//!
//! The recount here follows the counting rules of the specification, not the program's code.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::support::*;

const PLAYERS: [&str; 9] = ["Ann-One", "bob_2", "CYD", "d-e-e", "Eve_77", "-fox-", "_gil_", "Hal-9000", "Ida"];
const NPCS: [&str; 2] = ["PU_Human_Enemy_NPC_grunt_2636093660430", "Kopion_01"];
const PATCHES: [Option<&str>; 3] = [None, Some("ALPHA 4.9.2"), Some("ALPHA 4.10.0")];
const MODES: [Option<&str>; 4] = [Some("PU"), Some("PU"), Some("AC"), None];
const WEAPONS: [Option<&str>; 3] = [None, Some("zzrifle"), Some("zzpistol")];
const VEHICLES: [&str; 2] = ["ZZZZ_Kite", "ZZZZ_Gull"];
const CONTRACTS: [&str; 2] = ["zzhaul", "zzescort"];
const EVENTS: usize = 500;
const READERS: usize = 3;
/// Time between two events, so that equal fights are at least 15 s apart.
const SLOT: i64 = 40 * DAY / EVENTS as i64;

/// An event before any reader reports it. Numbers are indices into the lists above.
#[derive(Debug, Clone)]
struct Happening {
    kind: u8,
    mode: usize,
    patch: usize,
    killer: usize,
    victim: usize,
    thing: usize,
    has_id: bool,
    /// For each reader: whether it reports the event, its clock offset, and the number of repetitions.
    reports: [(bool, i64, u8); READERS],
}

fn happening() -> impl Strategy<Value = Happening> {
    let report = (any::<bool>(), 0..=2_000i64, 1..=3u8);
    let who = 0..PLAYERS.len() + NPCS.len() + 1;
    let what = (0..32u8, 0..MODES.len(), 0..PATCHES.len(), who.clone(), who, 0..3usize, any::<bool>());
    (what, [report.clone(), report.clone(), report]).prop_map(
        |((kind, mode, patch, killer, victim, thing, has_id), reports)| Happening {
            kind,
            mode,
            patch,
            killer,
            victim,
            thing,
            has_id,
            reports,
        },
    )
}

/// A stream: events, their sending order, and batch sizes.
#[derive(Debug, Clone)]
struct Stream {
    happenings: Vec<Happening>,
    order: u64,
    batch: usize,
}

fn stream() -> impl Strategy<Value = Stream> {
    (prop::collection::vec(happening(), EVENTS), any::<u64>(), 1..=120usize)
        .prop_map(|(happenings, order, batch)| Stream { happenings, order, batch })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Player(usize),
    Npc(usize),
    Nobody,
}

fn who(number: usize) -> Who {
    match number {
        n if n < PLAYERS.len() => Who::Player(n),
        n if n < PLAYERS.len() + NPCS.len() => Who::Npc(n - PLAYERS.len()),
        _ => Who::Nobody,
    }
}

fn name(who: Who) -> &'static str {
    match who {
        Who::Player(n) => PLAYERS[n],
        Who::Npc(n) => NPCS[n],
        Who::Nobody => "unknown",
    }
}

/// An event with all indices resolved.
#[derive(Debug, Clone)]
struct Fact {
    identifier: &'static str,
    is_fight: bool,
    at: i64,
    mode: Option<&'static str>,
    patch: Option<&'static str>,
    killer: Who,
    victim: Who,
    player: Who,
    weapon: Option<&'static str>,
    vehicle: Option<&'static str>,
    contract: Option<&'static str>,
}

fn fact(number: usize, start: i64, happening: &Happening) -> Fact {
    let identifier = match happening.kind {
        0..=4 => "kill",
        5 => "kill_log",
        6..=7 => "npc_kill",
        8 => "vehicle_soft_death",
        9..=10 => "vehicle_destruction",
        11 => "vehicle_instant_destruction",
        12..=13 => "seat_entered",
        14 => "mission_accepted",
        15 => "mission_complete",
        16..=19 => "login",
        20..=22 => "logout",
        23..=26 => "connection_success",
        27..=29 => "universe_left",
        _ => "seat_exited",
    };
    let is_fight = happening.kind <= 11;
    // A kill needs a victim.
    let victim = match who(happening.victim) {
        Who::Nobody if happening.kind <= 7 => Who::Player(0),
        other => other,
    };
    let (killer, victim) = if is_fight { (who(happening.killer), victim) } else { (Who::Nobody, Who::Nobody) };
    Fact {
        identifier,
        is_fight,
        at: start + number as i64 * SLOT,
        mode: MODES[happening.mode],
        patch: PATCHES[happening.patch],
        killer,
        victim,
        player: if is_fight { Who::Nobody } else { Who::Player(happening.killer % PLAYERS.len()) },
        weapon: WEAPONS[happening.thing].filter(|_| happening.kind <= 7),
        vehicle: matches!(happening.kind, 8..=13 | 30..).then_some(VEHICLES[happening.thing % 2]),
        contract: (14..=15).contains(&happening.kind).then_some(CONTRACTS[happening.thing % 2]),
    }
}

fn event(fact: &Fact, late: i64, id: Option<String>) -> Value {
    let mut event = json!({"identifier": fact.identifier, "event_time": fact.at + late});
    let mut set = |field: &str, value: Option<&str>| {
        if let Some(value) = value {
            event[field] = json!(value);
        }
    };
    set("game_mode", fact.mode);
    set("patch", fact.patch);
    set("weapon", fact.weapon);
    set("vehicle_name", fact.vehicle);
    set("contract_name", fact.contract);
    set("text", (fact.identifier == "universe_left").then_some("quit"));
    set("event_id", id.as_deref());
    if fact.is_fight {
        set("killer", Some(name(fact.killer)));
        set("victim", Some(name(fact.victim)));
    } else {
        set("player_name", Some(name(fact.player)));
    }
    event
}

/// A report: the number of its fact, how much later than the fact it is, and the event.
type Report = (usize, i64, Value);

/// The batches of all readers, and the facts behind them.
fn reports(stream: &Stream, start: i64) -> (Vec<(usize, Vec<Value>)>, Vec<Fact>) {
    let mut sent: Vec<(usize, Report)> = Vec::new();
    let mut facts = Vec::new();
    for (number, happening) in stream.happenings.iter().enumerate() {
        let fact = fact(number, start, happening);
        let mut reports: Vec<(usize, i64, u8)> = (0..READERS)
            .filter(|reader| happening.reports[*reader].0)
            .map(|reader| (reader, happening.reports[reader].1, happening.reports[reader].2))
            .collect();
        if reports.is_empty() {
            reports.push((0, 0, 1));
        }
        for (reader, ms, times) in &reports {
            // Only fights appear in several logs, each with its own clock; other events are repeated unchanged.
            let late = if fact.is_fight { *ms } else { 0 };
            let source = if fact.is_fight { *reader } else { 0 };
            let id = happening.has_id.then(|| format!("{number}-{source}"));
            let event = event(&fact, late, id);
            sent.extend((0..*times).map(|_| (*reader, (number, late, event.clone()))));
        }
        facts.push(fact);
    }
    shuffle(&mut sent, stream.order);
    let mut batches: Vec<(usize, Vec<Report>)> = Vec::new();
    let mut open: BTreeMap<usize, Vec<Report>> = BTreeMap::new();
    for (reader, report) in sent {
        let batch = open.entry(reader).or_default();
        batch.push(report);
        if batch.len() == stream.batch {
            batches.push((reader, std::mem::take(batch)));
        }
    }
    batches.extend(open.into_iter().filter(|(_, batch)| !batch.is_empty()));
    // The time of the first report stands.
    let mut first = BTreeMap::new();
    for (number, late, _) in batches.iter().flat_map(|(_, batch)| batch) {
        first.entry(*number).or_insert(*late);
    }
    for (number, late) in first {
        facts[number].at += late;
    }
    let events = |batch: Vec<Report>| batch.into_iter().map(|(.., event)| event).collect();
    (batches.into_iter().map(|(reader, batch)| (reader, events(batch))).collect(), facts)
}

/// Fisher–Yates shuffle with a seed.
fn shuffle<T>(list: &mut [T], seed: u64) {
    use rand::SeedableRng;
    use rand::seq::SliceRandom;
    list.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
}

type Counts = BTreeMap<String, i64>;

/// All figures, counted plainly.
#[derive(Debug, Default, PartialEq)]
struct Recount {
    stats: BTreeMap<String, Counts>,
    weapons: BTreeMap<String, Counts>,
    vehicles: BTreeMap<String, Counts>,
    missions: BTreeMap<String, BTreeMap<String, (i64, i64)>>,
    /// Scores of each player, UTC day and patch.
    boards: BTreeMap<String, Counts>,
    days: BTreeMap<(String, i64), Counts>,
    patches: BTreeMap<(String, &'static str), Counts>,
    last_active: BTreeMap<String, i64>,
    patch_totals: BTreeMap<&'static str, Counts>,
    sessions: BTreeMap<String, i64>,
}

fn recount(facts: &[Fact]) -> Recount {
    let mut all = Recount::default();
    for fact in facts {
        for person in [fact.killer, fact.victim, fact.player] {
            if let Who::Player(_) = person {
                let name = name(person).to_owned();
                all.stats.entry(name.clone()).or_default();
                let last = all.last_active.entry(name).or_default();
                *last = (*last).max(fact.at);
            }
        }
        count(&mut all, fact);
    }
    for player in PLAYERS {
        play(&mut all, player, facts);
        stay(&mut all, player, facts);
        fly(&mut all, player, facts);
    }
    career(&mut all);
    all
}

/// The points of a day, or of a patch: one for six minutes, five for a contract, and for contracts at most ten times those for time.
fn points(figures: &Counts) -> i64 {
    let figure = |name: &str| figures.get(name).copied().unwrap_or_default();
    let time = figure("universe_time") / 360;
    time + (5 * figure("missions_completed")).min(10 * time)
}

fn career(all: &mut Recount) {
    for ((player, _), figures) in &mut all.days {
        let points = points(figures);
        add(figures, "career", points);
        add(all.boards.entry(player.clone()).or_default(), "career", points);
    }
    for figures in all.patches.values_mut() {
        let points = points(figures);
        add(figures, "career", points);
    }
}

/// A ship counts on the day and in the patch of its first flight in the Persistent Universe.
fn fly(all: &mut Recount, player: &str, facts: &[Fact]) {
    for ship in VEHICLES {
        let is_flight = |f: &&Fact| {
            name(f.player) == player
                && f.identifier.starts_with("seat_")
                && f.mode == Some("PU")
                && f.vehicle == Some(ship)
        };
        if let Some(first) = facts.iter().filter(is_flight).min_by_key(|f| f.at) {
            all.score(player, first.at, first.patch, "ships_flown", 1);
        }
    }
}

/// Universe time: from each arrival to its departure, outside Arena Commander, on the days that it touches.
fn stay(all: &mut Recount, player: &str, facts: &[Fact]) {
    let mut marks: Vec<&Fact> = facts
        .iter()
        .filter(|f| name(f.player) == player && f.mode != Some("AC"))
        .filter(|f| ["connection_success", "universe_left"].contains(&f.identifier))
        .collect();
    marks.sort_by_key(|f| f.at);
    let ends = ends(&marks, "connection_success");
    for (place, arrival) in marks.iter().enumerate().filter(|(_, f)| f.identifier == "connection_success") {
        if ends.iter().any(|(other, end)| *other < place && *end > arrival.at) {
            continue;
        }
        let Some(end) = ends.get(&place).map(|end| *end.min(&(arrival.at + DAY))) else { continue };
        let whole = |at: i64| (at - arrival.at) / 1000;
        let mut from = arrival.at;
        while from < end {
            let until = end.min((from.div_euclid(DAY) + 1) * DAY);
            if whole(until) > whole(from) {
                all.score(player, from, arrival.patch, "universe_time", whole(until) - whole(from));
            }
            from = until;
        }
    }
}

/// The end of each session that has one, by the place of its beginning. An end belongs to the latest beginning without one that is at
/// most a day old, or directly before it.
fn ends(marks: &[&Fact], begin: &str) -> BTreeMap<usize, i64> {
    let mut ends: BTreeMap<usize, i64> = BTreeMap::new();
    for (place, end) in marks.iter().enumerate().filter(|(_, f)| f.identifier != begin) {
        let begun = (0..place).rev().find(|begun| marks[*begun].identifier == begin && !ends.contains_key(begun));
        if let Some(begun) = begun.filter(|begun| begun + 1 == place || end.at - marks[*begun].at <= DAY) {
            ends.insert(begun, end.at);
        }
    }
    ends
}

fn add(counts: &mut Counts, figure: &str, by: i64) {
    *counts.entry(figure.to_owned()).or_default() += by;
}

impl Recount {
    fn stat(&mut self, who: Who, fact: &Fact, figure: &str) {
        let (Who::Player(_), Some(mode)) = (who, fact.mode) else { return };
        add(self.stats.entry(name(who).to_owned()).or_default(), &format!("{}_{figure}", mode.to_lowercase()), 1);
    }

    fn score(&mut self, player: &str, at: i64, patch: Option<&'static str>, figure: &str, by: i64) {
        let figures: &[&str] = match figure {
            "missions_completed" | "playtime" | "universe_time" | "ships_flown" => &[figure],
            _ => &["overall", figure],
        };
        for figure in figures {
            add(self.boards.entry(player.to_owned()).or_default(), figure, by);
            add(self.days.entry((player.to_owned(), at.div_euclid(DAY))).or_default(), figure, by);
            if let Some(patch) = patch {
                add(self.patches.entry((player.to_owned(), patch)).or_default(), figure, by);
            }
        }
    }

    /// A score that also counts towards the totals of its patch.
    fn universe(&mut self, who: Who, fact: &Fact, figure: &str, total: &str) {
        if let (Who::Player(_), Some("PU")) = (who, fact.mode) {
            self.score(name(who), fact.at, fact.patch, figure, 1);
            if let Some(patch) = fact.patch {
                add(self.patch_totals.entry(patch).or_default(), total, 1);
            }
        }
    }
}

fn count(all: &mut Recount, fact: &Fact) {
    let own = name(fact.player).to_owned();
    match fact.identifier {
        _ if fact.is_fight && fact.killer == fact.victim && matches!(fact.killer, Who::Player(_)) => {}
        "kill" | "kill_log" | "npc_kill" => {
            match (fact.killer, fact.victim) {
                (Who::Player(_), Who::Player(_)) => {
                    all.stat(fact.killer, fact, "player_kills");
                    all.stat(fact.victim, fact, "player_deaths");
                    all.universe(fact.killer, fact, "pu_player_kills", "player_kills");
                }
                (Who::Player(_), Who::Npc(_)) => {
                    all.stat(fact.killer, fact, "npc_kills");
                    all.universe(fact.killer, fact, "pve_kills", "npc_kills");
                }
                (Who::Npc(_), Who::Player(_)) => all.stat(fact.victim, fact, "npc_deaths"),
                (Who::Nobody, Who::Player(_)) => {
                    add(all.stats.entry(name(fact.victim).to_owned()).or_default(), "unknown_deaths", 1);
                }
                _ => {}
            }
            if let (Who::Player(_), Some(weapon)) = (fact.killer, fact.weapon) {
                add(all.weapons.entry(name(fact.killer).to_owned()).or_default(), weapon, 1);
            }
        }
        "vehicle_soft_death" | "vehicle_destruction" | "vehicle_instant_destruction" => {
            all.stat(fact.killer, fact, &format!("{}_caused", fact.identifier));
            all.stat(fact.victim, fact, &format!("{}_received", fact.identifier));
            if fact.identifier != "vehicle_soft_death" {
                all.universe(fact.killer, fact, "vehicle_destructions", "vehicle_destructions");
            }
        }
        "seat_entered" => add(all.vehicles.entry(own).or_default(), fact.vehicle.unwrap(), 1),
        "mission_accepted" => {
            all.missions.entry(own).or_default().entry(fact.contract.unwrap().to_owned()).or_default().0 += 1;
        }
        "mission_complete" => {
            all.missions.entry(own.clone()).or_default().entry(fact.contract.unwrap().to_owned()).or_default().1 += 1;
            all.score(&own, fact.at, fact.patch, "missions_completed", 1);
        }
        _ => {}
    }
}

/// Playtime: from each login to its logout, or else to the player's last event before the next login, at most one day. Overlapping
/// sessions are one.
fn play(all: &mut Recount, player: &str, facts: &[Fact]) {
    let mut mine: Vec<&Fact> =
        facts.iter().filter(|f| [f.killer, f.victim, f.player].iter().any(|w| name(*w) == player)).collect();
    mine.sort_by_key(|f| f.at);
    let marks: Vec<&Fact> = mine.iter().copied().filter(|f| ["login", "logout"].contains(&f.identifier)).collect();
    let ends = ends(&marks, "login");
    for (place, login) in marks.iter().enumerate().filter(|(_, f)| f.identifier == "login") {
        if ends.iter().any(|(other, end)| *other < place && *end > login.at) {
            continue;
        }
        let rest = mine.iter().filter(|f| f.at > login.at).take_while(|f| f.identifier != "login");
        let end = ends.get(&place).copied().or(rest.last().map(|f| f.at)).unwrap_or(login.at).min(login.at + DAY);
        let secs = (end - login.at) / 1000;
        *all.sessions.entry(player.to_owned()).or_default() += 1;
        if secs > 0 {
            all.score(player, end, login.patch, "playtime", secs);
        }
    }
}

const BOARD: [&str; 8] = [
    "overall",
    "pu_player_kills",
    "pve_kills",
    "vehicle_destructions",
    "missions_completed",
    "playtime",
    "career",
    "ships_flown",
];

fn positive(counts: Option<&Counts>) -> Counts {
    counts.into_iter().flatten().filter(|(_, n)| **n != 0).map(|(name, n)| (name.clone(), *n)).collect()
}

async fn equals(server: &Server, truth: &Recount) {
    for (player, stats) in &truth.stats {
        let page = server.read(&format!("/api/player/{player}")).await["player"].clone();
        let actual = page["game_stats"].as_object().unwrap().iter().filter(|(name, _)| *name != "last_updated");
        let actual: Counts = actual.filter_map(|(n, v)| Some((n.clone(), v.as_i64().filter(|n| *n != 0)?))).collect();
        assert_eq!(actual, *stats, "figures of {player}");
        for figure in BOARD {
            let expected = truth.boards.get(player).and_then(|b| b.get(figure)).copied().unwrap_or_default();
            assert_eq!(page[figure], expected, "{figure} of {player}");
            let path = format!("/api/player/{player}/history?metric={figure}&days=90");
            let days = server.read(&path).await["data"].as_array().unwrap().clone();
            let actual: Vec<(String, i64)> = days
                .iter()
                .map(|d| (d["day"].as_str().unwrap().to_owned(), d["value"].as_i64().unwrap()))
                .filter(|(_, value)| *value != 0)
                .collect();
            let expected: Vec<(String, i64)> = truth
                .days
                .iter()
                .filter(|((name, _), _)| name == player)
                .filter_map(|((_, day), counts)| Some((iso(*day), counts.get(figure).copied().filter(|n| *n != 0)?)))
                .collect();
            assert_eq!(actual, expected, "days of {figure} of {player}");
        }
        let time = truth.boards.get(player).and_then(|b| b.get("universe_time")).copied().unwrap_or_default();
        assert_eq!(page["universe_time"], time, "universe time of {player}");
        assert_eq!(page["last_active"], truth.last_active[player].div_euclid(1000), "{player}");
        let sessions = truth.sessions.get(player).copied().unwrap_or_default();
        let stats = page["lifetime"]["detailedStats"].as_array().unwrap();
        let actual = stats.iter().find(|stat| stat["label"] == "Sessions").unwrap()["value"].as_f64();
        assert_eq!(actual, Some(sessions as f64), "sessions of {player}");
        for (path, list, figure) in
            [("weapons", &truth.weapons, "kills"), ("vehicles", &truth.vehicles, "timesEntered")]
        {
            let rows = server.read(&format!("/api/player/{player}/{path}")).await["data"].as_array().unwrap().clone();
            let actual: Counts =
                rows.iter().map(|r| (r["id"].as_str().unwrap().to_owned(), r[figure].as_i64().unwrap())).collect();
            assert_eq!(actual, positive(list.get(player)), "{path} of {player}");
        }
        let rows = server.read(&format!("/api/player/{player}/missions")).await["data"].as_array().unwrap().clone();
        let actual: BTreeMap<String, (i64, i64)> = rows
            .iter()
            .map(|r| {
                let counts = (r["accepted"].as_i64().unwrap(), r["completed"].as_i64().unwrap());
                (r["id"].as_str().unwrap().to_owned(), counts)
            })
            .collect();
        assert_eq!(actual, truth.missions.get(player).cloned().unwrap_or_default(), "missions of {player}");
    }
    ranks_equal(server, truth).await;
    assert_eq!(server.read("/api/stats/counts").await["players"], truth.stats.len());
    let seen: BTreeSet<&str> = truth.patch_totals.keys().copied().collect();
    let newest = if seen.contains("ALPHA 4.10.0") { "ALPHA 4.10.0" } else { return };
    let patch = server.read("/api/patch").await["data"].clone();
    assert_eq!(patch["patch"], newest);
    for total in ["player_kills", "npc_kills", "vehicle_destructions"] {
        let expected = truth.patch_totals[newest].get(total).copied().unwrap_or_default();
        assert_eq!(patch["stats"][total], expected, "{total} of the patch");
    }
}

fn iso(day: i64) -> String {
    jiff::Timestamp::from_millisecond(day * DAY).unwrap().strftime("%Y-%m-%d").to_string()
}

async fn ranks_equal(server: &Server, truth: &Recount) {
    for figure in BOARD {
        for (window, figures) in [("all", truth.boards.clone()), ("patch", newest_patch(truth))] {
            let mut expected: Vec<(i64, String, i64)> = figures
                .iter()
                .filter_map(|(player, counts)| {
                    Some((0, player.clone(), counts.get(figure).copied().filter(|n| *n > 0)?))
                })
                .collect();
            expected.sort_by_key(|(_, player, n)| (-n, fold(player)));
            let scores: Vec<i64> = expected.iter().map(|row| row.2).collect();
            for row in &mut expected {
                row.0 = 1 + scores.iter().filter(|score| **score > row.2).count() as i64;
            }
            let path = format!("/api/players/leaderboard?limit=100&sortBy={figure}&window={window}");
            let rows = server.read(&path).await["players"].as_array().unwrap().clone();
            let actual: Vec<(i64, String, i64)> = rows
                .iter()
                .map(|r| {
                    (r["rank"].as_i64().unwrap(), r["handle"].as_str().unwrap().to_owned(), r[figure].as_i64().unwrap())
                })
                .collect();
            assert_eq!(actual, expected, "{path}");
        }
    }
}

/// Scores within the newest patch of any event.
fn newest_patch(truth: &Recount) -> BTreeMap<String, Counts> {
    let of = |patch: &str| {
        let found = truth.patches.iter().filter(|((_, p), _)| *p == patch);
        found.map(|((player, _), counts)| (player.clone(), counts.clone())).collect::<BTreeMap<_, _>>()
    };
    of("ALPHA 4.10.0")
}

/// Runs one stream against a pair of servers.
async fn check(stream: &Stream) {
    let mut servers = Vec::new();
    for on in [Backend::Sqlite, Backend::Postgres] {
        let mut server = Server::prepare(on);
        server.database.run(
            "INSERT INTO guilds (id, tag, name, name_folded, created_at) VALUES \
               (1, 'ALPHA', 'Alpha Wing', 'alpha wing', 1), (2, 'BETA', 'Équipe', 'equipe', 1)",
        );
        server.run();
        servers.push(server);
    }
    let start = now() - 41 * DAY;
    let (batches, facts) = reports(stream, start);
    let truth = recount(&facts);
    let mut keys: Vec<Vec<String>> = Vec::new();
    for server in &servers {
        keys.push((0..READERS).map(|n| server.key(&format!("reader-{n}"))).collect());
    }
    let mut accepted = 0;
    for (reader, batch) in &batches {
        let (one, other) =
            tokio::join!(servers[0].try_send(&keys[0][*reader], batch), servers[1].try_send(&keys[1][*reader], batch));
        assert_eq!(one.text(), other.text(), "both databases respond equally to a batch");
        let response = one.json();
        assert_eq!(response["rejected"], json!([]), "{response}");
        accepted += response["accepted"].as_u64().unwrap();
    }
    assert_eq!(accepted as usize, facts.len(), "each event is accepted once");
    for server in &servers {
        equals(server, &truth).await;
    }
    // Half of the players join guilds; a recount of stored events yields the same figures.
    for server in &mut servers {
        server.stop();
        server.database.run(
            "UPDATE players SET guild_id = CASE WHEN handle_folded < 'd' THEN 1 ELSE 2 END WHERE handle_folded < 'f'; \
             UPDATE event_players SET guild_id = (SELECT guild_id FROM players WHERE players.id = event_players.player_id)",
        );
        server.command(&["reindex"]);
        server.run();
    }
    for server in &servers {
        equals(server, &truth).await;
    }
}

#[test]
fn any_order_of_events_equals_a_plain_recount_on_both_databases() {
    let cases = std::env::var("APOGEE_STREAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let config = Config { cases, max_shrink_iters: 12, failure_persistence: None, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let checked = TestRunner::new(config).run(&stream(), |stream| {
        // A failed assertion is a counterexample to shrink.
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(check(&stream))));
        ran.map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            TestCaseError::fail(text.unwrap_or_else(|| "the check failed".into()))
        })
    });
    if let Err(error) = checked {
        let text = error.to_string();
        panic!("{}", text.chars().take(6_000).collect::<String>());
    }
}
