//! What all outgoing connections share: user agent, TLS, retry delays, limited bodies and causes of errors.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use rustls::ClientConfig;
use rustls_platform_verifier::ConfigVerifierExt;

/// `User-Agent` of all outgoing requests.
pub const USER_AGENT: &str = concat!("Apogee/", env!("CARGO_PKG_VERSION"), " (player statistics)");

/// Installs `ring` as the TLS provider of the process. Call it before building an HTTP client, because `reqwest` and
/// `object_store` are compiled without a provider. Further calls have no effect.
pub fn install_tls_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error means that another thread installed it first.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// A builder of HTTP clients that trust the system's certificates, which are read once per process.
pub fn http_client() -> Result<reqwest::ClientBuilder, rustls::Error> {
    static CONFIG: OnceLock<Result<ClientConfig, rustls::Error>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| {
        install_tls_provider();
        let mut config = ClientConfig::with_platform_verifier()?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    });
    Ok(reqwest::Client::builder().tls_backend_preconfigured(config.clone()?))
}

/// An error and its causes, from the outermost to the innermost.
pub fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&cause| cause.source())
}

/// The innermost cause, such as "connection refused". The outer errors of a client only repeat the address.
pub fn root_cause(error: &(dyn Error + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}

/// Reads the body of a response; `None` if it is longer than `max_bytes`: a site can send bytes without end, or a small body that
/// expands to a large one.
pub async fn read_body(mut response: reqwest::Response, max_bytes: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > max_bytes {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// Exponential backoff: the delay doubles with each consecutive failure, up to a maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Delay after the first failure.
    pub initial: Duration,
    pub max: Duration,
}

impl Backoff {
    pub const fn new(initial: Duration, max: Duration) -> Self {
        Self { initial, max }
    }

    /// Returns the delay after `failures` consecutive failures.
    pub fn delay(self, failures: u32) -> Duration {
        self.initial.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(self.max)
    }

    /// Returns the delay after `failures` consecutive failures, shortened by up to a half so that clients do not retry at
    /// the same time. `random` is between 0 and 1. With `retry_after`, the delay is at least that long, plus up to a quarter
    /// of the backoff.
    pub fn delay_with_jitter(self, failures: u32, retry_after: Option<Duration>, random: f64) -> Duration {
        let random = random.clamp(0.0, 1.0);
        let delay = self.delay(failures);
        match retry_after {
            Some(retry_after) => retry_after + delay.mul_f64(random / 4.0),
            None => delay.mul_f64(1.0 - random / 2.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(300));

    #[test]
    fn backoff_doubles_up_to_its_maximum() {
        let delays = [1, 2, 3, 9, 10, 40, u32::MAX].map(|failures| BACKOFF.delay(failures).as_secs());
        assert_eq!(delays, [1, 2, 4, 256, 300, 300, 300]);
    }

    #[test]
    fn jitter_shortens_a_delay_but_never_below_retry_after() {
        assert_eq!(BACKOFF.delay_with_jitter(3, None, 0.0), Duration::from_secs(4));
        assert_eq!(BACKOFF.delay_with_jitter(3, None, 1.0), Duration::from_secs(2));
        for random in [0.0, 0.3, 1.0] {
            let minute = Duration::from_secs(60);
            assert!(BACKOFF.delay_with_jitter(1, Some(minute), random) >= minute);
        }
    }
}
