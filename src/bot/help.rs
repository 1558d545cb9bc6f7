//! `/help`

use super::commands::NAMES;
use super::embed::{Reply, figures};
use super::interaction::Interaction;
use crate::app::App;

pub fn show(app: &App, call: &Interaction) -> Reply {
    let language = call.language();
    let lines: Vec<String> =
        NAMES.iter().map(|name| format!("`/{name}` – {}", language.text(&format!("c_{name}")))).collect();
    let url = format!("{}/discord-bot", app.public_url);
    figures(&app.settings.site.name, &url, &lines.join("\n"), &[]).with_button(language.text("open"), &url)
}
