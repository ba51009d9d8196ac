//! Which addresses are out in the public internet. Not here: who may reach the others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks of IPv4 that are not public: IANA's special-purpose registry (RFC 6890), multicast and what is reserved.
/// `192.88.99.0/24` is not among them: its special purpose ended with RFC 7526.
const V4_BLOCKS: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// All public addresses of IPv6 are in here (RFC 4291, IANA's address space registry).
const V6_GLOBAL: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What in it is not public: protocol assignments with Teredo and ORCHID, documentation, AS112.
const V6_BLOCKS: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// NAT64's well-known prefix (RFC 6052): networks without IPv4 reach all of it through this one.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
/// 6to4 (RFC 3056): the address of IPv4 follows the prefix.
const SIX_TO_FOUR: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);

/// Whether `address` is out in the public internet. One of IPv6 that stands for one of IPv4 is as that one is, and
/// not public where it only means it within a machine (`::ffff:8.8.8.8`).
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Whether `address` is that of one machine, so that a connection to it can mean anything.
#[must_use]
pub fn is_unicast(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            !address.is_multicast() && !address.is_broadcast() && !address.is_unspecified()
        }
        IpAddr::V6(address) => !address.is_multicast() && !address.is_unspecified(),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |(block, length): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ block.to_bits()) >> (32 - length) == 0
    };
    !V4_BLOCKS.iter().any(is_in)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let is_in = |(block, length): &(Ipv6Addr, u32)| (bits ^ block.to_bits()) >> (128 - length) == 0;
    let v4_at = |shift: u32| Ipv4Addr::from_bits((bits >> shift) as u32);
    if is_in(&NAT64) {
        return is_public_v4(v4_at(0));
    }
    if is_in(&SIX_TO_FOUR) {
        return is_public_v4(v4_at(80));
    }
    is_in(&V6_GLOBAL) && !V6_BLOCKS.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_is_public() {
        let check = |address: &str, expected: bool| {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!(is_public(address), expected, "{address}");
        };
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "11.0.0.1",
            "93.184.215.14",
            "100.63.255.255",
            "100.128.0.1",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.1.1",
            "169.255.0.1",
            "172.15.255.255",
            "172.32.0.1",
            "192.0.1.1",
            "192.88.99.1",
            "192.167.1.1",
            "192.169.0.1",
            "198.17.255.255",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860:4860::8888",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            check(address, true);
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2001:20::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "2620:4f:8000::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            check(address, false);
        }
    }

    #[test]
    fn nobody_connects_to_a_group() {
        let check = |address: &str, expected: bool| {
            assert_eq!(is_unicast(address.parse().unwrap()), expected, "{address}");
        };
        check("127.0.0.1", true);
        check("fe80::1", true);
        check("0.0.0.0", false);
        check("::", false);
        check("::ffff:0.0.0.0", false);
        check("255.255.255.255", false);
        check("224.0.0.1", false);
        check("ff02::1", false);
    }
}
