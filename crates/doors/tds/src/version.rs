//! The versions of the protocol, and the changes between them.
//!
//! ```text
//!   7.1    SQL Server 2000   counts of 4 bytes, user types of 2, no headers before a batch
//!   7.2    SQL Server 2005   ALL_HEADERS, MAX types, XML, lines of 4 bytes
//!   7.3    SQL Server 2008   DATE and its family (A), rows with a bitmap of NULLs (B)
//!   7.4    SQL Server 2012   feature extensions
//!   8.0    SQL Server 2022   7.4 inside TLS from the first byte
//! ```

/// A version of the protocol. Later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Version {
    V7_1,
    V7_2,
    V7_3A,
    V7_3B,
    V7_4,
    V8_0,
}

impl Version {
    /// The version for a client that asks for this one in its login: the newest that is not newer.
    /// None for clients of SQL Server 7.0 and before.
    pub fn negotiated(requested: u32) -> Option<Version> {
        match requested {
            0x0800_0000 => Some(Version::V8_0),
            0x7400_0000.. => Some(Version::V7_4),
            0x730B_0000.. => Some(Version::V7_3B),
            0x7300_0000.. => Some(Version::V7_3A),
            0x7200_0000.. => Some(Version::V7_2),
            0x7100_0000.. => Some(Version::V7_1),
            _ => None,
        }
    }

    /// The number in LOGINACK, in the order of its bytes there (MS-TDS 2.2.7.14).
    pub fn acknowledged(self) -> [u8; 4] {
        match self {
            Version::V7_1 => [0x71, 0x00, 0x00, 0x01],
            Version::V7_2 => [0x72, 0x09, 0x00, 0x02],
            Version::V7_3A => [0x73, 0x0A, 0x00, 0x03],
            Version::V7_3B => [0x73, 0x0B, 0x00, 0x03],
            Version::V7_4 => [0x74, 0x00, 0x00, 0x04],
            Version::V8_0 => [0x08, 0x00, 0x00, 0x00],
        }
    }

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Version::V7_1 => "7.1",
            Version::V7_2 => "7.2",
            Version::V7_3A => "7.3A",
            Version::V7_3B => "7.3B",
            Version::V7_4 => "7.4",
            Version::V8_0 => "8.0",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_that_both_know_is_spoken() {
        let asked = [0x7100_0001, 0x7209_0002, 0x730A_0003, 0x730B_0003, 0x7400_0004, 0x7500_0000, 0x0800_0000];
        let spoken = asked.map(|number| Version::negotiated(number).map_or("none", Version::name));
        assert_eq!(spoken, ["7.1", "7.2", "7.3A", "7.3B", "7.4", "7.4", "8.0"]);
        assert_eq!((Version::negotiated(0x7000_0000), Version::negotiated(4)), (None, None));
    }
}
