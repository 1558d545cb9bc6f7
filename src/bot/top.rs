//! `/top`

use super::embed::{Reply, figures};
use super::interaction::Interaction;
use super::{CommandError, invalid_option};
use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::windows::Window;
use crate::features::leaderboard::{self, BoardQuery};
use crate::views::chat::{leaderboard_line, metric_value};

const LINES: i64 = 10;

pub async fn show(app: &App, call: &Interaction) -> Result<Reply, CommandError> {
    let texts = call.texts();
    let metric = match call.text("by") {
        None => leaderboard::opening_metric(app).await?,
        Some(name) => Metric::parse(name).ok_or_else(|| invalid_option(call, "by"))?,
    };
    let wanted = call.text("window").unwrap_or("all");
    let found = Window::NAMES.into_iter().find(|(name, _)| *name == wanted);
    let (name, window) = found.ok_or_else(|| invalid_option(call, "window"))?;
    let query = BoardQuery::top(metric, window, LINES);
    let (players, _) = leaderboard::players(app, query).await?;
    let lines: Vec<String> =
        players.iter().map(|row| leaderboard_line(row.rank, &row.handle, metric, metric_value(row, metric))).collect();
    let text = if lines.is_empty() { texts.text("nobody").to_owned() } else { lines.join("\n") };
    let url = format!("{}/players?sort={}&window={name}", app.public_url, metric.as_str());
    let title = texts.format("top_title", &[("metric", texts.text(metric.as_str()))]);
    let text = format!("*{}*\n{text}", texts.text(&format!("w_{name}")));
    Ok(figures(&title, &url, &text, &[]).with_button(texts.text("open"), &url))
}
