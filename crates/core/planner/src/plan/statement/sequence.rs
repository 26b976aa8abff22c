//! CREATE SEQUENCE, and the options of identity columns' sequences.

use super::define::is_word;
use super::{Name, unsupported};
use crate::parse::text::Text;
use crate::types::sql_types::sql_type;
use datafusion::sql::sqlparser::ast::{self, Expr, SequenceOptions, Statement};
use mainstay_types::{Code, Collation, Error, Result, SqlType};

/// CREATE SEQUENCE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateSequence {
    /// Its name.
    pub name: Name,
    /// Not an error when it is there.
    pub if_not_exists: bool,
    /// How it goes on.
    pub steps: Steps,
    /// The column that it goes with.
    pub owned_by: Option<OwnedBy>,
    /// A dialect's name of the type of its values.
    pub declared: Option<String>,
}

/// The column that a sequence goes with: it is dropped when that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedBy {
    /// The column's table.
    pub table: Name,
    /// The column.
    pub column: Name,
}

impl OwnedBy {
    /// Of a table, with or without its schema, and a column.
    pub(super) fn of(mut parts: Vec<String>) -> Option<OwnedBy> {
        let (column, table) = (Name::new(&parts.pop()?), Name::new(&parts.pop()?));
        let schema = parts.pop().map(|schema| schema.to_lowercase());
        parts.is_empty().then_some(OwnedBy { table: Name { schema, ..table }, column })
    }
}

/// How a sequence goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Its first value; its least one (going down: its greatest) unless it is said.
    pub start: Option<i64>,
    /// The increment; not 0.
    pub increment: i64,
    /// Its least value; 1 (going down: the least of its type) unless it is said.
    pub minimum: Option<i64>,
    /// Its greatest value; the greatest of its type (going down: -1) unless it is said.
    pub maximum: Option<i64>,
    /// True if it begins again when it is used up.
    pub cycle: bool,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { start: None, increment: 1, minimum: None, maximum: None, cycle: false }
    }
}

pub(super) fn create_sequence(sequence: Statement, text: &Text) -> Result<CreateSequence> {
    let Statement::CreateSequence { name, if_not_exists, sequence_options, temporary, owned_by, data_type } = sequence
    else {
        return Err(Error::new(Code::Internal, "not a CREATE SEQUENCE"));
    };
    if temporary {
        return Err(unsupported("CREATE TEMPORARY SEQUENCE"));
    }
    let mut steps = steps(&sequence_options)?;
    // A dialect knows the bounds of its types.
    let declared = data_type.as_ref().and_then(crate::dialect::declared);
    if let Some(data_type) = data_type.filter(|_| declared.is_none()) {
        let (least, greatest) = bounds_of(&data_type)?;
        let is_outside = |value: Option<i64>| value.is_some_and(|value| !(least..=greatest).contains(&value));
        if is_outside(steps.minimum) || is_outside(steps.maximum) || is_outside(steps.start) {
            return Err(Error::new(Code::InvalidValue, format!("a bound of the sequence is no {data_type}")));
        }
        let is_down = steps.increment < 0;
        steps.minimum = steps.minimum.or(is_down.then_some(least));
        steps.maximum = steps.maximum.or((!is_down).then_some(greatest));
    }
    Ok(CreateSequence {
        name: Name::of(&name, text)?,
        if_not_exists,
        steps,
        owned_by: owned_by.map(owner).transpose()?.flatten(),
        declared,
    })
}

/// OWNED BY a column, or NONE.
fn owner(name: ast::ObjectName) -> Result<Option<OwnedBy>> {
    if is_word(&name, "none") {
        return Ok(None);
    }
    let parts: Option<Vec<String>> =
        name.0.iter().map(|part| part.as_ident().map(|ident| ident.value.clone())).collect();
    let owner = parts.and_then(OwnedBy::of);
    owner.map(Some).ok_or_else(|| Error::new(Code::Syntax, format!("{name} is not a table and its column")))
}

/// The least and the greatest value of a sequence of a type.
pub(super) fn bounds_of(data_type: &ast::DataType) -> Result<(i64, i64)> {
    Ok(match sql_type(data_type, Collation::Binary)? {
        SqlType::TinyInt => (i8::MIN.into(), i8::MAX.into()),
        SqlType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        SqlType::Integer => (i32::MIN.into(), i32::MAX.into()),
        SqlType::BigInt => (i64::MIN, i64::MAX),
        other => return Err(unsupported(format!("a sequence of {other}"))),
    })
}

pub(super) fn steps(options: &[SequenceOptions]) -> Result<Steps> {
    let mut steps = Steps::default();
    for option in options {
        match option {
            SequenceOptions::StartWith(value, _) => steps.start = Some(whole(value)?),
            SequenceOptions::IncrementBy(value, _) => steps.increment = whole_step(value)?,
            SequenceOptions::MinValue(value) => steps.minimum = value.as_ref().map(whole).transpose()?,
            SequenceOptions::MaxValue(value) => steps.maximum = value.as_ref().map(whole).transpose()?,
            // The parser's flag says whether NO was there.
            SequenceOptions::Cycle(is_no) => steps.cycle = !is_no,
            // How many values a session takes ahead: here the store decides.
            SequenceOptions::Cache(_) => {}
        }
    }
    Ok(steps)
}

pub(super) fn whole_step(value: &Expr) -> Result<i64> {
    match whole(value)? {
        0 => Err(Error::new(Code::InvalidValue, "a sequence cannot go on by 0")),
        step => Ok(step),
    }
}

pub(super) fn whole(value: &Expr) -> Result<i64> {
    let text = value.to_string();
    text.parse().map_err(|_| Error::new(Code::InvalidValue, format!("{text} is not a whole number")))
}
