//! Properties of whole universes.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::*;
use crate::domain::counters::{Counter, Effect, Side, effects};
use crate::domain::events::{Event, EventKind, GameMode, Party, ValidEvent, validate};
use crate::domain::names::{GuildTag, Handle};
use crate::domain::npcs::{NameKind, classify_name};

/// A Saturday evening.
const NOW: EpochMillis = EpochMillis(1_795_287_600_000);

const EVENTS: u64 = 8_000;

fn universe(seed: u64) -> Universe {
    Universe::new(seed, 1_000, 40, EVENTS, NOW)
}

fn fingerprint(universe: &Universe) -> u64 {
    let mut hash = DefaultHasher::new();
    universe.players().for_each(|player| player.hash(&mut hash));
    universe.guilds().for_each(|guild| guild.hash(&mut hash));
    universe.events().for_each(|event| serde_json::to_string(&event).unwrap().hash(&mut hash));
    universe.totals().for_each(|totals| totals.hash(&mut hash));
    hash.finish()
}

fn checked(events: impl Iterator<Item = Event>) -> Vec<ValidEvent> {
    events.map(|event| validate(event.clone(), NOW).unwrap_or_else(|e| panic!("{e}: {event:?}"))).collect()
}

#[test]
fn the_same_seed_gives_the_same_universe_and_another_seed_another() {
    assert_eq!(fingerprint(&universe(1)), fingerprint(&universe(1)));
    assert_ne!(fingerprint(&universe(1)), fingerprint(&universe(2)));
}

#[test]
fn events_depend_on_the_day_and_not_on_the_hour() {
    let later = Universe::new(1, 1_000, 40, EVENTS, EpochMillis(NOW.0 + 2 * HOUR_MS));
    let (early, late) = (universe(1), later);
    assert!(early.events().eq(late.events()));
    let today: Vec<Event> = late.events_until_now().collect();
    let earlier: Vec<Event> = early.events_until_now().collect();
    assert!(earlier.len() < today.len());
    assert!(today.starts_with(&earlier));
    assert!(earlier.iter().zip(early.events()).all(|(one, other)| *one == other));
}

#[test]
fn the_requested_events_are_in_order_and_none_is_in_the_future() {
    let universe = universe(3);
    let events: Vec<Event> = universe.events().collect();
    assert_eq!(events.len() as u64, EVENTS);
    assert!(events.is_sorted_by_key(|event| event.event_time));
    assert!(events[0].event_time.0 > NOW.0 - 62 * 24 * HOUR_MS);
    assert!(universe.events_until_now().all(|event| event.event_time <= NOW));
    let ids: HashSet<&str> = events.iter().filter_map(|event| event.event_id.as_deref()).collect();
    assert_eq!(ids.len(), events.len());
}

#[test]
fn handles_are_unique_and_valid_at_200_000() {
    let universe = Universe::new(9, 200_000, 5_000, 0, NOW);
    let mut seen = HashSet::new();
    let mut geids = HashSet::new();
    for player in universe.players() {
        let handle = Handle::parse(&player.handle).unwrap();
        assert!((3..=30).contains(&player.handle.len()), "{}", player.handle);
        assert_eq!(classify_name(&player.handle), NameKind::Player, "{}", player.handle);
        assert!(name_parts::OFFENSIVE.iter().all(|part| !handle.folded().contains(part)), "{}", player.handle);
        assert!(!player.player_name.trim().is_empty());
        assert!(geids.insert(player.player_geid));
        assert!(seen.insert(handle.folded()), "{}", player.handle);
    }
    assert_eq!(seen.len(), 200_000);
}

#[test]
fn tags_are_unique_and_valid_and_sizes_have_a_long_tail() {
    let universe = Universe::new(9, 50_000, 3_000, 0, NOW);
    let mut sizes: HashMap<String, u32> = HashMap::new();
    for guild in universe.guilds() {
        assert_eq!(GuildTag::parse(&guild.tag).unwrap().as_str(), guild.tag);
        assert!(!guild.name.is_empty());
        assert!(sizes.insert(guild.tag.clone(), 0).is_none(), "{}", guild.tag);
    }
    assert_eq!(sizes.len(), 3_000);
    for tag in universe.players().filter_map(|player| player.guild) {
        *sizes.get_mut(&tag).unwrap() += 1;
    }
    let mut sizes: Vec<u32> = sizes.into_values().collect();
    sizes.sort_unstable();
    assert!(sizes[2_999] > 30 * sizes[1_500], "{:?}", &sizes[2_990..]);
}

#[test]
fn every_event_is_valid_and_its_players_are_online() {
    let universe = universe(4);
    let events = checked(universe.events());
    // Players whose game crashed count as online until their next login.
    let mut online: HashMap<String, bool> = HashMap::new();
    for event in &events {
        for player in event.players() {
            let is_on = online.entry(player.folded()).or_default();
            match event.identifier.kind() {
                EventKind::Login => *is_on = true,
                EventKind::Logout => *is_on = !std::mem::take(is_on) && panic!("{event:?}"),
                _ => assert!(*is_on, "{player} acts outside the game: {event:?}"),
            }
        }
    }
}

#[test]
fn npcs_are_most_of_the_killed_and_the_persistent_universe_most_of_the_play() {
    let universe = Universe::new(5, 2_000, 60, 25_000, NOW);
    let events = checked(universe.events());
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for event in &events {
        if event.identifier.kind() == EventKind::Login {
            continue;
        }
        *counts.entry(event.game_mode.map_or("none", GameMode::as_str)).or_default() += 1;
        if event.identifier.kind() == EventKind::Kill {
            let who = match (&event.killer, &event.victim) {
                _ if event.is_suicide() => "suicide",
                (Party::Player(_), Party::Npc(_)) => "pve",
                (Party::Player(_), Party::Player(_)) => "pvp",
                (Party::Npc(_), Party::Player(_)) => "npc",
                _ => "nobody",
            };
            *counts.entry(who).or_default() += 1;
        }
    }
    assert!(counts["pve"] > 5 * counts["pvp"], "{counts:?}");
    for some in ["pvp", "npc", "suicide", "nobody"] {
        assert!(counts[some] > 10, "{counts:?}");
    }
    let share = f64::from(counts["PU"]) / f64::from(counts["PU"] + counts["AC"]);
    assert!((0.78..0.92).contains(&share), "{share}");
    let patches: Vec<&str> = events.iter().filter_map(|event| event.patch.as_ref()).map(|p| p.as_str()).collect();
    assert_eq!((patches[0], patches[patches.len() - 1]), (OLDER_PATCH, NEWEST_PATCH));
}

#[test]
fn scores_have_a_long_tail() {
    let mut scores: HashMap<String, u32> = HashMap::new();
    for event in checked(Universe::new(6, 2_000, 60, 25_000, NOW).events()) {
        for (side, effect) in effects(&event) {
            if let (Side::Killer, Effect::Counted(GameMode::Pu, _), Some(player)) =
                (side, effect, event.killer.player())
            {
                *scores.entry(player.folded()).or_default() += 1;
            }
        }
    }
    let mut scores: Vec<u32> = scores.into_values().collect();
    scores.sort_unstable();
    let middle = scores[scores.len() / 2];
    assert!(scores[scores.len() - 1] > 8 * middle, "{middle} {:?}", &scores[scores.len() - 5..]);
}

#[test]
fn most_players_have_totals() {
    let universe = Universe::new(7, 20_000, 100, 0, NOW);
    let mut seen = HashSet::new();
    let (mut scored, mut kills, mut deaths) = (0, 0, 0);
    for (player, totals) in universe.totals() {
        assert!(seen.insert(player));
        assert!(totals.last_active < NOW);
        scored += u32::from(totals.counters.pu[Counter::NpcKills] > 0);
        kills += totals.counters.pu[Counter::PlayerKills];
        deaths += totals.counters.pu[Counter::PlayerDeaths];
    }
    assert_eq!(seen.len(), 20_000);
    assert!(scored > 17_000, "{scored}");
    assert!((kills - deaths).abs() < kills / 5, "{kills} kills of players, {deaths} deaths by players");
}

#[test]
fn a_trickle_keeps_its_rate_and_order() {
    let universe = Arc::new(universe(8));
    let mut trickle = Trickle::new(universe, 30.0, NOW);
    let mut now = NOW;
    let mut online: HashSet<String> = HashSet::new();
    let mut ids = HashSet::new();
    for _ in 0..3_000 {
        let (wait, event) = trickle.next_event(now).unwrap();
        let at = EpochMillis(now.0 + i64::try_from(wait.as_millis()).unwrap());
        assert!(event.event_time <= at);
        now = at;
        let event = validate(event, now).unwrap();
        assert!(ids.insert(event.details.event_id.clone()));
        for player in event.players() {
            if event.identifier.kind() == EventKind::Login {
                online.insert(player.folded());
            }
            assert!(online.contains(&player.folded()), "{event:?}");
        }
    }
    let minutes = (now.0 - NOW.0) as f64 / 60_000.0;
    assert!((60.0..200.0).contains(&minutes), "3,000 events at 30 a minute took {minutes} minutes");
}

#[test]
fn a_delayed_trickle_continues_at_the_present() {
    let mut trickle = Trickle::new(Arc::new(universe(8)), 30.0, NOW);
    trickle.next_event(NOW).unwrap();
    let much_later = EpochMillis(NOW.0 + 10 * HOUR_MS);
    let (wait, event) = trickle.next_event(much_later).unwrap();
    assert_eq!((wait.as_millis(), event.event_time), (0, much_later));
    let (_, event) = trickle.next_event(much_later).unwrap();
    assert!(event.event_time >= much_later);
}

#[test]
fn tiny_universes_work() {
    for (players, guilds, events) in [(0, 0, 0), (0, 3, 10), (1, 0, 50), (2, 1, 50), (3, 5, 0)] {
        let universe = Universe::new(1, players, guilds, events, NOW);
        assert_eq!(universe.players().count(), players as usize);
        assert_eq!(universe.guilds().count(), guilds as usize);
        let expected = if players == 0 { 0 } else { events as usize };
        assert_eq!(universe.events().count(), expected);
        assert_eq!(universe.totals().count(), players as usize);
    }
    assert!(Trickle::new(Arc::new(Universe::new(1, 0, 0, 0, NOW)), 30.0, NOW).next_event(NOW).is_none());
}
