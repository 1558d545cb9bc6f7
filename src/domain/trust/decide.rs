//! The decision about each event that arrives: for which sides its report counts, or why it is rejected.

use std::collections::HashMap;

use crate::domain::events::{EventKind, Party, ValidEvent};
use crate::domain::names::Handle;
use crate::domain::patches::Patch;

use super::limits::{Limit, Limited, Times, TrustRules};
use super::sides::{Sides, side_of};

/// Whose log a batch comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An operator uploads any log.
    Operator,
    /// An account uploads the log of its own player.
    OwnLog {
        player: Handle,
        /// The version of the game that the log names.
        build: Option<i64>,
    },
}

/// Why an event of an account is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("{0} takes no part in it: an account uploads the events of its own player")]
    OtherPlayer(Handle),
    #[error("no known build since this patch writes kills or vehicle losses to the log")]
    UnknownKind,
    #[error("more than {0}")]
    TooMany(Limit),
}

/// What one account reports, as far as it is limited. Times are those of the log, in epoch milliseconds.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// Fights and kills by the folded handle of the killer, contracts without one: all are those of the account's player.
    times: HashMap<(Limited, String), Times>,
}

impl Activity {
    /// Adds an event that was reported before.
    pub fn add(&mut self, event: &ValidEvent) {
        let at = event.event_time.0;
        for limited in limited(event) {
            self.times(limited, event).add(at);
        }
    }

    fn times(&mut self, limited: Limited, event: &ValidEvent) -> &mut Times {
        let killer = if limited == Limited::Contracts { String::new() } else { event.killer.folded() };
        self.times.entry((limited, killer)).or_default()
    }
}

/// What an event counts as.
fn limited(event: &ValidEvent) -> Vec<Limited> {
    let is_by_player = event.killer.player().is_some();
    let is_player_kill = event.identifier.kind() == EventKind::Kill && matches!(event.victim, Party::Player(_));
    match event.identifier.kind() {
        EventKind::MissionCompleted => vec![Limited::Contracts],
        _ if !event.identifier.is_fight() || !is_by_player => Vec::new(),
        _ if is_player_kill && !event.is_suicide() => vec![Limited::Fights, Limited::PlayerKills],
        _ => vec![Limited::Fights],
    }
}

/// Decides about an event that is not stored yet. An accepted one is added to `activity`.
///
/// # Errors
/// Why the event is rejected.
pub fn decide(
    event: &ValidEvent,
    source: &Source,
    rules: &TrustRules,
    activity: &mut Activity,
) -> Result<Sides, Rejection> {
    let Source::OwnLog { player, build } = source else { return Ok(Sides::ALL) };
    let side = side_of(event, &player.folded()).ok_or_else(|| Rejection::OtherPlayer(player.clone()))?;
    let version = event.patch.as_ref().map(Patch::version).or(*build);
    let is_newer = |last: i64| version.is_some_and(|version| version > last);
    if event.identifier.is_fight() && rules.last_fight_patch.is_some_and(is_newer) {
        return Err(Rejection::UnknownKind);
    }
    for limited in limited(event) {
        let times = activity.times(limited, event);
        let is_reached = |limit: &&Limit| limit.limited == limited && times.is_reached(event.event_time.0, limit);
        if let Some(limit) = rules.limits.iter().find(is_reached) {
            return Err(Rejection::TooMany(*limit));
        }
    }
    activity.add(event);
    Ok(Sides::of(side))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::counters::Side;
    use crate::domain::events::{Event, Identifier, validate};
    use crate::domain::times::{DAY_MS, EpochMillis};

    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);
    const START: i64 = NOW.0 - 40 * DAY_MS;

    fn valid(event: Event) -> ValidEvent {
        validate(event, NOW).unwrap()
    }

    fn kill(killer: &str, victim: &str, at: i64) -> ValidEvent {
        let event = Event::new(Identifier::Kill, EpochMillis(at));
        valid(Event { killer: Some(killer.into()), victim: Some(victim.into()), ..event })
    }

    fn mission(at: i64) -> ValidEvent {
        let event = Event::new(Identifier::MissionComplete, EpochMillis(at));
        valid(Event { player_name: Some("Ace".into()), contract_name: Some("Haul".into()), ..event })
    }

    fn own(player: &str) -> Source {
        Source::OwnLog { player: Handle::parse(player).unwrap(), build: None }
    }

    fn once(event: &ValidEvent, source: &Source) -> Result<Sides, Rejection> {
        decide(event, source, &TrustRules::default(), &mut Activity::default())
    }

    /// The number of these events that are accepted, and the sentence of the first rejection.
    fn accepted(events: &[ValidEvent]) -> (usize, Option<String>) {
        let (rules, mut activity) = (TrustRules::default(), Activity::default());
        let decided: Vec<_> = events.iter().map(|event| decide(event, &own("Ace"), &rules, &mut activity)).collect();
        let rejected = decided.iter().find_map(|decision| decision.as_ref().err().map(ToString::to_string));
        (decided.iter().filter(|decision| decision.is_ok()).count(), rejected)
    }

    #[test]
    fn a_log_counts_for_the_side_of_its_player() {
        let event = kill("Ace", "Foe", START);
        assert_eq!(once(&event, &own("ACE")), Ok(Sides::of(Side::Killer)));
        assert_eq!(once(&event, &own("Foe")), Ok(Sides::of(Side::Victim)));
        assert_eq!(once(&event, &Source::Operator), Ok(Sides::ALL));
        assert_eq!(once(&mission(START), &own("Ace")), Ok(Sides::of(Side::Player)));
        assert_eq!(once(&kill("Ace", "Ace", START), &own("Ace")), Ok(Sides::of(Side::Victim)));
    }

    #[test]
    fn events_of_others_are_rejected() {
        let error = once(&kill("Ace", "Foe", START), &own("Third")).unwrap_err();
        assert!(error.to_string().starts_with("Third takes no part"), "{error}");
    }

    #[test]
    fn fights_of_builds_that_write_none_are_rejected() {
        let patched = |patch: &str| {
            let event = Event::new(Identifier::Kill, EpochMillis(START));
            let names = Event { killer: Some("Ace".into()), victim: Some("Foe".into()), ..event };
            valid(Event { patch: Some(patch.into()), ..names })
        };
        assert!(once(&patched("4.3.2"), &own("Ace")).is_ok());
        assert_eq!(once(&patched("4.4.0"), &own("Ace")), Err(Rejection::UnknownKind));
        assert!(once(&patched("4.4.0"), &Source::Operator).is_ok());
        let source = Source::OwnLog { player: Handle::parse("Ace").unwrap(), build: Some(4_004_000) };
        assert_eq!(once(&kill("Ace", "Foe", START), &source), Err(Rejection::UnknownKind), "the log names the build");
        let open = TrustRules { last_fight_patch: None, ..TrustRules::default() };
        assert!(decide(&patched("4.4.0"), &own("Ace"), &open, &mut Activity::default()).is_ok());
    }

    #[test]
    fn each_limit_accepts_its_count_and_rejects_one_more() {
        const SECOND: i64 = 1_000;
        let npc = |at| kill("Ace", "PU_Human_Enemy_GroundCombat_NPC_1", at);
        let player = |at| kill("Ace", "Foe", at);
        let done = |at| mission(at);
        // Event, milliseconds between two, how many are accepted, and the words of the limit.
        type Row<'a> = (&'a dyn Fn(i64) -> ValidEvent, i64, usize, &'a str);
        let rows: [Row; 7] = [
            (&npc, 2 * SECOND, 20, "20 fights of one killer in 60 s"),
            (&npc, 9 * SECOND, 60, "60 fights of one killer in 10 min"),
            (&npc, 17 * SECOND, 200, "200 fights of one killer in an hour"),
            (&player, 100 * SECOND, 30, "30 player kills of one killer in an hour"),
            (&player, 800 * SECOND, 100, "100 player kills of one killer in a day"),
            (&done, 80 * SECOND, 40, "40 completed contracts in an hour"),
            (&done, 400 * SECOND, 200, "200 completed contracts in a day"),
        ];
        for (event, step, count, words) in rows {
            let events: Vec<ValidEvent> = (0..=count as i64).map(|n| event(START + n * step)).collect();
            assert_eq!(accepted(&events[..count]), (count, None), "{words}");
            assert_eq!(accepted(&events), (count, Some(format!("more than {words}"))));
        }
    }

    #[test]
    fn nobody_uses_up_the_limits_of_another() {
        let deaths: Vec<ValidEvent> = (0..20).map(|n| kill("Foe", "Ace", START + n)).collect();
        let own_kill = kill("Ace", "PU_Human_Enemy_GroundCombat_NPC_1", START);
        let all: Vec<ValidEvent> = deaths.into_iter().chain([own_kill]).collect();
        assert_eq!(accepted(&all), (21, None));
    }

    #[test]
    fn years_of_backups_pass() {
        let evening = |day: i64| (0..30).map(move |n| kill("Ace", "Foe", START - day * DAY_MS + n * 150_000));
        let years: Vec<ValidEvent> = (0..1_000).flat_map(evening).collect();
        assert_eq!(accepted(&years), (30_000, None));
    }

    proptest! {
        #[test]
        fn no_window_exceeds_a_limit_in_any_order_of_arrival(times in prop::collection::vec(0..200_000i64, 0..80)) {
            let (rules, mut activity) = (TrustRules::default(), Activity::default());
            let event = |at: &i64| kill("Ace", "PU_Human_Enemy_GroundCombat_NPC_1", START + at);
            let mut kept: Vec<i64> = times
                .into_iter()
                .filter(|at| decide(&event(at), &own("Ace"), &rules, &mut activity).is_ok())
                .collect();
            kept.sort_unstable();
            for (place, first) in kept.iter().enumerate() {
                prop_assert!(kept[place..].iter().filter(|at| **at < first + 60_000).count() <= 20);
            }
        }
    }
}
