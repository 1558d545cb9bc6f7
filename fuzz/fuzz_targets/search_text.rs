//! Searches for arbitrary text: no panic, and no more results than requested.

#![no_main]

use std::sync::LazyLock;

use apogee::search::{Change, Entry, Kind, SearchIndex};
use libfuzzer_sys::fuzz_target;

static INDEX: LazyLock<SearchIndex> = LazyLock::new(|| {
    let dir = std::env::temp_dir().join(format!("apogee-fuzz-search-{}", std::process::id()));
    let (index, _) = SearchIndex::open(&dir).expect("an index");
    let entry = |n: i64, name: &str| Entry {
        kind: if n % 3 == 0 { Kind::Guild } else { Kind::Player },
        id: n,
        key: format!("{name}{n}"),
        name: name.to_owned(),
        former: Vec::new(),
        org_short: None,
        score: n,
        member_count: 3,
        is_claimed: false,
    };
    let names = ["Ada", "Zoë", "ångström", "名前", "x_x", "A-B-C", "🚀 crew", "the long name of a guild"];
    let changes = (0..400).map(|n| Change::Put(entry(n, names[n as usize % names.len()]))).collect();
    index.apply(changes, 1).expect("entries");
    index.flush().expect("a write");
    index
});

fuzz_target!(|text: &str| {
    for kind in [Kind::Player, Kind::Guild] {
        let hits = INDEX.suggest(kind, text, 8).expect("an answer");
        assert!(hits.len() <= 8);
    }
});
