//! Claim codes and the limits on claim attempts.

use super::times::DAY_MS;

/// How long a code is valid, in milliseconds.
pub const CODE_TTL_MS: i64 = DAY_MS;
/// The window in which one user may start [`MAX_ATTEMPTS`] claims and verify [`MAX_ATTEMPTS`] times, in milliseconds.
pub const ATTEMPT_WINDOW_MS: i64 = 600_000;
pub const MAX_ATTEMPTS: usize = 5;

/// Letters and digits without the ones that look alike (0, O, 1, I).
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// The kind of entity that is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimKind {
    Player = 1,
    Guild = 2,
}

impl ClaimKind {
    /// The stored value in the table `claims`.
    pub fn code(self) -> i16 {
        self as i16
    }
}

/// A call to the game's site on behalf of a user. Each kind has its own limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimAttempt {
    Verify = 0,
    Start = 1,
}

impl ClaimAttempt {
    /// The stored value in the table `claim_attempts`.
    pub fn code(self) -> i16 {
        self as i16
    }
}

/// Formats random bytes as a code of 14 characters (70 bits).
pub fn code(random: [u8; 14]) -> String {
    let characters = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)]));
    std::iter::once("APOGEE-".to_owned()).chain(characters.map(String::from)).collect()
}

/// Milliseconds until the next attempt is allowed, or `None` if it is allowed now. `attempts` are times of earlier ones, oldest
/// first.
pub fn wait_ms(attempts: &[i64], now: i64) -> Option<i64> {
    let recent: Vec<i64> = attempts.iter().copied().filter(|at| now - at < ATTEMPT_WINDOW_MS).collect();
    let blocking = recent.len().checked_sub(MAX_ATTEMPTS)?;
    recent.get(blocking).map(|at| at + ATTEMPT_WINDOW_MS - now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_hold_at_least_sixty_bits_of_unambiguous_characters() {
        let code = code(std::array::from_fn(|i| (i * 37) as u8));
        let characters = code.strip_prefix("APOGEE-").unwrap();
        assert!(characters.len() >= 12 && characters.len() * 5 >= 60);
        assert!(characters.bytes().all(|b| ALPHABET.contains(&b) && !b"01OI".contains(&b)), "{code}");
    }

    #[test]
    fn the_sixth_attempt_in_ten_minutes_waits_for_the_first_to_expire() {
        let now = 1_000_000_000;
        assert_eq!(wait_ms(&[now - 5, now - 4, now - 3, now - 2], now), None);
        assert_eq!(wait_ms(&[now - 50, now - 4, now - 3, now - 2, now - 1], now), Some(ATTEMPT_WINDOW_MS - 50));
        assert_eq!(wait_ms(&[now - ATTEMPT_WINDOW_MS, now - 4, now - 3, now - 2, now - 1], now), None);
        assert_eq!(wait_ms(&[now - 9, now - 8, now - 4, now - 3, now - 2, now - 1], now), Some(ATTEMPT_WINDOW_MS - 8));
    }
}
