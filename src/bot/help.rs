//! `/help`

use serde_json::Value;

use super::commands::LIST;
use super::embed::figures;
use crate::app::App;

pub fn show(app: &App) -> Value {
    let lines: Vec<String> = LIST.iter().map(|(name, description)| format!("`/{name}` – {description}")).collect();
    let url = format!("{}/discord-bot", app.public_url);
    figures(&app.settings.site.name, &url, &lines.join("\n"), &[])
}
