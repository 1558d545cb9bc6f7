//! Rules that the compiler does not check: the import table of ARCHITECTURE.md, pairs of migrations, SQL only in `store`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Rust files of `src`, as `(path below src, text)`.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![root().join("src")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root().join("src")).unwrap().display().to_string();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 100, "too few source files found");
    found
}

/// The top-level module of a file: the first part of its path.
fn module_of(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

/// Parses the backticked names of a table cell.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}

/// Reads the import table of `ARCHITECTURE.md`: the modules that each module may import.
fn allowed_imports() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut table = BTreeMap::new();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("| module | may import from the crate |")).skip(2);
    for line in lines.by_ref().take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [modules, imports] = cells[..] else { panic!("expected two cells: {line}") };
        for module in names(modules) {
            assert!(table.insert(module.clone(), names(imports)).is_none(), "{module} has two rows");
        }
    }
    assert!(table.len() > 15, "the import table was not found");
    table
}

/// Returns the modules that a source names as `crate::module` or `crate::{module, …}`, except in comments.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| if line.trim_start().starts_with("//") { "" } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    let mut modules = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(group) => modules.extend(group_heads(group)),
            None => modules.extend(identifier(rest)),
        }
    }
    modules
}

fn identifier(text: &str) -> Option<String> {
    let word: String = text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// Returns the first name of each path in a group such as `a, b::{c, d}, e}`.
fn group_heads(group: &str) -> BTreeSet<String> {
    let (mut depth, mut start, mut found) = (0, 0, BTreeSet::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 0 => {
                found.extend(identifier(&group[start..at]));
                start = at + 1;
            }
            '}' if depth == 0 => {
                found.extend(identifier(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    found
}

#[test]
fn every_form_of_import_is_parsed() {
    let text = "use crate::a::b;\nuse crate::{c, d::{e, f}, g};\n// crate::no\nlet x = crate::h::i();\n$crate::j!()";
    let expected: BTreeSet<String> = ["a", "c", "d", "g", "h", "j"].map(ToOwned::to_owned).into();
    assert_eq!(imports(text), expected);
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let allowed = allowed_imports();
    let mut violations = Vec::new();
    for (file, text) in sources() {
        let module = module_of(&file);
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(may) = allowed.get(module) else { panic!("{file}: its module has no row in ARCHITECTURE.md") };
        for import in imports(&text) {
            if import != module && !may.contains(&import) {
                violations.push(format!("{file} imports {import}"));
            }
        }
        // `super::super::super` leaves any top-level module without naming `crate`.
        if text.contains("super::super::super::") {
            violations.push(format!("{file} uses super::super::super"));
        }
    }
    assert!(violations.is_empty(), "imports that ARCHITECTURE.md does not allow:\n{}", violations.join("\n"));
}

#[test]
fn the_import_table_names_only_existing_modules() {
    let sources = sources();
    let modules: BTreeSet<&str> = sources.iter().map(|(file, _)| module_of(file)).collect();
    for (module, may) in allowed_imports() {
        for name in may.iter().chain([&module]) {
            assert!(modules.contains(name.as_str()), "{name}, in the row of {module}, is not a module");
        }
    }
}

#[test]
fn entry_points_never_import_each_other() {
    let entry_points = ["cli", "routes", "jobs"];
    for (module, may) in allowed_imports() {
        for entry_point in entry_points {
            let is_wiring = module == "server" || module == "main";
            assert!(!may.contains(entry_point) || is_wiring, "{module} may not import the entry point {entry_point}");
        }
    }
}

fn folders(path: &Path) -> BTreeSet<String> {
    std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn migrations_come_in_pairs() {
    let (sqlite, postgres) = (root().join("migrations/sqlite"), root().join("migrations/postgres"));
    let names = folders(&sqlite);
    assert!(!names.is_empty());
    assert_eq!(names, folders(&postgres));
    let expected: BTreeSet<String> = ["down.sql", "up.sql"].map(ToOwned::to_owned).into();
    for side in [&sqlite, &postgres] {
        for name in &names {
            assert_eq!(folders(&side.join(name)), expected, "{}", side.join(name).display());
        }
    }
    assert_eq!(folders(&root().join("migrations")), ["postgres", "sqlite"].map(ToOwned::to_owned).into());
}

#[test]
fn sql_is_only_in_the_store() {
    let markers = [
        "SELECT ",
        "INSERT INTO",
        "DELETE FROM",
        " SET ",
        "CREATE TABLE",
        "PRAGMA ",
        "sql_query",
        "diesel::prelude",
        "diesel::insert_into",
        "diesel::update",
        "diesel::delete",
        "diesel::dsl",
        "diesel::sql_types",
        "batch_execute",
    ];
    for (file, text) in sources().iter().filter(|(file, _)| module_of(file) != "store") {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for marker in markers {
                assert!(!line.contains(marker), "src/{file}:{}: {marker:?} belongs in src/store", number + 1);
            }
        }
    }
}

/// Files in which the vocabulary is checked, as `(path, text)`.
fn written() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = folders(root()).iter().map(|name| root().join(name)).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "md"));
    let directories =
        ["src", "benches", "docs", "fuzz/fuzz_targets", "tests/it", "tests/browser", "frontend/src", "locales/en"];
    let mut open = directories.map(|dir| root().join(dir)).to_vec();
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.ends_with("node_modules") => {}
                _ if path.is_dir() => open.push(path),
                Some("rs" | "ts" | "tsx" | "mjs" | "md" | "json") => files.push(path),
                _ => {}
            }
        }
    }
    // Of the data files, only the English texts; this file contains the words.
    files.retain(|path| path.extension().is_some_and(|e| e != "json") || path.starts_with(root().join("locales")));
    files.retain(|path| !path.ends_with("conventions.rs"));
    let name = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Names that no type may have; as words of a sentence they are allowed.
const BANNED_TYPES: &[&str] = &[
    "Asked",
    "Exit",
    "Gate",
    "Kept",
    "Ledger",
    "Left",
    "Lines",
    "Look",
    "Making",
    "Pace",
    "Packing",
    "Place",
    "Seat",
    "Seats",
    "Sorted",
    "Spot",
    "Standing",
    "Standings",
    "Taken",
    "Wire",
    "Wish",
];

/// Identifiers that were replaced by standard terms.
const BANNED_IDENTIFIERS: &[&str] = &[
    "EventsTold",
    "PATIENCE",
    "SampleBox",
    "StandIn",
    "UNCONFIRMED",
    "is_told",
    "nth_write",
    "put_back",
    "read_here",
    "stand_in",
    "tell_own",
];

/// Words that no identifier or sentence may contain: `shelf` also matches `Shelf`, `NewShelf`, `shelf_size` and `SHELF_SIZE`.
const BANNED_WORDS: &[&str] = &[
    "bell", "desk", "errand", "footing", "heard", "hears", "keeper", "mended", "shelf", "shelves", "tell", "teller",
    "telling", "tellings", "tells", "told",
];

/// Phrases of the former vocabulary, in lower case.
const BANNED_PHRASES: &[&str] = &[
    "anew",
    "any more",
    "are told",
    "asked for",
    "be told",
    "belongs to nobody",
    "by itself",
    "by now",
    "by themselves",
    "come to stand",
    "comes to stand",
    "given back",
    "gives back",
    "go on",
    "goes on",
    "in its place",
    "is refused",
    "is told",
    "let itself",
    "let themselves",
    "lets itself",
    "nobody else's",
    "nothing but",
    "of its own",
    "of their own",
    "on its way",
    "put right",
    "shut out",
    "somebody else",
    "take it along",
    "told apart",
    "was refused",
    "was told",
    "went on",
    "who asks",
    "who does not",
    "who goes",
    "who reads",
    "who writes",
    "whoever",
    "whomever",
    "without a word",
];

/// The word `told` is a former column, a JSON field and part of a stable hash, in these files only.
const FILES_WITH_TOLD: &[&str] = &[
    "frontend/src/api/types.ts",
    "src/domain/events/identity.rs",
    "src/views/reader.rs",
    "tests/it/commands/migrations.rs",
    "tests/it/reader/uploads.rs",
];

/// Splits a line into lower-case words; `RankCounts`, `rank_counts` and "rank counts" all give `rank` and `counts`.
fn words(line: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    let mut previous = ' ';
    for c in line.chars().chain([' ']) {
        let begins = !c.is_alphabetic() || c.is_uppercase() && !previous.is_uppercase();
        if begins && !word.is_empty() {
            words.insert(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    words
}

/// Whether the text contains the phrase between word boundaries.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(phrase)
        .any(|(at, _)| !is_word(text[..at].chars().next_back()) && !is_word(text[at + phrase.len()..].chars().next()))
}

/// Whether a line declares a type with this name.
fn declares(line: &str, name: &str) -> bool {
    let keywords = ["struct", "enum", "trait", "type", "interface"];
    line.contains(name) && keywords.iter().any(|keyword| has_phrase(line, &format!("{keyword} {name}")))
}

/// Whether a line says that something "is no" something else. "There is no" and "is no longer" are good English.
fn has_is_no(line: &str) -> bool {
    ["is no ", "are no ", "was no "].iter().any(|phrase| {
        line.match_indices(phrase).any(|(at, _)| {
            let (before, after) = (line[..at].trim_end(), &line[at + phrase.len()..]);
            let is_existence = ["there", "and", "if"].iter().any(|word| before.ends_with(word));
            !is_existence && !["longer", "more", "such"].iter().any(|word| after.starts_with(word))
        })
    })
}

/// Returns the banned words, identifiers and phrases of a line.
fn banned(line: &str) -> Vec<&'static str> {
    let (words, lower) = (words(line), line.to_lowercase());
    let mut found: Vec<&str> = BANNED_TYPES.iter().copied().filter(|name| declares(line, name)).collect();
    found.extend(BANNED_IDENTIFIERS.iter().filter(|word| has_phrase(line, word)));
    found.extend(BANNED_WORDS.iter().filter(|word| words.contains(**word)));
    found.extend(BANNED_PHRASES.iter().filter(|phrase| has_phrase(&lower, phrase)));
    found.extend(has_is_no(&lower).then_some("is no …"));
    found
}

#[test]
fn banned_words_match_identifiers_and_phrases() {
    assert_eq!(banned("struct Gate; // written anew"), ["Gate", "anew"]);
    assert_eq!(banned("fn shelf_size(desk: &NewTeller)"), ["desk", "shelf", "teller"]);
    assert_eq!(banned("that is no form of a log"), ["is no …"]);
    assert!(banned("the Desktop renewed by itself_id; there is no Gateway, and it is no longer used").is_empty());
}

#[test]
fn the_vocabulary_is_standard() {
    let mut found = Vec::new();
    for (file, text) in written() {
        for (number, line) in text.lines().enumerate() {
            let words =
                banned(line).into_iter().filter(|word| *word != "told" || !FILES_WITH_TOLD.contains(&file.as_str()));
            found.extend(words.map(|word| format!("{file}:{}: {word:?}", number + 1)));
        }
    }
    assert!(found.is_empty(), "words that the project replaced by standard terms:\n{}", found.join("\n"));
}
