//! SQL type names in messages, in place of Arrow's.
//!
//! The libraries name types by their vectors: `Utf8View`, `Int64`, `Decimal128(11, 2)`. The author of a statement knows
//! VARCHAR, BIGINT and DECIMAL(11,2). Every message passes through [`in_sql`], so that a message without special
//! treatment contains at least the names of SQL.

/// The name that SQL has for a type of vectors, which is given as Arrow writes it; the text itself for another.
pub(super) fn sql_type(arrow: &str) -> String {
    let (name, arguments) = arrow.split_once('(').unwrap_or((arrow, ")"));
    let name = match name {
        "Utf8" | "LargeUtf8" | "Utf8View" | "Dictionary" => "VARCHAR",
        "Binary" | "LargeBinary" | "BinaryView" | "FixedSizeBinary" => "VARBINARY",
        "Boolean" => "BOOLEAN",
        "Int8" | "UInt8" => "TINYINT",
        "Int16" | "UInt16" => "SMALLINT",
        "Int32" | "UInt32" => "INTEGER",
        "Int64" | "UInt64" => "BIGINT",
        "Float16" | "Float32" => "REAL",
        "Float64" => "DOUBLE",
        "Decimal32" | "Decimal64" | "Decimal128" | "Decimal256" => {
            let digits = arguments.replace(' ', "");
            return if digits == ")" { "DECIMAL".to_owned() } else { format!("DECIMAL({digits}") };
        }
        "Date32" | "Date64" => "DATE",
        "Time32" | "Time64" => "TIME",
        "Timestamp" => "TIMESTAMP",
        "Interval" | "Duration" => "INTERVAL",
        "Null" => "NULL",
        _ => arrow,
    };
    name.to_owned()
}

/// Types that a message may have by their vectors' names and no statement has as words of its own.
const VECTORS: [&str; 32] = [
    "Utf8",
    "LargeUtf8",
    "Utf8View",
    "BinaryView",
    "LargeBinary",
    "FixedSizeBinary",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float16",
    "Float32",
    "Float64",
    "Decimal32",
    "Decimal64",
    "Decimal128",
    "Decimal256",
    "Date32",
    "Date64",
    "Time32",
    "Time64",
    "Timestamp",
    "Interval",
    "Duration",
    "Dictionary",
    "i32",
    "i64",
    "u64",
];

/// The message with the names of SQL in place of those of vectors. What is in quotation marks is the statement's, and stays.
pub(super) fn in_sql(message: &str) -> String {
    let mut told = String::with_capacity(message.len());
    for (number, part) in message.split(['\'', '"', '`']).enumerate() {
        if number > 0 {
            let at = part.as_ptr() as usize - message.as_ptr() as usize;
            told.push_str(&message[at - 1..at]);
        }
        match number % 2 {
            0 => push_in_sql(part, &mut told),
            _ => told.push_str(part),
        }
    }
    told
}

fn push_in_sql(part: &str, told: &mut String) {
    let mut rest = part;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphanumeric()) {
        told.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let word = &rest[..end];
        if !VECTORS.contains(&word) {
            told.push_str(word);
            rest = &rest[end..];
            continue;
        }
        let arguments = arguments_of(&rest[end..]);
        // `Timestamp` and `Interval` are words, too: as types they have arguments.
        let is_word = arguments.is_empty() && matches!(word, "Timestamp" | "Interval" | "Duration" | "Dictionary");
        let whole = &rest[..end + arguments.len()];
        match word {
            _ if is_word => told.push_str(word),
            "i32" => told.push_str("INTEGER"),
            "i64" | "u64" => told.push_str("BIGINT"),
            _ => told.push_str(&sql_type(whole)),
        }
        rest = &rest[whole.len()..];
    }
    told.push_str(rest);
}

/// The parentheses that follow a type, with all that is in them.
fn arguments_of(rest: &str) -> &str {
    if !rest.starts_with('(') {
        return "";
    }
    let mut depth = 0_i32;
    let end = rest.find(|letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    });
    end.map_or("", |end| &rest[..=end])
}

/// Types with commas between them.
pub(super) fn listed(types: &str) -> String {
    let mut depth = 0_i32;
    let parts = types.split(|letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    });
    parts.map(|part| sql_type(part.trim())).collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_names_in_sql() {
        assert_eq!(sql_type("Decimal128(11, 2)"), "DECIMAL(11,2)");
        assert_eq!(sql_type("Decimal128"), "DECIMAL");
        assert_eq!(sql_type("Timestamp(Nanosecond, None)"), "TIMESTAMP");
        assert_eq!(listed("Decimal128(11, 2), Utf8View"), "DECIMAL(11,2), VARCHAR");
    }

    #[test]
    fn names_in_messages_are_those_of_sql() {
        let message = "Can not find compatible types to compare Decimal128(6, 0) with [Int64, Utf8, Date32]";
        assert_eq!(
            in_sql(message),
            "Can not find compatible types to compare DECIMAL(6,0) with [BIGINT, VARCHAR, DATE]"
        );
        assert_eq!(in_sql("no column \"Int64\", and 'Utf8' is text"), "no column \"Int64\", and 'Utf8' is text");
        assert_eq!(in_sql("a Timestamp(ns) or Interval"), "a TIMESTAMP or Interval");
        assert_eq!(in_sql("größer als Int8"), "größer als TINYINT");
    }
}
