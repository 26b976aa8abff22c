//! Statements other than queries, in the form that the engine executes.
//!
//! ```text
//!   text --sqlparser--> its tree --here--> Statement    names as written, Mainstay's types,
//!                                                      expressions still as text or tree
//! ```
//!
//! sqlparser accepts the syntax of a dozen dialects. Unsupported parts are refused here by name, so that no part of a
//! statement is ever ignored.

mod alter;
mod alter_other;
mod change;
mod define;
mod index;
mod lock;
mod merge;
mod point;
mod sequence;
mod transaction;
mod words;

pub use alter::{AlterTable, Alteration, Enabled, SetType};
pub use alter_other::{AlterSequence, Rename, RenameKind, SchemaMember, SequenceChanges, SetSchema};
pub use change::{Assignment, Conflict, ConflictAction, Delete, Insert, InsertSource, Returning, Update};
pub use define::{
    ColumnClause, Constraint, CreateTable, CreateView, Deferrable, Drop, DropKind, IndexPart, OnCommit, References,
    ReferentialAction,
};
pub use index::{CreateIndex, FilterPart, FilterTest, IndexKey, KeyColumn};
pub(crate) use lock::locks_rows;
pub use lock::{IfHeld, LockingQuery};
pub(crate) use merge::MergeLimit;
pub use merge::{Merge, MergeAction, MergeBranch, MergeCase};
pub use point::{Cell, PointStatement, placed_before_binding, with_parameters};
pub(crate) use point::{counted, select};
pub use sequence::{CreateSequence, OwnedBy, Steps};
pub use transaction::{IsolationLevel, TransactionStatement};

use crate::error::unsupported;
use crate::names::name::Name;
use crate::parse::text::Text;
use datafusion::sql::sqlparser::ast;
use mainstay_types::{Code, Error, Result};

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// SELECT, VALUES, WITH.
    Query,
    /// SELECT ... FOR UPDATE.
    LockRows(Box<LockingQuery>),
    /// CREATE TABLE.
    CreateTable(Box<CreateTable>),
    /// CREATE INDEX.
    CreateIndex(Box<CreateIndex>),
    /// CREATE VIEW.
    CreateView(CreateView),
    /// CREATE SEQUENCE.
    CreateSequence(CreateSequence),
    /// CREATE SCHEMA.
    CreateSchema {
        /// Its name.
        name: Name,
        /// Not an error when it is there.
        if_not_exists: bool,
    },
    /// DROP of anything.
    Drop(Drop),
    /// ALTER TABLE.
    AlterTable(AlterTable),
    /// ALTER SEQUENCE.
    AlterSequence(AlterSequence),
    /// ALTER ... RENAME TO of a view, an index or a sequence.
    Rename(Rename),
    /// ALTER ... SET SCHEMA.
    SetSchema(SetSchema),
    /// INSERT.
    Insert(Box<Insert>),
    /// UPDATE.
    Update(Box<Update>),
    /// DELETE.
    Delete(Box<Delete>),
    /// MERGE.
    Merge(Box<Merge>),
    /// TRUNCATE TABLE.
    Truncate {
        /// Which ones.
        names: Vec<Name>,
        /// True if their identity columns begin again.
        restart: bool,
    },
    /// BEGIN, COMMIT and the like.
    Transaction(TransactionStatement),
}

impl Statement {
    /// Reads one statement.
    ///
    /// Errors: `Syntax` with its place; `Unsupported` for what Mainstay does not do.
    pub fn parse(source: &str) -> Result<Statement> {
        let text = Text::new(source)?;
        text.check_length()?;
        if let Some(statement) = Statement::by_words(&text)? {
            return Ok(statement);
        }
        let parse = || Statement::of(text.parse()?, &text);
        crate::execute::deep_stack::deep_if(text.needs_deep_stack(), parse)
    }

    /// A statement that the parser does not know, or knows only a part of; `None` for others.
    fn by_words(text: &Text) -> Result<Option<Statement>> {
        if let Some((end, is_no)) = crate::parse::postgres::data_clause(text) {
            return match Statement::parse(text.source.get(..end).unwrap_or_default())? {
                Statement::CreateTable(create) if create.query.is_some() => {
                    Ok(Some(Statement::CreateTable(Box::new(CreateTable { without_rows: is_no, ..*create }))))
                }
                _ => {
                    let error = Error::new(Code::Syntax, "WITH DATA belongs to CREATE TABLE AS");
                    Err(error.span(end, text.source.len()))
                }
            };
        }
        Ok(match alter_other::alter_other(text)? {
            Some(alter_other::Altered::Sequence(alter)) => Some(Statement::AlterSequence(alter)),
            Some(alter_other::Altered::Rename(rename)) => Some(Statement::Rename(rename)),
            Some(alter_other::Altered::SetSchema(set)) => Some(Statement::SetSchema(set)),
            None => transaction::by_words(text)?.map(Statement::Transaction),
        })
    }

    fn of(statement: ast::Statement, text: &Text) -> Result<Statement> {
        Ok(match statement {
            ast::Statement::Query(query) if changes(&query) => changed_with(*query, text)?,
            query @ ast::Statement::Query(_) => match crate::reduce::fetch_first::reduced(query)? {
                ast::Statement::Query(query) => match lock::locking_query(&query, text)? {
                    Some(locking) => Statement::LockRows(Box::new(locking)),
                    None => Statement::Query,
                },
                _ => Statement::Query,
            },
            ast::Statement::CreateTable(table) => Statement::CreateTable(Box::new(define::create_table(table, text)?)),
            ast::Statement::CreateIndex(index) => Statement::CreateIndex(Box::new(index::create_index(index, text)?)),
            ast::Statement::CreateView(view) => Statement::CreateView(define::create_view(view, text)?),
            ast::Statement::AlterView { name, columns, query, .. } => {
                Statement::CreateView(define::alter_view(&name, &columns, &query, text)?)
            }
            sequence @ ast::Statement::CreateSequence { .. } => {
                Statement::CreateSequence(sequence::create_sequence(sequence, text)?)
            }
            ast::Statement::CreateSchema { schema_name: ast::SchemaName::Simple(name), if_not_exists, .. } => {
                Statement::CreateSchema { name: Name::of(&name, text)?, if_not_exists }
            }
            drop @ ast::Statement::Drop { .. } => Statement::Drop(define::drop(drop, text)?),
            ast::Statement::AlterTable(alter) => Statement::AlterTable(alter::alter_table(alter, text)?),
            ast::Statement::Insert(insert) => Statement::Insert(Box::new(change::insert(insert, text)?)),
            ast::Statement::Update(update) => Statement::Update(Box::new(change::update(update, text)?)),
            ast::Statement::Delete(delete) => Statement::Delete(Box::new(change::delete(delete, text)?)),
            ast::Statement::Merge(merge) => Statement::Merge(Box::new(merge::merge(merge, text)?)),
            ast::Statement::Truncate(truncate) => {
                let restart = matches!(truncate.identity, Some(ast::TruncateIdentityOption::Restart));
                if matches!(truncate.cascade, Some(ast::CascadeOption::Cascade)) {
                    return Err(unsupported("TRUNCATE ... CASCADE"));
                }
                let names: Result<Vec<Name>> =
                    truncate.table_names.iter().map(|target| Name::of(&target.name, text)).collect();
                Statement::Truncate { names: names?, restart }
            }
            other => match transaction::of(&other, text)? {
                Some(statement) => Statement::Transaction(statement),
                None => return Err(unsupported_statement(&other)),
            },
        })
    }
}

/// Returns true if what stands behind WITH is no query.
fn changes(query: &ast::Query) -> bool {
    use ast::SetExpr::{Delete, Insert, Merge, Update};
    matches!(query.body.as_ref(), Insert(_) | Update(_) | Delete(_) | Merge(_))
}

/// A change with WITH before it.
fn changed_with(query: ast::Query, text: &Text) -> Result<Statement> {
    let statement = match *query.body {
        ast::SetExpr::Insert(it) | ast::SetExpr::Update(it) | ast::SetExpr::Delete(it) | ast::SetExpr::Merge(it) => {
            Statement::of(it, text)?
        }
        _ => return Err(Error::new(Code::Internal, "not a change")),
    };
    let Some(with) = query.with else { return Ok(statement) };
    Ok(match statement {
        Statement::Insert(insert) => Statement::Insert(Box::new(insert.with(with)?)),
        Statement::Update(update) => Statement::Update(Box::new(Update { with: Some(with), ..*update })),
        Statement::Delete(delete) => Statement::Delete(Box::new(Delete { with: Some(with), ..*delete })),
        Statement::Merge(merge) => Statement::Merge(Box::new(Merge { with: Some(with), ..*merge })),
        other => other,
    })
}

/// The error for a statement of a kind that Mainstay does not run.
pub(crate) fn unsupported_statement(statement: &ast::Statement) -> Error {
    let text = statement.to_string();
    unsupported(text.split_whitespace().next().unwrap_or_default().to_uppercase())
}
