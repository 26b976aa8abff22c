//! The structures that management calls fill: their layouts, for the header and for writing them.
//!
//! Names and layouts are those of X#'s declarations, which state them in offsets. A program passes the length of its
//! structure (an older one is shorter), and gets as many bytes.

use std::fmt::Write;

/// The kind of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UNSIGNED8, aligned to 1.
    Byte,
    /// UNSIGNED16, aligned to 2.
    Short,
    /// UNSIGNED32, aligned to 4.
    Long,
    /// double, aligned to 8.
    Double,
    /// An array of UNSIGNED8: its constant's name and length.
    Text(&'static str, usize),
    /// Another structure, aligned to 4 (2 for the time that a server is up).
    Structure(&'static Structure),
}

/// A structure by its members.
#[derive(Debug, PartialEq, Eq)]
pub struct Structure {
    /// Its name in C.
    pub name: &'static str,
    /// Its members in order.
    pub members: &'static [(&'static str, Kind)],
}

use Kind::{Byte, Double, Long, Short, Text};

const PATH: Kind = Text("ADS_MGMT_MAX_PATH", 260);
const USER: Kind = Text("ADS_MAX_USER_NAME", 50);
const ADDRESS: Kind = Text("ADS_MAX_ADDRESS_SIZE", 30);
const CONFIG_PATH: Kind = Text("ADS_MAX_CFG_PATH", 256);
const USAGE: Kind = Kind::Structure(&USAGE_INFO);

/// A locked record.
pub static RECORD_INFO: Structure = Structure { name: "ADS_MGMT_RECORD_INFO", members: &[("ulRecordNumber", Long)] };

/// Uptime of a server.
pub static UPTIME_INFO: Structure = Structure {
    name: "ADS_MGMT_UPTIME_INFO",
    members: &[("usDays", Short), ("usHours", Short), ("usMinutes", Short), ("usSeconds", Short)],
};

/// Use of a resource.
pub static USAGE_INFO: Structure =
    Structure { name: "ADS_MGMT_USAGE_INFO", members: &[("ulInUse", Long), ("ulMaxUsed", Long), ("ulRejected", Long)] };

/// Activity of a server.
pub static ACTIVITY_INFO: Structure = Structure {
    name: "ADS_MGMT_ACTIVITY_INFO",
    members: &[
        ("ulOperations", Long),
        ("ulLoggedErrors", Long),
        ("stUpTime", Kind::Structure(&UPTIME_INFO)),
        ("stUsers", USAGE),
        ("stConnections", USAGE),
        ("stWorkAreas", USAGE),
        ("stTables", USAGE),
        ("stIndexes", USAGE),
        ("stLocks", USAGE),
        ("stTpsHeaderElems", USAGE),
        ("stTpsVisElems", USAGE),
        ("stTpsMemoElems", USAGE),
        ("stWorkerThreads", USAGE),
        ("stQueries", USAGE),
        ("stStatefulUsers", USAGE),
        ("stStatelessUsers", USAGE),
    ],
};

/// Errors on the wire.
pub static COMM_STATS: Structure = Structure {
    name: "ADS_MGMT_COMM_STATS",
    members: &[
        ("dPercentCheckSums", Double),
        ("ulTotalPackets", Long),
        ("ulRcvPktOutOfSeq", Long),
        ("ulNotLoggedIn", Long),
        ("ulRcvReqOutOfSeq", Long),
        ("ulCheckSumFailures", Long),
        ("ulDisconnectedUsers", Long),
        ("ulPartialConnects", Long),
        ("ulInvalidPackets", Long),
        ("ulRecvFromErrors", Long),
        ("ulSendToErrors", Long),
    ],
};

/// The memory that a server's settings take.
pub static CONFIG_MEMORY: Structure = Structure {
    name: "ADS_MGMT_CONFIG_MEMORY",
    members: &[
        ("ulTotalConfigMem", Long),
        ("ulConnectionMem", Long),
        ("ulWorkAreaMem", Long),
        ("ulTableMem", Long),
        ("ulIndexMem", Long),
        ("ulLockMem", Long),
        ("ulUserBufferMem", Long),
        ("ulTPSHeaderElemMem", Long),
        ("ulTPSVisibilityElemMem", Long),
        ("ulTPSMemoTransElemMem", Long),
        ("ulReceiveEcbMem", Long),
        ("ulSendEcbMem", Long),
        ("ulWorkerThreadMem", Long),
        ("ulQueryMem", Long),
    ],
};

/// A server's settings.
pub static CONFIG_PARAMS: Structure = Structure {
    name: "ADS_MGMT_CONFIG_PARAMS",
    members: &[
        ("ulNumConnections", Long),
        ("ulNumWorkAreas", Long),
        ("ulNumTables", Long),
        ("ulNumIndexes", Long),
        ("ulNumLocks", Long),
        ("ulUserBufferSize", Long),
        ("ulStatDumpInterval", Long),
        ("ulErrorLogMax", Long),
        ("ulNumTPSHeaderElems", Long),
        ("ulNumTPSVisibilityElems", Long),
        ("ulNumTPSMemoTransElems", Long),
        ("usNumReceiveECBs", Short),
        ("usNumSendECBs", Short),
        ("usNumBurstPackets", Short),
        ("usNumWorkerThreads", Short),
        ("ulSortBuffSize", Long),
        ("aucErrorLog", CONFIG_PATH),
        ("aucSemaphore", CONFIG_PATH),
        ("aucTransaction", CONFIG_PATH),
        ("ucReserved3", Byte),
        ("ucReserved4", Byte),
        ("usSendIPPort", Short),
        ("usReceiveIPPort", Short),
        ("ucUseIPProtocol", Byte),
        ("ucFlushEveryUpdate", Byte),
        ("ulGhostTimeout", Long),
        ("ulFlushFrequency", Long),
        ("ulKeepAliveTimeOut", Long),
        ("ucDisplayNWLoginNames", Byte),
        ("ucUseSemaphoreFiles", Byte),
        ("ucUseDynamicAOFs", Byte),
        ("ucUseInternet", Byte),
        ("usInternetPort", Short),
        ("usMaxConnFailures", Short),
        ("ulInternetKeepAlive", Long),
        ("usCompressionLevel", Short),
        ("ulNumQueries", Long),
        ("usReceiveSSLPort", Short),
    ],
};

/// The installation.
pub static INSTALL_INFO: Structure = Structure {
    name: "ADS_MGMT_INSTALL_INFO",
    members: &[
        ("ulUserOption", Long),
        ("aucRegisteredOwner", Text("ADS_REG_OWNER_LEN", 36)),
        ("aucVersionStr", Text("ADS_REVISION_LEN", 16)),
        ("aucInstallDate", Text("ADS_INST_DATE_LEN", 16)),
        ("aucOemCharName", Text("ADS_OEM_CHAR_NAME_LEN", 16)),
        ("aucAnsiCharName", Text("ADS_ANSI_CHAR_NAME_LEN", 16)),
        ("aucEvalExpireDate", Text("ADS_INST_DATE_LEN", 16)),
        ("aucSerialNumber", Text("ADS_SERIAL_NUM_LEN", 16)),
        ("ulMaxStatefulUsers", Long),
        ("ulMaxStatelessUsers", Long),
    ],
};

/// An open table.
pub static TABLE_INFO: Structure =
    Structure { name: "ADS_MGMT_TABLE_INFO", members: &[("aucTableName", PATH), ("usLockType", Short)] };

/// An open index.
pub static INDEX_INFO: Structure = Structure { name: "ADS_MGMT_INDEX_INFO", members: &[("aucIndexName", PATH)] };

/// Activity of a thread of a server.
pub static THREAD_ACTIVITY: Structure = Structure {
    name: "ADS_MGMT_THREAD_ACTIVITY",
    members: &[
        ("ulThreadNumber", Long),
        ("usOpCode", Short),
        ("aucUserName", USER),
        ("usConnNumber", Short),
        ("usReserved1", Short),
        ("aucOSUserLoginName", USER),
    ],
};

/// A user of a server.
pub static USER_INFO: Structure = Structure {
    name: "ADS_MGMT_USER_INFO",
    members: &[
        ("aucUserName", USER),
        ("usConnNumber", Short),
        ("aucAuthUserName", USER),
        ("aucAddress", ADDRESS),
        ("aucOSUserLoginName", USER),
        ("aucTSAddress", ADDRESS),
        ("aucApplicationID", Text("ADS_MAX_MGMT_APPID_SIZE", 70)),
        ("ulAveRequestCost", Long),
        ("usReserved1", Short),
    ],
};

/// All of them, those before others that hold them.
pub static ALL: &[&Structure] = &[
    &RECORD_INFO,
    &UPTIME_INFO,
    &USAGE_INFO,
    &ACTIVITY_INFO,
    &COMM_STATS,
    &CONFIG_MEMORY,
    &CONFIG_PARAMS,
    &INSTALL_INFO,
    &TABLE_INFO,
    &INDEX_INFO,
    &THREAD_ACTIVITY,
    &USER_INFO,
];

impl Kind {
    fn alignment(self) -> usize {
        match self {
            Byte | Text(..) => 1,
            Short => 2,
            Long => 4,
            Double => 8,
            Kind::Structure(structure) => structure.alignment(),
        }
    }

    fn size(self) -> usize {
        match self {
            Byte => 1,
            Short => 2,
            Long => 4,
            Double => 8,
            Text(_, length) => length,
            Kind::Structure(structure) => structure.size(),
        }
    }
}

impl Structure {
    fn alignment(&self) -> usize {
        self.members.iter().map(|(_, kind)| kind.alignment()).max().unwrap_or(1)
    }

    /// Its bytes in C, padding included.
    pub fn size(&self) -> usize {
        let end =
            self.members.iter().fold(0_usize, |at, (_, kind)| at.next_multiple_of(kind.alignment()) + kind.size());
        end.next_multiple_of(self.alignment())
    }

    /// The offset of a member, of a structure within another as `stUsers.ulInUse`.
    pub fn offset(&self, path: &str) -> Option<(usize, Kind)> {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let mut at = 0_usize;
        for (name, kind) in self.members {
            at = at.next_multiple_of(kind.alignment());
            if *name == first {
                return match (rest, kind) {
                    (None, _) => Some((at, *kind)),
                    (Some(rest), Kind::Structure(inner)) => {
                        inner.offset(rest).map(|(offset, kind)| (at + offset, kind))
                    }
                    _ => None,
                };
            }
            at += kind.size();
        }
        None
    }
}

/// A structure being filled, zeros at first.
#[derive(Debug)]
pub struct Filled {
    structure: &'static Structure,
    /// As C sees them.
    pub bytes: Vec<u8>,
}

impl Filled {
    /// An empty one.
    pub fn new(structure: &'static Structure) -> Filled {
        Filled { structure, bytes: vec![0; structure.size()] }
    }

    /// Puts a number into a member; one that is too large becomes the largest.
    pub fn number(mut self, path: &str, value: usize) -> Filled {
        match self.structure.offset(path) {
            Some((at, Short)) => self.put(at, &u16::try_from(value).unwrap_or(u16::MAX).to_ne_bytes()),
            Some((at, Long)) => self.put(at, &u32::try_from(value).unwrap_or(u32::MAX).to_ne_bytes()),
            Some((at, Byte)) => self.put(at, &[u8::try_from(value).unwrap_or(u8::MAX)]),
            _ => {}
        }
        self
    }

    /// Puts a text into a member, cut so that a NUL is left.
    pub fn text(mut self, path: &str, text: &str) -> Filled {
        if let Some((at, Text(_, length))) = self.structure.offset(path) {
            let bytes = text.as_bytes();
            self.put(at, bytes.get(..length.saturating_sub(1)).unwrap_or(bytes));
        }
        self
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}

/// The structures as C declares them.
pub fn declarations() -> String {
    let mut text = String::from("\n/* Structures of the management calls */\n");
    for structure in ALL {
        text.push_str("typedef struct\n{\n");
        for (name, kind) in structure.members {
            let _ = match kind {
                Byte => writeln!(text, "   UNSIGNED8 {name};"),
                Short => writeln!(text, "   UNSIGNED16 {name};"),
                Long => writeln!(text, "   UNSIGNED32 {name};"),
                Double => writeln!(text, "   double {name};"),
                Text(length, _) => writeln!(text, "   UNSIGNED8 {name}[ {length} ];"),
                Kind::Structure(inner) => writeln!(text, "   {} {name};", inner.name),
            };
        }
        let _ = writeln!(text, "}} {};\n", structure.name);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_the_field() {
        assert_eq!(ACTIVITY_INFO.size(), 172);
        assert_eq!(ACTIVITY_INFO.offset("stStatelessUsers.ulInUse"), Some((160, Long)));
        assert_eq!((UPTIME_INFO.size(), TABLE_INFO.size(), COMM_STATS.size()), (8, 262, 48));
        let filled = Filled::new(&TABLE_INFO).text("aucTableName", &"x".repeat(300)).number("usLockType", 70_000);
        assert_eq!((filled.bytes.get(259), filled.bytes.get(260..)), (Some(&0), Some(&[255, 255][..])));
    }
}
