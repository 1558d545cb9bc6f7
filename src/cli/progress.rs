//! How far a command is, drawn on a terminal and nowhere else.

use indicatif::ProgressStyle;

use crate::features::transfer::Progress;

/// A bar for steps of any kind.
#[derive(Clone)]
pub struct ProgressBar(indicatif::ProgressBar);

impl ProgressBar {
    pub fn new() -> Self {
        let bar = indicatif::ProgressBar::new(1);
        let style = ProgressStyle::with_template("{msg:>10} {wide_bar} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    pub fn update(&self, step: Progress) {
        self.0.set_message(step.phase);
        self.0.set_length(step.total);
        self.0.set_position(step.done);
    }

    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
