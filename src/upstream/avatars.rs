//! Downloads avatars from other sites, so that visitors' browsers do not connect to third parties.
//!
//! The URLs come from pages that strangers can influence. Therefore only configured hosts and public IP addresses are
//! contacted, and the body size is limited. The downloaded bytes are untrusted and must be re-encoded by `files::pictures`.

use bytes::Bytes;
use reqwest::header::ACCEPT;
use reqwest::{Method, Url};

use super::http_client::{AddressPolicy, FetchError, HttpClient, MAX_REDIRECTS, redirect_within_origin};

/// HTTP client that downloads images from an allowlist of hosts.
#[derive(Debug, Clone)]
pub struct AvatarClient {
    http: HttpClient,
    hosts: Vec<String>,
}

impl AvatarClient {
    /// Creates a client for `hosts`, such as `avatars.githubusercontent.com`. Loopback addresses are allowed only if one of the hosts is
    /// a loopback address.
    pub fn new(hosts: impl IntoIterator<Item = String>) -> Result<Self, FetchError> {
        let hosts: Vec<String> = hosts.into_iter().collect();
        let is_local = |host: &String| AddressPolicy::for_host(host) == AddressPolicy::PublicAndLoopback;
        let local = hosts.iter().any(is_local);
        let addresses = if local { AddressPolicy::PublicAndLoopback } else { AddressPolicy::Public };
        Ok(Self { http: HttpClient::new(addresses)?, hosts })
    }

    /// Creates a client for the host of one URL.
    pub fn for_host(address: &str) -> Result<Self, FetchError> {
        let url = Url::parse(address).map_err(|error| FetchError::Unreachable(error.to_string()))?;
        Self::new(url.host_str().map(ToOwned::to_owned))
    }

    /// Returns true if [`AvatarClient::fetch`] accepts this URL.
    pub fn allows(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && self.hosts.iter().any(|allowed| allowed == host)
    }

    /// Downloads an image. Returns `None` if the server responds with 404 or 410.
    pub async fn fetch(&self, address: &str) -> Result<Option<Bytes>, FetchError> {
        let not_allowed = || FetchError::AddressNotAllowed(address.chars().take(200).collect());
        let mut url = Url::parse(address).ok().filter(|url| self.allows(url)).ok_or_else(not_allowed)?;
        let follow = async {
            for _ in 0..=MAX_REDIRECTS {
                let request = self.http.request(Method::GET, url).header(ACCEPT, "image/png,image/jpeg,image/webp");
                let response = self.http.send(request).await?;
                match (redirect_within_origin(&response)?, response.status) {
                    (Some(target), _) => url = target,
                    (None, 200) => return Ok(Some(response.body)),
                    (None, 404 | 410) => return Ok(None),
                    (None, status) => return Err(FetchError::Unreachable(format!("unexpected status {status}"))),
                }
            }
            Err(FetchError::BadRedirect(format!("more than {MAX_REDIRECTS} redirects")))
        };
        let timeout = self.http.timeout;
        tokio::time::timeout(timeout, follow).await.unwrap_or(Err(FetchError::TimedOut(timeout)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::mock_server::{MockResponse, MockServer};

    #[tokio::test]
    async fn only_allowed_hosts_are_contacted() {
        let site = MockServer::start(|request, _| match request.path.as_str() {
            "/a.png" => MockResponse::ok("picture"),
            "/moved.png" => MockResponse::status(302, "").with_header("Location", "/a.png"),
            "/away.png" => MockResponse::status(302, "").with_header("Location", "http://localhost:1/a.png"),
            "/big.png" => MockResponse::ok(vec![0; 3 << 20]),
            _ => MockResponse::status(404, ""),
        })
        .await;
        let avatars = AvatarClient::new(["127.0.0.1".to_owned(), "pictures.example".to_owned()]).unwrap();
        let fetch = async |path: &str| avatars.fetch(&format!("{}{path}", site.url)).await;
        assert_eq!(fetch("/a.png").await.unwrap().as_deref(), Some(&b"picture"[..]));
        assert_eq!(fetch("/moved.png").await.unwrap().as_deref(), Some(&b"picture"[..]));
        assert_eq!(fetch("/gone.png").await.unwrap(), None);
        assert!(matches!(fetch("/away.png").await, Err(FetchError::BadRedirect(_))));
        assert!(matches!(fetch("/big.png").await, Err(FetchError::TooLarge(_))));
        for bad in [
            "http://localhost/a.png",
            "http://pictures.example.evil.example/",
            "http://evilpictures.example/",
            "http://cdn.pictures.example/",
            "file:///etc/passwd",
            "http://user@127.0.0.1/",
            "",
            "http://169.254.169.254/",
        ] {
            assert!(matches!(avatars.fetch(bad).await, Err(FetchError::AddressNotAllowed(_))), "{bad}");
        }
        assert!(avatars.allows(&Url::parse("https://Pictures.example/x").unwrap()));
    }
}
