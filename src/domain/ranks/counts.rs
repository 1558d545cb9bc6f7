//! Exact ranks from the number of times each score occurs.
//!
//! Computing a rank by counting rows takes tens of milliseconds with millions of players, and a change in a sorted list moves
//! half of its elements. Here a score is five digits of base 256, and each digit has a table with the number of scores per
//! value and above it: both a change and a rank visit five tables.

use std::sync::Arc;

/// Higher scores count as this one. As playtime it is more than 30,000 years.
const MAX_SCORE: i64 = (1 << 40) - 1;
/// The index of the most significant digit.
const TOP_DIGIT: u32 = 4;
/// A leaf with more distinct scores is a table, which is larger and faster.
const MAX_SPARSE_SCORES: usize = 96;
/// Digits whose counts are summed in groups: the count above a digit is that of higher digits in its group plus that of higher
/// groups.
const GROUP_DIGITS: usize = 16;
/// The largest count of one word in a sparse leaf: 24 bits beside 8 bits of digit.
const MAX_SPARSE_COUNT: u32 = (1 << 24) - 1;

/// A score and its position among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedScore {
    pub score: i64,
    /// The number of higher scores.
    pub above: i64,
    /// The number of equal scores, this one included.
    pub equal: i64,
}

/// The number of times each score above 0 occurs. Clones share the parts that neither has changed since.
#[derive(Debug, Clone, Default)]
pub struct ScoreCounts {
    root: Tree,
    ranked: i64,
}

#[derive(Debug, Clone, Default)]
enum Tree {
    #[default]
    Empty,
    Inner(Arc<Inner>),
    /// `digit << 24 | count`, ascending. Most leaves of a wide metric hold a few scores.
    Sparse(Vec<u32>),
    Dense(Box<Digits>),
}

#[derive(Debug, Clone)]
struct Inner {
    digits: Digits,
    below: [Tree; 256],
}

/// The count of each value of a digit, and the counts above it. A change writes at most thirty numbers, a rank reads two.
#[derive(Debug, Clone)]
struct Digits {
    counts: [u32; 256],
    /// For each digit, the count of higher digits in its group.
    above_in_group: [u32; 256],
    /// For each group, the count in higher groups.
    above_group: [u32; 256 / GROUP_DIGITS],
}

impl ScoreCounts {
    /// Replaces a score. 0 or less means no score.
    ///
    /// An `old` score that does not occur is ignored, so counts never become negative.
    pub fn change(&mut self, old: i64, new: i64) {
        if old == new {
            return;
        }
        if old > 0 && self.root.remove(old.min(MAX_SCORE), TOP_DIGIT) {
            self.ranked -= 1;
        }
        self.add(new, 1);
    }

    /// Adds a score `how_many` times, for bulk loads.
    pub fn add(&mut self, score: i64, how_many: u32) {
        if score > 0 && how_many > 0 {
            self.root.add(score.min(MAX_SCORE), TOP_DIGIT, how_many);
            self.ranked += i64::from(how_many);
        }
    }

    /// The rank of a score: one more than the number of higher scores, so equal scores share a rank. `None` for 0 and less.
    pub fn rank(&self, score: i64) -> Option<i64> {
        (score > 0).then(|| 1 + self.above(score))
    }

    /// The number of scores above 0.
    pub fn ranked(&self) -> i64 {
        self.ranked
    }

    /// The percentage of scores that are at most this one, with one decimal. `None` for 0 and less, and if there are no scores.
    pub fn percentile(&self, score: i64) -> Option<f64> {
        if score <= 0 || self.ranked == 0 {
            return None;
        }
        let at_or_below = self.ranked - self.above(score);
        Some((at_or_below as f64 * 1000.0 / self.ranked as f64).round() / 10.0)
    }

    /// The score at a position, starting with the highest at 0. `None` beyond the last.
    pub fn nth(&self, place: i64) -> Option<RankedScore> {
        (0..self.ranked).contains(&place).then(|| self.root.nth(TOP_DIGIT, 0, place, 0)).flatten()
    }

    /// Adds all scores of another set.
    pub(super) fn merge(&mut self, other: &Self) {
        other.root.for_each(TOP_DIGIT, 0, &mut |score, how_many| self.add(score, how_many));
    }

    /// Size on the heap, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.root.heap_bytes()
    }

    fn above(&self, score: i64) -> i64 {
        self.root.above(score.min(MAX_SCORE), TOP_DIGIT)
    }
}

impl FromIterator<i64> for ScoreCounts {
    fn from_iter<I: IntoIterator<Item = i64>>(scores: I) -> Self {
        let mut counts = Self::default();
        for score in scores {
            counts.add(score, 1);
        }
        counts
    }
}

fn digit(score: i64, place: u32) -> usize {
    (score >> (8 * place)) as usize & 0xff
}

impl Digits {
    fn new() -> Self {
        Self { counts: [0; 256], above_in_group: [0; 256], above_group: [0; 256 / GROUP_DIGITS] }
    }

    fn add(&mut self, digit: usize, how_many: u32) {
        self.counts[digit] += how_many;
        self.update_below(digit, |above| *above += how_many);
    }

    /// Removes one occurrence, which must exist.
    fn remove(&mut self, digit: usize) {
        self.counts[digit] -= 1;
        self.update_below(digit, |above| *above -= 1);
    }

    fn update_below(&mut self, digit: usize, change: impl Fn(&mut u32)) {
        let group = digit / GROUP_DIGITS;
        self.above_in_group[group * GROUP_DIGITS..digit].iter_mut().for_each(&change);
        self.above_group[..group].iter_mut().for_each(&change);
    }

    /// The number of occurrences with a higher digit.
    fn above(&self, digit: usize) -> i64 {
        i64::from(self.above_in_group[digit]) + i64::from(self.above_group[digit / GROUP_DIGITS])
    }
}

impl Tree {
    fn add(&mut self, score: i64, place: u32, how_many: u32) {
        let digit = digit(score, place);
        if let Self::Empty = self {
            *self = match place {
                0 => Self::Sparse(Vec::new()),
                _ => Self::Inner(Arc::new(Inner { digits: Digits::new(), below: [const { Self::Empty }; 256] })),
            };
        }
        match self {
            Self::Empty => {}
            Self::Inner(inner) => {
                let inner = Arc::make_mut(inner);
                inner.digits.add(digit, how_many);
                inner.below[digit].add(score, place - 1, how_many);
            }
            Self::Dense(digits) => digits.add(digit, how_many),
            Self::Sparse(words) => match words.binary_search_by_key(&digit, |word| (word >> 24) as usize) {
                Ok(at) if (words[at] & MAX_SPARSE_COUNT).saturating_add(how_many) <= MAX_SPARSE_COUNT => {
                    words[at] += how_many
                }
                Err(at) if words.len() < MAX_SPARSE_SCORES && how_many <= MAX_SPARSE_COUNT => {
                    words.insert(at, (digit as u32) << 24 | how_many);
                }
                _ => {
                    let mut digits = Box::new(Digits::new());
                    for word in words.iter() {
                        digits.add((word >> 24) as usize, word & MAX_SPARSE_COUNT);
                    }
                    digits.add(digit, how_many);
                    *self = Self::Dense(digits);
                }
            },
        }
    }

    /// Removes one occurrence. Returns false, without a change, if there is none.
    fn remove(&mut self, score: i64, place: u32) -> bool {
        let digit = digit(score, place);
        match self {
            Self::Empty => false,
            Self::Inner(inner) => {
                let inner = Arc::make_mut(inner);
                let is_removed = inner.digits.counts[digit] > 0 && inner.below[digit].remove(score, place - 1);
                if is_removed {
                    inner.digits.remove(digit);
                }
                if inner.digits.counts[digit] == 0 {
                    inner.below[digit] = Self::Empty;
                }
                is_removed
            }
            Self::Dense(digits) => {
                let is_removed = digits.counts[digit] > 0;
                if is_removed {
                    digits.remove(digit);
                }
                is_removed
            }
            Self::Sparse(words) => match words.binary_search_by_key(&digit, |word| (word >> 24) as usize) {
                Ok(at) => {
                    words[at] -= 1;
                    if words[at] & MAX_SPARSE_COUNT == 0 {
                        words.remove(at);
                    }
                    true
                }
                Err(_) => false,
            },
        }
    }

    fn above(&self, score: i64, place: u32) -> i64 {
        let digit = digit(score, place);
        match self {
            Self::Empty => 0,
            Self::Inner(inner) => inner.digits.above(digit) + inner.below[digit].above(score, place - 1),
            Self::Dense(digits) => digits.above(digit),
            Self::Sparse(words) => {
                let from = words.partition_point(|word| (word >> 24) as usize <= digit);
                words[from..].iter().map(|word| i64::from(word & MAX_SPARSE_COUNT)).sum()
            }
        }
    }

    /// Finds the score with `left` higher scores below this node; `above` scores are higher than all of them.
    fn nth(&self, place: u32, prefix: i64, mut left: i64, mut above: i64) -> Option<RankedScore> {
        let score = |digit: usize| prefix | (digit as i64) << (8 * place);
        let counts = |digit: usize| match self {
            Self::Empty => 0,
            Self::Inner(inner) => inner.digits.counts[digit],
            Self::Dense(digits) => digits.counts[digit],
            Self::Sparse(words) => words
                .binary_search_by_key(&digit, |word| (word >> 24) as usize)
                .map_or(0, |at| words[at] & MAX_SPARSE_COUNT),
        };
        for digit in (0..256).rev() {
            let equal = i64::from(counts(digit));
            if left < equal {
                return match self {
                    Self::Inner(inner) => inner.below[digit].nth(place - 1, score(digit), left, above),
                    _ => Some(RankedScore { score: score(digit), above, equal }),
                };
            }
            left -= equal;
            above += equal;
        }
        None
    }

    /// Visits each score below this node with its count. `above` holds the higher digits.
    fn for_each(&self, place: u32, above: i64, visit: &mut impl FnMut(i64, u32)) {
        let score = |digit: usize| above | (digit as i64) << (8 * place);
        match self {
            Self::Empty => {}
            Self::Inner(inner) => {
                (0..).zip(&inner.below).for_each(|(digit, below)| below.for_each(place - 1, score(digit), visit));
            }
            Self::Dense(digits) => (0..).zip(&digits.counts).for_each(|(digit, &count)| visit(score(digit), count)),
            Self::Sparse(words) => {
                words.iter().for_each(|word| visit(score((word >> 24) as usize), word & MAX_SPARSE_COUNT));
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Inner(inner) => size_of::<Inner>() + inner.below.iter().map(Self::heap_bytes).sum::<usize>(),
            Self::Sparse(words) => words.capacity() * size_of::<u32>(),
            Self::Dense(_) => size_of::<Digits>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rank_by_sorting(scores: &[i64], score: i64) -> Option<i64> {
        (score > 0).then(|| 1 + scores.iter().filter(|&&other| other > score).count() as i64)
    }

    fn score() -> impl Strategy<Value = i64> {
        prop_oneof![4 => 0..40_i64, 3 => 0..70_000_i64, 2 => 0..1_000_000_000_i64, 1 => -3..MAX_SCORE]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ranks_equal_those_of_a_sorted_list_after_any_changes(
            first in prop::collection::vec(score(), 1..300),
            changes in prop::collection::vec((any::<prop::sample::Index>(), score()), 0..300),
        ) {
            let mut scores = first;
            let mut counts: ScoreCounts = scores.iter().copied().collect();
            for (who, new) in changes {
                let who = who.index(scores.len());
                counts.change(scores[who], new);
                scores[who] = new;
                prop_assert_eq!(counts.rank(new), rank_by_sorting(&scores, new));
            }
            prop_assert_eq!(counts.ranked(), scores.iter().filter(|&&score| score > 0).count() as i64);
            for &score in &scores {
                for near in score - 1..=score + 1 {
                    prop_assert_eq!(counts.rank(near), rank_by_sorting(&scores, near), "{}", near);
                }
            }
            scores.retain(|&score| score > 0);
            scores.sort_by_key(|&score| std::cmp::Reverse(score));
            for (place, &score) in (0..).zip(&scores) {
                let count = |is: fn(&i64, &i64) -> bool| scores.iter().filter(|other| is(other, &score)).count() as i64;
                let nth = RankedScore { score, above: count(i64::gt), equal: count(i64::eq) };
                prop_assert_eq!(counts.nth(place), Some(nth));
            }
            prop_assert_eq!(counts.nth(scores.len() as i64), None);
        }

        #[test]
        fn merged_sets_equal_the_whole(
            one in prop::collection::vec(score(), 0..400),
            other in prop::collection::vec(score(), 0..400),
        ) {
            let whole: ScoreCounts = one.iter().chain(&other).copied().collect();
            let mut merged: ScoreCounts = one.iter().copied().collect();
            merged.merge(&other.iter().copied().collect());
            prop_assert_eq!(merged.ranked(), whole.ranked());
            for &score in one.iter().chain(&other) {
                prop_assert_eq!(merged.rank(score), whole.rank(score), "{}", score);
            }
        }
    }

    #[test]
    fn percentile_is_the_share_at_or_below_with_one_decimal() {
        let counts: ScoreCounts = [50, 30, 30, 10, 5, 0].into_iter().collect();
        assert_eq!(counts.percentile(50), Some(100.0));
        assert_eq!(counts.percentile(30), Some(80.0));
        assert_eq!(counts.percentile(5), Some(20.0));
        assert_eq!(counts.percentile(0), None);
        let thirds: ScoreCounts = [1, 2, 3].into_iter().collect();
        assert_eq!(thirds.percentile(2), Some(66.7));
        assert_eq!(ScoreCounts::default().percentile(7), None);
    }

    #[test]
    fn removing_a_missing_score_has_no_effect() {
        let mut counts: ScoreCounts = [7].into_iter().collect();
        counts.change(8, 0);
        assert_eq!((counts.ranked(), counts.rank(7), counts.rank(3)), (1, Some(1), Some(2)));
    }

    #[test]
    fn large_counts_and_full_leaves_are_counted() {
        let mut counts = ScoreCounts::default();
        counts.add(5, MAX_SPARSE_COUNT);
        counts.add(5, 2);
        for score in 1..=255 {
            counts.add(score, 1);
        }
        assert_eq!(counts.rank(4), Some(1 + 251 + i64::from(MAX_SPARSE_COUNT) + 2));
        for score in 1..=255 {
            counts.change(score, 0);
        }
        assert_eq!(counts.ranked(), i64::from(MAX_SPARSE_COUNT) + 2);
    }

    #[test]
    fn a_clone_is_independent() {
        let mut counts: ScoreCounts = (1..2_000).collect();
        let before = counts.clone();
        counts.change(5, 70_000);
        counts.change(900, 0);
        assert_eq!((before.rank(900), before.rank(5), before.ranked()), (Some(1_100), Some(1_995), 1_999));
        assert_eq!((counts.rank(900), counts.rank(5), counts.ranked()), (Some(1_101), Some(1_995), 1_998));
    }
}
