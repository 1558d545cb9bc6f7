//! Where a request comes from: the peer, or what proxies that are named in the settings say.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

use actix_web::HttpRequest;

/// The address of the client. Of `X-Forwarded-For` and `Forwarded`, only what trusted peers wrote is believed: the
/// right-most address that is not one of them.
pub fn address(request: &HttpRequest, trusted: &[IpAddr]) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip();
    if !trusted.contains(&peer) {
        return Some(peer);
    }
    let told = |name: &str| -> Vec<String> {
        let values = request.headers().get_all(name).filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).map(|one| one.trim().to_owned()).collect()
    };
    let mut hops: Vec<Option<IpAddr>> = told("x-forwarded-for").iter().map(|hop| parse(hop)).collect();
    if hops.is_empty() {
        hops = told("forwarded").iter().map(|hop| forwarded_for(hop)).collect();
    }
    for hop in hops.into_iter().rev() {
        match hop {
            Some(ip) if trusted.contains(&ip) => {}
            Some(ip) => return Some(ip),
            // What cannot be read was not written by a proxy of ours: nothing further left is believed.
            None => break,
        }
    }
    Some(peer)
}

/// What is counted as one: a customer of IPv6 has a whole /64.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        other => other,
    }
}

/// A number that tells visitors apart within this run of the process, and nothing else.
pub fn visitor(request: &HttpRequest, trusted: &[IpAddr]) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::process::id().hash(&mut hasher);
    address(request, trusted).hash(&mut hasher);
    request.headers().get("user-agent").map(|agent| agent.as_bytes()).hash(&mut hasher);
    hasher.finish()
}

/// The `for=` of one element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("for"))?;
    parse(value.trim_matches('"'))
}

/// An address, perhaps with a port, perhaps in brackets.
fn parse(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    text.parse()
        .ok()
        .or_else(|| text.parse::<std::net::SocketAddr>().ok().map(|addr| addr.ip()))
        .or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
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
    fn t45_addresses_of_one_customer_are_one() {
        for (address, counted) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("::ffff:198.51.100.9", "198.51.100.9"),
            ("198.51.100.9", "198.51.100.9"),
            ("::1", "::1"),
        ] {
            assert_eq!(network(address.parse().unwrap()).to_string(), counted);
        }
    }

    #[test]
    fn visitors_behind_one_proxy_are_told_apart() {
        let trusted = ["127.0.0.1".parse().unwrap()];
        let number = |client: &'static str| {
            let request = TestRequest::default().peer_addr("127.0.0.1:1000".parse().unwrap());
            visitor(&request.insert_header(("x-forwarded-for", client)).to_http_request(), &trusted)
        };
        assert_ne!(number("198.51.100.9"), number("198.51.100.8"));
        assert_eq!(number("198.51.100.9"), number("198.51.100.9"));
    }

    #[test]
    fn t45_only_what_listed_peers_wrote_is_believed() {
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
}
