//! Invalid settings and files: exit code, and an error that names the problem.

use std::path::Path;
use std::process::{Command, Output};

fn serve(dir: &Path, envs: &[(&str, &str)]) -> Output {
    let mut command = Command::new(crate::support::server::binary());
    command.env_clear().envs(envs.iter().copied()).env("APOGEE_DATA_DIR", dir);
    if !envs.iter().any(|(name, _)| *name == "APOGEE_LISTEN") {
        command.env("APOGEE_LISTEN", "127.0.0.1:0");
    }
    // A server that starts anyway runs into the test's time limit.
    command.arg("serve").output().unwrap()
}

/// The error of a start with an invalid setting.
#[track_caller]
fn error_of(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty());
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 1, "{said}");
    lines[0].strip_prefix("apogee: ").unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[test]
fn an_invalid_setting_prevents_the_start_and_is_named() {
    for (env, value, key) in [
        ("APOGEE_LISTEN", "nowhere", "listen"),
        ("APOGEE_DATABASE_URL", "mysql://h/d", "database-url"),
        ("APOGEE_PUBLIC_URL", "stats.example", "public-url"),
        ("APOGEE_DISCORD_PUBLIC_KEY", "xyz", "discord.public-key"),
        ("APOGEE_DISCORD_CLIENT_ID", "my app", "discord.client-id"),
        ("APOGEE_DISCORD_API_URL", "discord.com", "discord.api-url"),
        ("APOGEE_GAME_SITE_URL", "ftp://example.org", "game-site-url"),
        ("APOGEE_GITHUB_REPOS", "just-a-name", "github.repos"),
        ("APOGEE_ADMIN_DISCORD_IDS", "ada", "admin-discord-ids"),
        ("APOGEE_TRUSTED_PROXIES", "proxy.example", "trusted-proxies"),
        ("APOGEE_UPLOADS_URL", "ftp://h/d", "uploads-url"),
        ("APOGEE_LOG", "apogee=loud", "log"),
        ("APOGEE_LOG_FORMAT", "xml", "log-format"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let sentence = error_of(&serve(dir.path(), &[(env, value)]));
        assert!(sentence.starts_with(&format!("invalid {key} ")) && sentence.contains(value), "{sentence}");
    }
}

#[test]
fn an_error_in_the_file_is_one_sentence_with_line_and_key() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("apogee.toml");
    for (text, expected) in [
        ("log = \"info\"\nlisen = \"x\"\n", "line 2, lisen: unknown field"),
        ("[limits]\nreads = \"many\"\n", "line 2, limits.reads: invalid type"),
        ("[discord]\nbot-token = \"hush\nx = 1\n", "line 2, discord.bot-token: "),
    ] {
        std::fs::write(&path, text).unwrap();
        let sentence = error_of(&serve(dir.path(), &[]));
        assert!(sentence.contains(expected) && sentence.contains("apogee.toml"), "{sentence}");
        assert!(!sentence.contains('|') && !sentence.contains("hush"), "{sentence}");
    }
}

#[test]
fn a_data_directory_that_is_a_file_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    std::fs::write(&file, "").unwrap();
    for data_dir in [file.clone(), file.join("below")] {
        let sentence = error_of(&serve(&data_dir, &[]));
        assert!(sentence.starts_with("invalid data-dir ") && sentence.contains(" file"), "{sentence}");
        assert!(!sentence.contains("apogee.toml"), "{sentence}");
    }
}

#[test]
fn an_import_names_the_line_that_an_editor_shows() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.csv");
    std::fs::write(&file, "\u{feff}handle,player_name\r\nAnn-1,Ann\r\n\r\nb@d,Bad\r\nBob-2,Bob\r\nshort\r\n").unwrap();
    let output = Command::new(crate::support::server::binary())
        .env_clear()
        .args(["import", "players", file.to_str().unwrap(), "--data-dir"])
        .arg(dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let named: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("line ")?.split(':').next()).collect();
    assert_eq!(named, ["4", "6"], "{said}");
}
