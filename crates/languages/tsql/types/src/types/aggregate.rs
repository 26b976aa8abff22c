//! The result types of aggregates. (The query engine computes them.)
//!
//! The rules are those of the reference pages of SUM, AVG, MIN and their like: a sum of small integers is an INT and can
//! overflow; a sum of decimals has all 38 digits.

use super::DataType;
use crate::Message;
use DataType::*;

/// The type of an aggregate (its name in any case) over a type. The error is 8117; `None` for a name that is not an
/// aggregate's.
pub fn aggregate(name: &str, argument: DataType) -> Option<Result<DataType, Message>> {
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "count" | "approx_count_distinct" | "grouping" | "grouping_id" => {
            Ok(if name.starts_with('a') { BigInt } else { Int })
        }
        "count_big" => Ok(BigInt),
        "checksum_agg" if argument.is_integer() => Ok(Int),
        "sum" => number(&name, argument, |precision, scale| (precision, scale)),
        "avg" => number(&name, argument, |precision, scale| (precision, scale.max(6))),
        "stdev" | "stdevp" | "var" | "varp" => number(&name, argument, |_, scale| (38, scale)).map(|_| Float),
        "min" | "max" if ordered(argument) => Ok(argument),
        "min" | "max" | "checksum_agg" => Err(invalid(&name, argument)),
        _ => return None,
    })
}

fn invalid(name: &str, argument: DataType) -> Message {
    Message::numbered(8117, &[&argument.value_name(), &name])
}

fn ordered(argument: DataType) -> bool {
    argument != Bit && argument != Xml && !argument.is_large_object()
}

fn number(name: &str, argument: DataType, digits: fn(u8, u8) -> (u8, u8)) -> Result<DataType, Message> {
    match argument {
        TinyInt | SmallInt | Int => Ok(Int),
        BigInt => Ok(BigInt),
        Money | SmallMoney => Ok(Money),
        Real | Float => Ok(Float),
        Decimal { scale, .. } => {
            let (_, scale) = digits(38, scale);
            Ok(Decimal { precision: 38, scale })
        }
        _ => Err(invalid(name, argument)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_aggregates() {
        let shown = |name, argument| match aggregate(name, argument) {
            Some(Ok(data_type)) => data_type.to_string(),
            Some(Err(message)) => message.text,
            None => "none".to_owned(),
        };
        let decimal = Decimal { precision: 10, scale: 2 };
        for (name, argument, expected) in [
            ("COUNT", Bit, "int"),
            ("count_big", Int, "bigint"),
            ("SUM", TinyInt, "int"),
            ("SUM", BigInt, "bigint"),
            ("SUM", decimal, "decimal(38,2)"),
            ("AVG", decimal, "decimal(38,6)"),
            ("AVG", Int, "int"),
            ("AVG", SmallMoney, "money"),
            ("SUM", Real, "float"),
            ("STDEV", Int, "float"),
            ("MAX", NChar(5), "nchar(5)"),
            ("MAX", Bit, "Operand data type bit is invalid for max operator."),
            ("SUM", NChar(5), "Operand data type nchar is invalid for sum operator."),
            ("FIRST", Int, "none"),
        ] {
            assert_eq!(shown(name, argument), expected, "{name}({argument})");
        }
    }
}
