//! The log reader as a process, against the real site.

pub mod exit;
pub mod hostile_sites;
pub mod logs;
pub mod shares;
pub mod uploads;
