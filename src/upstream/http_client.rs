//! HTTP client with a timeout, a limit on the response body, and a policy on the IP addresses it may connect to.
//!
//! The policy is applied while a name is resolved, and the connection uses the addresses that were checked, so a DNS
//! rebinding attack has no effect. The client does not follow redirects; callers follow them explicitly.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use net::{USER_AGENT, causes, root_cause};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Client, Method, RequestBuilder, Url};

/// Which IP addresses a client may connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressPolicy {
    /// All addresses. For base URLs from the settings whose paths contain nothing that strangers write.
    Configured,
    /// Public addresses.
    Public,
    /// Public and loopback addresses. For base URLs that are on this machine.
    PublicAndLoopback,
}

impl AddressPolicy {
    /// Returns the policy for a client that follows links: loopback is allowed only if `base` is a loopback address.
    pub fn for_base(base: &Url) -> Self {
        Self::for_host(base.host_str().unwrap_or_default())
    }

    pub(super) fn for_host(host: &str) -> Self {
        let loopback = host_ip(host).map_or(host == "localhost", |ip| ip.is_loopback());
        if loopback { Self::PublicAndLoopback } else { Self::Public }
    }

    fn allows(self, ip: IpAddr) -> bool {
        match self {
            Self::Configured => true,
            Self::Public => is_public(ip),
            Self::PublicAndLoopback => is_public(ip) || ip.to_canonical().is_loopback(),
        }
    }
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of a response body after decompression.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;
/// Maximum number of redirects. Redirects to another origin are rejected.
pub(super) const MAX_REDIRECTS: usize = 2;

/// Why no complete response arrived.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("could not connect: {0}")]
    Unreachable(String),
    #[error("no response within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    #[error("the response is larger than {0} bytes")]
    TooLarge(usize),
    #[error("redirect to an address that is not allowed: {0}")]
    BadRedirect(String),
    #[error("{0} is not a public address")]
    AddressNotAllowed(String),
}

/// Upper limit for delays that a site requests.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A complete response of any status.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// URL of the request.
    pub url: Url,
}

impl Response {
    /// Returns a header value if it exists and is valid text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns `Retry-After` if it is a number of seconds. The sites in use do not send the date form.
    pub fn retry_after(&self) -> Option<Duration> {
        bounded_delay(self.header("retry-after")?.trim().parse().ok()?)
    }
}

/// Converts a delay in seconds, limited to [`MAX_RETRY_AFTER`] so that adding it to an `Instant` cannot overflow.
///
/// Returns `None` for negative numbers and NaN.
pub fn bounded_delay(secs: f64) -> Option<Duration> {
    (secs >= 0.0).then(|| Duration::try_from_secs_f64(secs).map_or(MAX_RETRY_AFTER, |delay| delay.min(MAX_RETRY_AFTER)))
}

/// A `reqwest` client with an address policy and a timeout.
#[derive(Debug, Clone)]
pub struct HttpClient {
    client: Client,
    addresses: AddressPolicy,
    /// For a whole request, including connecting and reading the body.
    pub(super) timeout: Duration,
}

impl HttpClient {
    /// Creates a client.
    ///
    /// Proxy settings of the environment are ignored, because the address policy would check the proxy instead of the site.
    pub fn new(addresses: AddressPolicy) -> Result<Self, FetchError> {
        let client = net::http_client()
            .map_err(|error| FetchError::Unreachable(error.to_string()))?
            .user_agent(USER_AGENT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            // Servers close idle connections, some after five seconds. A request that begins at that moment fails.
            .pool_idle_timeout(Duration::from_secs(3))
            .dns_resolver(Arc::new(FilteringResolver { addresses }))
            .build()
            .map_err(|error| FetchError::Unreachable(root_cause(&error)))?;
        Ok(Self { client, addresses, timeout: Duration::from_secs(10) })
    }

    /// Begins a request for [`HttpClient::send`].
    pub fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.client.request(method, url)
    }

    /// Sends a request and reads the whole response. Redirects are returned, not followed.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, FetchError> {
        let request = request.timeout(self.timeout).build().map_err(|error| self.fetch_error(error))?;
        let url = request.url().clone();
        // IP literals do not pass through the resolver, so they are checked here.
        if let Some(ip) = url.host_str().and_then(host_ip)
            && !self.addresses.allows(ip)
        {
            return Err(FetchError::AddressNotAllowed(ip.to_string()));
        }
        let mut response = self.client.execute(request).await.map_err(|error| self.fetch_error(error))?;
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let body = net::read_body(response, MAX_BODY_BYTES).await.map_err(|error| self.fetch_error(error))?;
        let body = body.ok_or(FetchError::TooLarge(MAX_BODY_BYTES))?.into();
        Ok(Response { status, headers, body, url })
    }

    fn fetch_error(&self, error: reqwest::Error) -> FetchError {
        if let Some(NoAllowedAddress(host)) = causes(&error).find_map(|cause| cause.downcast_ref::<NoAllowedAddress>())
        {
            return FetchError::AddressNotAllowed(host.clone());
        }
        if error.is_timeout() {
            return FetchError::TimedOut(if error.is_connect() { CONNECT_TIMEOUT } else { self.timeout });
        }
        FetchError::Unreachable(root_cause(&error))
    }
}

/// Sends a `HEAD` request to a configured URL and returns the HTTP status, if the site responds within five seconds.
pub async fn probe(url: &str) -> Result<u16, FetchError> {
    let client = HttpClient { timeout: CONNECT_TIMEOUT, ..HttpClient::new(AddressPolicy::Configured)? };
    let request = client.request(Method::HEAD, parse_base_url(url)?);
    Ok(client.send(request).await?.status)
}

/// Returns the target of a redirect, or `None` if the response is not a redirect.
///
/// Fails if the target has another origin (scheme, host, port).
pub fn redirect_within_origin(response: &Response) -> Result<Option<Url>, FetchError> {
    if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let target = response.header(LOCATION.as_str()).unwrap_or_default();
    match response.url.join(target) {
        Ok(url) if !target.is_empty() && url.origin() == response.url.origin() && url.username().is_empty() => {
            Ok(Some(url))
        }
        _ => Err(FetchError::BadRedirect(target.chars().take(200).collect())),
    }
}

/// Parses a base URL from the settings and appends `/` to its path if necessary, so that `Url::join` appends.
pub fn parse_base_url(text: &str) -> Result<Url, FetchError> {
    let invalid = || FetchError::Unreachable(format!("invalid URL '{text}': expected http:// or https:// and a host"));
    let mut url = Url::parse(text).map_err(|_| invalid())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(invalid());
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

fn host_ip(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Returns true for addresses that are reachable on the public internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !(ip.is_loopback()
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b)) // carrier-grade NAT
        || (a == 192 && b == 0 && c == 0) // IETF protocol assignments
        || (a == 198 && (b == 18 || b == 19))) // benchmarking
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let s = ip.segments();
    let low_v4 = Ipv4Addr::new((s[6] >> 8) as u8, s[6] as u8, (s[7] >> 8) as u8, s[7] as u8);
    let embedded = match s {
        [0x64, 0xff9b, 0, 0, 0, 0, _, _] | [0, 0, 0, 0, 0, 0, _, _] => Some(low_v4), // NAT64, IPv4-compatible
        [0x2002, high, low, ..] => {
            Some(Ipv4Addr::new((high >> 8) as u8, high as u8, (low >> 8) as u8, low as u8)) // 6to4
        }
        _ => None,
    };
    match embedded {
        Some(v4) => is_public_v4(v4) && !ip.is_loopback() && !ip.is_unspecified(),
        // Global unicast is 2000::/3, except 2001:db8::/32, which is reserved for documentation.
        None => (s[0] & 0xe000) == 0x2000 && !(s[0] == 0x2001 && s[1] == 0xdb8),
    }
}

#[derive(Debug)]
struct FilteringResolver {
    addresses: AddressPolicy,
}

/// Error of the resolver. `HttpClient::fetch_error` finds it in the source chain of the client's error.
#[derive(Debug, thiserror::Error)]
#[error("{0} resolves to an address that is not allowed")]
struct NoAllowedAddress(String);

impl Resolve for FilteringResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = self.addresses;
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            // A private address among public ones indicates an attack, so the name is rejected.
            if found.is_empty() || found.iter().any(|at| !addresses.allows(at.ip())) {
                return Err(NoAllowedAddress(host).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_delays_never_overflow_an_instant() {
        for (secs, expected) in [
            (1.5, Some(Duration::from_millis(1500))),
            (0.0, Some(Duration::ZERO)),
            (1e9, Some(MAX_RETRY_AFTER)),
            (1.8e19, Some(MAX_RETRY_AFTER)),
            (f64::MAX, Some(MAX_RETRY_AFTER)),
            (f64::INFINITY, Some(MAX_RETRY_AFTER)),
            (-1.0, None),
            (f64::NAN, None),
        ] {
            assert_eq!(bounded_delay(secs), expected, "{secs}");
        }
        assert!(std::time::Instant::now().checked_add(MAX_RETRY_AFTER).is_some());
    }

    #[test]
    fn private_link_local_and_embedded_addresses_are_not_public() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.9",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.1.1",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.0.8",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "::7f00:1",
            "2001:db8::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn loopback_is_allowed_only_if_the_base_is_loopback() {
        let policy = |base: &str| AddressPolicy::for_base(&Url::parse(base).unwrap());
        assert_eq!(policy("http://127.0.0.1:99/"), AddressPolicy::PublicAndLoopback);
        assert_eq!(policy("http://[::1]:99/"), AddressPolicy::PublicAndLoopback);
        assert_eq!(policy("http://localhost/"), AddressPolicy::PublicAndLoopback);
        assert_eq!(policy("http://10.0.0.1/"), AddressPolicy::Public);
        assert_eq!(policy("https://game.example/"), AddressPolicy::Public);
        assert!(!AddressPolicy::PublicAndLoopback.allows("192.168.0.1".parse().unwrap()));
    }

    #[tokio::test]
    async fn a_name_that_resolves_to_loopback_is_rejected() {
        let http = HttpClient::new(AddressPolicy::Public).unwrap();
        let request = http.request(Method::GET, Url::parse("http://localhost:9/").unwrap());
        let error = http.send(request).await.unwrap_err();
        assert!(matches!(error, FetchError::AddressNotAllowed(_)), "{error:?}");
    }

    #[test]
    fn a_base_url_keeps_its_path_when_joined() {
        let base = parse_base_url("http://127.0.0.1:1/api/v10").unwrap();
        assert_eq!(base.join("users/@me").unwrap().as_str(), "http://127.0.0.1:1/api/v10/users/@me");
        assert!(parse_base_url("file:///etc/passwd").is_err());
        assert!(parse_base_url("robots").is_err());
    }
}
