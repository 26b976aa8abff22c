//! `sp_describe_undeclared_parameters`: the types of the parameters that a text does not declare.
//!
//! A type is that of the column that a parameter is compared with, or assigned to. Where nothing determines it, SQL
//! Server refuses (11503 and others); here such a parameter is text of 4,000 characters, which converts to the type it
//! is compared with.

use crate::catalog::Catalog;
use crate::columns::Column;
use crate::session::Inner;
use crate::statements::flow::first;
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_syntax::reduce::{Scope, TableColumn};
use mainstay_tsql_syntax::tree::{Name, ObjectName, Parameter, StatementKind};
use mainstay_tsql_syntax::{Diagnostic, Hint, Naming, Options, Reference, parse, tokens, undeclared};
use mainstay_tsql_types::{CodePage, DataType, Length, Message};
use mainstay_types::Value;
use mainstay_vm::Flow;
use std::collections::HashMap;
use std::sync::Arc;

const NAME: DataType = DataType::NVarChar(Length::Limited(128));
const TEXT: DataType = DataType::NVarChar(Length::Limited(4000));

/// The columns of the answer, as the reference has them.
const HEADS: [(&str, DataType); 24] = [
    ("parameter_ordinal", DataType::Int),
    ("name", NAME),
    ("suggested_system_type_id", DataType::Int),
    ("suggested_system_type_name", NAME),
    ("suggested_max_length", DataType::SmallInt),
    ("suggested_precision", DataType::TinyInt),
    ("suggested_scale", DataType::TinyInt),
    ("suggested_user_type_id", DataType::Int),
    ("suggested_user_type_database", NAME),
    ("suggested_user_type_schema", NAME),
    ("suggested_user_type_name", NAME),
    ("suggested_assembly_qualified_type_name", TEXT),
    ("suggested_xml_collection_id", DataType::Int),
    ("suggested_xml_collection_database", NAME),
    ("suggested_xml_collection_schema", NAME),
    ("suggested_xml_collection_name", NAME),
    ("suggested_is_xml_document", DataType::Bit),
    ("suggested_is_case_sensitive", DataType::Bit),
    ("suggested_is_fixed_length_clr_type", DataType::Bit),
    ("suggested_is_input", DataType::Bit),
    ("suggested_is_output", DataType::Bit),
    ("formal_parameter_name", NAME),
    ("suggested_tds_type_id", DataType::Int),
    ("suggested_tds_length", DataType::Int),
];

/// A row for each parameter of a text that neither it nor `definitions` declares.
///
/// Errors: those of the text's syntax.
pub(crate) fn describe(runner: &mut Runner<'_>, text: &str, definitions: &str) -> Ran {
    let (declared, _) = tokens(definitions);
    let known = declared.iter().filter_map(|token| definitions.get(token.span.start as usize..token.span.end as usize));
    let known: Vec<String> = known.filter(|word| word.starts_with('@')).map(str::to_owned).collect();
    let (found, tables) = undeclared(text, &known);
    let parsed = parse(text, Options::default());
    // Undeclared parameters are the subject of the call, and not an error.
    let errors = parsed.errors.iter().filter(|error| !matches!(error.number, 137 | 1087));
    let errors: Vec<Message> = errors.map(Diagnostic::told).collect();
    if !errors.is_empty() {
        return Err(first(errors));
    }
    let mut known = Known::new();
    let rows: Vec<Vec<Value>> = found
        .iter()
        .zip(1i64..)
        .map(|((name, hint), place)| match runner.inner.parameter(hint) {
            Some(parameter) => runner.inner.row_of_parameter(place, name, &parameter),
            None => row(place, name, runner.inner.hinted_type(hint, &tables, &mut known)),
        })
        .collect();
    let heads: Vec<Column> = HEADS.iter().map(|(name, data_type)| Column::new(*name, *data_type)).collect();
    runner.give(&heads, &rows)?;
    Ok(Flow::NEXT)
}

/// The columns of the tables that parameters were looked up in, by the names of those.
type Known = HashMap<Vec<String>, Option<Arc<[TableColumn]>>>;

fn row(place: i64, name: &str, of: DataType) -> Vec<Value> {
    let no = || Value::Boolean(false);
    let mut row = vec![
        Value::Integer(place),
        Value::Text(name.to_owned()),
        Value::Integer(of.system_type_id().into()),
        Value::Text(of.in_page(CodePage::DEFAULT).to_string()),
        Value::Integer(of.max_length().into()),
        Value::Integer(of.precision().into()),
        Value::Integer(of.scale().into()),
    ];
    // Of types of the database, of XML's schemas.
    row.extend(std::iter::repeat_n(Value::Null, 9));
    row.extend([no(), no(), no(), Value::Boolean(true), no(), Value::Null]);
    let (kind, length) = crate::session::describe::on_the_wire(of);
    row.extend([Value::Integer(kind), Value::Integer(length)]);
    row
}

fn object(parts: &[String]) -> ObjectName {
    let part = |text: &String| Name { text: text.clone(), ..Name::default() };
    ObjectName { parts: parts.iter().map(part).collect(), ..ObjectName::default() }
}

/// The number of the type of tables, in the catalog and on the wire.
const TABLE: i64 = 243;

impl Inner {
    /// The parameter of a procedure that an argument is for.
    fn parameter(&self, hint: &Hint) -> Option<Parameter> {
        let Hint::Argument(procedure, named, place) = hint else { return None };
        let StatementKind::Procedure(procedure) = &self.modules.called(&object(procedure))?.statement.kind else {
            return None;
        };
        match named {
            Some(name) => procedure.parameters.iter().find(|parameter| parameter.name.is(name)).cloned(),
            None => procedure.parameters.get(*place).cloned(),
        }
    }

    /// The result row of an argument that is passed to a parameter.
    fn row_of_parameter(&mut self, place: i64, name: &str, parameter: &Parameter) -> Vec<Value> {
        let of = self.modules.resolved_type(&parameter.data_type);
        let mut row = row(place, name, of.unwrap_or(TEXT));
        let mut set = |head: &str, value: Value| {
            if let Some(place) = HEADS.iter().position(|(known, _)| *known == head) {
                row[place] = value;
            }
        };
        set("suggested_is_output", Value::Boolean(parameter.output));
        set("formal_parameter_name", Value::Text(parameter.name.text.clone()));
        let Some(declared) = self.modules.type_named(&parameter.data_type.name).cloned() else { return row };
        let number = self.catalog().ok().and_then(|catalog| {
            let found = catalog.user_type(&parameter.data_type.name)?;
            Some(Value::Integer(Catalog::user_type_id(found)))
        });
        let (schema, last) = declared.name.split_once('.').unwrap_or(("dbo", &declared.name));
        set("suggested_user_type_id", number.unwrap_or(Value::Null));
        set("suggested_user_type_database", Value::Text(self.state.database.clone()));
        set("suggested_user_type_schema", Value::Text(schema.to_owned()));
        set("suggested_user_type_name", Value::Text(last.to_owned()));
        if declared.kind == "TT" {
            set("suggested_system_type_id", Value::Integer(TABLE));
            set("suggested_system_type_name", Value::Null);
            set("suggested_max_length", Value::Integer(-1));
            set("suggested_tds_type_id", Value::Integer(TABLE));
            set("suggested_tds_length", Value::Integer(0));
        }
        row
    }

    /// The type that a parameter takes.
    fn hinted_type(&mut self, hint: &Hint, tables: &[Reference], known: &mut Known) -> DataType {
        let known = match hint {
            Hint::Count => Some(DataType::BigInt),
            Hint::Status => Some(DataType::Int),
            Hint::Text | Hint::Unknown | Hint::Argument(..) => None,
            Hint::Column(parts) => self.column_type(parts, tables, known),
            Hint::Inserted(table, column, place) => {
                let columns = self.known_columns(table, known).unwrap_or_default();
                match column {
                    Some(column) => columns.iter().find(|known| known.name.eq_ignore_ascii_case(column)),
                    None => columns.iter().filter(|known| !known.is_computed && !known.is_identity).nth(*place),
                }
                .map(|known| known.data_type)
            }
        };
        known.unwrap_or(TEXT)
    }

    /// The columns of a table, which is looked up once for a text.
    fn known_columns(&mut self, table: &[String], known: &mut Known) -> Option<Arc<[TableColumn]>> {
        if let Some(columns) = known.get(table) {
            return columns.clone();
        }
        let columns: Option<Arc<[TableColumn]>> = self.names(&[]).columns(&object(table)).map(Arc::from);
        known.insert(table.to_vec(), columns.clone());
        columns
    }

    /// The type of a column by its name, among those of these tables.
    fn column_type(&mut self, parts: &[String], tables: &[Reference], known: &mut Known) -> Option<DataType> {
        let (column, qualifier) = parts.split_last()?;
        let is_meant = |table: &&Reference| match (qualifier.last(), &table.alias) {
            (None, _) => true,
            (Some(wanted), Some(alias)) if alias.eq_ignore_ascii_case(wanted) => true,
            (Some(wanted), _) => table.parts.last().is_some_and(|name| name.eq_ignore_ascii_case(wanted)),
        };
        let tables = tables.iter().filter(|table| table.naming != Naming::Called).filter(is_meant);
        let of = |table: &Reference| {
            let columns = self.known_columns(&table.parts, known)?;
            let found = columns.iter().find(|known| known.name.eq_ignore_ascii_case(column));
            found.map(|found| found.data_type)
        };
        tables.map(of).find_map(|found| found)
    }
}
