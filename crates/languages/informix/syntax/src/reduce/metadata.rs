//! Functions that drivers ask the catalog with: `schema_coltypename(coltype, extended_id)` and its like.
//!
//! A server has them as routines of the user informix. Each is a CASE over the code of the type in syscolumns, from which 256
//! is taken for NOT NULL. The numbers of `get_data_type` are those of java.sql.Types.

use super::Reducer;
use crate::error::Parse;
use crate::tree::Expr;

/// Codes of types, their names, and the numbers that JDBC has for them.
const TYPES: [(u32, &str, i32); 22] = [
    (0, "char", 1),
    (1, "smallint", 5),
    (2, "integer", 4),
    (3, "float", 8),
    (4, "smallfloat", 7),
    (5, "decimal", 3),
    (6, "serial", 4),
    (7, "date", 91),
    (8, "money", 3),
    (10, "datetime", 93),
    (11, "byte", -4),
    (12, "text", -1),
    (13, "varchar", 12),
    (14, "interval", 1111),
    (15, "nchar", 1),
    (16, "nvarchar", 12),
    (17, "int8", -5),
    (18, "serial8", -5),
    (40, "lvarchar", 12),
    (43, "lvarchar", 12),
    (52, "bigint", -5),
    (53, "bigserial", -5),
];

/// Types that share a code and are told apart by the extended identifier.
const EXTENDED: [(u32, &str, i32); 4] =
    [(1, "lvarchar", 12), (5, "boolean", -7), (10, "blob", 2004), (11, "clob", 2005)];

impl Reducer<'_> {
    /// Writes a call of such a function; false if it is another one.
    pub(super) fn metadata_function(&mut self, name: &str, arguments: &[&Expr]) -> Parse<bool> {
        if name == "get_default_value" {
            if let [_, _, _, default] = arguments {
                self.expression(default)?;
                return Ok(true);
            }
            return Ok(false);
        }
        let Some(code) = arguments.first() else { return Ok(false) };
        let mut parts = Vec::new();
        for argument in [Some(code), arguments.get(1), arguments.get(2)] {
            let from = self.out.len();
            if let Some(argument) = argument {
                self.expression(argument)?;
            }
            parts.push(self.out.split_off(from));
        }
        let [code, second, third] = &parts[..] else { return Ok(false) };
        let Some(text) = text_of(name, code, second, third) else { return Ok(false) };
        self.push(&text);
        Ok(true)
    }
}

/// The function over a type's code and the second and third argument: extended identifier and length, or length alone.
fn text_of(name: &str, code: &str, second: &str, third: &str) -> Option<String> {
    let base = format!("({code} % 256)");
    let is_decimal = format!("{base} IN (5, 8)");
    let is_varying = format!("{base} IN (13, 16)");
    let is_text = format!("({base} IN (0, 13, 15, 16, 40) OR ({base} IN (41, 43) AND {second} = 1))");
    Some(match name {
        "get_data_type" => choice(&base, second, |(_, _, number)| number.to_string()),
        "schema_coltypename" => choice(&base, second, |(_, name, _)| format!("'{name}'")),
        "schema_precision" => format!(
            "CAST(CASE WHEN {is_decimal} THEN {third} / 256 WHEN {is_varying} THEN {third} % 256 WHEN {base} IN (2, 6, 7) THEN 10 \
             WHEN {base} = 1 THEN 5 WHEN {base} IN (17, 18, 52, 53) THEN 19 WHEN {base} = 3 THEN 16 WHEN {base} = 4 THEN 8 \
             WHEN {base} IN (10, 14) THEN {third} / 256 ELSE {third} END AS INTEGER)"
        ),
        "schema_numscale" => format!(
            "CAST(CASE WHEN {is_decimal} AND {second} % 256 < 255 THEN {second} % 256 WHEN {base} IN (1, 2, 6, 17, 18, 52, 53) THEN 0 \
             ELSE NULL END AS INTEGER)"
        ),
        "schema_numprecradix" => {
            format!("CAST(CASE WHEN {base} IN (1, 2, 3, 4, 5, 6, 8, 17, 18, 52, 53) THEN 10 ELSE NULL END AS INTEGER)")
        }
        "schema_isnullable" => format!("CAST(CASE WHEN {code} % 512 < 256 THEN 1 ELSE 0 END AS INTEGER)"),
        "schema_nullable" => format!("CASE WHEN {code} % 512 < 256 THEN 'YES' ELSE 'NO' END"),
        "schema_isautoincr" => format!("CASE WHEN {base} IN (6, 18, 53) THEN 'YES' ELSE 'NO' END"),
        "schema_datetype" => format!("CAST(CASE WHEN {base} IN (10, 14) THEN {second} % 256 ELSE NULL END AS INTEGER)"),
        "schema_charlen" => {
            format!(
                "CAST(CASE WHEN {is_varying} THEN {third} % 256 WHEN {is_text} THEN {third} ELSE NULL END AS INTEGER)"
            )
        }
        _ => return None,
    })
}

fn choice(base: &str, extended: &str, show: impl Fn((u32, &str, i32)) -> String) -> String {
    let mut text = "CASE".to_owned();
    if !extended.is_empty() {
        for known in EXTENDED {
            text.push_str(&format!(" WHEN {base} IN (40, 41, 43) AND {extended} = {} THEN {}", known.0, show(known)));
        }
    }
    for known in TYPES {
        text.push_str(&format!(" WHEN {base} = {} THEN {}", known.0, show(known)));
    }
    text.push_str(" ELSE NULL END");
    text
}
