//! Types as ODBC numbers them: the descriptions of columns and parameters in `sp_columns` and its like.
//!
//! Every column is there twice: `form` 0 as in `sp_columns`, for drivers that know no type newer than SQL Server 2000's
//! (a DATE is a text to them, a VARCHAR(MAX) a TEXT), and `form` 1 as in `sp_columns_100`. (SQL Server's reference:
//! "sp_columns", "sp_datatype_info", and "SQLColumns" of its ODBC driver.)

use super::{Facts, Rows, View, row};
use crate::catalog::{Catalog, Column, Object, parameters};
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::Value;

const COLUMN: &str = "object_id:i column_id:i form:t name:n data_type:s type_name:n precision:i length:i scale:s radix:s \
    nullable:s column_def:n4000 sql_data_type:s sql_datetime_sub:s char_octet_length:i ss_data_type:t is_output:b \
    is_computed:b is_identity:b";

pub(super) const VIEWS: [View; 2] = [
    View { name: "sys.spt_columns_odbc_view", columns: COLUMN, rows: columns },
    View { name: "sys.spt_parameters_odbc_view", columns: COLUMN, rows: all_parameters },
];

/// ODBC's description of a type.
struct Odbc {
    data_type: i64,
    precision: i64,
    length: i64,
    scale: Option<i64>,
    radix: Option<i64>,
    /// The type without what tells moments apart, and that.
    verbose: (i64, Option<i64>),
    octets: Option<i64>,
}

const LONG: i64 = 2_147_483_647;
const LONG_NATIONAL: i64 = 1_073_741_823;

impl Odbc {
    fn number(data_type: i64, precision: i64, length: i64, scale: Option<i64>) -> Odbc {
        let radix = if data_type == -7 { None } else { Some(10) };
        Odbc { data_type, precision, length, scale, radix, verbose: (data_type, None), octets: None }
    }

    fn text(data_type: i64, characters: i64, bytes: i64) -> Odbc {
        let octets = Some(bytes);
        let verbose = (data_type, None);
        Odbc { data_type, precision: characters, length: bytes, scale: None, radix: None, verbose, octets }
    }

    fn moment(data_type: i64, precision: i64, length: i64, scale: Option<i64>, verbose: (i64, Option<i64>)) -> Odbc {
        Odbc { data_type, precision, length, scale, radix: None, verbose, octets: None }
    }

    /// A type that old drivers treat as text.
    fn shown(characters: i64) -> Odbc {
        Odbc { octets: None, ..Odbc::text(-9, characters, 2 * characters) }
    }

    fn of(data_type: DataType, is_new: bool) -> Odbc {
        use DataType::*;
        match data_type {
            Bit => Odbc::number(-7, 1, 1, None),
            TinyInt => Odbc::number(-6, 3, 1, Some(0)),
            SmallInt => Odbc::number(5, 5, 2, Some(0)),
            Int => Odbc::number(4, 10, 4, Some(0)),
            BigInt => Odbc::number(-5, 19, 8, Some(0)),
            Decimal { precision, scale } => {
                Odbc::number(3, precision.into(), i64::from(precision) + 2, Some(scale.into()))
            }
            Money => Odbc::number(3, 19, 21, Some(4)),
            SmallMoney => Odbc::number(3, 10, 12, Some(4)),
            Real => Odbc::number(7, 7, 4, None),
            Float => Odbc::number(6, 15, 8, None),
            DateTime => Odbc::moment(93, 23, 16, Some(3), (9, Some(3))),
            SmallDateTime => Odbc::moment(93, 16, 16, Some(0), (9, Some(3))),
            Date if is_new => Odbc::moment(91, 10, 6, Some(0), (9, Some(1))),
            Time(scale) if is_new => Odbc::moment(-154, fraction(8, scale), 12, Some(scale.into()), (-154, Some(0))),
            DateTime2(scale) if is_new => Odbc::moment(93, fraction(19, scale), 16, Some(scale.into()), (9, Some(3))),
            DateTimeOffset(scale) if is_new => {
                Odbc::moment(-155, fraction(26, scale), 20, Some(scale.into()), (-155, Some(0)))
            }
            Date => Odbc::shown(10),
            Time(scale) => Odbc::shown(fraction(8, scale)),
            DateTime2(scale) => Odbc::shown(fraction(19, scale)),
            DateTimeOffset(scale) => Odbc::shown(fraction(26, scale)),
            Char(length, _) => Odbc::text(1, length.into(), length.into()),
            NChar(length) => Odbc::text(-8, length.into(), 2 * i64::from(length)),
            VarChar(Length::Limited(length), _) => Odbc::text(12, length.into(), length.into()),
            NVarChar(Length::Limited(length)) => Odbc::text(-9, length.into(), 2 * i64::from(length)),
            Binary(length) => Odbc::text(-2, length.into(), length.into()),
            VarBinary(Length::Limited(length)) => Odbc::text(-3, length.into(), length.into()),
            RowVersion => Odbc::text(-2, 8, 8),
            VarChar(Length::Max, _) if is_new => Odbc::text(12, 0, 0),
            NVarChar(Length::Max) if is_new => Odbc::text(-9, 0, 0),
            VarBinary(Length::Max) if is_new => Odbc::text(-3, 0, 0),
            Xml if is_new => Odbc::text(-152, 0, 0),
            Text(_) | VarChar(Length::Max, _) => Odbc::text(-1, LONG, LONG),
            NText | Xml | NVarChar(Length::Max) => Odbc::text(-10, LONG_NATIONAL, 2 * LONG_NATIONAL),
            Image | VarBinary(Length::Max) => Odbc::text(-4, LONG, LONG),
            UniqueIdentifier => Odbc { octets: None, ..Odbc::text(-11, 36, 16) },
            SqlVariant => Odbc { scale: Some(0), radix: Some(10), octets: None, ..Odbc::text(-150, 8000, 8000) },
        }
    }
}

/// The length of a date or time as text, with this many decimals.
fn fraction(whole: i64, scale: u8) -> i64 {
    whole + if scale == 0 { 0 } else { i64::from(scale) + 1 }
}

/// The number of a type as Open Data Services called it: one for all lengths where NULL is possible.
fn old_type(of: DataType, nullable: bool) -> i64 {
    use DataType::*;
    match of {
        TinyInt | SmallInt | Int | BigInt if nullable => 38,
        Real | Float if nullable => 109,
        Money | SmallMoney if nullable => 110,
        DateTime | SmallDateTime if nullable => 111,
        BigInt => 63,
        Bit => 50,
        Char(..) | NChar(_) if nullable => 39,
        Char(..) | NChar(_) => 47,
        VarChar(Length::Max, _) | NVarChar(Length::Max) | Text(_) | NText | Xml => 35,
        VarChar(..) | NVarChar(_) | SqlVariant => 39,
        VarBinary(Length::Max) | Image => 34,
        Binary(_) | RowVersion if !nullable => 45,
        VarBinary(_) | Binary(_) | RowVersion | UniqueIdentifier => 37,
        Date | Time(_) | DateTime2(_) | DateTimeOffset(_) => 0,
        other => other.system_type_id().into(),
    }
}

fn described(of: &Object, column: &Column, default: Option<String>, is_output: bool, form: i64) -> Vec<Value> {
    let odbc = Odbc::of(column.data_type, form == 1);
    let plain = column.user_type().1.unwrap_or(column.base_type());
    let name = match column.identity {
        Some(_) if matches!(column.data_type, DataType::Decimal { .. }) => format!("{plain}() identity"),
        Some(_) => format!("{plain} identity"),
        None => plain.to_owned(),
    };
    row![
        of.id,
        column.id,
        form,
        &column.name,
        odbc.data_type,
        name,
        odbc.precision,
        odbc.length,
        odbc.scale,
        odbc.radix,
        i64::from(column.nullable),
        default,
        odbc.verbose.0,
        odbc.verbose.1,
        odbc.octets,
        old_type(column.data_type, column.nullable),
        is_output,
        column.computed.is_some(),
        column.identity.is_some()
    ]
}

fn columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["U", "V", "TF", "TT"]) {
        for column in &of.columns {
            let default = facts.catalog.by_id(column.default).and_then(Object::default_text).map(str::to_owned);
            rows.extend((0..2).map(|form| described(of, column, default.clone(), false, form)));
        }
    }
    rows
}

fn all_parameters(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["P", "FN", "IF", "TF"]) {
        let Some(statement) = &of.statement else { continue };
        let (returns, given) = parameters(facts.modules, &statement.kind);
        let returned = match (of.kind, returns) {
            ("P", _) => Some(("@RETURN_VALUE", DataType::Int, false)),
            (_, Some(data_type)) => Some(("@RETURN_VALUE", data_type, true)),
            _ => None,
        };
        let plain = |name: &str, id: i64, data_type: DataType, nullable: bool| Column {
            name: name.to_owned(),
            id,
            data_type,
            nullable,
            identity: None,
            computed: None,
            declared: None,
            compares: None,
            default: 0,
        };
        if let Some((name, data_type, nullable)) = returned {
            let column = plain(name, 0, data_type, nullable);
            rows.extend((0..2).map(|form| described(of, &column, None, true, form)));
        }
        for (place, (parameter, data_type)) in given.iter().enumerate() {
            let column = plain(&parameter.name.text, place as i64 + 1, *data_type, true);
            let user = facts.catalog.user_type(&parameter.data_type.name).map(Catalog::user_type_id);
            for form in 0..2 {
                let mut row = described(of, &column, None, parameter.output, form);
                if let (Some(_), Some(place)) = (user, row.get_mut(5)) {
                    *place = Value::Text(parameter.data_type.name.last().to_owned());
                }
                rows.push(row);
            }
        }
    }
    rows
}
