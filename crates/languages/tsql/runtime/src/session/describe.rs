//! The results of a text, described without running it: `sp_describe_first_result_set`, and SET FMTONLY ON below it.
//!
//! The text runs with NULL for its parameters while FMTONLY is on: queries are planned and return no rows, changes and
//! definitions do nothing. So a text whose results depend on its own changes is described as if it had not made them.

use crate::columns::Column;
use crate::session::Inner;
use crate::session::collecting_sink::{Collected, Collector};
use crate::statements::errors::raised;
use crate::statements::flow::first;
use crate::statements::runner::{Ran, Runner};
use mainstay_session::push::DoneKind;
use mainstay_tsql_syntax::compile::Action;
use mainstay_tsql_types::{CodePage, DataType, Length, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Flow, Machine, Raised, RunArgument};

/// So many statements run while FMTONLY is on, and no more.
const MOST_DESCRIBED: u32 = 500;

/// The results of a text: their columns, without rows.
///
/// Errors: those of the text, and those of running it this way.
pub(crate) fn results(
    inner: &mut Inner,
    machine: &mut Machine,
    text: &str,
    definitions: &str,
) -> Result<Vec<Collected>, Vec<Message>> {
    let loaded = inner.text(text, definitions)?;
    let is_on = std::mem::replace(&mut inner.state.options.fmt_only, true);
    let captured = std::mem::take(&mut inner.state.captured);
    inner.state.described = 0;
    let mut collector = Collector::new(None);
    let mut runner = Runner::new(inner, &mut collector, DoneKind::InProcedure);
    runner.expect(&loaded);
    let arguments: Vec<RunArgument<'_>> =
        loaded.module.parameters.iter().map(|_| RunArgument::Value(ValueRef::Null)).collect();
    let outcome = machine.run(&mut runner, &loaded.program, &arguments);
    runner.finish();
    inner.state.captured = captured;
    inner.state.options.fmt_only = is_on;
    outcome.map_err(|raised| vec![crate::statements::errors::message_from(&raised)])?;
    match collector.error {
        Some(message) => Err(vec![message]),
        None => Ok(collector.results),
    }
}

/// `sp_describe_first_result_set text, parameters, mode`: a row for each column of the first result.
pub(crate) fn first_result_set(runner: &mut Runner<'_>, machine: &mut Machine, text: &str, definitions: &str) -> Ran {
    let found = results(runner.inner, machine, text, definitions).map_err(first)?;
    let columns = found.first().map(|result| result.columns.clone()).unwrap_or_default();
    let rows: Vec<Vec<Value>> = columns.iter().zip(1i64..).map(|(column, place)| described(column, place)).collect();
    let heads: Vec<Column> = HEADS.iter().map(|(name, data_type)| Column::new(*name, *data_type)).collect();
    runner.give(&heads, &rows)?;
    Ok(Flow::NEXT)
}

const NAME: DataType = DataType::NVarChar(Length::Limited(128));
const LONG: DataType = DataType::NVarChar(Length::Limited(4000));

/// The columns of the answer, as the reference has them.
const HEADS: [(&str, DataType); 39] = [
    ("is_hidden", DataType::Bit),
    ("column_ordinal", DataType::Int),
    ("name", NAME),
    ("is_nullable", DataType::Bit),
    ("system_type_id", DataType::Int),
    ("system_type_name", NAME),
    ("max_length", DataType::SmallInt),
    ("precision", DataType::TinyInt),
    ("scale", DataType::TinyInt),
    ("collation_name", NAME),
    ("user_type_id", DataType::Int),
    ("user_type_database", NAME),
    ("user_type_schema", NAME),
    ("user_type_name", NAME),
    ("assembly_qualified_type_name", LONG),
    ("xml_collection_id", DataType::Int),
    ("xml_collection_database", NAME),
    ("xml_collection_schema", NAME),
    ("xml_collection_name", NAME),
    ("is_xml_document", DataType::Bit),
    ("is_case_sensitive", DataType::Bit),
    ("is_fixed_length_clr_type", DataType::Bit),
    ("source_server", NAME),
    ("source_database", NAME),
    ("source_schema", NAME),
    ("source_table", NAME),
    ("source_column", NAME),
    ("is_identity_column", DataType::Bit),
    ("is_part_of_unique_key", DataType::Bit),
    ("is_updateable", DataType::Bit),
    ("is_computed_column", DataType::Bit),
    ("is_sparse_column_set", DataType::Bit),
    ("ordinal_in_order_by_list", DataType::SmallInt),
    ("order_by_list_length", DataType::SmallInt),
    ("order_by_is_descending", DataType::SmallInt),
    ("tds_type_id", DataType::Int),
    ("tds_length", DataType::Int),
    ("tds_collation_id", DataType::Int),
    ("tds_collation_sort_id", DataType::TinyInt),
];

fn described(column: &Column, place: i64) -> Vec<Value> {
    let of = column.data_type;
    let no = || Value::Boolean(false);
    let mut row = vec![
        no(),
        Value::Integer(place),
        if column.name.is_empty() { Value::Null } else { Value::Text(column.name.clone()) },
        Value::Boolean(column.nullable),
        Value::Integer(of.system_type_id().into()),
        Value::Text(of.in_page(CodePage::DEFAULT).to_string()),
        Value::Integer(of.max_length().into()),
        Value::Integer(of.precision().into()),
        Value::Integer(of.scale().into()),
        crate::catalog::collation_name(of).map_or(Value::Null, |name| Value::Text(name.to_owned())),
    ];
    // Of types of the database, of XML's schemas.
    row.extend(std::iter::repeat_n(Value::Null, 9));
    row.extend([no(), no(), no()]);
    // The source of the column.
    row.extend(std::iter::repeat_n(Value::Null, 5));
    let (updatable, computed) = (Value::Boolean(column.updatable), Value::Boolean(column.computed));
    row.extend([Value::Boolean(column.identity), Value::Null, updatable, computed, no()]);
    row.extend([Value::Null, Value::Null, Value::Null]);
    let (kind, length) = on_the_wire(of);
    let (collation, sort) = match of.is_text() {
        true => {
            let (collation, sort) = on_the_wire_collation(of.code_page().unwrap_or_default());
            (Some(collation.into()), Some(sort.into()))
        }
        false => (None, None),
    };
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
    row.extend([Value::Integer(kind), Value::Integer(length), number(collation), number(sort)]);
    row
}

/// The numbers that clients are told for the collation of a code page: language and comparison (case does not count, accents
/// do), and the number of SQL Server's own order, 0 for one of Windows. (MS-TDS 2.2.5.1.2.)
fn on_the_wire_collation(page: CodePage) -> (u32, u8) {
    const INSENSITIVE: u32 = 0x00D0_0000;
    const UTF8: u32 = 0x0400_0000;
    let windows = |language: u32| (INSENSITIVE | language, 0);
    match page {
        CodePage::Cp437 => (INSENSITIVE | 0x0409, 32),
        CodePage::Cp850 => (INSENSITIVE | 0x0409, 42),
        CodePage::Cp874 => windows(0x041E),
        CodePage::Cp932 => windows(0x0411),
        CodePage::Cp936 => windows(0x0804),
        CodePage::Cp949 => windows(0x0412),
        CodePage::Cp950 => windows(0x0404),
        CodePage::Cp1250 => windows(0x0415),
        CodePage::Cp1251 => windows(0x0419),
        CodePage::Cp1252 => (INSENSITIVE | 0x0409, 52),
        CodePage::Cp1253 => windows(0x0408),
        CodePage::Cp1254 => windows(0x041F),
        CodePage::Cp1255 => windows(0x040D),
        CodePage::Cp1256 => windows(0x0401),
        CodePage::Cp1257 => windows(0x0427),
        CodePage::Cp1258 => windows(0x042A),
        CodePage::Utf8 => (INSENSITIVE | UTF8 | 0x2000_0000 | 0x0409, 0),
    }
}

/// The number and the length that TDS has for a type that can be NULL.
pub(crate) fn on_the_wire(of: DataType) -> (i64, i64) {
    use DataType::*;
    let length = i64::from(of.max_length());
    let kind = match of {
        Bit => 104,
        TinyInt | SmallInt | Int | BigInt => 38,
        Decimal { .. } => return (106, 17),
        Money | SmallMoney => 110,
        Real | Float => 109,
        DateTime | SmallDateTime => 111,
        Date => 40,
        Time(_) => 41,
        DateTime2(_) => 42,
        DateTimeOffset(_) => 43,
        Char(..) => 175,
        VarChar(..) => 167,
        NChar(_) => 239,
        NVarChar(_) => 231,
        Binary(_) | RowVersion => 173,
        VarBinary(_) => 165,
        UniqueIdentifier => 36,
        Text(_) => 35,
        NText => 99,
        Image => 34,
        Xml => 241,
        SqlVariant => 98,
    };
    (kind, if length < 0 { 65_535 } else { length })
}

impl Runner<'_> {
    /// Returns true if a statement runs while FMTONLY is on: one without effect, and the one that turns it off.
    ///
    /// Errors: too many have run, so that a loop waits for what does not happen.
    pub(crate) fn is_described(&mut self, action: &Action) -> Result<bool, Box<Raised>> {
        self.inner.state.described += 1;
        if self.inner.state.described > MOST_DESCRIBED && !matches!(action, Action::SetOption(_)) {
            let text = "The metadata could not be determined because the batch does not come to its end.";
            return Err(raised(Message::error(11513, text)));
        }
        Ok(!matches!(
            action,
            Action::Change(_)
                | Action::EndCapture(_)
                | Action::Define(_)
                | Action::Transaction(_)
                | Action::Print
                | Action::Raiserror(_)
                | Action::Throw
                | Action::Wait(_)
                | Action::LargeValue(_)
        ))
    }
}
