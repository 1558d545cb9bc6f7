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

/// A number in `0..below`; `below` must not be 0.
pub(super) fn below(seed: u64, place: u64, below: usize) -> usize {
    (mix(seed, place) % below as u64) as usize
}

/// A permutation of `0..size` with random access and without memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shuffle {
    seed: u64,
    size: u64,
    half_bits: u32,
}

impl Shuffle {
    pub(super) fn new(seed: u64, size: u64) -> Self {
        let bits = 64 - size.max(2).saturating_sub(1).leading_zeros();
        Self { seed, size, half_bits: bits.div_ceil(2) }
    }

    /// The image of `place`, which is below the size.
    pub(super) fn at(&self, place: u64) -> u64 {
        let mut x = place;
        // The Feistel network permutes the next power of four; cycle walking restricts it to the range.
        loop {
            x = self.network(x);
            if x < self.size.max(1) {
                return x;
            }
        }
    }

    fn network(&self, x: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let (mut left, mut right) = (x >> self.half_bits, x & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (mix(self.seed ^ (round << 56), right) & mask));
        }
        (left << self.half_bits) | right
    }
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
    fn a_shuffle_is_a_permutation() {
        for size in [1u64, 2, 3, 10, 1000, 4097] {
            let shuffle = Shuffle::new(7, size);
            let mut seen = vec![false; size as usize];
            for place in 0..size {
                let at = shuffle.at(place) as usize;
                assert!(!std::mem::replace(&mut seen[at], true), "{size} {place}");
            }
        }
    }

    #[test]
    fn long_tails_stay_in_range_and_prefer_low_positions() {
        assert_eq!(long_tail(1.0, 10, 2.0), 9);
        assert_eq!(long_tail(0.0, 10, 2.0), 0);
        assert_eq!(long_tail(0.5, 100, 2.0), 25);
    }
}
