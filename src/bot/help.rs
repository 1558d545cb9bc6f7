//! `/help`

use super::commands::LIST;
use super::embed::{Reply, figures};
use super::interaction::Interaction;
use crate::app::App;

pub fn show(app: &App, call: &Interaction) -> Reply {
    let words = call.language();
    let lines: Vec<String> =
        LIST.iter().map(|name| format!("`/{name}` – {}", words.text(&format!("c_{name}")))).collect();
    let url = format!("{}/discord-bot", app.public_url);
    figures(&app.settings.site.name, &url, &lines.join("\n"), &[]).with_button(words.text("open"), &url)
}
