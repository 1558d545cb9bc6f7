//! Faults of disks, databases, clocks, networks and clients. `make daily` runs the ones that take minutes or need root.

pub mod blackhole;
pub mod clocks;
pub mod disk_faults;
pub mod group_commit;
pub mod kill;
pub mod killed_migrations;
pub mod memory;
pub mod outages;
pub mod panics;
pub mod slowloris;
pub mod stream_churn;

pub use outages::{Cluster, env_or, events, run};
