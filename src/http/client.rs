//! The client of a request: the peer of the connection, or the address that a trusted proxy forwards.

use std::net::IpAddr;

use actix_web::HttpRequest;

/// Headers that proxies add to forwarded requests.
const FORWARDING: [&str; 7] =
    ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server", "x-real-ip", "via"];

/// Returns the peer address of the connection. All code reads it here, so an IPv4 peer of an IPv6 socket is always an IPv4
/// address.
#[allow(clippy::disallowed_methods)]
fn peer(request: &HttpRequest) -> Option<IpAddr> {
    request.peer_addr().map(|peer| peer.ip().to_canonical())
}

/// Returns the address of the client. Of `X-Forwarded-For` and `Forwarded`, only entries by trusted proxies count: the result is
/// the right-most address that is not a trusted proxy.
pub fn address(request: &HttpRequest, trusted: &[IpAddr]) -> Option<IpAddr> {
    let peer = peer(request)?;
    Some(forwarded(request, peer, trusted).unwrap_or(peer))
}

/// Returns whether a request comes from this machine. A loopback peer that forwards a request counts only if it is a trusted
/// proxy and forwards for a loopback client.
pub fn is_local(request: &HttpRequest, trusted: &[IpAddr]) -> bool {
    let Some(peer) = peer(request).filter(IpAddr::is_loopback) else { return false };
    let forwards = FORWARDING.iter().any(|name| request.headers().contains_key(*name));
    !forwards || forwarded(request, peer, trusted).is_some_and(|client| client.is_loopback())
}

/// Returns whether the client uses TLS, according to the site's public URL or the proxy of this request.
pub fn is_https(request: &HttpRequest, public_url: &str) -> bool {
    public_url.starts_with("https://") || request.connection_info().scheme() == "https"
}

/// Returns the client that a trusted proxy forwards for; `None` for any other peer, or without a forwarding header.
fn forwarded(request: &HttpRequest, peer: IpAddr, trusted: &[IpAddr]) -> Option<IpAddr> {
    if !trusted.contains(&peer) {
        return None;
    }
    let values = |name: &str| -> Vec<String> {
        let values = request.headers().get_all(name).filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).map(|one| one.trim().to_owned()).collect()
    };
    let mut hops: Vec<Option<IpAddr>> = values("x-forwarded-for").iter().map(|hop| parse(hop)).collect();
    if hops.is_empty() {
        hops = values("forwarded").iter().map(|hop| forwarded_for(hop)).collect();
    }
    let mut client = None;
    for hop in hops.into_iter().rev() {
        // An invalid entry was not written by a trusted proxy, so entries to the left of it do not count either.
        let hop = hop?;
        client = Some(hop);
        if !trusted.contains(&hop) {
            break;
        }
    }
    client
}

/// Returns the `for=` address of one element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("for"))?;
    parse(value.trim_matches('"'))
}

/// Parses an address with an optional port and optional brackets.
fn parse(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = text
        .parse()
        .ok()
        .or_else(|| text.parse::<std::net::SocketAddr>().ok().map(|addr| addr.ip()))
        .or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn seen(peer: &str, header: (&'static str, &'static str)) -> String {
        let trusted = ["127.0.0.1".parse().unwrap(), "10.0.0.1".parse().unwrap()];
        let peer = format!("{peer}:1000").parse().unwrap();
        let request = TestRequest::default().peer_addr(peer).insert_header(header).to_http_request();
        address(&request, &trusted).unwrap().to_string()
    }

    #[test]
    fn t45_only_trusted_proxies_can_forward() {
        for (peer, header, expected) in [
            ("192.0.2.1", ("x-forwarded-for", "198.51.100.9"), "192.0.2.1"),
            ("127.0.0.1", ("x-forwarded-for", "198.51.100.9"), "198.51.100.9"),
            ("127.0.0.1", ("x-forwarded-for", "1.1.1.1, 198.51.100.9, 10.0.0.1"), "198.51.100.9"),
            ("127.0.0.1", ("x-forwarded-for", "198.51.100.9, junk"), "127.0.0.1"),
            ("127.0.0.1", ("forwarded", "for=1.1.1.1, for=\"[2001:db8::1]:99\";proto=https"), "2001:db8::1"),
            ("127.0.0.1", ("x-real-ip", "198.51.100.9"), "127.0.0.1"),
        ] {
            assert_eq!(seen(peer, header), expected, "{peer} {header:?}");
        }
    }

    #[test]
    fn an_ipv4_peer_of_an_ipv6_socket_is_an_ipv4_address() {
        let mapped = "[::ffff:127.0.0.1]";
        assert_eq!(seen(mapped, ("x-forwarded-for", "198.51.100.9")), "198.51.100.9");
        assert_eq!(seen(mapped, ("x-forwarded-for", "::ffff:198.51.100.9, ::ffff:10.0.0.1")), "198.51.100.9");
        assert_eq!(seen("[::ffff:192.0.2.1]", ("x-forwarded-for", "198.51.100.9")), "192.0.2.1");
    }

    #[test]
    fn only_loopback_clients_are_local() {
        let is_local = |peer: &str, header: Option<(&'static str, &'static str)>, trusted: &[&str]| {
            let trusted: Vec<IpAddr> = trusted.iter().map(|text| text.parse().unwrap()).collect();
            let request = TestRequest::default().peer_addr(format!("{peer}:1000").parse().unwrap());
            let request = header.into_iter().fold(request, |request, header| request.insert_header(header));
            super::is_local(&request.to_http_request(), &trusted)
        };
        assert!(is_local("127.0.0.1", None, &[]) && is_local("[::1]", None, &[]));
        assert!(is_local("[::ffff:127.0.0.1]", None, &[]));
        assert!(!is_local("192.0.2.1", None, &[]) && !is_local("192.0.2.1", None, &["192.0.2.1"]));
        for name in FORWARDING {
            assert!(!is_local("127.0.0.1", Some((name, "127.0.0.1")), &[]), "{name}");
            assert!(!is_local("127.0.0.1", Some((name, "198.51.100.9")), &["127.0.0.1"]), "{name}");
        }
        assert!(is_local("127.0.0.1", Some(("x-forwarded-for", "127.0.0.1")), &["127.0.0.1"]));
        assert!(!is_local("127.0.0.1", Some(("x-real-ip", "127.0.0.1")), &["127.0.0.1"]), "an ignored header");
        assert!(!is_local("192.0.2.1", Some(("x-forwarded-for", "127.0.0.1")), &["192.0.2.1"]), "another machine");
    }
}
