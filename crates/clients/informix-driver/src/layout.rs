//! The columns of a result, and where their values stand in the bytes of a row.

use mainstay_sqli::{Field, Flags, Qualifier, ReturnType, SMART_LOB_BYTES, SimpleLob, TypeCode};

/// The form of a column's values in the bytes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SMALLINT.
    Int16,
    /// INTEGER, SERIAL.
    Int32,
    /// BIGINT, BIGSERIAL.
    Int64,
    /// INT8, SERIAL8.
    Int8,
    /// FLOAT.
    Float64,
    /// SMALLFLOAT.
    Float32,
    /// DATE.
    Date,
    /// CHAR and NCHAR of this many bytes, padded with spaces.
    Padded(usize),
    /// VARCHAR, NVARCHAR.
    Varchar,
    /// DECIMAL, MONEY: bytes of a value.
    Decimal(usize),
    /// DATETIME: bytes of a value.
    DateTime(Qualifier, usize),
    /// INTERVAL: bytes of a value.
    Interval(Qualifier, usize),
    /// TEXT as a descriptor.
    Text,
    /// BYTE as a descriptor.
    Byte,
    /// BOOLEAN.
    Boolean,
    /// LVARCHAR, collections and rows: a text in an envelope.
    LongText,
    /// Opaque types: bytes in an envelope.
    Opaque,
    /// CLOB (true) and BLOB: a locator in an envelope.
    Smart(bool),
}

impl Kind {
    /// Bytes of a value; `None` where each value has its own length.
    pub fn fixed_bytes(self) -> Option<usize> {
        Some(match self {
            Kind::Int16 => 2,
            Kind::Int32 | Kind::Float32 | Kind::Date => 4,
            Kind::Int64 | Kind::Float64 => 8,
            Kind::Int8 => 10,
            Kind::Padded(bytes) | Kind::Decimal(bytes) => bytes,
            Kind::DateTime(_, bytes) | Kind::Interval(_, bytes) => bytes,
            Kind::Text | Kind::Byte => SimpleLob::BYTES,
            Kind::Varchar | Kind::Boolean | Kind::LongText | Kind::Opaque | Kind::Smart(_) => return None,
        })
    }

    fn of(field: &Field) -> Kind {
        let kind = &field.kind;
        let qualified = |make: fn(Qualifier, usize) -> Kind| match Qualifier::of_length(kind.length) {
            Ok(qualifier) => make(qualifier, kind.digit_bytes()),
            Err(_) => Kind::Padded(kind.digit_bytes()),
        };
        match kind.code {
            TypeCode::SMALLINT => Kind::Int16,
            TypeCode::INTEGER | TypeCode::SERIAL => Kind::Int32,
            TypeCode::BIGINT | TypeCode::BIGSERIAL => Kind::Int64,
            TypeCode::INT8 | TypeCode::SERIAL8 => Kind::Int8,
            TypeCode::FLOAT => Kind::Float64,
            TypeCode::SMALLFLOAT => Kind::Float32,
            TypeCode::DATE => Kind::Date,
            TypeCode::VARCHAR | TypeCode::NVARCHAR => Kind::Varchar,
            TypeCode::DECIMAL | TypeCode::MONEY => Kind::Decimal(kind.digit_bytes()),
            TypeCode::DATETIME => qualified(Kind::DateTime),
            TypeCode::INTERVAL => qualified(Kind::Interval),
            TypeCode::TEXT => Kind::Text,
            TypeCode::BYTE => Kind::Byte,
            code if code.has_envelope() => match (kind.extended_id, kind.name.as_str()) {
                _ if code == TypeCode::BOOLEAN => Kind::Boolean,
                (5, _) | (_, "boolean") => Kind::Boolean,
                (10, _) | (_, "blob") => Kind::Smart(false),
                (11, _) | (_, "clob") => Kind::Smart(true),
                _ => Kind::LongText,
            },
            _ => Kind::Padded(kind.length as usize),
        }
    }
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The form of its values.
    pub kind: Kind,
    /// Its type.
    pub code: TypeCode,
    /// Bytes, `(precision << 8) | scale`, or a qualifier.
    pub length: u32,
    /// It may hold NULL.
    pub is_nullable: bool,
    /// The number of an opaque type.
    pub extended_id: u32,
}

impl Column {
    /// Precision and scale of a DECIMAL or MONEY; the scale is `None` where the point floats.
    pub fn precision(&self) -> Option<(u8, Option<u8>)> {
        let scale = self.length as u8;
        let digits = (self.length >> 8) as u8;
        matches!(self.kind, Kind::Decimal(_)).then(|| (digits, (scale != 255).then_some(scale)))
    }
}

/// The columns of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The columns in order.
    pub columns: Vec<Column>,
    /// Bytes of a row, if all rows have the same.
    pub fixed_bytes: Option<usize>,
    /// Places of TEXT and BYTE columns, which have descriptors, and of BLOB and CLOB columns, which have locators.
    pub lobs: Vec<usize>,
    /// There are BLOB or CLOB columns.
    pub has_locators: bool,
}

impl Layout {
    /// The layout of described fields.
    pub fn new(fields: &[Field]) -> Layout {
        let column = |field: &Field| Column {
            name: field.name.clone(),
            kind: Kind::of(field),
            code: field.kind.code,
            length: field.kind.length,
            is_nullable: field.kind.flags.0 & Flags::NOT_NULL.0 == 0,
            extended_id: field.kind.extended_id,
        };
        let columns: Vec<Column> = fields.iter().map(column).collect();
        let is_lob = |kind: Kind| matches!(kind, Kind::Text | Kind::Byte | Kind::Smart(_));
        let is_lob = |place: &usize| columns.get(*place).is_some_and(|column| is_lob(column.kind));
        let lobs = (0..columns.len()).filter(is_lob).collect();
        let fixed_bytes = columns.iter().map(|column| column.kind.fixed_bytes()).sum();
        let has_locators = columns.iter().any(|column| matches!(column.kind, Kind::Smart(_)));
        Layout { columns, fixed_bytes, lobs, has_locators }
    }

    /// About how many bytes a row takes, at least.
    pub fn row_bytes(&self) -> usize {
        let bytes = |column: &Column| match column.kind {
            Kind::Smart(_) => SMART_LOB_BYTES,
            kind => kind.fixed_bytes().unwrap_or(16),
        };
        self.columns.iter().map(bytes).sum()
    }

    /// The types in which rows are asked for where there are BLOB or CLOB columns: those as locators.
    pub fn return_types(&self) -> Vec<ReturnType> {
        let wanted = |column: &Column| {
            let (code, name) = match column.kind {
                Kind::Boolean => (TypeCode::BOOLEAN, "boolean"),
                Kind::LongText => (TypeCode::RETURN_LVARCHAR, "lvarchar"),
                Kind::Smart(true) => (TypeCode::RETURN_SENDRECV, "clob"),
                Kind::Smart(false) => (TypeCode::RETURN_SENDRECV, "blob"),
                Kind::Opaque => (TypeCode::RETURN_SENDRECV, ""),
                _ => (column.code, ""),
            };
            ReturnType { code, name: name.to_owned(), length: column.length }
        };
        self.columns.iter().map(wanted).collect()
    }
}
