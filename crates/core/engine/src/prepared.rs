//! Statements that are prepared once and run many times.
//!
//! ```text
//!   one row of a native table by its key?   --yes-->  index, values, store                        about 0.3 us
//!        | no
//!   a few rows: ranges, joins, groups?      --yes-->  a block of the row executor                  a few us
//!        | no, or more rows than a few thousand
//!        v
//!   parameters become literals  -->  the planner, which lifts them again and finds its plan       about 100 us
//! ```
//!
//! The way of a statement is chosen when it is prepared, by its form and by the table's indexes, and again when the
//! catalog has changed so that its tables are not the same (`uses`). All ways give the same answer: a run whose
//! parameters the row executor cannot decide exactly (a value that its column cannot represent, a text with trailing
//! blanks) goes through the planner.

mod cells;
mod direct;
mod lock;
mod point;
mod rows;
mod short;
mod uses;

pub(crate) use cells::fits;
pub(crate) use direct::{Direct, direct_change};
pub use rows::{Row, Rows};
pub(crate) use short::{Workspace, note_reads};
pub(crate) use uses::{Recorder, Uses};

use crate::session::{Session, again, nothing};
use crate::words::Words;
use cells::{Fast, FastKind};
use mainstay_planner::{Answer, Node, PointStatement, placed, placed_before_binding, with_parameters};
use mainstay_types::{Result, ValueRef};
use short::ShortStatement;
use std::sync::Arc;

/// A prepared statement. It belongs to no session and keeps nothing of one.
pub struct Prepared {
    text: Arc<str>,
    kind: Kind,
    statement: Option<PointStatement>,
    /// How the row executor runs it, in one state of the catalog.
    fast: Option<Fast>,
    /// The same for what is more than one row by its key.
    short: Option<ShortStatement>,
    /// The tables that both were compiled for.
    uses: Uses,
    workspace: Workspace,
    version: Option<u64>,
}

/// Where the rows of a run are.
enum Found {
    /// The row that was asked for by its key, if there is one.
    Row(Option<point::Place>),
    /// In the workspace.
    InBuffer,
    Answer(Box<Answer>),
}

impl Found {
    fn answer(answer: Answer) -> Found {
        Found::Answer(Box::new(answer))
    }
}

/// The executor of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// A row at a time, over indexes.
    Row,
    /// Vectors of many rows.
    Batch,
}

/// The kind of a statement by its first words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Query,
    Change,
    /// A statement of ours, which no executor runs.
    Ours,
}

impl Prepared {
    pub(crate) fn new(session: &Session, text: &str) -> Result<Prepared> {
        Prepared::read(session, text).map_err(|error| placed(error, text))
    }

    fn read(session: &Session, text: &str) -> Result<Prepared> {
        // Statements of ours are no SQL that the parser knows.
        let (kind, statement) = match Words::of(text)? {
            Words::Query(text) => (Kind::Query, PointStatement::parse(text)?),
            Words::Other(text) => (Kind::Change, PointStatement::parse(text)?),
            _ => (Kind::Ours, None),
        };
        let (text, workspace) = (Arc::from(text), Workspace::default());
        let (fast, short, uses, version) = (None, None, Uses::default(), None);
        let mut prepared = Prepared { text, kind, statement, fast, short, uses, workspace, version };
        prepared.refresh(session)?;
        Ok(prepared)
    }

    /// Runs it with these parameters, in the session's transaction or in one of its own: how many rows it changed.
    ///
    /// Errors: as [`Session::execute`].
    pub fn execute(&mut self, session: &mut Session, parameters: &[ValueRef<'_>]) -> Result<u64> {
        session.begin_statement();
        again(|| self.execute_once(session, parameters)).map_err(|error| placed(error, &self.text))
    }

    /// [`Prepared::execute`] for who has planned the statement in a language of its own, with this state of the catalog
    /// ([`Session::shared_catalog_version`]) and what belongs to tables beside it.
    ///
    /// Errors: `DefinitionChanged` when the state is another one, and when the statement has waited for who had one of its tables
    /// alone; nothing was done then, and it is to be planned again.
    pub fn execute_as_planned(
        &mut self,
        session: &mut Session,
        catalog: u64,
        parameters: &[ValueRef<'_>],
    ) -> Result<u64> {
        session.begin_statement();
        session.as_planned(catalog, |session| self.execute_once(session, parameters))
    }

    fn execute_once(&mut self, session: &mut Session, parameters: &[ValueRef<'_>]) -> Result<u64> {
        self.refresh(session)?;
        session.check_planned()?;
        if let Some(fast) = &mut self.fast
            && let Some(changed) = point::change(session, &self.text, fast, parameters)?
        {
            return Ok(changed);
        }
        if let Some(short) = &self.short {
            if let Some(changed) = short.change(session, &self.text, parameters, &mut self.workspace)? {
                return Ok(changed);
            }
            if let Some(answer) = short.insert(session, &self.text, parameters, &mut self.workspace)? {
                return Ok(answer.changed().unwrap_or_default());
            }
        }
        let mut answer = run_bound(session, &self.text, parameters)?;
        while answer.next_batch()?.is_some() {}
        Ok(answer.changed().unwrap_or_default())
    }

    /// Runs it with these parameters and gives its rows.
    ///
    /// Errors: as [`Session::execute`].
    pub fn query(&mut self, session: &mut Session, parameters: &[ValueRef<'_>]) -> Result<Rows<'_>> {
        session.begin_statement();
        let found = again(|| self.query_once(session, parameters, true)).map_err(|error| placed(error, &self.text))?;
        Ok(self.rows_of(found))
    }

    /// Runs it with these parameters and gives its rows as Arrow's batches, as they come.
    ///
    /// ```
    /// use mainstay_types::ValueRef;
    ///
    /// let database = mainstay_engine::Database::in_memory()?;
    /// let mut session = database.session();
    /// session.execute("CREATE TABLE stock (item BIGINT PRIMARY KEY, name TEXT)")?;
    /// session.execute("INSERT INTO stock VALUES (1, 'bolt'), (2, 'nut'), (3, 'washer')")?;
    ///
    /// let mut above = session.prepare("SELECT item, name FROM stock WHERE item > ?")?;
    /// let mut answer = above.query_arrow(&mut session, &[ValueRef::Integer(1)])?;
    /// assert_eq!(answer.schema().field(1).name(), "name");
    /// let mut rows = 0;
    /// while let Some(batch) = answer.next_batch()? {
    ///     rows += batch.num_rows();
    /// }
    /// assert_eq!(rows, 2);
    /// # Ok::<(), mainstay_types::Error>(())
    /// ```
    ///
    /// Errors: as [`Session::execute`].
    pub fn query_arrow(&mut self, session: &mut Session, parameters: &[ValueRef<'_>]) -> Result<Answer> {
        session.begin_statement();
        // A row by its key would be one value after the other; a block knows its columns.
        let found = again(|| self.query_once(session, parameters, false));
        match (found.map_err(|error| placed(error, &self.text))?, &self.short) {
            (Found::Answer(answer), _) => Ok(*answer),
            (Found::InBuffer, Some(short)) => short.answer(&self.workspace.buffer),
            _ => Ok(nothing()),
        }
    }

    /// [`Prepared::query`] as [`Prepared::execute_as_planned`].
    ///
    /// Errors: as these.
    pub fn query_as_planned(
        &mut self,
        session: &mut Session,
        catalog: u64,
        parameters: &[ValueRef<'_>],
    ) -> Result<Rows<'_>> {
        session.begin_statement();
        let found = session.as_planned(catalog, |session| self.query_once(session, parameters, true))?;
        Ok(self.rows_of(found))
    }

    fn rows_of(&self, found: Found) -> Rows<'_> {
        let schema = || self.short.as_ref().and_then(ShortStatement::schema);
        match (found, &self.fast, schema()) {
            (Found::Row(found), Some(fast), _) => point::row(fast, found),
            (Found::InBuffer, _, Some(schema)) => Rows::buffered(&self.workspace.buffer, schema),
            (Found::Answer(answer), ..) => Rows::of(*answer),
            _ => Rows::none(),
        }
    }

    /// Runs it; a row that is asked for by its key is left where it lies if `by_key`.
    fn query_once(&mut self, session: &mut Session, parameters: &[ValueRef<'_>], by_key: bool) -> Result<Found> {
        self.refresh(session)?;
        session.check_planned()?;
        if let Some(fast) = &mut self.fast
            && by_key
            && point::can_read(fast, parameters)
        {
            return point::read(session, &self.text, fast, parameters).map(Found::Row);
        }
        // A change that shows nothing goes the way that it goes for who asks how many rows it changed.
        if let Some(fast) = &self.fast
            && let Some(changed) = point::change(session, &self.text, fast, parameters)?
        {
            return Ok(Found::answer(nothing().with_changed(changed)));
        }
        let Some(short) = &self.short else {
            return run_bound(session, &self.text, parameters).map(Found::answer);
        };
        let (text, workspace) = (&self.text, &mut self.workspace);
        if short.read(session, text, parameters, workspace)? || lock::lock(short, session, text, parameters, workspace)?
        {
            return Ok(Found::InBuffer);
        }
        if let Some(answer) = short.insert(session, text, parameters, workspace)? {
            return Ok(Found::answer(answer));
        }
        if !short.shows_rows()
            && let Some(changed) = short.change(session, text, parameters, workspace)?
        {
            return Ok(Found::answer(nothing().with_changed(changed)));
        }
        if short.returning_columns(session, text, parameters, workspace)? {
            return Ok(Found::InBuffer);
        }
        if let Some(answer) = short.returning(session, text, parameters, workspace)? {
            return Ok(Found::answer(answer));
        }
        run_bound(session, text, parameters).map(Found::answer)
    }

    /// Which executor it is meant for, as the catalog was when it was last prepared or run. Values of parameters that are
    /// not exactly of the statement's types, and answers of many rows, take a statement to the batch executor run by run.
    pub fn executor(&self) -> Executor {
        match self.fast.is_some() || self.short.is_some() {
            true => Executor::Row,
            false => Executor::Batch,
        }
    }

    /// The operators that run it, which is not run: those of the row executor, or those of the batch executor for these
    /// values of its parameters. `names` are what the parameters are called in conditions of the row executor.
    ///
    /// Errors: those of planning it, and `Unsupported` for what is neither a query nor a change.
    pub fn operators(&mut self, session: &mut Session, parameters: &[ValueRef<'_>], names: &[String]) -> Result<Node> {
        self.refresh(session)?;
        if let Some(fast) = &self.fast {
            return Ok(fast.node(names));
        }
        if let Some(short) = &self.short {
            return Ok(short.node(names));
        }
        let bound = with_parameters(&self.text, parameters)?;
        session.operators(&bound)
    }

    /// The sequence of the table's identity column, for an INSERT that the row executor runs.
    pub fn identity_sequence(&self) -> Option<u64> {
        match self.fast.as_ref().map(|fast| &fast.kind) {
            Some(FastKind::Insert { identity, .. }) => identity.map(|identity| identity.sequence),
            _ => None,
        }
    }

    /// Decides again how it is run when the catalog has changed.
    fn refresh(&mut self, session: &Session) -> Result<()> {
        let version = session.catalog_version();
        if self.version == Some(version) {
            return Ok(());
        }
        if self.version.is_none() || !self.rebind(session)? {
            // A statement that an error left half bound is compiled again.
            self.version = None;
            let mut uses = Uses::default();
            // Not of one row by its key either: a value that the key does not take exactly may be one for a block.
            self.short = match self.kind {
                Kind::Ours => None,
                kind => ShortStatement::of(session, &self.text, kind == Kind::Query, &mut uses)?,
            };
            self.fast = match &self.statement {
                Some(statement) => Fast::of(session, statement, &mut uses)?,
                None => None,
            };
            self.uses = uses;
        }
        self.version = Some(version);
        Ok(())
    }

    /// Binds it to the tables of now, if they are alike those that it was compiled for: whether they are.
    fn rebind(&mut self, session: &Session) -> Result<bool> {
        if self.fast.is_none() && self.short.is_none() {
            return Ok(false);
        }
        let Some(moved) = self.uses.moved(&session.scope())? else { return Ok(false) };
        if moved.is_nothing() {
            return Ok(true);
        }
        let fast = self.fast.as_mut().is_none_or(|fast| fast.rebind(&moved).is_some());
        let short = self.short.as_mut().is_none_or(|short| short.rebind(&moved).is_some());
        Ok(fast && short)
    }
}

/// Runs a statement with its parameters as literals.
fn run_bound(session: &mut Session, text: &str, parameters: &[ValueRef<'_>]) -> Result<Answer> {
    let bound = with_parameters(text, parameters)?;
    session.run_text(&bound).map_err(|error| placed_before_binding(error, text, parameters))
}
