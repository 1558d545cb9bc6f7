//! The list of all settings: what each is called in the file, in the environment and as a flag, and what it means.
//! The example file, `apogee check` and the README's table are made from it.

mod list;

use std::fmt::Write;
use std::path::PathBuf;

use super::{Flags, Settings, default_file};
use list::{STICKERS, TABLES, WEBHOOKS};

pub use list::KEYS;

/// One setting.
pub struct Key {
    /// Its name in the file; `table.key` below a table.
    pub name: &'static str,
    pub env: Option<&'static str>,
    pub flag: Option<&'static str>,
    pub doc: &'static str,
    /// The default as it stands in the file, or an example where there is none.
    pub example: &'static str,
    /// The value in use, as it may be shown.
    pub display: fn(&Settings) -> String,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Flag(&'static str),
    Environment(&'static str),
    File(PathBuf),
    Default,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "from {flag}"),
            Self::Environment(name) => write!(f, "from {name}"),
            Self::File(path) => write!(f, "from {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A setting with its value and origin.
#[derive(Debug, Clone)]
pub struct EffectiveSetting {
    pub name: &'static str,
    pub value: String,
    pub origin: Origin,
}

/// An address without the password in it.
pub fn redact_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let rest = match rest.rsplit_once('@') {
        Some((who, host)) => format!("{}:***@{host}", who.split(':').next().unwrap_or_default()),
        None => rest.to_owned(),
    };
    match rest.split_once("password=") {
        Some((before, after)) => {
            let after = after.split_once('&').map(|(_, more)| format!("&{more}")).unwrap_or_default();
            format!("{scheme}://{before}password=***{after}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

/// The settings file with every key, each with its default.
pub fn example() -> String {
    let mut out = String::from(
        "# Settings of Apogee. Every key, each with its default; take away the \"#: \" in front of those you change, and in\n\
         # front of the [table] they stand in. A flag or an environment variable wins over this file. Secrets belong here or in\n\
         # the environment, never in a flag. Made by `apogee check --example`.\n\n",
    );
    let mut open = "";
    for key in KEYS {
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if table != open {
            open = table;
            let about = TABLES.iter().find(|(known, _)| *known == table).map_or("", |(_, about)| about);
            // Writing to a String cannot fail.
            let _ = write!(out, "\n# {about}\n#: [{table}]\n");
        }
        let env = key.env.map(|env| format!(" ({env})")).unwrap_or_default();
        let _ = write!(out, "# {}{env}\n#: {name} = {}\n", key.doc, key.example);
    }
    out.push_str(STICKERS);
    out.push_str(WEBHOOKS);
    out
}

/// Every setting with its value, secrets masked, and where it came from. `arguments` are those of the command line.
pub fn effective_settings(settings: &Settings, flags: &Flags, arguments: &[String]) -> Vec<EffectiveSetting> {
    let path = flags.config.as_ref().map_or_else(|| default_file(&settings.data_dir), PathBuf::from);
    // The file was read and judged when the settings were; one that is gone since tells nothing.
    let file: toml::Table = std::fs::read_to_string(&path).ok().and_then(|text| text.parse().ok()).unwrap_or_default();
    let is_given =
        |flag: &str| arguments.iter().any(|a| a == flag || a.strip_prefix(flag).is_some_and(|r| r.starts_with('=')));
    let is_set = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let in_file = |name: &str| match name.split_once('.') {
        Some((table, key)) => file.get(table).and_then(|t| t.get(key)).is_some(),
        None => file.contains_key(name),
    };
    let origin = |key: &Key| match (key.flag, key.env) {
        (Some(flag), _) if is_given(flag) => Origin::Flag(flag),
        (_, Some(env)) if is_set(env) => Origin::Environment(env),
        _ if in_file(key.name) => Origin::File(path.clone()),
        _ => Origin::Default,
    };
    let mut effective: Vec<EffectiveSetting> = KEYS
        .iter()
        .map(|key| EffectiveSetting { name: key.name, value: (key.display)(settings), origin: origin(key) })
        .collect();
    let stickers = if file.contains_key("stickers") { Origin::File(path.clone()) } else { Origin::Default };
    effective.push(EffectiveSetting {
        name: "stickers",
        value: format!("{} of them", settings.stickers.len()),
        origin: stickers,
    });
    let webhooks = if settings.webhooks.is_empty() { Origin::Default } else { Origin::File(path) };
    effective.push(EffectiveSetting {
        name: "webhooks",
        value: format!("{} of them", settings.webhooks.len()),
        origin: webhooks,
    });
    effective
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Backups, ConfigFile, Limits, Retention, SiteTexts};
    use std::collections::BTreeSet;

    fn uncommented() -> String {
        example().lines().map(|line| line.strip_prefix("#: ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_example_file_is_the_one_in_assets() {
        let there = include_str!("../../../assets/apogee.example.toml");
        assert!(there == example(), "run: cargo run -- check --example > assets/apogee.example.toml");
    }

    #[test]
    fn the_example_file_is_taken_and_tells_the_defaults() {
        let file: ConfigFile = toml::from_str(&uncommented()).unwrap();
        assert_eq!(file.limits, Some(Limits::default()));
        assert_eq!(file.retention, Some(Retention::default()));
        assert_eq!(file.site, Some(SiteTexts::default()));
        let backups = file.backups.unwrap();
        assert_eq!((backups.every_hours, backups.keep), (Backups::default().every_hours, Backups::default().keep));
        let defaults = Settings::load(&Flags { data_dir: Some("./data".into()), ..Flags::default() }).unwrap();
        assert_eq!(file.listen, Some(defaults.listen.clone()));
        assert_eq!(file.database_url, Some(defaults.database_url.clone()));
        assert_eq!(file.uploads_url, Some(defaults.uploads_url.clone()));
        assert_eq!(file.game_site_url, Some(defaults.game_site_url.clone()));
        assert_eq!(file.discord.api_url, Some(defaults.discord.api_url.clone()));
        assert_eq!(file.github.api_url, Some(defaults.github.api_url.clone()));
        assert_eq!(file.patch, Some(defaults.patch.clone()));
    }

    /// What the file takes, read from the refusal of a key that it does not take.
    fn taken(table: &str) -> BTreeSet<String> {
        let text = if table.is_empty() { "zzz = 1".to_owned() } else { format!("[{table}]\nzzz = 1") };
        let refusal = toml::from_str::<ConfigFile>(&text).unwrap_err().message().to_owned();
        refusal.split('`').skip(3).step_by(2).map(ToOwned::to_owned).collect()
    }

    #[test]
    fn every_key_of_the_file_is_in_the_list() {
        let mut tables: BTreeSet<String> = TABLES.iter().map(|(table, _)| (*table).to_owned()).collect();
        tables.extend(["stickers".to_owned(), "webhooks".to_owned()]);
        for table in TABLES.iter().map(|(table, _)| *table).chain([""]) {
            let listed: BTreeSet<String> = KEYS
                .iter()
                .filter_map(|key| match key.name.split_once('.') {
                    Some((in_table, name)) => (in_table == table).then(|| name.to_owned()),
                    None => table.is_empty().then(|| key.name.to_owned()),
                })
                .collect();
            let mut taken = taken(table);
            assert!(taken.len() > 1, "{table}: {taken:?}");
            if table.is_empty() {
                taken = taken.difference(&tables).cloned().collect();
            }
            assert_eq!(listed, taken, "[{table}]");
        }
    }

    #[test]
    fn passwords_are_masked_in_every_form() {
        for (url, display) in [
            ("postgres://me:pa@ss@h/d", "postgres://me:***@h/d"),
            (
                "postgres://h/d?user=me&password=x&sslmode=require",
                "postgres://h/d?user=me&password=***&sslmode=require",
            ),
            ("sqlite:./a.db", "sqlite:./a.db"),
        ] {
            assert_eq!(redact_password(url), display);
        }
    }
}
