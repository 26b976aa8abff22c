//! Cursors of the protocol whose rows are read again, and can be changed: keysets.
//!
//! ```text
//!   SELECT Name FROM Customers WHERE City = @P1
//!
//!   opened   SELECT Name, Customers.Id AS "#k0" FROM Customers WHERE City = @P1       rows, and a key of each
//!   fetched  SELECT Name FROM Customers WHERE Customers.Id = @#k0                     a row as it is now
//! ```
//!
//! The queries are those of cursors in T-SQL (`reduce::cursor_queries`), written as texts, so that everything else -
//! parameters, temporary tables, messages - works as in any other text. A row is read again only when its tables have
//! changed since it was read, or when it is to be locked; a deleted row keeps its last values, with 2 as its `ROWSTAT`.
//! A query whose rows are not those of its tables (groups, unions, views) has no keys: its cursor is static.
//!
//! With SCROLL_LOCKS the fetched rows are locked as by UPDLOCK, if a transaction is open.

use crate::cursors::calls::{Opened, concurrency, scroll};
use crate::cursors::position::StaticCursor;
use crate::session::Session;
use crate::session::collecting_sink::{Collected, Collector};
use crate::session::watch::Watcher;
use mainstay_session::push::{Call, ColumnSource, Parameter, ParameterValue, Sink};
use mainstay_tsql_syntax::reduce::{self, CursorKey, CursorQueries, CursorSources, Scope as _, SourceColumn};
use mainstay_tsql_syntax::tree::{
    JoinKind, Name, Phrase, PhraseItem, Query, QueryBody, SelectItem, Source, Statement, StatementKind,
};
use mainstay_tsql_syntax::{Options, parse, print};
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::Value;
use std::ops::Range;

/// The texts and keys with which a cursor reads its rows again.
#[derive(Debug)]
pub(crate) struct Keyset {
    /// The texts that read a row again: as it is, and with a lock.
    again: String,
    locking: String,
    /// The parameters of both, the keys behind the client's own.
    definitions: String,
    values: Vec<Parameter>,
    pub(crate) keys: Vec<CursorKey>,
    pub(crate) sources: CursorSources,
    pub(crate) concurrency: i32,
    watcher: Watcher,
    pub(crate) rows: Vec<KeptRow>,
}

/// The key and state of a row, without its values.
#[derive(Clone, Debug)]
pub(crate) struct KeptRow {
    pub(crate) key: Vec<Value>,
    /// The count of changes when it was read.
    seen: u64,
    /// True if the row is deleted.
    pub(crate) is_gone: bool,
}

/// A parameter that is made here.
pub(crate) fn parameter(name: &str, data_type: DataType, value: Value) -> Parameter {
    let value = ParameterValue::Single(value);
    Parameter { name: name.to_owned(), output: false, default: false, declared: data_type.declared(), value }
}

/// A call of a text with these values.
pub(crate) fn text_call(parameters: Vec<Parameter>) -> Call {
    Call { procedure: "sp_executesql".to_owned(), parameters }
}

/// The queries of a cursor over a text that is one query.
struct Wanted {
    queries: CursorQueries,
    again: Query,
    sources: CursorSources,
}

fn statement_text(query: Query) -> String {
    let kind = StatementKind::Select(Box::new(query));
    print(&[Statement { kind, span: Default::default(), line: Default::default() }])
}

/// The same query with its tables' rows locked as they are read.
pub(crate) fn locking(mut query: Query) -> Query {
    if let QueryBody::Select(select) = &mut query.body {
        select.from.iter_mut().for_each(lock_source);
    }
    query
}

fn lock_source(source: &mut Source) {
    match source {
        Source::Table(table) => {
            let word = PhraseItem::Word(Name { text: "UPDLOCK".to_owned(), ..Name::default() });
            table.hints.push(Phrase { items: vec![word] });
        }
        Source::Join(join) if matches!(join.kind, JoinKind::Inner | JoinKind::Cross) => {
            lock_source(&mut join.left);
            lock_source(&mut join.right);
        }
        Source::Nested(inner) => lock_source(inner),
        _ => {}
    }
}

impl Session {
    fn wanted(&mut self, text: &str, definitions: &str) -> Option<Wanted> {
        let options = Options { quoted_identifier: self.inner.state.options.quoted_identifier() };
        let mut parsed = parse(text, options);
        let statement = parsed.statements.pop().filter(|_| parsed.statements.is_empty())?;
        let StatementKind::Select(query) = statement.kind else { return None };
        if let QueryBody::Select(select) = &query.body
            && select.items.iter().any(|item| matches!(item, SelectItem::Assign(..)))
        {
            return None;
        }
        let loaded = self.inner.text(text, definitions).ok()?;
        let inputs: Vec<(String, DataType)> =
            loaded.module.parameters.iter().map(|it| (it.name.clone(), it.data_type)).collect();
        let names = self.inner.names(&inputs);
        let queries = reduce::cursor_queries(&query, false, &names);
        let again = queries.again.clone()?;
        let sources = reduce::cursor_sources(&query, &|name| names.columns(name))?;
        Some(Wanted { queries, again, sources })
    }

    /// Opens a text as a keyset and gives its rows; nothing if it is to be opened as a static cursor.
    ///
    /// Errors: those of the query.
    pub(crate) fn open_keyset(
        &mut self,
        text: &str,
        definitions: &str,
        opened: &Opened<'_>,
        sink: &mut dyn Sink,
    ) -> Option<Result<(Collected, Keyset), Vec<Message>>> {
        let is_for_reading = opened.concurrency & (concurrency::SCROLL_LOCKS | concurrency::OPTIMISTIC | 0x8) == 0;
        let rests = scroll::STATIC | scroll::FAST_FORWARD | if is_for_reading { scroll::FORWARD_ONLY } else { 0 };
        if opened.scroll & rests != 0 {
            return None;
        }
        let Wanted { queries, again, sources } = self.wanted(text, definitions)?;
        let keys = queries.keys;
        let watcher = Watcher::new(&self.inner.instance.watch, keys.iter().map(|key| key.table.clone()).collect());
        let seen = watcher.changes();
        let loaded = match self.inner.text(&statement_text(queries.rows), definitions) {
            Ok(loaded) => loaded,
            Err(messages) => return Some(Err(messages)),
        };
        let mut collector = Collector::new(Some(sink));
        self.run_text(&loaded, &text_call(opened.values.to_vec()), 0, &mut collector);
        let Collector { mut results, error, .. } = collector;
        if error.is_some() {
            return Some(Err(Vec::new()));
        }
        let mut result = results.pop()?;
        let own = result.columns.len().saturating_sub(keys.len());
        result.columns.truncate(own);
        let kept = |row: &mut Vec<Value>| KeptRow { key: row.split_off(own.min(row.len())), seen, is_gone: false };
        let rows = result.rows.iter_mut().map(kept).collect();
        for (column, source) in result.columns.iter_mut().zip(&sources.columns) {
            column.updatable = source.as_ref().is_some_and(SourceColumn::is_writable) && !is_for_reading;
        }
        let own = Some(definitions.trim().to_owned()).filter(|own| !own.is_empty());
        let of_keys = keys.iter().map(|key| format!("{} {}", key.variable, key.data_type));
        let definitions = own.into_iter().chain(of_keys).collect::<Vec<_>>().join(", ");
        let keyset = Keyset {
            locking: statement_text(locking(again.clone())),
            again: statement_text(again),
            definitions,
            values: opened.values.to_vec(),
            keys,
            sources,
            concurrency: if is_for_reading { concurrency::READ_ONLY } else { opened.concurrency & 0xF },
            watcher,
            rows,
        };
        Some(Ok((result, keyset)))
    }

    /// Reads rows again that may have changed.
    ///
    /// Errors: those of reading and locking.
    pub(crate) fn refresh_rows(
        &mut self,
        result: &mut Collected,
        keyset: &mut Keyset,
        places: Range<usize>,
    ) -> Result<(), Vec<Message>> {
        let locks = keyset.concurrency & concurrency::SCROLL_LOCKS != 0 && self.inner.state.transactions > 0;
        for place in places {
            let changes = keyset.watcher.changes();
            let Some(row) = keyset.rows.get_mut(place) else { return Ok(()) };
            if row.is_gone || row.seen == changes && !locks {
                continue;
            }
            row.seen = changes;
            let key = row.key.clone();
            match self.row_again(keyset, &key, locks)? {
                Some(values) => {
                    if let Some(kept) = result.rows.get_mut(place) {
                        *kept = values;
                    }
                }
                None => {
                    if let Some(row) = keyset.rows.get_mut(place) {
                        row.is_gone = true;
                    }
                }
            }
        }
        Ok(())
    }

    /// A row by its key, as it is now.
    ///
    /// Errors: those of reading and locking.
    pub(crate) fn row_again(
        &mut self,
        keyset: &Keyset,
        key: &[Value],
        locks: bool,
    ) -> Result<Option<Vec<Value>>, Vec<Message>> {
        let text = if locks { &keyset.locking } else { &keyset.again };
        let loaded = self.inner.text(text, &keyset.definitions)?;
        let keys = keyset.keys.iter().zip(key);
        let keys = keys.map(|(of, value)| parameter(&of.variable, of.data_type, value.clone()));
        let call = text_call(keyset.values.iter().cloned().chain(keys).collect());
        let mut collector = Collector::new(None);
        self.run_text(&loaded, &call, 0, &mut collector);
        match collector.error {
            Some(message) => Err(vec![message]),
            None => Ok(collector.results.pop().and_then(|result| result.rows.into_iter().next())),
        }
    }
}

impl Keyset {
    /// Takes a row that was put in through the cursor: it comes behind the last.
    pub(crate) fn add(
        &mut self,
        key: Vec<Value>,
        values: Vec<Value>,
        result: &mut Collected,
        place: &mut StaticCursor,
    ) {
        self.rows.push(KeptRow { key, seen: self.watcher.changes(), is_gone: false });
        result.rows.push(values);
        place.grow();
    }

    /// The sources of the columns for the client: tables by name, and of each column its table.
    pub(crate) fn told(&self, result: &Collected) -> (Vec<Vec<String>>, Vec<ColumnSource>) {
        let name = |(table, _): &(mainstay_tsql_syntax::tree::ObjectName, String)| {
            table.parts.iter().map(|part| part.text.clone()).collect()
        };
        let source = |(place, column): (usize, &crate::columns::Column)| match self.sources.columns.get(place) {
            Some(Some(source)) => ColumnSource {
                table: u8::try_from(source.table + 1).unwrap_or(0),
                name: (source.name != column.name).then(|| source.name.clone()),
                key: self.keys.iter().any(|key| key.column.eq_ignore_ascii_case(&source.name)),
                hidden: false,
            },
            _ => ColumnSource::default(),
        };
        let mut columns: Vec<ColumnSource> = result.columns.iter().enumerate().map(source).collect();
        columns.push(ColumnSource { hidden: true, ..ColumnSource::default() });
        (self.sources.tables.iter().map(name).collect(), columns)
    }
}
