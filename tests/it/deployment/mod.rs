//! The program in its environment: several processes, systemd, proxies, the container image, logs.

mod container;
mod logs;
mod multi_process;
mod proxies;
mod systemd;
