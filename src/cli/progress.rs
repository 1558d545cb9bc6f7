//! Progress of a command, drawn only on a terminal.

use indicatif::ProgressStyle;

use crate::features::transfer::Progress;

/// A progress bar.
#[derive(Clone)]
pub struct ProgressBar(indicatif::ProgressBar);

impl ProgressBar {
    pub fn new() -> Self {
        let bar = indicatif::ProgressBar::new(1);
        let style = ProgressStyle::with_template("{msg:>10} {wide_bar} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    pub fn update(&self, progress: Progress) {
        self.0.set_message(progress.phase);
        self.0.set_length(progress.total);
        self.0.set_position(progress.done);
    }

    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
