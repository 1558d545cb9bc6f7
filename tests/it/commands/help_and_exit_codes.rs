//! Help, exit codes and output for scripts.

use std::process::{Command, Output};

use crate::support::*;

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
fn every_command_has_help_with_an_example() {
    let commands = listed(&out(&apogee(&["--help"])));
    for name in ["serve", "demo", "watch", "import", "export", "backup", "restore", "reindex", "check", "key", "bot"] {
        assert!(commands.iter().any(|c| c == name), "{name} in {commands:?}");
    }
    for command in commands {
        let help = out(&apogee(&[&command, "--help"]));
        assert!(help.contains("Example"), "{command}: {help}");
        for below in listed(&help) {
            let help = out(&apogee(&[&command, &below, "--help"]));
            assert!(help.contains("Example"), "{command} {below}: {help}");
        }
    }
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
    let completions = out(&apogee(&["completions", "bash"]));
    let dir = tempfile::tempdir().unwrap();
    assert!(apogee(&["man", "--dir", dir.path().to_str().unwrap()]).status.success());
    for command in commands {
        assert!(completions.contains(&command), "{command}");
        assert!(dir.path().join(format!("apogee-{command}.1")).exists(), "{command}");
    }
}

on_both!(keys_are_created_listed_and_revoked_beside_a_running_site);

async fn keys_are_created_listed_and_revoked_beside_a_running_site(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("my reader");
    server.take(&key, &npc_kills("Ann-1", 1, now() - DAY)).await;
    let listed: serde_json::Value = serde_json::from_str(&server.command(&["key", "list", "--json"])).unwrap();
    assert_eq!((&listed[0]["name"], &listed[0]["revoked_at"]), (&"my reader".into(), &serde_json::Value::Null));
    assert!(!server.command(&["key", "list"]).contains(&key), "a key is printed only once");
    server.command(&["key", "revoke", "my reader"]);
    let began = std::time::Instant::now();
    while server.try_send(&key, &[]).await.status != 401 {
        assert!(began.elapsed().as_secs() < 120, "a revoked key still works");
    }
    let listed: serde_json::Value = serde_json::from_str(&server.command(&["key", "list", "--json"])).unwrap();
    assert!(listed[0]["revoked_at"].is_i64());
}
