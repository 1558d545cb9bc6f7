//! Ids and keys that nobody can guess, and the form in which they are kept.

use rand::TryRngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};

/// Bytes from the operating system's source of chance.
pub fn bytes<const N: usize>() -> Result<[u8; N], <OsRng as TryRngCore>::Error> {
    let mut bytes = [0u8; N];
    OsRng.try_fill_bytes(&mut bytes)?;
    Ok(bytes)
}

/// The same as hexadecimal text of twice the length.
pub fn hex<const N: usize>() -> Result<String, <OsRng as TryRngCore>::Error> {
    Ok(text(&bytes::<N>()?))
}

/// SHA-256 of a text, as the database keeps it in place of what must not be read back.
pub fn hash(of: &str) -> String {
    text(&Sha256::digest(of.as_bytes()))
}

fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
