//! Exit codes, completions and manual pages.

use std::process::{Command, Output};

use crate::support::run_command;

/// Runs the real binary.
fn apogee(args: &[&str]) -> Output {
    Command::new(crate::support::server::binary()).env_clear().args(args).output().unwrap()
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
        let ended = run_command(args, &[]);
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.error);
    }
    let failing: [&[&str]; 3] = [
        &["restore", "/nowhere.tar.zst", "--data-dir", data],
        &["backup", "/nowhere/x.tar.zst", "--data-dir", data],
        &["key", "revoke", "nobody", "--data-dir", data],
    ];
    for args in failing {
        let ended = run_command(args, &[]);
        assert_eq!(ended.code, 1, "{args:?}: {}", ended.error);
        assert_eq!(ended.error.trim_end().lines().count(), 1, "{args:?}: {}", ended.error);
        assert!(!ended.error.contains("Error {"), "{args:?}: {}", ended.error);
    }
    // The program ends with the code of the command.
    for (args, code) in [(wrong[1], 2), (wrong[2], 2), (failing[2], 1)] {
        let output = apogee(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(!said.contains("panicked"), "{args:?}: {said}");
    }
}

#[test]
fn completions_and_manual_pages_contain_every_command() {
    let commands = listed(&String::from_utf8_lossy(&apogee(&["--help"]).stdout));
    assert!(commands.len() > 10, "{commands:?}");
    let completions = run_command(&["completions", "bash"], &[]).output;
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run_command(&["man", "--dir", dir.path().to_str().unwrap()], &[]).code, 0);
    for command in commands {
        assert!(completions.contains(&command), "{command}");
        assert!(dir.path().join(format!("apogee-{command}.1")).exists(), "{command}");
    }
}
