//! Load, and costs that must not grow with the data. `make daily` runs the long tests on the release binary.

mod purge;
mod requests;
mod scaling;
mod soak;
