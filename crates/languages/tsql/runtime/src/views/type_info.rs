//! The types as `sp_datatype_info` lists them.
//!
//! A type that old drivers do not know is there twice: with `form` 0 as a text, and with `form` 1 as the type itself.
//! (SQL Server's reference: "sp_datatype_info".)

use super::View;
use mainstay_types::Value;

pub(super) const VIEWS: [View; 1] = [View {
    name: "sys.spt_datatype_info_view",
    columns: "name:n number:i size:i prefix:v32 suffix:v32 parameters:v32 nullable:i cases:i searchable:i is_unsigned:i \
    is_money:i is_automatic:i lowest:i highest:i verbose:i sub:i radix:i user_number:i form:i",
    rows: |_| TYPES.iter().map(|line| line.split('|').enumerate().map(cell).collect()).collect(),
}];

/// The columns that are texts: the name, prefix and suffix of literals, and the parameters.
const TEXTS: [usize; 4] = [0, 3, 4, 5];

fn cell((column, text): (usize, &str)) -> Value {
    match text.parse() {
        _ if text.is_empty() => Value::Null,
        Ok(number) if !TEXTS.contains(&column) => Value::Integer(number),
        _ => Value::Text(text.to_owned()),
    }
}

/// The values of the view's columns; nothing is NULL.
#[rustfmt::skip]
const TYPES: [&str; 41] = [
    "sql_variant|-150|8000||||1|0|2||0||0|0|-150||10|0|",
    "xml|-152|0|N'|'||1|1|0||0||||-152|||0|1",
    "datetimeoffset|-155|34|'|'|scale|1|0|3||0||0|7|-155|0||0|1",
    "datetimeoffset|-9|34|'|'|scale|1|0|3||0||||-9|||0|0",
    "time|-154|16|'|'|scale|1|0|3||0||0|7|-154|0||0|1",
    "time|-9|16|'|'|scale|1|0|3||0||||-9|||0|0",
    "uniqueidentifier|-11|36|'|'||1|0|2||0||||-11|||0|",
    "ntext|-10|1073741823|N'|'||1|0|1||0||||-10|||0|",
    "nvarchar|-9|4000|N'|'|max length|1|0|3||0||||-9|||0|",
    "sysname|-9|128|N'|'||0|0|3||0||||-9|||18|",
    "nchar|-8|4000|N'|'|length|1|0|3||0||||-8|||0|",
    "bit|-7|1||||1|0|2||0||0|0|-7|||16|",
    "tinyint|-6|3||||1|0|2|1|0|0|0|0|-6||10|5|",
    "tinyint identity|-6|3||||0|0|2|1|0|1|0|0|-6||10|5|",
    "bigint|-5|19||||1|0|2|0|0|0|0|0|-5||10|0|",
    "bigint identity|-5|19||||0|0|2|0|0|1|0|0|-5||10|0|",
    "image|-4|2147483647|0x|||1|0|0||0||||-4|||20|",
    "varbinary|-3|8000|0x||max length|1|0|2||0||||-3|||4|",
    "binary|-2|8000|0x||length|1|0|2||0||||-2|||3|",
    "timestamp|-2|8|0x|||0|0|2||0||||-2|||80|",
    "text|-1|2147483647|'|'||1|0|1||0||||-1|||19|",
    "char|1|8000|'|'|length|1|0|3||0||||1|||1|",
    "numeric|2|38|||precision,scale|1|0|2|0|0|0|0|38|2||10|10|",
    "numeric() identity|2|38|||precision|0|0|2|0|0|1|0|0|2||10|10|",
    "decimal|3|38|||precision,scale|1|0|2|0|0|0|0|38|3||10|24|",
    "money|3|19|$|||1|0|2|0|1|0|4|4|3||10|11|",
    "smallmoney|3|10|$|||1|0|2|0|1|0|4|4|3||10|21|",
    "decimal() identity|3|38|||precision|0|0|2|0|0|1|0|0|3||10|24|",
    "int|4|10||||1|0|2|0|0|0|0|0|4||10|7|",
    "int identity|4|10||||0|0|2|0|0|1|0|0|4||10|7|",
    "smallint|5|5||||1|0|2|0|0|0|0|0|5||10|6|",
    "smallint identity|5|5||||0|0|2|0|0|1|0|0|5||10|6|",
    "float|6|53||||1|0|2|0|0|0|||6||2|8|",
    "real|7|24||||1|0|2|0|0|0|||7||2|23|",
    "varchar|12|8000|'|'|max length|1|0|3||0||||12|||2|",
    "date|91|10|'|'||1|0|3||0|||0|9|1||0|1",
    "date|-9|10|'|'||1|0|3||0||||-9|||0|0",
    "datetime2|93|27|'|'|scale|1|0|3||0||0|7|9|3||0|1",
    "datetime2|-9|27|'|'|scale|1|0|3||0||||-9|||0|0",
    "datetime|93|23|'|'||1|0|3||0||3|3|9|3||12|",
    "smalldatetime|93|16|'|'||1|0|3||0||0|0|9|3||22|",
];
