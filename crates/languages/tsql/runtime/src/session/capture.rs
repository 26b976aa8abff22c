//! Rows that do not go to the client: those of INSERT ... EXEC, and of a change within a query.
//!
//! ```text
//!   INSERT INTO t EXEC p                            the rows that p gives stand in a temporary table,
//!   INSERT INTO t SELECT * FROM (DELETE ... OUTPUT ...) AS d   and the INSERT reads them from there
//! ```

use crate::changes::change::Returned;
use crate::columns::Column;
use crate::session::Inner;
use crate::session::state::TemporaryTable;
use crate::statements::errors::raised;
use crate::statements::query::Plan;
use crate::statements::runner::{Ran, Runner, set};
use mainstay_engine::CollectedRows;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, TableColumn};
use mainstay_tsql_syntax::tree::{
    Change, Expr, InsertRows, Literal, Name, ObjectName, Query, QueryBody, Select, SelectItem, Source, TableSource,
    Target, Transaction, With,
};
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Flow, Raised, StatementCall};

/// Rows that are collected, with their columns.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    columns: Option<Vec<Column>>,
    /// The module that collects them, by its place among those that run.
    depth: usize,
    /// The transactions that were open before.
    transactions: u32,
    pub(crate) rows: CollectedRows,
    /// True if a result did not fit: the error was reported, and the table gets no rows.
    failed: bool,
    /// True if the statement has begun the transaction that is open: it ends with the statement.
    owns_transaction: bool,
}

impl Captured {
    /// Learns of the columns of the rows that come.
    ///
    /// Errors: 213 for a result of another width than the one before.
    pub(crate) fn expect(&mut self, columns: &[Column]) -> Result<(), Box<Raised>> {
        match &self.columns {
            Some(known) if known.len() != columns.len() => {
                self.failed = true;
                Err(width())
            }
            Some(_) => Ok(()),
            None => {
                self.columns = Some(columns.to_vec());
                Ok(())
            }
        }
    }

    /// Takes rows.
    ///
    /// Errors: as [`Captured::expect`]; 701 when running statements may hold no more.
    pub(crate) fn take(
        &mut self,
        columns: &[Column],
        mut rows: impl Iterator<Item = Vec<Value>>,
    ) -> Result<(), Box<Raised>> {
        self.expect(columns)?;
        rows.try_for_each(|row| self.rows.push(row)).map_err(crate::statements::errors::raised_error)
    }
}

fn width() -> Box<Raised> {
    let text = "Column name or number of supplied values does not match table definition.";
    raised(Message::error(213, text).state(7))
}

impl Runner<'_> {
    /// The beginning of INSERT ... EXEC.
    ///
    /// Errors: 8164 within another one.
    pub(crate) fn begin_capture(&mut self, call: &mut StatementCall<'_>) -> Ran {
        if !self.inner.state.captured.is_empty() {
            return Err(raised(Message::error(8164, "An INSERT EXEC statement cannot be nested.")));
        }
        // It is one statement: what the procedure does is committed or undone with it.
        let owns_transaction = self.inner.begin_statement()?;
        let (depth, transactions) = (self.depth(), self.inner.state.transactions);
        let rows = self.inner.core.collected_rows("the rows of INSERT ... EXEC");
        let captured = Captured { depth, transactions, owns_transaction, rows, ..Captured::default() };
        self.inner.state.captured.push(captured);
        set(call, 0, ValueRef::Boolean(true))
    }

    /// An error has left what was collected by the modules that it has ended.
    pub(crate) fn forget_captured(&mut self) {
        self.forget_captured_from(self.depth());
    }

    /// Forgets what modules from this depth on have collected, and undoes what the procedures have done whose rows these
    /// were.
    pub(crate) fn forget_captured_from(&mut self, depth: usize) {
        let captured = &mut self.inner.state.captured;
        let lost: Vec<Captured> = captured.extract_if(.., |captured| captured.depth >= depth).collect();
        if lost.iter().any(|captured| captured.owns_transaction) && self.inner.state.transactions > 0 {
            // The error that is being reported is the one that matters.
            let _ = self.inner.rollback(None);
            self.inner.announce(self.sink);
        }
    }

    /// Sees that a transaction may be ended here.
    ///
    /// Errors: 3915 and 3916 in a procedure whose rows are collected.
    pub(crate) fn check_end(&self, transaction: &Transaction) -> Result<(), Box<Raised>> {
        let Some(captured) = self.inner.state.captured.last() else { return Ok(()) };
        let (number, text) = match transaction {
            Transaction::Rollback(_) => (3915, "Cannot use the ROLLBACK statement within an INSERT-EXEC statement."),
            Transaction::Commit(..) if self.inner.state.transactions <= captured.transactions => (
                3916,
                "Cannot use the COMMIT statement within an INSERT-EXEC statement unless BEGIN TRANSACTION is used first.",
            ),
            _ => return Ok(()),
        };
        Err(raised(Message::error(number, text)))
    }

    /// The end of INSERT ... EXEC: the rows that the procedure gave go into the table.
    pub(crate) fn insert_captured(
        &mut self,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let depth = self.depth();
        let own = self.inner.state.captured.pop_if(|captured| captured.depth == depth);
        // The statement that was to be captured could not run.
        let Some(captured) = own else { return Ok(Flow::NEXT) };
        if captured.failed {
            if captured.owns_transaction && self.inner.state.transactions > 0 {
                self.inner.rollback(None)?;
            }
            return Ok(Flow::NEXT);
        }
        let count = self.insert_rows_of(&captured, host, change, call);
        let count = if captured.owns_transaction { self.inner.end_statement(count) } else { count };
        self.changed(change, count?)
    }

    /// Puts the rows that a procedure gave into the table: how many they are.
    fn insert_rows_of(
        &mut self,
        captured: &Captured,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Result<u64, Box<Raised>> {
        let (Change::Insert(insert), Some(columns)) = (change, &captured.columns) else {
            return Ok(0);
        };
        if let Target::Table(target, _) = &insert.target
            && self.inner.width_of(target, &insert.columns)?.is_some_and(|width| width != columns.len())
        {
            return Err(width());
        }
        let table = "#captured";
        let names = self.inner.keep_rows(table, columns, &captured.rows)?;
        // NULL by itself is an INT in a result, and goes into columns of every type all the same.
        let is_null = |place: usize| {
            columns[place].data_type == DataType::Int && captured.rows.iter().all(|row| row[place] == Value::Null)
        };
        let item = |(place, name): (usize, String)| match is_null(place) {
            true => SelectItem::Value(Expr::Literal(Literal::Null), None),
            false => SelectItem::Value(Expr::Column(object(&name)), None),
        };
        let mut query = all_of(table);
        if let QueryBody::Select(select) = &mut query.body {
            select.items = names.into_iter().enumerate().map(item).collect();
        }
        let mut insert = insert.clone();
        insert.rows = InsertRows::Query(Box::new(query));
        let outcome = self.made_change(host, &Change::Insert(insert), call);
        self.inner.drop_temporary(table);
        outcome
    }

    /// A change that reads what another change within it gives.
    pub(crate) fn composed_change(
        &mut self,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let Change::Insert(insert) = change else {
            return Err(raised(reduce::not_supported("A change as the source of a change but INSERT")));
        };
        let mut insert = insert.clone();
        let count = self.unit(call, |it, call| {
            let mut inner = Vec::new();
            if let InsertRows::Query(query) = &mut insert.rows {
                take_changes(&mut query.body, &mut inner);
            }
            for (place, within) in inner.iter().enumerate() {
                let rows = it.inner.core.collected_rows("the rows of a change within a change");
                it.inner.state.captured.push(Captured { rows, ..Captured::default() });
                let outcome = it.made_change(host, within, call);
                let captured = it.inner.state.captured.pop().unwrap_or_default();
                outcome?;
                it.inner.keep_rows(&made_name(place), &captured.columns.unwrap_or_default(), &captured.rows)?;
            }
            let outcome = it.made_change(host, &Change::Insert(insert), call);
            (0..inner.len()).for_each(|place| it.inner.drop_temporary(&made_name(place)));
            outcome
        })?;
        self.changed(change, count)
    }
}

impl Inner {
    /// Returns true if a change reads the rows that another one returns.
    pub(crate) fn is_composed(&self, change: &Change) -> bool {
        match change {
            Change::Insert(insert) => match &insert.rows {
                InsertRows::Query(query) => has_change(&query.body),
                _ => false,
            },
            _ => false,
        }
    }

    /// Puts rows into a temporary table of the level that runs; what its columns are called there.
    fn keep_rows(&mut self, name: &str, columns: &[Column], rows: &[Vec<Value>]) -> Result<Vec<String>, Box<Raised>> {
        let named = |(place, column): (usize, &Column)| TableColumn {
            name: if column.name.is_empty() { format!("#c{place}") } else { column.name.clone() },
            data_type: column.data_type,
            is_identity: false,
            is_computed: false,
            is_nullable: true,
        };
        let mut columns: Vec<TableColumn> = columns.iter().enumerate().map(named).collect();
        for place in 0..columns.len() {
            let is_there = columns[..place].iter().any(|known| known.name.eq_ignore_ascii_case(&columns[place].name));
            if is_there {
                columns[place].name = format!("#c{place}");
            }
        }
        let core = format!("{name}@{}", self.state.levels.len());
        self.fill_temporary(&core, &columns, rows)?;
        if let Some(level) = self.state.level() {
            level.tables.insert(name.to_owned(), TemporaryTable::new(core));
        }
        self.state.names_changed();
        Ok(columns.into_iter().map(|column| column.name).collect())
    }

    /// Takes a temporary table of the level that runs away.
    fn drop_temporary(&mut self, name: &str) {
        if let Some(table) = self.state.level().and_then(|level| level.tables.remove(name)) {
            // A rollback may have taken it away already.
            let _ = self.core.execute_uninterrupted(&format!("DROP TABLE IF EXISTS {}", reduce::quoted(&table.core)));
        }
        self.state.names_changed();
    }

    /// Makes a temporary table of these rows.
    pub(crate) fn fill_temporary(
        &mut self,
        core: &str,
        columns: &[TableColumn],
        rows: &[Vec<Value>],
    ) -> Result<(), Box<Raised>> {
        let list: Vec<String> = columns
            .iter()
            .map(|column| format!("{} {}", reduce::quoted(&column.name), reduce::type_name(column.data_type)))
            .collect();
        let table = reduce::quoted(core);
        self.execute(&format!("DROP TABLE IF EXISTS {table}"))?;
        self.execute(&format!("CREATE TEMPORARY TABLE {table} ({})", list.join(", ")))?;
        self.insert_rows(&table, columns.len(), rows)
    }

    /// All rows of a plan.
    pub(crate) fn rows_of(&mut self, plan: &mut Plan, values: &[Value]) -> Result<Returned, Box<Raised>> {
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let mut rows = self.core.collected_rows("the rows of a query");
        let mut found =
            plan.prepared.query(&mut self.core, &parameters).map_err(crate::statements::errors::raised_error)?;
        let schema = found.schema().cloned();
        while let Some(row) = found.next().map_err(crate::statements::errors::raised_error)? {
            rows.push((0..row.len()).map(|column| row.get(column).to_value()).collect())
                .map_err(crate::statements::errors::raised_error)?;
        }
        Ok(Returned { schema, rows })
    }
}

fn made_name(place: usize) -> String {
    format!("#changed{place}")
}

/// `SELECT * FROM name`.
fn all_of(name: &str) -> Query {
    let select = Select {
        items: vec![SelectItem::Star(None)],
        from: vec![Source::Table(Box::new(TableSource { name: object(name), ..TableSource::default() }))],
        ..Select::default()
    };
    Query {
        with: With::default(),
        body: QueryBody::Select(Box::new(select)),
        order: Vec::new(),
        offset: None,
        fetch: None,
        format: None,
        hints: Vec::new(),
    }
}

fn object(name: &str) -> ObjectName {
    ObjectName { parts: vec![Name { text: name.to_owned(), quoted: true, ..Name::default() }], ..ObjectName::default() }
}

fn has_change(body: &QueryBody) -> bool {
    fn in_source(source: &Source) -> bool {
        match source {
            Source::Change(..) => true,
            Source::Join(join) => in_source(&join.left) || in_source(&join.right),
            Source::Nested(inner) => in_source(inner),
            _ => false,
        }
    }
    match body {
        QueryBody::Select(select) => select.from.iter().any(in_source),
        QueryBody::Set(left, _, _, right) => has_change(left) || has_change(right),
    }
}

/// Puts tables in the place of the changes in a FROM.
fn take_changes(body: &mut QueryBody, changes: &mut Vec<Change>) {
    fn in_source(source: &mut Source, changes: &mut Vec<Change>) {
        match source {
            Source::Change(change, alias) => {
                let name = object(&made_name(changes.len()));
                changes.push((**change).clone());
                let select = Select {
                    items: vec![SelectItem::Star(None)],
                    from: vec![Source::Table(Box::new(TableSource { name, ..TableSource::default() }))],
                    ..Select::default()
                };
                let query = Query { body: QueryBody::Select(Box::new(select)), ..all_of("") };
                *source = Source::Query(Box::new(query), alias.clone());
            }
            Source::Join(join) => {
                in_source(&mut join.left, changes);
                in_source(&mut join.right, changes);
            }
            Source::Nested(inner) => in_source(inner, changes),
            _ => {}
        }
    }
    match body {
        QueryBody::Select(select) => select.from.iter_mut().for_each(|source| in_source(source, changes)),
        QueryBody::Set(left, _, _, right) => {
            take_changes(left, changes);
            take_changes(right, changes);
        }
    }
}
