//! Texts and links of the site that its owner may change.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Shown texts and outside links. Links and the contact have no default: an empty one is not shown anywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SiteTexts {
    pub name: String,
    pub game: String,
    pub community_url: String,
    pub support_url: String,
    pub kanban_url: String,
    pub bot_invite_url: String,
    pub installer_url: String,
    pub source_url: String,
    pub support_contact: String,
    pub effective_date: String,
    pub bot_servers: String,
    pub bot_users: String,
    pub trademark: String,
    /// One of them greets on the home page.
    pub slogans: Vec<String>,
}

impl SiteTexts {
    /// The outside links, each with its key in the settings file.
    pub fn links(&self) -> [(&'static str, &str); 6] {
        [
            ("site.community_url", &self.community_url),
            ("site.support_url", &self.support_url),
            ("site.kanban_url", &self.kanban_url),
            ("site.bot_invite_url", &self.bot_invite_url),
            ("site.installer_url", &self.installer_url),
            ("site.source_url", &self.source_url),
        ]
    }
}

impl Default for SiteTexts {
    fn default() -> Self {
        Self {
            name: "Apogee".into(),
            game: "Star Citizen".into(),
            community_url: String::new(),
            support_url: String::new(),
            kanban_url: String::new(),
            bot_invite_url: String::new(),
            installer_url: String::new(),
            source_url: String::new(),
            support_contact: String::new(),
            effective_date: "June 30, 2025".into(),
            bot_servers: "600+".into(),
            bot_users: "100k+".into(),
            trademark: "Star Citizen® is a registered trademark of Cloud Imperium Rights LLC. \
                This site is made by players and is not affiliated with the game's makers."
                .into(),
            slogans: [
                "Every flight leaves a trace.",
                "Your verse, by the numbers.",
                "Fly it. Log it. Own it.",
                "The record of every dogfight.",
                "Know who rules the black.",
            ]
            .map(Into::into)
            .to_vec(),
        }
    }
}

/// How long things are kept, in days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Retention {
    /// Single page visits; daily sums stay.
    pub visits_days: i64,
    /// Uploaded pictures that no settings name.
    pub unused_uploads_days: i64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { visits_days: 5, unused_uploads_days: 1 }
    }
}
