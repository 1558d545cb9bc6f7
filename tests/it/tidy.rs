//! What no compiler checks: who imports whom, pairs of migrations, SQL in its room, headers and sizes.

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
    assert!(found.len() > 100, "the sources are not found any more");
    found
}

/// The room of a file: the first part of its path.
fn room(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

/// Backticked names of a cell.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}

/// The import table of `ARCHITECTURE.md`: what each room may import.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut table = BTreeMap::new();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("| room | may import from the crate |")).skip(2);
    for line in lines.by_ref().take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [rooms, imports] = cells[..] else { panic!("two cells a row: {line}") };
        for room in names(rooms) {
            assert!(table.insert(room.clone(), names(imports)).is_none(), "{room} stands there twice");
        }
    }
    assert!(table.len() > 15, "the import table is not found any more");
    table
}

/// The rooms that a text names as `crate::room` or `crate::{room, …}`, outside of comments.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| if line.trim_start().starts_with("//") { "" } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    let mut rooms = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(group) => rooms.extend(firsts(group)),
            None => rooms.extend(word(rest)),
        }
    }
    rooms
}

fn word(text: &str) -> Option<String> {
    let word: String = text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// The first names of a group `a, b::{c, d}, e}`.
fn firsts(group: &str) -> BTreeSet<String> {
    let (mut depth, mut start, mut found) = (0, 0, BTreeSet::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 0 => {
                found.extend(word(&group[start..at]));
                start = at + 1;
            }
            '}' if depth == 0 => {
                found.extend(word(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    found
}

#[test]
fn the_reader_of_imports_sees_every_form() {
    let text = "use crate::a::b;\nuse crate::{c, d::{e, f}, g};\n// crate::no\nlet x = crate::h::i();\n$crate::j!()";
    let expected: BTreeSet<String> = ["a", "c", "d", "g", "h", "j"].map(ToOwned::to_owned).into();
    assert_eq!(imports(text), expected);
}

#[test]
fn rooms_import_only_what_the_table_allows() {
    let allowed = allowed();
    let mut against = Vec::new();
    for (file, text) in sources() {
        let room = room(&file);
        if room == "lib" || room == "main" {
            continue;
        }
        let Some(may) = allowed.get(room) else { panic!("{file}: its room is not in the table of ARCHITECTURE.md") };
        for import in imports(&text) {
            if import != room && !may.contains(&import) {
                against.push(format!("{file} imports {import}"));
            }
        }
        // Three steps up leave any room by the back door.
        if text.contains("super::super::super::") {
            against.push(format!("{file} climbs out of its room"));
        }
    }
    assert!(against.is_empty(), "against the table of ARCHITECTURE.md:\n{}", against.join("\n"));
}

#[test]
fn the_table_names_only_rooms_that_are_there() {
    let sources = sources();
    let rooms: BTreeSet<&str> = sources.iter().map(|(file, _)| room(file)).collect();
    for (room, may) in allowed() {
        for name in may.iter().chain([&room]) {
            assert!(rooms.contains(name.as_str()), "{name}, in the row of {room}, is no room");
        }
    }
}

#[test]
fn doors_never_import_each_other() {
    let doors = ["cli", "routes", "jobs"];
    for (room, may) in allowed() {
        for door in doors {
            let is_wiring = room == "server" || room == "main";
            assert!(!may.contains(door) || is_wiring, "{room} may not import the door {door}");
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
fn sql_stays_in_the_store() {
    let signs = [
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
    for (file, text) in sources().iter().filter(|(file, _)| room(file) != "store") {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for sign in signs {
                assert!(!line.contains(sign), "src/{file}:{}: {sign:?} belongs into src/store", number + 1);
            }
        }
    }
}

/// What one reads in a sitting, with some room to grow.
const LONGEST: usize = 450;

#[test]
fn files_are_read_in_one_sitting() {
    for (file, text) in sources().iter().filter(|(file, _)| file != "store/schema.rs") {
        let lines = text.lines().count();
        assert!(lines <= LONGEST, "src/{file} has {lines} lines: more than {LONGEST} become a folder, split by act");
    }
}

#[test]
fn every_room_says_what_it_is() {
    for (file, text) in sources() {
        if file == "store/schema.rs" {
            continue;
        }
        let is_room = file.ends_with("/mod.rs") && file.matches('/').count() == 1;
        let is_test = file.contains("/tests") || text.contains("use super::*;") && file.ends_with("tests.rs");
        assert!(text.starts_with("//! ") || is_test, "src/{file} begins with a sentence on what it is");
        if is_room {
            let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
            assert!(header.join(" ").contains("ever "), "src/{file}: its header says what must never be here");
        }
    }
}
