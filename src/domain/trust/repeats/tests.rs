use proptest::prelude::*;

use super::*;

const SHARE: u32 = 5;

/// Kills as `(killer, victim, day)`, with ids in this order.
fn kills(of: &[(i64, i64, i64)]) -> Vec<Kill> {
    let kill = |(index, (killer, victim, day)): (usize, &(i64, i64, i64))| Kill {
        id: index as i64 + 1,
        killer: *killer,
        victim: *victim,
        at: day * DAY_MS,
    };
    of.iter().enumerate().map(kill).collect()
}

fn withheld_ids(of: &[(i64, i64, i64)], claimed: &[i64]) -> Vec<i64> {
    withheld(&kills(of), &claimed.iter().copied().collect(), SHARE).into_iter().collect()
}

/// Kills of this many different people by a player, a day before day 1.
fn others(killer: i64, people: i64) -> Vec<(i64, i64, i64)> {
    (0..people).map(|n| (killer, killer * 1_000 + n, 0)).collect()
}

#[test]
fn the_first_two_kills_of_a_pair_in_ninety_days_count_in_either_direction() {
    assert_eq!(withheld_ids(&[(1, 2, 1), (2, 1, 2), (1, 2, 3), (2, 1, 90)], &[]), [3, 4]);
    // Ninety days after the first one, another one counts; the withheld ones do not extend that time.
    assert_eq!(withheld_ids(&[(1, 2, 1), (1, 2, 2), (1, 2, 60), (1, 2, 91), (1, 2, 91), (1, 2, 92)], &[]), [3, 5]);
}

#[test]
fn a_repeat_counts_up_to_a_twentieth_of_the_different_people() {
    let mut fights = others(1, 38);
    fights.extend([(1, 2, 1), (1, 2, 2), (1, 2, 3)]);
    let before = fights.len() as i64;
    fights.extend([(1, 3, 4), (1, 2, 5), (1, 2, 6)]);
    // The first repeat needs 20 different people, the second 40, the third 60.
    assert_eq!(withheld_ids(&fights, &[]), [before + 3]);
    assert_eq!(withheld(&kills(&fights), &HashSet::new(), 0).len(), 3);
    assert_eq!(withheld(&kills(&fights), &HashSet::new(), 100), BTreeSet::new());
}

#[test]
fn against_a_claimed_player_the_people_of_the_victim_limit_repeats_too() {
    let mut fights = others(1, 30);
    fights.extend([(1, 2, 1), (1, 2, 2), (1, 2, 3)]);
    assert_eq!(withheld_ids(&fights, &[]), Vec::<i64>::new());
    assert_eq!(withheld_ids(&fights, &[1, 2]), [33]);
    let mut known = others(2, 19);
    known.extend(fights);
    assert_eq!(withheld_ids(&known, &[1, 2]), Vec::<i64>::new());
}

#[test]
fn members_of_a_circle_are_not_different_people_and_their_repeats_never_count() {
    let mut fights: Vec<(i64, i64, i64)> = (1..=3).flat_map(|player| others(player, 25)).collect();
    let before = fights.len() as i64;
    // The third kill of each pair links it. Two players are not a circle yet, so the share decides about the first repeat.
    for (killer, victim) in [(1, 2), (2, 3), (3, 1)] {
        fights.extend([(killer, victim, 1), (killer, victim, 2), (killer, victim, 3)]);
    }
    let same_day = [before + 3, before + 6, before + 9];
    assert_eq!(withheld_ids(&fights, &[1, 2, 3]), same_day);
    assert_eq!(withheld_ids(&fights, &[1, 2]), Vec::<i64>::new(), "a circle consists of claimed players");
    // With its three members, the first player fought 20 people, and 18 others.
    let mut few = others(1, 18);
    few.extend(others(2, 25));
    few.extend(others(3, 25));
    few.extend([(1, 2, 1), (1, 2, 2), (2, 1, 3), (1, 3, 1), (1, 3, 2), (3, 1, 3), (1, 9, 4), (1, 9, 4), (1, 9, 5)]);
    let last = few.len() as i64;
    assert!(withheld_ids(&few, &[1, 2, 3]).contains(&last));
    assert!(!withheld_ids(&few, &[]).contains(&last));
}

#[test]
fn a_group_of_more_than_thirty_is_not_a_circle() {
    let ring = |members: i64| {
        let mut fights: Vec<(i64, i64, i64)> = (1..=members).flat_map(|player| others(player, 25)).collect();
        fights.extend((1..=members).flat_map(|n| [(n, n % members + 1, 1); 3]));
        withheld_ids(&fights, &(1..=members).collect::<Vec<_>>()).len() as i64
    };
    assert_eq!((ring(30), ring(31)), (30, 0));
}

#[test]
fn without_a_void_kill_a_later_one_counts() {
    let all = kills(&[(1, 2, 1), (1, 2, 2), (1, 2, 3), (1, 2, 4)]);
    assert_eq!(withheld(&all, &HashSet::new(), SHARE), BTreeSet::from([3, 4]));
    for void in 0..2 {
        let mut rest = all.clone();
        rest.remove(void);
        assert_eq!(withheld(&rest, &HashSet::new(), SHARE), BTreeSet::from([4]));
    }
}

/// Kills among a few players over two hundred days, some of them at the same time.
fn any_kills() -> impl Strategy<Value = Vec<Kill>> {
    let kill = (1..12i64, 1..11i64, 0..800i64);
    prop::collection::vec(kill, 0..150).prop_map(|kills| {
        let kill = |(index, (killer, other, time)): (usize, (i64, i64, i64))| Kill {
            id: index as i64 + 1,
            killer,
            victim: if other >= killer { other + 1 } else { other },
            at: time * DAY_MS / 4,
        };
        kills.into_iter().enumerate().map(kill).collect()
    })
}

fn claimed() -> impl Strategy<Value = HashSet<i64>> {
    prop::collection::hash_set(1..13i64, 0..13)
}

proptest! {
    #[test]
    fn the_order_of_arrival_does_not_matter(kills in any_kills().prop_shuffle_with_original(), claimed in claimed(), share in 0..60u32) {
        let (original, shuffled) = kills;
        prop_assert_eq!(withheld(&original, &claimed, share), withheld(&shuffled, &claimed, share));
    }

    #[test]
    fn the_first_two_always_count_and_without_a_share_nothing_else_does(kills in any_kills(), claimed in claimed(), share in 0..60u32) {
        let (some, none) = (withheld(&kills, &claimed, share), withheld(&kills, &claimed, 0));
        prop_assert!(some.is_subset(&none));
        for kill in &kills {
            let before = |other: &&Kill| {
                other.pair() == kill.pair() && other.order() < kill.order() && other.at > kill.at - REPEAT_WINDOW_MS
            };
            let counted_before = kills.iter().filter(before).filter(|other| !none.contains(&other.id)).count();
            prop_assert_eq!(none.contains(&kill.id), counted_before >= 2);
        }
    }

    #[test]
    fn a_change_decides_no_earlier_kill(kills in any_kills(), claimed in claimed(), share in 0..60u32, index in 0..150usize) {
        let Some(void) = kills.get(index).copied() else { return Ok(()) };
        let rest: Vec<Kill> = kills.iter().filter(|kill| kill.id != void.id).copied().collect();
        let earlier = |ids: BTreeSet<i64>| -> Vec<i64> {
            kills.iter().filter(|kill| kill.at < void.at && ids.contains(&kill.id)).map(|kill| kill.id).collect()
        };
        prop_assert_eq!(earlier(withheld(&kills, &claimed, share)), earlier(withheld(&rest, &claimed, share)));
    }

    #[test]
    fn deciding_from_a_time_on_gives_the_same_as_deciding_everything(kills in any_kills(), since in 0..800i64) {
        let mut of_pair: Vec<Kill> = kills.iter().map(|kill| Kill { killer: 1, victim: 2, ..*kill }).collect();
        of_pair.sort_by_key(Kill::order);
        let (all, since) = (repeats_of_pair(&of_pair, i64::MIN, |_| false), since * DAY_MS / 4);
        let window: Vec<Kill> = of_pair.iter().filter(|kill| kill.at > since - REPEAT_WINDOW_MS).copied().collect();
        let later = |repeats: &[Kill]| repeats.iter().filter(|kill| kill.at >= since).map(|kill| kill.id).collect::<Vec<_>>();
        prop_assert_eq!(later(&repeats_of_pair(&window, since, |kill| all.contains(kill))), later(&all));
    }
}

trait ShuffleWithOriginal: Strategy {
    fn prop_shuffle_with_original(self) -> impl Strategy<Value = (Vec<Kill>, Vec<Kill>)>;
}

impl<S: Strategy<Value = Vec<Kill>>> ShuffleWithOriginal for S {
    fn prop_shuffle_with_original(self) -> impl Strategy<Value = (Vec<Kill>, Vec<Kill>)> {
        self.prop_flat_map(|kills| (Just(kills.clone()), Just(kills).prop_shuffle()))
    }
}
