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

/// The crates of this workspace that only some modules may import.
fn restricted_crates() -> BTreeSet<String> {
    let crates = folders(&root().join("crates")).into_iter().filter(|folder| !folder.starts_with("gamelog"));
    let name_of = |folder: String| {
        let manifest = std::fs::read_to_string(root().join("crates").join(folder).join("Cargo.toml")).unwrap();
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap();
        name.trim_end_matches('"').replace('-', "_")
    };
    crates.map(name_of).collect()
}

/// Returns the modules that a source names as `crate::module` or `crate::{module, …}`, and the crates that it names, except in comments.
fn imports(text: &str, crates: &BTreeSet<String>) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| if line.trim_start().starts_with("//") { "" } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    let is_named = |name: &&String| {
        let is_path = |before: &str| !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':');
        code.match_indices(&format!("{name}::")).any(|(at, _)| is_path(&code[..at]))
    };
    let mut modules: BTreeSet<String> = crates.iter().filter(is_named).cloned().collect();
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
fn modules_import_only_what_the_table_allows() {
    let (allowed, crates) = (allowed_imports(), restricted_crates());
    let mut violations = Vec::new();
    for (file, text) in sources() {
        let module = module_of(&file);
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(may) = allowed.get(module) else { panic!("{file}: its module has no row in ARCHITECTURE.md") };
        for import in imports(&text, &crates) {
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
    let mut modules = restricted_crates();
    modules.extend(sources().iter().map(|(file, _)| module_of(file).to_owned()));
    for (module, may) in allowed_imports() {
        for name in may.iter().chain([&module]) {
            assert!(modules.contains(name), "{name}, in the row of {module}, is not a module");
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
