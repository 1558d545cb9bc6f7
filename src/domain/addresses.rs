//! Networks as clients, for rate limits.

use std::net::IpAddr;

/// The network that counts as one client: a single IPv4 address, or a /64 of IPv6, which one customer usually has.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t45_addresses_of_one_network_are_one_client() {
        for (address, counted) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("::ffff:198.51.100.9", "198.51.100.9"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
            ("198.51.100.9", "198.51.100.9"),
            ("::1", "::1"),
        ] {
            assert_eq!(network(address.parse().unwrap()).to_string(), counted);
        }
    }
}
