//! Lists of constants of one type as one text, for `IN` of a long list.
//!
//! ```text
//!   1,2,-3              whole numbers
//!   3:abc0:4:a,b:       texts, each behind its length in bytes
//! ```

use crate::DataType;
use mainstay_types::Value;

/// The text of values that are all whole numbers, or all texts; `None` for others.
pub fn pack(values: &[Value]) -> Option<String> {
    let mut packed = String::new();
    for (place, value) in values.iter().enumerate() {
        match value {
            Value::Integer(number) => {
                if place > 0 {
                    packed.push(',');
                }
                packed.push_str(&number.to_string());
            }
            Value::Text(text) => {
                packed.push_str(&text.len().to_string());
                packed.push(':');
                packed.push_str(text);
            }
            _ => return None,
        }
    }
    Some(packed)
}

/// The values of such a text of this type; `None` for an invalid text.
pub fn unpack(packed: &str, data_type: DataType) -> Option<Vec<Value>> {
    if !data_type.is_text() {
        return packed.split(',').map(|number| number.parse().ok().map(Value::Integer)).collect();
    }
    let (mut rest, mut values) = (packed, Vec::new());
    while !rest.is_empty() {
        let (length, behind) = rest.split_once(':')?;
        let length: usize = length.parse().ok()?;
        values.push(Value::Text(behind.get(..length)?.to_owned()));
        rest = behind.get(length..)?;
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Length;

    #[test]
    fn lists_are_read_as_they_were_written() {
        let numbers = vec![Value::Integer(1), Value::Integer(-3), Value::Integer(i64::MAX)];
        assert_eq!(pack(&numbers).as_deref(), Some("1,-3,9223372036854775807"));
        assert_eq!(unpack(&pack(&numbers).unwrap(), DataType::Int), Some(numbers));
        let texts: Vec<Value> =
            ["abc", "", "a,b:", "4:x", "Malmö"].iter().map(|it| Value::Text((*it).into())).collect();
        let of = DataType::NVarChar(Length::Limited(10));
        assert_eq!(unpack(&pack(&texts).unwrap(), of), Some(texts));
        assert_eq!(pack(&[Value::Boolean(true)]), None);
        assert_eq!(unpack("5:abc", of), None);
        assert_eq!(unpack("1,x", DataType::Int), None);
    }
}
