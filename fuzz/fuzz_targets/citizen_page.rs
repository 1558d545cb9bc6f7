//! Parses arbitrary pages as a citizen's page: in bounded time and without a panic.
//! `make fuzz TARGET=citizen_page` starts from the sample pages.

#![no_main]

use std::sync::LazyLock;

use apogee::upstream::game_site::{has_code, parse_citizen};
use libfuzzer_sys::fuzz_target;
use reqwest::Url;

static BASE: LazyLock<Url> = LazyLock::new(|| Url::parse("https://game.example/").expect("an address"));

fuzz_target!(|page: &str| {
    if let Ok(citizen) = parse_citizen(page, &BASE) {
        // The parsed values can be compared and stored.
        assert!(!citizen.handle.as_str().is_empty());
        has_code(&citizen.bio_lines, "APOGEE-0000-0000-0000");
    }
});
