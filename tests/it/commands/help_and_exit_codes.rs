//! Exit codes, completions and manual pages.

use std::process::{Command, Output};

fn apogee(args: &[&str]) -> Output {
    Command::new(crate::support::server::binary()).env_clear().args(args).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Commands in a help text.
fn listed(help: &str) -> Vec<String> {
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names = commands
        .take_while(|line| !line.trim().is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(ToOwned::to_owned)
        .collect()
}

#[test]
fn wrong_usage_exits_with_2_and_failure_with_1_and_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let wrong: [&[&str]; 6] = [
        &[],
        &["fly"],
        &["export", "players", "x.odd", "--data-dir", data],
        &["import", "all", "x.csv", "--data-dir", data],
        &["demo", "--players", "0"],
        &["export", "players", "x.csv", "--data-dir", "/nowhere/at/all"],
    ];
    for args in wrong {
        let output = apogee(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let failing: [&[&str]; 3] = [
        &["restore", "/nowhere.tar.zst", "--data-dir", data],
        &["backup", "/nowhere/x.tar.zst", "--data-dir", data],
        &["key", "revoke", "nobody", "--data-dir", data],
    ];
    for args in failing {
        let output = apogee(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        let sentences: Vec<&str> = said.lines().filter(|line| line.starts_with("apogee: ")).collect();
        assert_eq!(sentences.len(), 1, "{args:?}: {said}");
        assert!(!said.contains("panicked") && !said.contains("Error {"), "{args:?}: {said}");
    }
}

#[test]
fn completions_and_manual_pages_contain_every_command() {
    let commands = listed(&out(&apogee(&["--help"])));
    assert!(commands.len() > 10, "{commands:?}");
    let completions = out(&apogee(&["completions", "bash"]));
    let dir = tempfile::tempdir().unwrap();
    assert!(apogee(&["man", "--dir", dir.path().to_str().unwrap()]).status.success());
    for command in commands {
        assert!(completions.contains(&command), "{command}");
        assert!(dir.path().join(format!("apogee-{command}.1")).exists(), "{command}");
    }
}
