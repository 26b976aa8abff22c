//! INSERT, UPDATE and DELETE.
//!
//! ```text
//!   UPDATE o SET total = o.total + l.amount          UPDATE "orders" AS "o" SET "total" = "mssql:assign:..."(...)
//!   FROM Orders o JOIN Lines l ON l.oid = o.id  -->  FROM "lines" AS "l" WHERE "mssql:equal"(l.oid, o.id) AND ...
//!   OUTPUT deleted.total, inserted.total             RETURNING "old"."total", "new"."total"
//! ```
//!
//! A target that is a side of an outer join, or that TOP counts, is found by a query of its own, by the row's number.

use super::target::{find_target, flatten};
use super::{Head, Parameter, Reducer, Scope, TableColumn, not_supported, quoted};
use crate::tree::{
    AssignOperator, BinaryOperator, Change, Delete, Expr, Insert, InsertRows, Literal, Name, ObjectName, Output,
    SelectItem, SetItem, Source, Target, Top, Update,
};
use mainstay_mssql::{DataType, Message};

/// A value of the returned rows that goes to a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Assigned {
    /// The variable, with its `@`.
    pub variable: String,
    /// The number of the returned column, from 0.
    pub column: usize,
}

/// A change in the SQL of the core.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedChange {
    /// The text.
    pub text: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The table that it changes.
    pub target: ObjectName,
    /// The heads of the columns that OUTPUT gives to the client, or to a table; empty without OUTPUT.
    pub heads: Vec<Head>,
    /// Where the rows of OUTPUT go, when not to the client.
    pub into: Option<(ObjectName, Vec<Name>)>,
    /// What variables are set from the rows, behind the columns of OUTPUT.
    pub assigned: Vec<Assigned>,
    /// The returned column that is the new row's identity, behind those of the variables.
    pub identity: Option<usize>,
    /// How many columns the table has, if the rows are returned whole for triggers: behind all others, what the row has
    /// become (INSERT, UPDATE), then what it was (UPDATE, DELETE).
    pub images: Option<usize>,
}

/// What `inserted` and `deleted` are to the core.
#[derive(Clone, Copy, Debug)]
pub(super) enum OutputNames {
    Insert,
    Update,
    Delete,
    /// Not OUTPUT, but an assignment to a variable: columns are those of the row as it was.
    Before,
}

impl OutputNames {
    /// The core's name of a column of `inserted` or `deleted`; `None` for another table's.
    pub(super) fn column(self, table: &str, column: &str) -> Option<Result<String, Message>> {
        let (inserted, deleted) = (table.eq_ignore_ascii_case("inserted"), table.eq_ignore_ascii_case("deleted"));
        let name = quoted(column);
        let unbound =
            || Message::error(4104, format!("The multi-part identifier \"{table}.{column}\" could not be bound."));
        match self {
            OutputNames::Insert if inserted => Some(Ok(name)),
            OutputNames::Delete if deleted => Some(Ok(name)),
            OutputNames::Update if inserted => Some(Ok(format!("\"new\".{name}"))),
            OutputNames::Update if deleted => Some(Ok(format!("\"old\".{name}"))),
            _ if inserted || deleted => Some(Err(unbound())),
            _ => None,
        }
    }
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
    let reducer = Reducer { images, ..Reducer::new(scope) };
    match change {
        Change::Insert(insert) => reducer.insert(insert, identity_insert),
        Change::Update(update) => reducer.update(update),
        Change::Delete(delete) => reducer.delete(delete),
        Change::Merge(_) => Err(not_supported("MERGE")),
    }
}

/// A column that one statement sets twice.
fn set_twice(name: &str) -> Message {
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
        let is_given = |column: &&TableColumn| !column.is_computed && (!column.is_identity || identity_insert);
        return Ok(columns.iter().filter(is_given).cloned().collect());
    }
    let find = |name: &Name| {
        let found = columns.iter().find(|column| column.name.eq_ignore_ascii_case(&name.text)).cloned();
        let column = found.ok_or_else(|| Message::error(207, format!("Invalid column name '{}'.", name.text)))?;
        if column.is_computed {
            let message = format!(
                "The column \"{}\" cannot be modified because it is either a computed column or is the result of a UNION \
                 operator.",
                column.name
            );
            return Err(Message::error(271, message));
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
        let message = format!(
            "Explicit value must be specified for identity column in table '{}' either when IDENTITY_INSERT is set to ON or \
             when a replication user is inserting into a NOT FOR REPLICATION identity column.",
            table.last()
        );
        return Err(Message::error(545, message));
    }
    Ok(given)
}

/// A change while its list of returned columns is gathered.
#[derive(Default)]
struct Returned {
    texts: Vec<String>,
    heads: Vec<Head>,
    assigned: Vec<Assigned>,
    identity: Option<usize>,
    images: Option<usize>,
}

impl Reducer<'_> {
    fn insert(mut self, insert: &Insert, identity_insert: bool) -> Result<ReducedChange, Message> {
        let target = table_of(&insert.target)?.clone();
        if insert.top.is_some() {
            return Err(not_supported("INSERT TOP"));
        }
        self.with(&insert.with)?;
        self.push("INSERT INTO ");
        self.table_name(&target)?;
        let known = self.scope.columns(&target);
        let given = match &known {
            Some(columns) => Some(insert_columns(columns, &insert.columns, &target, identity_insert)?),
            None => None,
        };
        let names: Vec<String> = match &given {
            Some(given) => given.iter().map(|column| column.name.clone()).collect(),
            None => insert.columns.iter().map(|name| name.text.clone()).collect(),
        };
        if !names.is_empty() && !matches!(insert.rows, InsertRows::Default) {
            self.push(" (");
            self.list(&names, |it, name| {
                it.name(name);
                Ok(())
            })?;
            self.push(")");
        }
        self.insert_rows(insert, given.as_deref())?;
        let mut returned = Returned::default();
        self.outputs(&insert.outputs, OutputNames::Insert, &mut returned)?;
        if let Some(identity) = known.iter().flatten().find(|column| column.is_identity) {
            returned.identity = Some(returned.texts.len());
            returned.texts.push(quoted(&identity.name));
        }
        self.whole_rows(known.as_deref(), &["*"], &mut returned)?;
        self.finish(target, &insert.outputs, returned)
    }

    fn insert_rows(&mut self, insert: &Insert, given: Option<&[TableColumn]>) -> Result<(), Message> {
        match &insert.rows {
            InsertRows::Default => {
                self.push(" DEFAULT VALUES");
                Ok(())
            }
            InsertRows::Execute(_) => Err(not_supported("INSERT ... EXEC here")),
            InsertRows::Values(rows) => {
                self.push(" VALUES ");
                let width = rows.first().map_or(0, Vec::len);
                if rows.iter().any(|row| row.len() != width) {
                    let text = "The number of columns for each row in a table value constructor must be the same.";
                    return Err(Message::error(10709, text));
                }
                self.list(rows, |it, row| {
                    check_length(row.len(), given, !insert.columns.is_empty())?;
                    it.push("(");
                    for (number, value) in row.iter().enumerate() {
                        if number > 0 {
                            it.push(", ");
                        }
                        let to = given.and_then(|given| given.get(number)).map(|column| column.data_type);
                        match to {
                            // Every row of a list must give the same type, so none is left as it is.
                            Some(to) if rows.len() > 1 && !matches!(value, Expr::Default) => it.converted(value, to)?,
                            _ => it.assigned(value, to)?,
                        }
                    }
                    it.push(")");
                    Ok(())
                })
            }
            InsertRows::Query(query) => {
                let Some(given) = given else {
                    self.push(" ");
                    return self.query(query);
                };
                let heads = super::query::heads(&query.body);
                if !heads.contains(&Head::Star) {
                    check_length(heads.len(), Some(given), !insert.columns.is_empty())?;
                }
                self.push(" SELECT ");
                for (number, column) in given.iter().enumerate() {
                    if number > 0 {
                        self.push(", ");
                    }
                    self.open(&format!("assign:{}", column.data_type));
                    self.push(&format!("\"#i{number}\")"));
                }
                self.push(" FROM (");
                self.query(query)?;
                self.push(") AS \"#q\" (");
                let columns = (0..given.len()).map(|number| format!("\"#i{number}\"")).collect::<Vec<_>>().join(", ");
                self.push(&columns);
                self.push(")");
                Ok(())
            }
        }
    }

    /// Writes a value for a column of this type.
    fn assigned(&mut self, value: &Expr, to: Option<DataType>) -> Result<(), Message> {
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
            Expr::Variable(name) => self.variable_type(name)? == to,
            _ => false,
        };
        if is_exact && let Expr::Variable(name) = value {
            // A value of the column's own type needs no conversion, and the row executor knows parameters.
            let data_type = self.variable_type(name)?;
            let number = self.parameter_number(super::Source::Variable(name.text.to_lowercase()), data_type);
            self.push(&format!("${number}"));
            return Ok(());
        }
        self.converted(value, to)
    }

    /// Writes a value with its conversion for a column of this type.
    fn converted(&mut self, value: &Expr, to: DataType) -> Result<(), Message> {
        self.open(&format!("assign:{to}"));
        self.expression(value)?;
        self.push(")");
        Ok(())
    }

    fn update(mut self, update: &Update) -> Result<ReducedChange, Message> {
        let named = table_of(&update.target)?;
        let found = find_target(&update.from, named);
        let target = found.as_ref().map_or_else(|| named.clone(), |found| found.table.clone());
        let columns = self.scope.columns(&target);
        let mut returned = Returned::default();
        self.with(&update.with)?;
        self.push("UPDATE ");
        self.table_name(&target)?;
        let alias = found.as_ref().map_or_else(|| named.last().to_owned(), |found| found.alias.clone());
        let by_number = update.top.is_some() || found.as_ref().is_some_and(|found| found.is_outer);
        let row = if by_number { "#t".to_owned() } else { alias.clone() };
        self.push(" AS ");
        self.name(&row);
        self.push(" SET ");
        let sets = Sets::of(&update.items, columns.as_deref())?;
        if by_number {
            self.list(sets.columns.iter().enumerate(), |it, (number, set)| {
                it.name(&set.name);
                it.push(&format!(" = \"#s\".\"#v{number}\""));
                Ok(())
            })?;
            self.push(" FROM (SELECT ");
            self.name(&alias);
            self.push("._rowid AS \"#id\"");
            for (number, set) in sets.columns.iter().enumerate() {
                self.push(", ");
                self.set_value(set, &alias)?;
                self.push(&format!(" AS \"#v{number}\""));
            }
            self.rows_by_number(&update.from, &target, &alias, update.condition.as_ref(), update.top.as_ref())?;
        } else {
            self.list(&sets.columns, |it, set| {
                it.name(&set.name);
                it.push(" = ");
                it.set_value(set, &alias)
            })?;
            self.others(" FROM ", &update.from, named, update.condition.as_ref())?;
        }
        self.outputs(&update.outputs, OutputNames::Update, &mut returned)?;
        self.variables(&sets, &mut returned)?;
        self.whole_rows(columns.as_deref(), &["\"new\".*", "\"old\".*"], &mut returned)?;
        self.finish(target, &update.outputs, returned)
    }

    fn delete(mut self, delete: &Delete) -> Result<ReducedChange, Message> {
        let named = table_of(&delete.target)?;
        let found = find_target(&delete.from, named);
        let target = found.as_ref().map_or_else(|| named.clone(), |found| found.table.clone());
        let mut returned = Returned::default();
        self.with(&delete.with)?;
        self.push("DELETE FROM ");
        self.table_name(&target)?;
        let alias = found.as_ref().map_or_else(|| named.last().to_owned(), |found| found.alias.clone());
        let by_number = delete.top.is_some() || found.as_ref().is_some_and(|found| found.is_outer);
        self.push(" AS ");
        self.name(if by_number { "#t" } else { &alias });
        if by_number {
            self.push(" USING (SELECT ");
            self.name(&alias);
            self.push("._rowid AS \"#id\"");
            self.rows_by_number(&delete.from, &target, &alias, delete.condition.as_ref(), delete.top.as_ref())?;
        } else {
            self.others(" USING ", &delete.from, named, delete.condition.as_ref())?;
        }
        self.outputs(&delete.outputs, OutputNames::Delete, &mut returned)?;
        let known = self.scope.columns(&target);
        self.whole_rows(known.as_deref(), &["*"], &mut returned)?;
        self.finish(target, &delete.outputs, returned)
    }

    /// Writes the rest of a query for the numbers of rows, and the condition that finds them.
    fn rows_by_number(
        &mut self,
        from: &[Source],
        target: &ObjectName,
        alias: &str,
        condition: Option<&Expr>,
        top: Option<&Top>,
    ) -> Result<(), Message> {
        self.push(" FROM ");
        match from {
            [] => {
                self.table_name(target)?;
                self.push(" AS ");
                self.name(alias);
            }
            from => self.list(from, |it, source| it.source(source))?,
        }
        if let Some(condition) = condition {
            self.push(" WHERE ");
            self.condition(condition)?;
        }
        if let Some(top) = top {
            if top.percent {
                return Err(not_supported("TOP PERCENT of a change"));
            }
            self.push(" LIMIT ");
            self.row_count(&top.count)?;
        }
        self.push(") AS \"#s\" WHERE \"#t\"._rowid = \"#s\".\"#id\"");
        Ok(())
    }

    /// Writes the other tables of a change, and its condition with those of the joins.
    fn others(
        &mut self,
        word: &str,
        from: &[Source],
        target: &ObjectName,
        condition: Option<&Expr>,
    ) -> Result<(), Message> {
        let (mut sources, mut conditions) = (Vec::new(), Vec::new());
        for source in from {
            flatten(source, target, &mut sources, &mut conditions);
        }
        if !sources.is_empty() {
            self.push(word);
            self.list(&sources, |it, source| it.source(source))?;
        }
        conditions.extend(condition);
        for (number, condition) in conditions.iter().enumerate() {
            self.push(if number == 0 { " WHERE " } else { " AND " });
            self.condition(condition)?;
        }
        Ok(())
    }

    fn set_value(&mut self, set: &Set<'_>, alias: &str) -> Result<(), Message> {
        match set.operator {
            None => self.assigned(set.value, set.data_type),
            Some(operator) => {
                let column = Name { text: set.name.clone(), ..Name::default() };
                let table = Name { text: alias.to_owned(), ..Name::default() };
                let column = Expr::Column(ObjectName { parts: vec![table, column], ..ObjectName::default() });
                let value = Expr::Binary(Box::new(column), operator, Box::new(set.value.clone()));
                self.assigned(&value, set.data_type)
            }
        }
    }

    fn outputs(&mut self, outputs: &[Output], names: OutputNames, returned: &mut Returned) -> Result<(), Message> {
        if outputs.len() > 1 {
            return Err(not_supported("Two OUTPUT clauses"));
        }
        for item in outputs.iter().flat_map(|output| &output.items) {
            self.output = Some(names);
            let text = match item {
                SelectItem::Star(Some(table)) => match (names, table.last().eq_ignore_ascii_case("deleted")) {
                    (OutputNames::Update, true) => Ok("\"old\".*".to_owned()),
                    (OutputNames::Update, false) => Ok("\"new\".*".to_owned()),
                    _ => Ok("*".to_owned()),
                },
                item => {
                    let number = returned.texts.len();
                    self.aside(|it| it.item(item, number))
                }
            };
            self.output = None;
            returned.texts.push(text?);
            returned.heads.push(super::query::head(item));
        }
        Ok(())
    }

    /// `SET @v = expression` and `SET @v = column = expression`: what the row was, and what it has become.
    fn variables(&mut self, sets: &Sets<'_>, returned: &mut Returned) -> Result<(), Message> {
        for (variable, value) in &sets.variables {
            let column = returned.texts.len();
            let text = match value {
                VariableValue::Column(name) => format!("\"new\".{}", quoted(name)),
                VariableValue::Expression(value) => {
                    // As the row was before: SQL Server sets variables from what it has read.
                    self.output = Some(OutputNames::Before);
                    let text = self.aside(|it| it.expression(value));
                    self.output = None;
                    text?
                }
            };
            returned.texts.push(format!("{text} AS \"#{}\"", column + 1));
            returned.assigned.push(Assigned { variable: variable.clone(), column });
        }
        Ok(())
    }

    /// Returns whole rows, for triggers.
    fn whole_rows(
        &self,
        columns: Option<&[TableColumn]>,
        which: &[&str],
        returned: &mut Returned,
    ) -> Result<(), Message> {
        if !self.images {
            return Ok(());
        }
        let Some(columns) = columns else { return Err(not_supported("A trigger of this table")) };
        returned.images = Some(columns.len());
        returned.texts.extend(which.iter().map(|which| (*which).to_owned()));
        Ok(())
    }

    fn finish(mut self, target: ObjectName, outputs: &[Output], returned: Returned) -> Result<ReducedChange, Message> {
        if !returned.texts.is_empty() {
            self.push(" RETURNING ");
            self.push(&returned.texts.join(", "));
        }
        Ok(ReducedChange {
            text: self.out,
            parameters: self.parameters,
            target,
            heads: returned.heads,
            into: outputs.iter().find_map(|output| output.into.clone()),
            assigned: returned.assigned,
            identity: returned.identity,
            images: returned.images,
        })
    }
}

fn table_of(target: &Target) -> Result<&ObjectName, Message> {
    match target {
        Target::Table(name, _) => Ok(name),
        Target::Remote(_) => Err(not_supported("A change of a rowset function")),
    }
}

fn check_length(length: usize, given: Option<&[TableColumn]>, is_listed: bool) -> Result<(), Message> {
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

/// `column = value`, perhaps with an operator.
struct Set<'c> {
    name: String,
    operator: Option<BinaryOperator>,
    value: &'c Expr,
    data_type: Option<DataType>,
}

enum VariableValue<'c> {
    Column(String),
    Expression(&'c Expr),
}

/// What an UPDATE sets.
struct Sets<'c> {
    columns: Vec<Set<'c>>,
    variables: Vec<(String, VariableValue<'c>)>,
}

impl<'c> Sets<'c> {
    fn of(items: &'c [SetItem], columns: Option<&[TableColumn]>) -> Result<Sets<'c>, Message> {
        let mut sets = Sets { columns: Vec::new(), variables: Vec::new() };
        for item in items {
            match item {
                SetItem::Column(name, operator, value) => sets.column(name, *operator, value, columns)?,
                SetItem::Both(variable, name, operator, value) => {
                    sets.column(name, *operator, value, columns)?;
                    sets.variables.push((variable.text.clone(), VariableValue::Column(name.last().to_owned())));
                }
                SetItem::Variable(variable, AssignOperator::Set, value) => {
                    sets.variables.push((variable.text.clone(), VariableValue::Expression(value)));
                }
                SetItem::Variable(..) => return Err(not_supported("UPDATE with a compound assignment of a variable")),
                SetItem::Method(..) => return Err(not_supported("A method of a column")),
            }
        }
        Ok(sets)
    }

    fn column(
        &mut self,
        name: &ObjectName,
        operator: AssignOperator,
        value: &'c Expr,
        columns: Option<&[TableColumn]>,
    ) -> Result<(), Message> {
        let found = columns.map(|columns| columns.iter().find(|column| column.name.eq_ignore_ascii_case(name.last())));
        if let Some(None) = found {
            return Err(Message::error(207, format!("Invalid column name '{}'.", name.last())));
        }
        if found.flatten().is_some_and(|column| column.is_identity) {
            return Err(Message::error(8102, format!("Cannot update identity column '{}'.", name.last())));
        }
        if self.columns.iter().any(|set| set.name.eq_ignore_ascii_case(name.last())) {
            return Err(set_twice(name.last()));
        }
        let data_type = found.flatten().map(|column| column.data_type);
        let operator = compound(operator);
        self.columns.push(Set { name: name.last().to_owned(), operator, value, data_type });
        Ok(())
    }
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
