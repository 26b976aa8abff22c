//! INSERT, and the common parts of all changes.
//!
//! ```text
//!   UPDATE o SET total = o.total + l.amount          UPDATE "orders" AS "o" SET "total" = "mssql:assign:..."(...)
//!   FROM Orders o JOIN Lines l ON l.oid = o.id  -->  FROM "lines" AS "l" WHERE "mssql:equal"(l.oid, o.id) AND ...
//!   OUTPUT deleted.total, inserted.total             RETURNING "old"."total", "new"."total"
//! ```

use super::output::{Assigned, Images, Kind, OutputNames, ReducedOutput, Returned};
use super::updatable::Mapped;
use super::{Head, Parameter, Reducer, Scope, TableColumn, TakingColumn, not_supported, quoted};
use crate::tree::{
    AssignOperator, BinaryOperator, Change, Expr, Insert, InsertRows, Literal, Name, ObjectName, QueryBody, Target, Top,
};
use mainstay_tsql_types::{DataType, Length, Message};
use std::rc::Rc;

/// A change in the SQL of the core.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedChange {
    /// The text.
    pub text: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The table that it changes.
    pub target: ObjectName,
    /// The number of columns of its rows; 0 without rows.
    pub returns: usize,
    /// The OUTPUT clauses, whose columns come first.
    pub outputs: Vec<ReducedOutput>,
    /// The variables that are set from the rows.
    pub assigned: Vec<Assigned>,
    /// The returned column that is the new row's identity.
    pub identity: Option<usize>,
    /// True if the core would keep numbers in the identity's column that its type has not.
    pub narrow_identity: bool,
    /// Where no column is returned: the core's name of the table whose last identity is the new row's.
    pub identity_table: Option<String>,
    /// The returned column that is what MERGE did with the row: INSERT, UPDATE or DELETE.
    pub action: Option<usize>,
    /// The returned column that says whether the row may be put through its view (WITH CHECK OPTION).
    pub check: Option<usize>,
    /// The whole rows behind all others, for triggers.
    pub images: Option<Images>,
    /// True if it leaves out rows whose keys are there already.
    pub ignores_keys: bool,
}

/// Unique keys of which an INSERT leaves out what is there already: `WITH (IGNORE_DUP_KEY = ON)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IgnoredKeys {
    /// None.
    #[default]
    None,
    /// All keys of the table.
    All,
    /// The one of this name.
    One(String),
    /// More than one, and not all.
    Some,
}

/// Reduces a change.
///
/// Errors: as [`super::query`]; 213, 109 and 110 for rows of another length than the list of columns, 544 and 545 for
/// values of an identity column, 271 for those of a computed one.
pub fn change(
    change: &Change,
    scope: &dyn Scope,
    identity_insert: bool,
    images: bool,
) -> Result<ReducedChange, Message> {
    check_target_hints(change)?;
    let reducer = Reducer { images, is_ordered: true, packs_lists: true, ..Reducer::new(scope) };
    let named = reducer.change_with_identities_named(change);
    match named.as_ref().unwrap_or(change) {
        Change::Insert(insert) => reducer.insert(insert, identity_insert),
        Change::Update(update) => reducer.update(update),
        Change::Delete(delete) => reducer.delete(delete),
        Change::Merge(merge) => reducer.merge(merge, identity_insert),
    }
}

/// Hints that let rows be read that are not committed, which is no way to find rows to change.
const UNCOMMITTED: [&str; 2] = ["NOLOCK", "READUNCOMMITTED"];

/// Errors: 1065 for such a hint on what is changed. On the same table in the FROM it says nothing.
fn check_target_hints(change: &Change) -> Result<(), Message> {
    let target = match change {
        Change::Insert(insert) => &insert.target,
        Change::Update(update) => &update.target,
        Change::Delete(delete) => &delete.target,
        Change::Merge(merge) => &merge.target,
    };
    let Target::Table(_, hints) = target else { return Ok(()) };
    match hints.iter().any(|hint| UNCOMMITTED.iter().any(|word| hint.starts(word))) {
        true => Err(Message::numbered(1065, &[])),
        false => Ok(()),
    }
}

/// A column that one statement sets twice.
pub(super) fn set_twice(name: &str) -> Message {
    let message = format!(
        "The column name '{name}' is specified more than once in the SET clause or column list of an INSERT. A column cannot \
         be assigned more than one value in the same clause. Modify the clause to make sure that a column is updated only \
         once. If this statement updates or inserts columns into a view, column aliasing can conceal the duplication in \
         your code."
    );
    Message::error(264, message)
}

/// The columns that an INSERT gives values for.
///
/// Errors: 207 for a column that is not there, 264 for one that is named twice, 544, 545, 271.
pub fn insert_columns(
    columns: &[TableColumn],
    named: &[Name],
    table: &ObjectName,
    identity_insert: bool,
) -> Result<Vec<TableColumn>, Message> {
    if named.is_empty() {
        // A row version stands among the values as DEFAULT.
        let is_given = |column: &&TableColumn| {
            column.data_type == DataType::RowVersion || !column.is_computed && (!column.is_identity || identity_insert)
        };
        return Ok(columns.iter().filter(is_given).cloned().collect());
    }
    let find = |name: &Name| {
        let found = columns.iter().find(|column| column.name.eq_ignore_ascii_case(&name.text)).cloned();
        let column = found.ok_or_else(|| Message::error(207, format!("Invalid column name '{}'.", name.text)))?;
        if column.is_computed && column.data_type != DataType::RowVersion {
            return Err(computed(&column.name));
        }
        Ok(column)
    };
    for (number, name) in named.iter().enumerate() {
        if named[..number].iter().any(|before| before.text.eq_ignore_ascii_case(&name.text)) {
            return Err(set_twice(&name.text));
        }
    }
    let given = named.iter().map(find).collect::<Result<Vec<_>, Message>>()?;
    let gives_identity = given.iter().any(|column| column.is_identity);
    if gives_identity && !identity_insert {
        let message = format!(
            "Cannot insert explicit value for identity column in table '{}' when IDENTITY_INSERT is set to OFF.",
            table.last()
        );
        return Err(Message::error(544, message));
    }
    if !gives_identity && identity_insert && columns.iter().any(|column| column.is_identity) {
        return Err(no_identity(table));
    }
    Ok(given)
}

/// Sees that no row version is given a value.
///
/// Errors: 273.
fn check_versions(rows: &InsertRows, given: Option<&[TableColumn]>) -> Result<(), Message> {
    let is_version = |column: &TableColumn| column.data_type == DataType::RowVersion;
    let Some(place) = given.and_then(|given| given.iter().position(is_version)) else { return Ok(()) };
    let is_default = match rows {
        InsertRows::Values(rows) => rows.iter().all(|row| matches!(row.get(place), Some(Expr::Default) | None)),
        rows => matches!(rows, InsertRows::Default),
    };
    match is_default {
        true => Ok(()),
        false => {
            let text = "Cannot insert an explicit value into a timestamp column. Use INSERT with a column list to exclude \
                        the timestamp column, or insert a DEFAULT into the timestamp column.";
            Err(Message::error(273, text))
        }
    }
}

/// The error of a value for a computed column.
pub(super) fn computed(column: &str) -> Message {
    let message = format!(
        "The column \"{column}\" cannot be modified because it is either a computed column or is the result of a UNION \
         operator."
    );
    Message::error(271, message)
}

impl Reducer<'_> {
    fn insert(mut self, insert: &Insert, identity_insert: bool) -> Result<ReducedChange, Message> {
        let named = table_of(&insert.target)?;
        let wanted: Vec<String> = insert.columns.iter().map(|name| name.text.clone()).collect();
        let resolved = self.resolve(named, &[], &insert.with, &wanted)?;
        let target = resolved.table.clone();
        self.recursion_limit(&insert.hints)?;
        insert.top.iter().try_for_each(|top| self.check_top(top))?;
        self.with(&insert.with)?;
        self.push("INSERT INTO ");
        self.table_name(&target)?;
        let known = self.scope.columns(&target);
        let columns = match &resolved.map {
            None => insert.columns.clone(),
            Some(map) => through((named.last(), map), &insert.columns, known.as_deref().unwrap_or_default())?,
        };
        check_identity(insert, known.as_deref().unwrap_or_default(), &target, identity_insert)?;
        let given = match &known {
            Some(known) => Some(insert_columns(known, &columns, &target, identity_insert)?),
            None => None,
        };
        let names: Vec<String> = match &given {
            Some(given) => given.iter().map(|column| column.name.clone()).collect(),
            None => columns.iter().map(|name| name.text.clone()).collect(),
        };
        if !names.is_empty() && !matches!(insert.rows, InsertRows::Default) {
            self.push(" (");
            self.list(&names, |it, name| {
                it.name(name);
                Ok(())
            })?;
            self.push(")");
        }
        check_versions(&insert.rows, given.as_deref())?;
        self.insert_rows(insert, given.as_deref(), &target)?;
        let mut returned = Returned { ignores_keys: self.leave_out(&target)?, ..Returned::default() };
        let names = Rc::new(OutputNames { kind: Kind::Insert, map: resolved.map.clone(), beside: None });
        self.outputs(&insert.outputs, (&names, known.as_deref(), &[]), &mut returned)?;
        if let Some(identity) = known.iter().flatten().find(|column| column.is_identity) {
            returned.narrow_identity = identity.data_type == DataType::TinyInt;
            let is_one_row = match &insert.rows {
                InsertRows::Values(rows) => rows.len() == 1 && insert.top.is_none() && !returned.narrow_identity,
                InsertRows::Default if returned.narrow_identity => false,
                rows => matches!(rows, InsertRows::Default),
            };
            let returns = self.images || !insert.outputs.is_empty() || !resolved.checks.is_empty();
            if is_one_row && !returns && !identity_insert {
                returned.identity_table = Some(self.scope.table(&target)?);
            } else {
                returned.identity = Some(returned.texts.len());
                returned.texts.push(quoted(&identity.name));
            }
        }
        self.check(&resolved.checks, &mut returned)?;
        self.whole_rows(known.as_deref(), Kind::Insert, &mut returned)?;
        Ok(self.finish(target, returned))
    }

    /// Writes that rows are left out whose keys are there already; whether they are.
    ///
    /// Errors: 40515 where this is so of more than one of the table's keys, and not of all.
    fn leave_out(&mut self, table: &ObjectName) -> Result<bool, Message> {
        match self.scope.ignored_keys(table) {
            IgnoredKeys::None => return Ok(false),
            IgnoredKeys::All => self.push(" ON CONFLICT DO NOTHING"),
            IgnoredKeys::One(name) => self.push(&format!(" ON CONFLICT ON CONSTRAINT {} DO NOTHING", quoted(&name))),
            IgnoredKeys::Some => return Err(not_supported("IGNORE_DUP_KEY of some of a table's keys")),
        }
        Ok(true)
    }

    fn insert_rows(
        &mut self,
        insert: &Insert,
        given: Option<&[TableColumn]>,
        table: &ObjectName,
    ) -> Result<(), Message> {
        match &insert.rows {
            InsertRows::Default => {
                self.push(" DEFAULT VALUES");
                Ok(())
            }
            InsertRows::Execute(_) => Err(not_supported("INSERT ... EXEC here")),
            InsertRows::Values(rows) => self.listed_rows(insert, rows, given, table),
            InsertRows::Query(query) => {
                let Some(given) = given else {
                    self.push(" ");
                    self.query(query)?;
                    return self.first_of_query(insert.top.as_ref());
                };
                check_heads(query, given, !insert.columns.is_empty())?;
                self.push(" SELECT ");
                for (number, column) in given.iter().enumerate() {
                    if number > 0 {
                        self.push(", ");
                    }
                    self.takes(table, &column.name);
                    self.open_assign(column.data_type);
                    self.push(&format!("\"#i{number}\")"));
                }
                self.push(" FROM (");
                self.query(query)?;
                // An order alone would be lost in a query within another, and identities are given in it.
                let is_cut =
                    query.offset.is_some() || matches!(&query.body, QueryBody::Select(select) if select.top.is_some());
                if !is_cut && query.format.is_none() && !self.order_of(query, true).is_empty() {
                    self.push(" OFFSET 0");
                }
                self.push(") AS \"#q\" (");
                let columns = (0..given.len()).map(|number| format!("\"#i{number}\"")).collect::<Vec<_>>().join(", ");
                self.push(&columns);
                self.push(")");
                self.first_of_query(insert.top.as_ref())
            }
        }
    }

    /// Writes the rows of VALUES. A count of them that is not known yet is a query's.
    fn listed_rows(
        &mut self,
        insert: &Insert,
        rows: &[Vec<Expr>],
        given: Option<&[TableColumn]>,
        table: &ObjectName,
    ) -> Result<(), Message> {
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            let text = "The number of columns for each row in a table value constructor must be the same.";
            return Err(Message::error(10709, text));
        }
        let (rows, count) = first_rows(rows, insert.top.as_ref());
        if let (None, Some(given), true) = (count, given, rows.len() > 1)
            && let Some(plain) = self.plain_rows(rows, given)
        {
            return self.write_plain_rows(&plain, table);
        }
        self.push(if count.is_some() { " SELECT * FROM (VALUES " } else { " VALUES " });
        self.list(rows, |it, row| {
            check_length(row.len(), given, !insert.columns.is_empty())?;
            it.push("(");
            let around = it.begin_values(row.iter());
            for (number, value) in row.iter().enumerate() {
                if number > 0 {
                    it.push(", ");
                }
                let column = given.and_then(|given| given.get(number));
                let to = column.map(|column| column.data_type);
                if count.is_some() && matches!(value, Expr::Default) {
                    return Err(not_supported("INSERT TOP of other than a number, of values with DEFAULT"));
                }
                it.takes(table, column.map_or("", |column| &column.name));
                match to {
                    // Every row of a list must give the same type, so none is left as it is.
                    Some(to) if (rows.len() > 1 || count.is_some()) && !matches!(value, Expr::Default) => {
                        it.converted(value, to)?;
                    }
                    _ => match (value, column) {
                        (Expr::Variable(variable), Some(column)) if !variable.text.starts_with("@@") => {
                            it.taken(variable, column, table)?;
                        }
                        _ => it.assigned(value, to)?,
                    },
                }
            }
            it.end_values(around);
            it.push(")");
            Ok(())
        })?;
        if count.is_some() {
            self.push(") AS \"#v\"");
        }
        self.first_of_query(count)
    }

    /// Writes INSERT's TOP.
    fn first_of_query(&mut self, top: Option<&Top>) -> Result<(), Message> {
        match top {
            None => Ok(()),
            Some(top) if top.percent => self.percent(top, &[]),
            Some(top) => {
                self.push(" LIMIT ");
                self.row_count(&top.count)
            }
        }
    }

    /// Writes a value for a column of this type.
    pub(super) fn assigned(&mut self, value: &Expr, to: Option<DataType>) -> Result<(), Message> {
        let Some(to) = to else { return self.expression(value) };
        let is_exact = match value {
            Expr::Default => {
                self.push("DEFAULT");
                return Ok(());
            }
            Expr::Literal(Literal::Null) => {
                self.push("NULL");
                return Ok(());
            }
            Expr::Variable(name) if !name.text.starts_with("@@") => self.variable_type(name)? == to,
            _ => false,
        };
        if is_exact && let Expr::Variable(name) = value {
            // A value of the column's own type needs no conversion, and the row executor knows parameters.
            let data_type = self.variable_type(name)?;
            let number = self.parameter_number(super::Source::Variable(name.text.to_lowercase()), data_type, None);
            self.push(&format!("${number}"));
            return Ok(());
        }
        self.converted(value, to)
    }

    /// Writes a variable as the value of a column of the one row that is put in: what is to be converted is so before.
    pub(super) fn taken(&mut self, variable: &Name, column: &TableColumn, table: &ObjectName) -> Result<(), Message> {
        let data_type = self.variable_type(variable)?;
        check_taken(data_type, column.data_type)?;
        let taking = (data_type != column.data_type).then(|| TakingColumn {
            table: shown_table(table),
            name: column.name.clone(),
            data_type: column.data_type,
        });
        let source = super::Source::Variable(variable.text.to_lowercase());
        let number = self.parameter_number(source, data_type, taking);
        self.push(&format!("${number}"));
        Ok(())
    }

    /// Notes the column that the next assigned value is for.
    pub(super) fn takes(&mut self, table: &ObjectName, column: &str) {
        self.taking = Some((shown_table(table), column.to_owned()));
    }

    /// Begins the conversion for a column. Where something can be cut off it names the column.
    fn open_assign(&mut self, to: DataType) {
        let cuts = matches!(to.length(), Some(Length::Limited(_)));
        match self.taking.take().filter(|_| cuts) {
            Some((table, column)) => self.open(&format!("assign:{to}@{table}@{column}")),
            None => self.open(&format!("assign:{to}")),
        }
    }

    /// Writes a value with its conversion for a column of this type.
    pub(super) fn converted(&mut self, value: &Expr, to: DataType) -> Result<(), Message> {
        self.open_assign(to);
        self.expression(value)?;
        self.push(")");
        Ok(())
    }
}

/// Returns true if a column takes values of a type by itself.
///
/// Errors: 206, 257.
fn check_taken(from: DataType, to: DataType) -> Result<(), Message> {
    // A SQL_VARIANT has a type in each value.
    if from == DataType::SqlVariant { Ok(()) } else { mainstay_tsql_types::types::implicit(from, to) }
}

/// The error of a value for a column of a view that is no table's.
pub(super) fn calculated(view: &str) -> Message {
    let text = format!(
        "Update or insert of view or function '{view}' failed because it contains a derived or constant field."
    );
    Message::error(4406, text)
}

/// The table's columns that an INSERT through a view gives values for.
fn through((view, map): (&str, &[Mapped]), named: &[Name], columns: &[TableColumn]) -> Result<Vec<Name>, Message> {
    let calculated = || calculated(view);
    let own = |shown: &str| {
        let found = map.iter().find(|(name, _)| name.eq_ignore_ascii_case(shown));
        let found = found.ok_or_else(|| Message::error(207, format!("Invalid column name '{shown}'.")))?;
        let text = found.1.clone().ok_or_else(calculated)?;
        Ok(Name { text, quoted: true, ..Name::default() })
    };
    if !named.is_empty() {
        return named.iter().map(|name| own(&name.text)).collect();
    }
    let is_given = |name: &&String| {
        !columns
            .iter()
            .any(|column| column.name.eq_ignore_ascii_case(name) && (column.is_identity || column.is_computed))
    };
    let own = map.iter().map(|(_, below)| below.as_ref().ok_or_else(calculated)).collect::<Result<Vec<_>, _>>()?;
    let name = |text: &String| Name { text: text.clone(), quoted: true, ..Name::default() };
    Ok(own.into_iter().filter(is_given).map(name).collect())
}

/// Sees that an INSERT without a list of columns gives no value for the identity.
///
/// Errors: 8101, 545.
fn check_identity(
    insert: &Insert,
    columns: &[TableColumn],
    table: &ObjectName,
    identity_insert: bool,
) -> Result<(), Message> {
    let is_named = !insert.columns.is_empty() || !columns.iter().any(|column| column.is_identity);
    let width = match &insert.rows {
        InsertRows::Values(rows) => rows.first().map_or(0, Vec::len),
        InsertRows::Query(query) => {
            let heads = super::query::heads(&query.body);
            if heads.contains(&Head::Star) { 0 } else { heads.len() }
        }
        _ => 0,
    };
    let all = columns.iter().filter(|column| !column.is_computed).count();
    if is_named || width == 0 {
        return Ok(());
    }
    if width == all {
        let text = format!(
            "An explicit value for the identity column in table '{}' can only be specified when a column list is used and \
             IDENTITY_INSERT is ON.",
            table.last()
        );
        return Err(Message::error(8101, text));
    }
    if identity_insert && width + 1 == all { Err(no_identity(table)) } else { Ok(()) }
}

/// The error of a row without its identity under IDENTITY_INSERT.
fn no_identity(table: &ObjectName) -> Message {
    let message = format!(
        "Explicit value must be specified for identity column in table '{}' either when IDENTITY_INSERT is set to ON or \
         when a replication user is inserting into a NOT FOR REPLICATION identity column.",
        table.last()
    );
    Message::error(545, message)
}

/// Schema and name of a table, for messages.
fn shown_table(table: &ObjectName) -> String {
    let schema = table.parts.iter().rev().nth(1).map(|part| &*part.text).filter(|schema| !schema.is_empty());
    format!("{}.{}", schema.unwrap_or("dbo"), table.last())
}

/// The rows of VALUES that TOP leaves, and the TOP where the number is known only when the statement runs, or is
/// invalid.
fn first_rows<'r, 't>(rows: &'r [Vec<Expr>], top: Option<&'t Top>) -> (&'r [Vec<Expr>], Option<&'t Top>) {
    let Some(top) = top else { return (rows, None) };
    let known = match &top.count {
        Expr::Literal(Literal::Integer(digits)) if !top.percent => digits.parse::<usize>().ok(),
        _ => None,
    };
    match known {
        Some(count) if count > 0 => (&rows[..count.min(rows.len())], None),
        _ => (rows, Some(top)),
    }
}

pub(super) fn table_of(target: &Target) -> Result<&ObjectName, Message> {
    match target {
        Target::Table(name, _) => Ok(name),
        Target::Remote(_) => Err(not_supported("A change of a rowset function")),
    }
}

/// Returns true if a query has as many columns as are given, as far as its list tells.
pub(super) fn check_heads(query: &crate::tree::Query, given: &[TableColumn], is_listed: bool) -> Result<(), Message> {
    let heads = super::query::heads(&query.body);
    match heads.contains(&Head::Star) {
        true => Ok(()),
        false => check_length(heads.len(), Some(given), is_listed),
    }
}

pub(super) fn check_length(length: usize, given: Option<&[TableColumn]>, is_listed: bool) -> Result<(), Message> {
    let Some(given) = given else { return Ok(()) };
    let (number, message) = match (is_listed, length.cmp(&given.len())) {
        (_, std::cmp::Ordering::Equal) => return Ok(()),
        (false, _) => (213, "Column name or number of supplied values does not match table definition."),
        (true, std::cmp::Ordering::Less) => (
            109,
            "There are more columns in the INSERT statement than values specified in the VALUES clause. The number of values \
             in the VALUES clause must match the number of columns specified in the INSERT statement.",
        ),
        (true, std::cmp::Ordering::Greater) => (
            110,
            "There are fewer columns in the INSERT statement than values specified in the VALUES clause. The number of values \
             in the VALUES clause must match the number of columns specified in the INSERT statement.",
        ),
    };
    Err(Message::error(number, message).severity(if number == 213 { 16 } else { 15 }))
}

/// The operator of a compound assignment.
pub fn compound(operator: AssignOperator) -> Option<BinaryOperator> {
    Some(match operator {
        AssignOperator::Set => return None,
        AssignOperator::Add => BinaryOperator::Add,
        AssignOperator::Subtract => BinaryOperator::Subtract,
        AssignOperator::Multiply => BinaryOperator::Multiply,
        AssignOperator::Divide => BinaryOperator::Divide,
        AssignOperator::Modulo => BinaryOperator::Modulo,
        AssignOperator::BitAnd => BinaryOperator::BitAnd,
        AssignOperator::BitOr => BinaryOperator::BitOr,
        AssignOperator::BitXor => BinaryOperator::BitXor,
        AssignOperator::Concatenate => BinaryOperator::Concatenate,
    })
}
