//! Log readers: device login, grammar, and unknown lines.

mod attempts;
mod grammar;
mod login;
mod samples;

pub use grammar::grammar;
pub use login::{answer_login, login_status, pending_login, start_login};
pub use samples::{samples, store_samples};
