//! Notifies systemd of readiness, shutdown and liveness with the protocol of `sd_notify(3)`. Does nothing if `NOTIFY_SOCKET` is
//! not set.

use std::net::SocketAddr;

/// Notifications while the site runs.
pub struct Systemd {
    #[cfg(target_os = "linux")]
    watchdog: Option<tokio::task::JoinHandle<()>>,
}

#[cfg(target_os = "linux")]
impl Systemd {
    /// Reports readiness, and pings the watchdog if one is configured (`WATCHDOG_USEC`).
    pub fn notify_ready(bound: SocketAddr) -> Self {
        notify(sd_notify::NotifyState::Ready);
        let watchdog_timeout = sd_notify::watchdog_enabled();
        Self {
            watchdog: watchdog_timeout
                .map(|watchdog_timeout| tokio::spawn(linux::ping_watchdog(bound, watchdog_timeout))),
        }
    }

    /// Reports an intended shutdown.
    pub fn notify_stopping(self) {
        if let Some(watchdog) = self.watchdog {
            watchdog.abort();
        }
        notify(sd_notify::NotifyState::Stopping);
    }
}

/// Does nothing on systems without systemd.
#[cfg(not(target_os = "linux"))]
impl Systemd {
    pub fn notify_ready(_bound: SocketAddr) -> Self {
        Self {}
    }

    pub fn notify_stopping(self) {}
}

#[cfg(target_os = "linux")]
fn notify(state: sd_notify::NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "systemd could not be notified");
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

    /// Pings the watchdog four times per `watchdog_timeout`, each time after a successful request to the site itself. Timers alone would
    /// also run in a process whose workers hang.
    pub async fn ping_watchdog(bound: SocketAddr, watchdog_timeout: Duration) {
        let (address, period) = (loopback_address(bound), watchdog_timeout / 4);
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match timeout(period, is_healthy(address)).await {
                Ok(Ok(true)) => notify(sd_notify::NotifyState::Watchdog),
                answer => tracing::warn!(?answer, "the health check of the watchdog failed"),
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

    /// Returns an address that reaches the listener from this machine.
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
        fn a_wildcard_address_is_checked_on_loopback() {
            for (bound, expected) in
                [("0.0.0.0:8080", "127.0.0.1:8080"), ("[::]:8080", "[::1]:8080"), ("192.0.2.7:80", "192.0.2.7:80")]
            {
                assert_eq!(loopback_address(bound.parse().unwrap()), expected.parse().unwrap());
            }
        }
    }
}
