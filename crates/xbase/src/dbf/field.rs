//! The fields of a record, as the header describes them.

/// One field of a DBF record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name as the header has it, without padding.
    pub name: String,
    /// What the field holds.
    pub kind: FieldKind,
    /// The letter in the header, for messages and DISPLAY STRUCTURE.
    pub letter: u8,
    /// The first byte in the record (the deletion flag is byte 0).
    pub offset: usize,
    /// Bytes in the record.
    pub length: usize,
    /// Digits after the point, where the kind has a point.
    pub decimals: u8,
    /// The bit in `_NullFlags` that says NULL, if the field is nullable.
    pub null_bit: Option<usize>,
    /// The bit in `_NullFlags` that says the last byte is the length, for varying-length fields.
    pub varying_bit: Option<usize>,
}

/// What a field holds, which is decided by the letter, the version byte, the length and the flags
/// together: a `B` is a double in a Visual FoxPro table and a memo reference in a dBASE one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// `C`: text padded with blanks.
    Character,
    /// `C` with the binary flag: bytes.
    CharacterBinary,
    /// `N`, `F`: a number as text.
    Numeric,
    /// `D` of 8: `YYYYMMDD` as text.
    Date,
    /// `D` of 3, `V` of 3: a 24-bit little-endian Julian day.
    DateBinary,
    /// `D` of 4 and the like: a 32-bit little-endian Julian day.
    DateJulian,
    /// `L`: one of `TtYyFfNn ?`.
    Logical,
    /// `I`, `+`, `V` of 4, and 1-, 2-, 3- and 8-byte relatives: a little-endian integer, scaled by the
    /// decimals of the field.
    Integer,
    /// `O`, `B` in Visual FoxPro and Harbour, `Z`: a little-endian double.
    Double,
    /// `Y`: a 64-bit little-endian integer, with four decimals unless the header says otherwise.
    Currency,
    /// `T` of 8, `@`: Julian day and milliseconds, 32 bits each.
    Timestamp,
    /// `T` of 4: milliseconds of a day.
    Time,
    /// `=`: when the record was last written; stored as `@`.
    ModificationTime,
    /// `^`: counts up at every write of any record; a 64-bit little-endian integer.
    RowVersion,
    /// `V`: text of varying length.
    Varchar,
    /// `Q`: bytes of varying length.
    Varbinary,
    /// `M`: a reference to text in the memo file.
    Memo,
    /// `M` with the binary flag, `G`, `P`, `W`, `B` in dBASE: a reference to bytes in the memo file.
    MemoBinary,
    /// Harbour's `V` of 6 or more: a value of any type, small ones in place, others in the memo file.
    Any,
    /// `0`: the bits that say which fields are NULL. Not a column.
    NullFlags,
    /// A letter that no known program writes: its bytes are kept as they are.
    Unknown,
}
