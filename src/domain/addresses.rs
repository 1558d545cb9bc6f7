//! Network addresses in the one form in which they are compared and counted.

use std::net::IpAddr;

/// An address as its owner writes it: an IPv4 client of an IPv6 socket is an IPv4 address (`::ffff:192.0.2.1` is `192.0.2.1`).
pub fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

/// The network that limits count as one client: an IPv4 address, or a /64 of IPv6, which is what one customer has.
pub fn network(address: IpAddr) -> IpAddr {
    match canonical(address) {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t45_addresses_of_one_customer_are_one() {
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
