//! Log readers: device login, grammar, and unknown lines.

mod grammar;
mod login;
mod samples;

use std::time::Duration;

use crate::domain::device_login::ATTEMPT_WINDOW_SECS;
use crate::features::attempts::Limit;

pub use grammar::grammar;
pub use login::{answer_login, login_status, pending_login, start_login};
pub use samples::{samples, store_samples};

/// A limit on calls of one network.
const fn limit(kind: &'static str, max: usize) -> Limit {
    let sentence = "Too many attempts from this address. Please wait a few minutes before trying again.";
    Limit { kind, max, window: Duration::from_secs(ATTEMPT_WINDOW_SECS), sentence }
}
