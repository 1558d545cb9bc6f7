//! T53: notifications to systemd, over a socket like the one that it provides. No systemd runs here, so restarting a hung process
//! (`WatchdogSec=` in `packaging/apogee.service`) is not tested.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use crate::support::*;

/// A service manager that receives notifications.
struct Manager {
    socket: UnixDatagram,
    _home: tempfile::TempDir,
}

impl Manager {
    fn over(server: &mut Server, watchdog: Duration) -> Self {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        server.env("NOTIFY_SOCKET", path.to_str().unwrap());
        server.env("WATCHDOG_USEC", &watchdog.as_micros().to_string());
        Self { socket, _home: home }
    }

    /// The next notification, or `None` after the timeout.
    fn receive(&self, within: Duration) -> Option<String> {
        self.socket.set_read_timeout(Some(within)).unwrap();
        let mut bytes = [0; 256];
        let length = self.socket.recv(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes[..length]).trim().to_owned())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: depends on the clock"]
async fn t53_systemd_is_notified_of_start_liveness_and_stop() {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    let interval = Duration::from_secs(2);
    let manager = Manager::over(&mut server, interval);
    server.run();
    assert_eq!(manager.receive(interval).as_deref(), Some("READY=1"));
    for _ in 0..3 {
        assert_eq!(manager.receive(interval).as_deref(), Some("WATCHDOG=1"));
    }
    server.signal("-TERM");
    let said: Vec<String> =
        std::iter::from_fn(|| manager.receive(interval)).take_while(|word| word != "STOPPING=1").collect();
    assert!(said.iter().all(|word| word == "WATCHDOG=1"), "{said:?}");
    server.wait_for_end();
    assert_eq!(manager.receive(Duration::from_millis(1)), None, "STOPPING=1 is the last notification");
}
