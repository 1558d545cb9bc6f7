//! Settings from the command line and the environment.

use std::collections::BTreeMap;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::definition::{DEFINITIONS, Definition};
use super::{Origin, Secret};

const CONFIG: &str = "config";

/// Values given as flags or environment variables. Empty values count as not given.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// The settings file, if it is not the default one.
    pub config: Option<String>,
    /// Values, which may be secrets, and their origin.
    pub(super) values: BTreeMap<&'static str, (Secret, Origin)>,
}

impl Flags {
    /// Adds a value as if it had been given as a flag.
    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.insert(key, value.into(), Origin::Flag(key));
        self
    }

    /// Adds a value as if this environment variable were set, unless it is given as a flag; `None` if no setting has the variable.
    pub fn with_variable(mut self, name: &str, value: impl Into<String>) -> Option<Self> {
        let definition = DEFINITIONS.iter().find(|definition| definition.env == Some(name))?;
        let (key, env) = (definition.key, definition.env?);
        let is_flag = self.values.get(key).is_some_and(|(_, origin)| matches!(origin, Origin::Flag(_)));
        if !is_flag {
            self.insert(key, value.into(), Origin::Environment(env));
        }
        Some(self)
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.given(key).map(|(value, _)| value)
    }

    pub(super) fn given(&self, key: &str) -> Option<(&str, &Origin)> {
        self.values.get(key).map(|(value, origin)| (value.reveal(), origin))
    }

    fn insert(&mut self, key: &'static str, value: String, origin: Origin) {
        if !value.is_empty() {
            self.values.insert(key, (Secret::new(value), origin));
        }
    }
}

/// The help text of a flag: documentation and default.
fn help(definition: &Definition) -> String {
    let doc = definition.doc.trim_end_matches('.').replace('`', "");
    match definition.shown_default() {
        Some(default) => format!("{doc} [default: {default}]"),
        None => doc,
    }
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new(CONFIG)
            .long(CONFIG)
            .global(true)
            .value_name("FILE")
            .env("APOGEE_CONFIG")
            .help("Settings file [default: apogee.toml in the data directory]");
        DEFINITIONS.iter().fold(command.arg(config), |command, definition| {
            let Some(value_name) = definition.flag else { return command };
            let mut arg = Arg::new(definition.key).long(definition.key).global(true).value_name(value_name);
            if let Some(env) = definition.env {
                // A database URL may hold a password.
                arg = arg.env(env).hide_env_values(definition.key == "database-url");
            }
            command.arg(arg.help(help(definition)).hide(definition.key == "public-url"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self {
            config: matches.get_one::<String>(CONFIG).filter(|path| !path.is_empty()).cloned(),
            ..Self::default()
        };
        for definition in DEFINITIONS.iter() {
            let (key, env) = (definition.key, definition.env);
            if definition.flag.is_some()
                && matches.value_source(key) == Some(ValueSource::CommandLine)
                && let Some(value) = matches.get_one::<String>(key)
            {
                flags.insert(key, value.clone(), Origin::Flag(key));
            } else if let Some(env) = env
                && let Ok(value) = std::env::var(env)
            {
                flags.insert(key, value, Origin::Environment(env));
            }
        }
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
