//! `/help`

use super::commands::NAMES;
use super::embed::{Reply, figures};
use super::interaction::Interaction;
use crate::app::App;

pub fn show(app: &App, call: &Interaction) -> Reply {
    let texts = call.texts();
    let lines: Vec<String> =
        NAMES.iter().map(|name| format!("`/{name}` – {}", texts.text(&format!("c_{name}")))).collect();
    let url = format!("{}/discord-bot", app.public_url);
    figures(&app.settings.site.name, &url, &lines.join("\n"), &[]).with_button(texts.text("open"), &url)
}
