//! The text that defines the fields of a new table: `NAME,Character,20;BALANCE,Numeric,10,2;NOTES,Memo`.
//!
//! A field's type is a word or its first letter; then come length and decimals, as far as the type needs them; then
//! flags. Types that these tables cannot have (those of ADT tables) are refused by name.

use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{Counter, FieldSpec, TableSpec};

use crate::constants::*;
use crate::failure::{Failure, Result};

/// The longest name of a field of an ADT.
const LONGEST_ADT_NAME: usize = 128;

/// The least length of a field of varying length, but for tables of Visual FoxPro: with less it is one of another type.
const LEAST_VARYING: usize = 6;

/// The fields of a definition.
pub fn parse(text: &str, table_type: u32) -> Result<Vec<FieldSpec>> {
    let fields = text.split(';').map(str::trim).filter(|field| !field.is_empty());
    let fields: Vec<FieldSpec> = fields.map(|field| parse_field(field, table_type)).collect::<Result<_>>()?;
    match fields.is_empty() {
        true => Err(Failure::new(AE_INVALID_FIELDDEF, "there is no field")),
        false => Ok(fields),
    }
}

fn parse_field(text: &str, table_type: u32) -> Result<FieldSpec> {
    let refused = |reason: &str| Failure::new(AE_INVALID_FIELDDEF, format!("{text}: {reason}"));
    let mut parts = text.split(',').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty()).ok_or_else(|| refused("no name"))?;
    if table_type == ADS_ADT {
        return parse_adt_field(name, text, parts);
    }
    if name.len() > 10 {
        return Err(Failure::new(AE_NAME_TOO_LONG, name));
    }
    let kind = parts.next().ok_or_else(|| refused("no type"))?;
    let mut numbers = Vec::new();
    let mut flags = Vec::new();
    for part in parts {
        match part.parse::<usize>() {
            Ok(number) => numbers.push(number),
            Err(_) => flags.push(part.to_ascii_uppercase()),
        }
    }
    let (letter, length, binary) =
        kind_of(kind, numbers.first().copied(), table_type).ok_or_else(|| refused("no such type"))?;
    if letter == b'V' && table_type != ADS_VFP && length < LEAST_VARYING {
        return Err(refused("a VarChar of these tables has 6 bytes or more: its last 6 say where the rest is"));
    }
    let decimals = numbers.get(1).copied().unwrap_or(0);
    let takes_decimals = matches!(letter, b'N' | b'F' | b'B' | b'Y');
    let decimals = u8::try_from(if takes_decimals { decimals } else { 0 }).map_err(|_| refused("too many decimals"))?;
    let mut field = FieldSpec::new(name, letter, length, decimals);
    if table_type == ADS_VFP && kind.to_ascii_lowercase().starts_with("autoinc") {
        // FoxPro's is an integer with a counter in its descriptor.
        field.counter = Some(Counter { next: 1, step: 1 });
    }
    field.binary = binary || flags.iter().any(|flag| flag == "NOCPTRANS");
    if flags.iter().any(|flag| flag == "NULL") {
        field = field.nullable();
    }
    Ok(field)
}

/// The same of an ADT, whose types are all those of the interface; NULL needs no flag.
fn parse_adt_field<'t>(name: &str, text: &str, mut parts: impl Iterator<Item = &'t str>) -> Result<FieldSpec> {
    let refused = |reason: &str| Failure::new(AE_INVALID_FIELDDEF, format!("{text}: {reason}"));
    if name.len() > LONGEST_ADT_NAME {
        return Err(Failure::new(AE_NAME_TOO_LONG, name));
    }
    let kind = parts.next().ok_or_else(|| refused("no type"))?;
    let kind = Type::of_name(kind).ok_or_else(|| refused("no such type"))?;
    let mut numbers = parts.filter_map(|part| part.parse::<usize>().ok());
    let length = numbers.next().unwrap_or(0);
    let decimals = u8::try_from(numbers.next().unwrap_or(0)).map_err(|_| refused("too many decimals"))?;
    if kind.fixed_length().is_none() && length == 0 {
        return Err(refused("no length"));
    }
    Ok(field_of_type(name, kind, length, decimals))
}

/// The letter of a type, the length of its fields, and whether they hold bytes.
fn kind_of(kind: &str, length: Option<usize>, table_type: u32) -> Option<(u8, usize, bool)> {
    let vfp = table_type == ADS_VFP;
    let given = length.unwrap_or(0);
    Some(match kind.to_ascii_lowercase().as_str() {
        "character" | "char" | "c" => (b'C', given, false),
        "raw" => (b'C', given, true),
        "numeric" | "n" => (b'N', given, false),
        "float" | "f" => (b'F', given, false),
        "date" | "d" => (b'D', 8, false),
        "shortdate" if !vfp => (b'D', 3, false),
        "logical" | "l" => (b'L', 1, false),
        "memo" | "m" => (b'M', 0, false),
        "binary" | "blob" if vfp => (b'W', 0, true),
        "binary" | "blob" => (b'M', 0, true),
        "image" => (b'P', 0, true),
        "general" | "g" => (b'G', 0, true),
        "integer" | "int" | "i" => (b'I', 4, false),
        "shortint" if !vfp => (b'I', 2, false),
        "longlong" | "longint" | "int64" if !vfp => (b'I', 8, false),
        "autoinc" | "autoincrement" if vfp => (b'I', 4, false),
        "autoinc" | "autoincrement" => (b'+', 4, false),
        "double" | "b" => (b'B', 8, false),
        "curdouble" | "money" | "currency" | "y" => (b'Y', 8, false),
        "timestamp" | "datetime" | "t" => (b'T', 8, false),
        "time" if !vfp => (b'T', 4, false),
        "modtime" if !vfp => (b'=', 8, false),
        "rowversion" if !vfp => (b'^', 8, false),
        "varchar" | "varcharfox" => (b'V', given, false),
        "varbinary" | "varbinaryfox" => (b'Q', given, true),
        "nchar" if !vfp => (0x1A, given * 2, false),
        "nvarchar" if !vfp => (0x1B, given * 2, false),
        "nmemo" if !vfp => (0x1C, 0, false),
        _ => return None,
    })
}

/// The fields of a table that is to get other ones, and for each the old field that its values come from.
pub fn restructured(
    old: &TableSpec,
    add: &str,
    delete: &str,
    change: &str,
    table_type: u32,
) -> Result<(TableSpec, Vec<Option<usize>>)> {
    let place = |name: &str| {
        let found = old.fields.iter().position(|field| field.name.eq_ignore_ascii_case(name.trim()));
        found.ok_or_else(|| Failure::new(AE_INVALID_FIELDNAME, name.trim()))
    };
    let parts =
        |text: &str| text.split(';').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    let mut fields: Vec<Option<FieldSpec>> = old.fields.iter().cloned().map(Some).collect();
    let deleted: Vec<String> = parts(delete);
    for name in &deleted {
        if let Some(field) = fields.get_mut(place(name.trim_end_matches(','))?) {
            *field = None;
        }
    }
    let changed: Vec<String> = parts(change);
    for text in &changed {
        let (name, definition) = text.split_once(',').ok_or_else(|| Failure::new(AE_INVALID_FIELDDEF, text))?;
        if let Some(field) = fields.get_mut(place(name)?) {
            *field = Some(parse_field(definition, table_type)?);
        }
    }
    let mut sources = Vec::new();
    let mut kept = Vec::new();
    for (from, field) in fields.into_iter().enumerate() {
        if let Some(field) = field {
            kept.push(field);
            sources.push(Some(from));
        }
    }
    if !add.trim().is_empty() {
        for field in parse(add, table_type)? {
            kept.push(field);
            sources.push(None);
        }
    }
    Ok((TableSpec { fields: kept, ..old.clone() }, sources))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_letters_define_fields() {
        let fields = parse("ID,Numeric,8,0; NAME,C,20;BORN,Date;OK,Logical;NOTES,Memo,10;", ADS_CDX).unwrap();
        let described: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.letter, field.length)).collect();
        let expected = [("ID", b'N', 8), ("NAME", b'C', 20), ("BORN", b'D', 8), ("OK", b'L', 1), ("NOTES", b'M', 0)];
        assert_eq!(described, expected);
        assert!(
            parse("A,Character,5,NULL,NOCPTRANS", ADS_VFP).is_ok_and(|fields| fields[0].nullable && fields[0].binary)
        );
    }

    #[test]
    fn a_field_of_foxpro_that_counts_has_a_counter() {
        let fields = parse("A,AutoInc;B,Integer", ADS_VFP).unwrap();
        assert_eq!(fields[0].counter, Some(Counter { next: 1, step: 1 }));
        assert_eq!(fields[1].counter, None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let code = |text: &str| parse(text, ADS_CDX).unwrap_err().code;
        assert_eq!(code(""), AE_INVALID_FIELDDEF);
        assert_eq!(code("A"), AE_INVALID_FIELDDEF);
        assert_eq!(code("A,Guid"), AE_INVALID_FIELDDEF);
        assert_eq!(code("A,CICharacter,10"), AE_INVALID_FIELDDEF);
        assert_eq!(code("A,VarChar,4"), AE_INVALID_FIELDDEF);
        assert!(parse("A,VarChar,4", ADS_VFP).is_ok() && parse("A,VarChar,6", ADS_CDX).is_ok());
        assert_eq!(code("ELEVENCHARS,Logical"), AE_NAME_TOO_LONG);
    }
}
