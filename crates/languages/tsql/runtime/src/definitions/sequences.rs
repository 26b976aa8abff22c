//! CREATE SEQUENCE and ALTER SEQUENCE.
//!
//! An altered sequence continues where it was, or where RESTART sets it. The core counts in BIGINT; the sequence's type
//! is stored beside it, and statements that use its values convert them.

use crate::definitions::define::reduce_name;
use crate::session::Inner;
use crate::session::scope::core_name;
use crate::statements::errors::raised;
use mainstay_engine::ValueRange;
use mainstay_engine::definitions::{Catalog, SequenceDefinition};
use mainstay_tsql_syntax::reduce::{self, ROW_VERSIONS};
use mainstay_tsql_syntax::tree::{Expr, ObjectName, Sequence, SequenceOption};
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Message};
use mainstay_vm::Raised;

/// The properties of a new sequence.
#[derive(Clone, Copy, Debug)]
struct Properties {
    start: Option<i64>,
    increment: i64,
    minimum: i64,
    maximum: i64,
    cycle: bool,
}

impl Inner {
    /// Makes or alters a sequence.
    ///
    /// Errors: 208 for one that is not there, 11700 and 11703 for steps and bounds that cannot be, those of the core.
    pub(crate) fn sequence(&mut self, sequence: &Sequence) -> Result<(), Box<Raised>> {
        match sequence.alter {
            true => self.alter_sequence(sequence),
            false => self.create_sequence(sequence),
        }
    }

    /// Takes so many values of a sequence at once.
    ///
    /// Errors: 208 for one that is not there, 11732 where it has not so many.
    pub(crate) fn take_range(&mut self, name: &ObjectName, count: u64) -> Result<ValueRange, Box<Raised>> {
        let shared = self.core.definitions().shared;
        let Some(known) = named(&shared, name) else {
            return Err(raised(Message::error(208, format!("Invalid object name '{}'.", name.last()))));
        };
        let range = self.core.take_range(known.id, count).map_err(crate::statements::errors::raised_error)?;
        range.ok_or_else(|| raised(Message::numbered(11732, &[&known.name])))
    }

    fn create_sequence(&mut self, sequence: &Sequence) -> Result<(), Box<Raised>> {
        let data_type = match &sequence.data_type {
            Some(declared) => reduce::data_type(declared, Declared::Cast, &self.names(&[])).map_err(raised)?,
            None => DataType::BigInt,
        };
        let is_whole = match data_type {
            DataType::Decimal { scale, .. } => scale == 0,
            other => matches!(other, DataType::TinyInt | DataType::SmallInt | DataType::Int | DataType::BigInt),
        };
        if !is_whole {
            return Err(raised(Message::numbered(11702, &[&full_name(&sequence.name)]).state(2)));
        }
        // Without a word a sequence begins at the end of its type.
        let (minimum, maximum) = range_of(data_type);
        let mut properties = Properties { start: None, increment: 1, minimum, maximum, cycle: false };
        take(&mut properties, sequence, (minimum, maximum))?;
        if self.is_name_taken(&sequence.name)? {
            return Err(crate::definitions::define::name_taken(&sequence.name, 3));
        }
        let (core, options) = (core_name(&sequence.name), properties.options(&full_name(&sequence.name))?);
        let data_type = reduce::type_name(data_type);
        self.execute(&format!("CREATE SEQUENCE {core} AS {data_type}{options}")).map(|_| ())
    }

    /// ALTER SEQUENCE. What it does not say stays as it is.
    fn alter_sequence(&mut self, sequence: &Sequence) -> Result<(), Box<Raised>> {
        let shared = self.core.definitions().shared;
        let Some(known) = named(&shared, &sequence.name) else {
            let text = format!("Invalid object name '{}'.", sequence.name.last());
            return Err(raised(Message::error(208, text).state(6)));
        };
        let upcoming = self.core.sequence(known.id).and_then(|sequence| sequence.next);
        let mut properties = Properties {
            start: Some(known.start),
            increment: known.increment,
            minimum: known.minimum,
            maximum: known.maximum,
            cycle: known.cycle,
        };
        take(&mut properties, sequence, range_of(type_of(known)))?;
        let mut next = match (upcoming, known.increment == properties.increment) {
            // The step that comes next is the new one.
            (Some(next), false) if next != known.start => {
                next.checked_sub(known.increment).and_then(|last| last.checked_add(properties.increment))
            }
            (next, _) => next,
        };
        for option in &sequence.options {
            match option {
                SequenceOption::RestartWith(Some(value)) => {
                    next = Some(whole(value)?);
                }
                SequenceOption::RestartWith(None) => next = Some(known.start),
                _ => {}
            }
        }
        let is_changed = sequence.options.iter().any(|option| {
            !matches!(option, SequenceOption::RestartWith(_) | SequenceOption::Cache(_) | SequenceOption::NoCache)
        });
        let core = core_name(&sequence.name);
        let changes = match is_changed {
            true => properties.options(&full_name(&sequence.name))?,
            false => String::new(),
        };
        // One statement: no session ever finds the sequence missing.
        let restart = next.map_or_else(String::new, |next| format!(" RESTART WITH {next}"));
        match changes.is_empty() && restart.is_empty() {
            true => Ok(()),
            false => self.execute(&format!("ALTER SEQUENCE {core}{changes}{restart}")).map(|_| ()),
        }
    }
}

/// The sequence of this name.
fn named<'c>(shared: &'c Catalog, name: &ObjectName) -> Option<&'c SequenceDefinition> {
    let name = reduce_name(name);
    shared.sequences.iter().find(|known| {
        let schema = shared.schemas.iter().find(|schema| schema.id == known.schema);
        let schema = schema.map_or("main", |schema| &schema.name);
        format!("{schema}.{}", known.name).eq_ignore_ascii_case(&name)
            || schema == "main" && known.name.eq_ignore_ascii_case(&name)
    })
}

/// The type of the values of a sequence of this name, if there is one.
pub(crate) fn type_named(shared: &Catalog, name: &ObjectName) -> Option<DataType> {
    named(shared, name).map(type_of)
}

/// The type of the values of a sequence.
pub(crate) fn type_of(sequence: &SequenceDefinition) -> DataType {
    let declared = sequence.declared.as_deref();
    declared.and_then(mainstay_tsql_types::operation::data_type).unwrap_or(DataType::BigInt)
}

impl Properties {
    /// The properties as options of a statement.
    fn options(&self, name: &str) -> Result<String, Box<Raised>> {
        let Properties { start, increment, minimum, maximum, cycle } = *self;
        let start = start.unwrap_or(if increment < 0 { maximum } else { minimum });
        let room = i128::from(maximum) - i128::from(minimum);
        let number = match () {
            () if increment == 0 => 11700,
            () if room <= 0 => 11705,
            () if i128::from(increment).abs() > room => 11701,
            () if start < minimum || start > maximum => 11703,
            () => 0,
        };
        if number != 0 {
            return Err(raised(Message::numbered(number, &[&name])));
        }
        let cycle = if cycle { "CYCLE" } else { "NO CYCLE" };
        Ok(format!(" START WITH {start} INCREMENT BY {increment} MINVALUE {minimum} MAXVALUE {maximum} {cycle}"))
    }
}

/// The name of a sequence in messages about its definition.
fn full_name(name: &ObjectName) -> String {
    let (schema, last) = crate::session::scope::local_name(name);
    format!("{}.{last}", schema.unwrap_or("dbo"))
}

/// Reads the options of a statement; `range` is that of the type.
///
/// Errors: 11706 for a cache of no values, 11708 for numbers that are not of the type.
fn take(properties: &mut Properties, sequence: &Sequence, range: (i64, i64)) -> Result<(), Box<Raised>> {
    let within = |value: &Expr, argument: &str| match whole(value)? {
        number if number < range.0 || number > range.1 => Err(raised(Message::numbered(11708, &[&argument]))),
        number => Ok(number),
    };
    for option in &sequence.options {
        match option {
            SequenceOption::StartWith(value) => properties.start = Some(within(value, "START WITH")?),
            SequenceOption::IncrementBy(value) => properties.increment = whole(value)?,
            SequenceOption::MinValue(Some(value)) => properties.minimum = within(value, "MINVALUE")?,
            SequenceOption::MaxValue(Some(value)) => properties.maximum = within(value, "MAXVALUE")?,
            SequenceOption::MinValue(None) => properties.minimum = range.0,
            SequenceOption::MaxValue(None) => properties.maximum = range.1,
            SequenceOption::Cycle(cycle) => properties.cycle = *cycle,
            SequenceOption::RestartWith(Some(value)) => drop(within(value, "RESTART WITH")?),
            SequenceOption::Cache(Some(value)) if whole(value)? <= 0 => {
                return Err(raised(Message::numbered(11706, &[&full_name(&sequence.name)])));
            }
            SequenceOption::Cache(_) | SequenceOption::NoCache | SequenceOption::RestartWith(None) => {}
        }
    }
    Ok(())
}

fn whole(value: &Expr) -> Result<i64, Box<Raised>> {
    reduce::whole_number(value).ok_or_else(|| raised(reduce::not_supported("A sequence of other than whole numbers")))
}

/// The least and greatest number of the type of a sequence.
fn range_of(data_type: DataType) -> (i64, i64) {
    let most_of = |digits: u8| 10i64.checked_pow(u32::from(digits)).map_or(i64::MAX, |power| power - 1);
    match data_type {
        DataType::TinyInt => (0, 255),
        DataType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        DataType::Int => (i32::MIN.into(), i32::MAX.into()),
        DataType::Decimal { precision, .. } if precision < 19 => (-most_of(precision), most_of(precision)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The row version that was given last in this database, or what a new one begins with.
pub(crate) fn last_row_version(core: &mainstay_engine::Session) -> i64 {
    let shared = core.definitions().shared;
    let (schema, name) = ROW_VERSIONS.split_once('.').unwrap_or(("", ROW_VERSIONS));
    let schema = shared.schemas.iter().find(|known| known.name == schema).map(|known| known.id);
    let sequence = shared.sequences.iter().find(|known| Some(known.schema) == schema && known.name == name);
    let next = sequence.and_then(|sequence| core.upcoming_value(sequence.id));
    next.map_or(FIRST_ROW_VERSION, |next| next - 1)
}

/// Before the first value of the sequence of row versions.
const FIRST_ROW_VERSION: i64 = 2000;
