//! Pictures of people from other sites, fetched by us so that no visitor's address reaches a third party.
//!
//! The addresses come from pages and answers that strangers influence: only named hosts, public addresses, small bodies.
//! What comes back is a stranger's file and goes through `files::pictures` before anybody sees it.

use bytes::Bytes;
use reqwest::header::ACCEPT;
use reqwest::{Method, Url};

use super::outbound::{Addresses, Bounds, FetchError, Outbound, redirect_within_origin};

/// Redirects that are followed, all on the same origin.
const MAX_REDIRECTS: usize = 2;

/// The fetcher, with the hosts it may ask.
#[derive(Debug, Clone)]
pub struct Avatars {
    outbound: Outbound,
    hosts: Vec<String>,
    bounds: Bounds,
}

impl Avatars {
    /// `hosts` are names such as `avatars.githubusercontent.com`; a leading dot (`.example.org`) takes every name below.
    /// This machine is asked only when one of them is this machine's address.
    pub fn new(user_agent: &str, hosts: impl IntoIterator<Item = String>) -> Result<Self, FetchError> {
        let hosts: Vec<String> = hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect();
        let local = hosts.iter().any(|host| {
            Url::parse(&format!("http://{host}/"))
                .is_ok_and(|url| Addresses::for_base(&url) == Addresses::PublicAndLoopback)
        });
        let addresses = if local { Addresses::PublicAndLoopback } else { Addresses::Public };
        Ok(Self { outbound: Outbound::new(user_agent, addresses)?, hosts, bounds: Bounds::default() })
    }

    /// A fetcher that asks the host of one address alone.
    pub fn of_host(user_agent: &str, address: &str) -> Result<Self, FetchError> {
        let url = Url::parse(address).map_err(|error| FetchError::Unreachable(error.to_string()))?;
        Self::new(user_agent, url.host_str().map(ToOwned::to_owned))
    }

    /// Whether an address is one that [`Avatars::fetch`] would ask.
    pub fn allows(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && self.hosts.iter().any(|allowed| match allowed.strip_prefix('.') {
                Some(parent) => host.strip_suffix(parent).is_some_and(|sub| sub.ends_with('.')),
                None => host == allowed,
            })
    }

    /// Gives the bytes of a picture, or `None` when there is none at that address (any more).
    pub async fn fetch(&self, address: &str) -> Result<Option<Bytes>, FetchError> {
        let refused = || FetchError::RefusedAddress(address.chars().take(200).collect());
        let mut url = Url::parse(address).ok().filter(|url| self.allows(url)).ok_or_else(refused)?;
        let follow = async {
            for _ in 0..=MAX_REDIRECTS {
                let request =
                    self.outbound.request(Method::GET, url.clone()).header(ACCEPT, "image/png,image/jpeg,image/webp");
                let request = request.build().map_err(|error| FetchError::Unreachable(error.to_string()))?;
                let answer = self.outbound.send(request, self.bounds).await?;
                match (redirect_within_origin(&answer)?, answer.status) {
                    (Some(target), _) => url = target,
                    (None, 200) => return Ok(Some(answer.body)),
                    (None, 404 | 410) => return Ok(None),
                    (None, status) => return Err(FetchError::Unreachable(format!("it answered with status {status}"))),
                }
            }
            Err(FetchError::BadRedirect(format!("more than {MAX_REDIRECTS} redirects")))
        };
        tokio::time::timeout(self.bounds.total, follow).await.unwrap_or(Err(FetchError::TimedOut(self.bounds.total)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::stand_in::{Reply, StandIn};

    #[tokio::test]
    async fn only_named_hosts_are_asked() {
        let site = StandIn::start(|call, _| match call.path.as_str() {
            "/a.png" => Reply::ok("picture"),
            "/moved.png" => Reply::status(302, "").with("Location", "/a.png"),
            "/away.png" => Reply::status(302, "").with("Location", "http://localhost:1/a.png"),
            "/big.png" => Reply::ok(vec![0; 3 << 20]),
            _ => Reply::status(404, ""),
        })
        .await;
        let avatars = Avatars::new("t", ["127.0.0.1".to_owned(), ".pictures.example".to_owned()]).unwrap();
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
            "file:///etc/passwd",
            "http://user@127.0.0.1/",
            "",
            "http://169.254.169.254/",
        ] {
            assert!(matches!(avatars.fetch(bad).await, Err(FetchError::RefusedAddress(_))), "{bad}");
        }
        assert!(avatars.allows(&Url::parse("https://cdn.pictures.example/x").unwrap()));
    }
}
