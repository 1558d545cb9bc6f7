//! Rules for the source tree that no compiler checks.

mod conventions;
