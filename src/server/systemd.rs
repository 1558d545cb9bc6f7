//! What systemd is told of this process, where it asks: that it serves, that it still answers, that it stops.
//!
//! The protocol is that of `sd_notify(3)`. Nothing happens where `NOTIFY_SOCKET` is not set.

use std::net::SocketAddr;

/// The line to systemd while the site serves.
pub struct Systemd {
    #[cfg(target_os = "linux")]
    watchdog: Option<tokio::task::JoinHandle<()>>,
}

#[cfg(target_os = "linux")]
impl Systemd {
    /// Tells that requests are answered from now on; then, where a watchdog wants it (`WATCHDOG_USEC`), for as long as they are.
    pub fn serving(bound: SocketAddr) -> Self {
        notify(sd_notify::NotifyState::Ready);
        let timeout_period = sd_notify::watchdog_enabled();
        Self {
            watchdog: timeout_period.map(|timeout_period| tokio::spawn(linux::ping_watchdog(bound, timeout_period))),
        }
    }

    /// Tells that the process ends on purpose; its last word.
    pub fn stopping(self) {
        if let Some(watchdog) = self.watchdog {
            watchdog.abort();
        }
        notify(sd_notify::NotifyState::Stopping);
    }
}

/// Other systems have no systemd.
#[cfg(not(target_os = "linux"))]
impl Systemd {
    pub fn serving(_bound: SocketAddr) -> Self {
        Self {}
    }

    pub fn stopping(self) {}
}

#[cfg(target_os = "linux")]
fn notify(state: sd_notify::NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "systemd could not be told how the site is");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::time::{MissedTickBehavior, interval, timeout};

    use super::notify;

    const HEALTH_REQUEST: &[u8] = b"GET /api/health HTTP/1.0\r\n\r\n";
    const EXPECTED_STATUS_LINE: &[u8; 12] = b"HTTP/1.0 200";

    /// A sign of life four times in `patience`, each after an answer that came over the site's own door: a process whose workers
    /// hang answers nobody, though its timers go on.
    pub async fn ping_watchdog(bound: SocketAddr, timeout_period: Duration) {
        let (address, period) = (loopback_address(bound), timeout_period / 4);
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match timeout(period, is_healthy(address)).await {
                Ok(Ok(true)) => notify(sd_notify::NotifyState::Watchdog),
                answer => tracing::warn!(?answer, "the site does not answer itself"),
            }
        }
    }

    async fn is_healthy(address: SocketAddr) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(HEALTH_REQUEST).await?;
        let mut head = [0; EXPECTED_STATUS_LINE.len()];
        stream.read_exact(&mut head).await?;
        Ok(head == *EXPECTED_STATUS_LINE)
    }

    /// Where a listener is reached from its own machine.
    fn loopback_address(bound: SocketAddr) -> SocketAddr {
        let ip = match bound.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        SocketAddr::new(ip, bound.port())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_site_that_listens_everywhere_is_asked_on_loopback() {
            for (bound, asked) in
                [("0.0.0.0:8080", "127.0.0.1:8080"), ("[::]:8080", "[::1]:8080"), ("192.0.2.7:80", "192.0.2.7:80")]
            {
                assert_eq!(loopback_address(bound.parse().unwrap()), asked.parse().unwrap());
            }
        }
    }
}
