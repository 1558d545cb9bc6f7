//! Reproducible randomness: hashes, permutations and long-tailed distributions, derived from a seed.

/// Hashes a seed and a position to 64 bits.
pub(super) fn mix(seed: u64, place: u64) -> u64 {
    let mut x = seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The same, in `0.0..1.0`.
pub(super) fn unit(seed: u64, place: u64) -> f64 {
    (mix(seed, place) >> 11) as f64 / (1u64 << 53) as f64
}

/// Successive choices that follow from a seed.
pub(super) struct Choices {
    seed: u64,
    made: u64,
}

impl Choices {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, made: 0 }
    }

    /// A number in `0..below`; `below` must not be 0.
    pub(super) fn below(&mut self, below: usize) -> usize {
        self.made += 1;
        (mix(self.seed, self.made) % below as u64) as usize
    }

    pub(super) fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

/// A permutation of `0..size` with random access and without memory.
pub(super) fn permuted(seed: u64, place: u64, size: u64) -> u64 {
    // A prime that divides no size in use. Its product with a place below five billion fits.
    const FACTOR: u64 = 2_654_435_761;
    (place * FACTOR + seed % size) % size
}

/// A position in `0..size` with a long tail: low positions are more frequent, and more so with a larger `bend`.
pub(super) fn long_tail(chance: f64, size: usize, bend: f64) -> usize {
    ((chance.powf(bend) * size as f64) as usize).min(size.saturating_sub(1))
}

/// Draws from a list that is ordered by popularity.
pub(super) fn popular<T: Copy>(list: &[T], chance: f64) -> T {
    list[long_tail(chance, list.len(), 1.9)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_reaches_every_place() {
        for size in [1u64, 2, 3, 10, 1000, 4097] {
            let mut seen = vec![false; size as usize];
            for place in 0..size {
                let at = permuted(u64::MAX, place, size) as usize;
                assert!(!std::mem::replace(&mut seen[at], true), "{size} {place}");
            }
        }
        assert!(permuted(u64::MAX, 4_999_999_999, 5_000_000_000) < 5_000_000_000);
    }

    #[test]
    fn long_tails_stay_in_range_and_prefer_low_positions() {
        assert_eq!(long_tail(1.0, 10, 2.0), 9);
        assert_eq!(long_tail(0.0, 10, 2.0), 0);
        assert_eq!(long_tail(0.5, 100, 2.0), 25);
    }
}
