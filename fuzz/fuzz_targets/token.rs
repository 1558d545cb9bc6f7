//! Verifies arbitrary text as a token: rejected unless it is valid, and rejected after a change of any byte.

#![no_main]

use std::sync::LazyLock;

use apogee::domain::times::EpochMillis;
use apogee::domain::tokens::TokenSigner;
use libfuzzer_sys::fuzz_target;

const NOW: EpochMillis = EpochMillis(1_760_000_000_000);
static SIGNER: LazyLock<TokenSigner> = LazyLock::new(|| TokenSigner::new("0123456789abcdef0123456789abcdef"));
static GOOD: LazyLock<String> = LazyLock::new(|| SIGNER.issue("1", "s", "t", NOW).expect("a token"));

fuzz_target!(|input: (&str, u8, u8)| {
    let (text, place, by) = input;
    assert!(SIGNER.verify(text, NOW).is_err() || text == *GOOD);
    assert!(SIGNER.verify_for_refresh(text, NOW).is_err() || text == *GOOD);
    let mut bytes = GOOD.clone().into_bytes();
    let at = usize::from(place) % bytes.len();
    bytes[at] ^= by & 0x7f;
    let changed = String::from_utf8_lossy(&bytes).into_owned();
    // The last letter of a part has unused bits; changing only those decodes to the same bytes.
    if let (Ok(read), Ok(good)) = (SIGNER.verify(&changed, NOW), SIGNER.verify(&GOOD, NOW)) {
        assert_eq!(read, good);
    }
});
