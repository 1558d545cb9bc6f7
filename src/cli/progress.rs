//! Progress of a command, drawn only on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

use crate::features::transfer::Progress;

/// Draws progress. The bar is cleared when the last clone is dropped.
pub fn progress_bar() -> impl Fn(Progress) + Clone + Send + 'static {
    let bar = ProgressBar::new(1);
    let style = ProgressStyle::with_template("{msg:>10} {wide_bar} {human_pos}/{human_len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    move |progress| {
        bar.set_message(progress.phase);
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    }
}
