//! Numbers of messages, types and statements.

/// Tags of messages.
#[allow(missing_docs, reason = "each is its own name")]
pub mod tag {
    pub const COMMAND: u16 = 1;
    pub const PREPARE: u16 = 2;
    pub const CURNAME: u16 = 3;
    pub const ID: u16 = 4;
    pub const BIND: u16 = 5;
    pub const OPEN: u16 = 6;
    pub const EXECUTE: u16 = 7;
    pub const DESCRIBE: u16 = 8;
    pub const NFETCH: u16 = 9;
    pub const CLOSE: u16 = 10;
    pub const RELEASE: u16 = 11;
    pub const EOT: u16 = 12;
    pub const ERR: u16 = 13;
    pub const TUPLE: u16 = 14;
    pub const DONE: u16 = 15;
    pub const PUT: u16 = 17;
    pub const CMMTWORK: u16 = 19;
    pub const RBWORK: u16 = 20;
    pub const NDESCRIBE: u16 = 22;
    pub const SFETCH: u16 = 23;
    pub const SCROLL: u16 = 24;
    pub const TUPID: u16 = 25;
    pub const DBLIST: u16 = 26;
    pub const BEGIN: u16 = 35;
    pub const DBOPEN: u16 = 36;
    pub const DBCLOSE: u16 = 37;
    pub const FETCHBLOB: u16 = 38;
    pub const BLOB: u16 = 39;
    pub const BBIND: u16 = 41;
    pub const HOLD: u16 = 43;
    pub const WANTDONE: u16 = 49;
    pub const VERSION: u16 = 53;
    pub const COST: u16 = 55;
    pub const EXIT: u16 = 56;
    pub const INFO: u16 = 81;
    pub const INSERTDONE: u16 = 94;
    pub const LODATA: u16 = 97;
    pub const XACTSTAT: u16 = 99;
    pub const RETTYPE: u16 = 100;
    pub const GETROUTINE: u16 = 101;
    pub const EXFPROUTINE: u16 = 102;
    pub const FPROUTINE: u16 = 103;
    pub const FPARAM: u16 = 104;
    pub const AUTOFREE: u16 = 108;
    pub const CIDESCRIBE: u16 = 124;
    pub const IDESCRIBE: u16 = 125;
    pub const PROTOCOLS: u16 = 126;
    pub const CIFPDESCRIBE: u16 = 131;
    pub const IFPDESCRIBE: u16 = 132;
    pub const RETKEYS: u16 = 134;
    pub const KEYDESCRIBE: u16 = 135;
    pub const KEYTUPLE: u16 = 136;
    pub const SAVEPOINT: u16 = 137;
    pub const RELEASESAVEPOINT: u16 = 138;
    pub const ROLLBACKTO: u16 = 139;
}

/// The type of a column or value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeCode(pub u16);

#[allow(missing_docs, reason = "each is its own name")]
impl TypeCode {
    pub const CHAR: TypeCode = TypeCode(0);
    pub const SMALLINT: TypeCode = TypeCode(1);
    pub const INTEGER: TypeCode = TypeCode(2);
    pub const FLOAT: TypeCode = TypeCode(3);
    pub const SMALLFLOAT: TypeCode = TypeCode(4);
    pub const DECIMAL: TypeCode = TypeCode(5);
    pub const SERIAL: TypeCode = TypeCode(6);
    pub const DATE: TypeCode = TypeCode(7);
    pub const MONEY: TypeCode = TypeCode(8);
    pub const DATETIME: TypeCode = TypeCode(10);
    pub const BYTE: TypeCode = TypeCode(11);
    pub const TEXT: TypeCode = TypeCode(12);
    pub const VARCHAR: TypeCode = TypeCode(13);
    pub const INTERVAL: TypeCode = TypeCode(14);
    pub const NCHAR: TypeCode = TypeCode(15);
    pub const NVARCHAR: TypeCode = TypeCode(16);
    pub const INT8: TypeCode = TypeCode(17);
    pub const SERIAL8: TypeCode = TypeCode(18);
    pub const LVARCHAR: TypeCode = TypeCode(40);
    /// Opaque types of fixed length: BOOLEAN, BLOB and CLOB, told apart by their extended identifier.
    pub const OPAQUE: TypeCode = TypeCode(41);
    pub const RETURN_LVARCHAR: TypeCode = TypeCode(43);
    pub const RETURN_SENDRECV: TypeCode = TypeCode(44);
    pub const BOOLEAN: TypeCode = TypeCode(45);
    pub const BIGINT: TypeCode = TypeCode(52);
    pub const BIGSERIAL: TypeCode = TypeCode(53);

    /// Types beyond the built-in ones are named by owner and name, in RETTYPE and BIND.
    pub fn is_named(self) -> bool {
        self.0 > TypeCode::SERIAL8.0 && self != TypeCode::BIGINT && self != TypeCode::BIGSERIAL
    }

    /// True if rows contain the value inside an envelope `[u8 null][i length][bytes]`.
    pub fn has_envelope(self) -> bool {
        matches!(self.0, 19..=23 | 40..=45)
    }
}

/// Flags beside the type of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// The column is NOT NULL.
    pub const NOT_NULL: Flags = Flags(0x100);
}

/// The kind of a statement, as DESCRIBE reports it (values of the SQLCA table in IBM's ESQL/C manual).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementType(pub u16);

#[allow(missing_docs, reason = "each is its own name")]
impl StatementType {
    pub const SELECT: StatementType = StatementType(2);
    pub const SELECT_INTO: StatementType = StatementType(3);
    pub const UPDATE: StatementType = StatementType(4);
    pub const DELETE: StatementType = StatementType(5);
    pub const INSERT: StatementType = StatementType(6);
    pub const BEGIN: StatementType = StatementType(34);
    pub const COMMIT: StatementType = StatementType(35);
    pub const ROLLBACK: StatementType = StatementType(36);
    pub const EXECUTE_ROUTINE: StatementType = StatementType(56);
}

/// The length of the locator of a BLOB or CLOB in a row.
pub const SMART_LOB_BYTES: usize = 72;

/// The descriptor of a BYTE or TEXT value in rows and parameters: 56 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimpleLob {
    /// Bytes of the value, at offset 16. JDBC counts them in rows by the numbers of the first and the last byte, from 1, at the
    /// offsets 8 and 12.
    pub size: u32,
    /// The byte at offset 39 is 1.
    pub is_null: bool,
    /// A number of the server's at offset 20, by which a client asks for the value.
    pub handle: u32,
}

impl SimpleLob {
    /// The length of a descriptor.
    pub const BYTES: usize = 56;

    /// The descriptor of these bytes.
    pub fn decode(bytes: &[u8; SimpleLob::BYTES]) -> SimpleLob {
        let word = |at: usize| bytes.iter().skip(at).take(4).fold(0, |word, byte| (word << 8) | u32::from(*byte));
        SimpleLob { size: word(16), is_null: bytes[39] == 1, handle: word(20) }
    }

    /// The bytes of a descriptor.
    pub fn encode(self) -> [u8; SimpleLob::BYTES] {
        let mut bytes = [0; SimpleLob::BYTES];
        bytes[8..12].copy_from_slice(&1u32.to_be_bytes());
        bytes[12..16].copy_from_slice(&self.size.to_be_bytes());
        bytes[16..20].copy_from_slice(&self.size.to_be_bytes());
        bytes[20..24].copy_from_slice(&self.handle.to_be_bytes());
        bytes[39] = u8::from(self.is_null);
        bytes
    }
}
