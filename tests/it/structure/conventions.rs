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
    let mut open = ["src", "benches", "docs", "tests/it", "frontend/src"].map(|dir| root().join(dir)).to_vec();
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => open.push(path),
                Some("rs" | "ts" | "tsx" | "md") => files.push(path),
                _ => {}
            }
        }
    }
    // This file contains the words.
    files.retain(|path| !path.ends_with("conventions.rs"));
    let name = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Returns the banned words of a line, which match as whole identifiers or words.
fn banned(line: &str) -> Vec<&'static str> {
    const IDENTIFIERS: [&str; 12] = [
        "Shelf",
        "Shelves",
        "Desk",
        "Errand",
        "Teller",
        "Told",
        "Footing",
        "Packing",
        "Supervisor",
        "Sorted",
        "SampleBox",
        "EventsTold",
    ];
    const PHRASES: [&str; 9] = [
        "anew",
        "whoever",
        "put right",
        "by now",
        "comes to stand",
        "let itself",
        "shut out",
        "by itself",
        "by themselves",
    ];
    let is_word = |at: Option<char>| at.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let has = |text: &str, word: &str| {
        text.match_indices(word)
            .any(|(at, _)| !is_word(text[..at].chars().next_back()) && !is_word(text[at + word.len()..].chars().next()))
    };
    let lower = line.to_lowercase();
    let identifiers = IDENTIFIERS.into_iter().filter(|word| has(line, word));
    identifiers.chain(PHRASES.into_iter().filter(|phrase| has(&lower, phrase))).collect()
}

#[test]
fn banned_words_match_whole_words() {
    assert_eq!(banned("struct Desk; // written anew"), ["Desk", "anew"]);
    assert!(banned("the Desktop renewed by itself_id").is_empty());
}

#[test]
fn the_vocabulary_is_standard() {
    let mut found = Vec::new();
    for (file, text) in written() {
        for (number, line) in text.lines().enumerate() {
            found.extend(banned(line).iter().map(|word| format!("{file}:{}: {word:?}", number + 1)));
        }
    }
    assert!(found.is_empty(), "words that the project replaced by standard terms:\n{}", found.join("\n"));
}
