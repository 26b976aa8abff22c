//! A native table as a writable table: by its name, which each attempt at a statement looks up in the statement's transaction.

use super::define::Definitions;
use super::writer::NativeRows;
use super::{Find, Form, key_of};
use crate::inserted::GivenRows;
use crate::prepared::direct_change;
use crate::session::{ChangeableColumn, Session};
use crate::writable::{
    Changed, Definition, DefinitionRules, RowWriter, Sight, StatementContext, Work, WritableTable, WriteScope,
    insert_rows,
};
use arrow_schema::Field;
use mainstay_columnar::Table;
use mainstay_planner::{Answer, Insert, Name, POSITION, Relation, Statement, Visibility};
use mainstay_store::Isolation;
use mainstay_store::definition::ROW_ID;
use mainstay_types::{Code, Error, Result, ValueRef};
use std::sync::Arc;

/// A native table or a view of this name, or no table at all: then its statements report that.
pub(crate) struct NativeTable<'n>(pub(crate) &'n Name);

impl WritableTable for NativeTable<'_> {
    fn as_read(&self) -> Option<Arc<dyn Table>> {
        None
    }

    fn position_column(&self) -> &'static str {
        POSITION
    }

    fn row_number_column(&self) -> &'static str {
        ROW_ID
    }

    fn has_row_locks(&self) -> bool {
        true
    }

    fn change_directly(&self, scope: &mut WriteScope<'_>, statement: &Statement) -> Result<Option<Answer>> {
        direct_change(scope.session, scope.text, statement)
    }

    fn write(&self, scope: &mut WriteScope<'_>, work: Work<'_>) -> Result<Answer> {
        let (parameters, visibility) = (scope.parameters, scope.session.visibility());
        scope.session.change(scope.text, |changer, transaction| {
            let mut rows = NativeRows::new(changer, transaction, self.0)?;
            work(&mut rows, &mut context(changer, parameters, visibility))
        })
    }

    fn definitions(&self) -> DefinitionRules {
        DefinitionRules::InTransactions
    }

    fn define(&self, scope: &mut WriteScope<'_>, change: &Definition<'_>) -> Result<Answer> {
        let (session, text) = (&mut *scope.session, scope.text);
        match change {
            Definition::CreateIndex(create) => {
                let database = session.database().clone();
                let native = &database.shared.catalog.native;
                session.define(text, |transaction| {
                    Definitions::of_table(native, transaction, &create.table).create_index(transaction, create)
                })
            }
            Definition::Alter(alter) => session
                .change(text, |changer, transaction| changer.alter_table(transaction, alter))
                .map_err(|error| session.of_a_file(std::slice::from_ref(&alter.table), error)),
            Definition::Truncate { names, restart } => {
                session.change(text, |changer, transaction| changer.truncate(transaction, names, *restart))
            }
            Definition::Drop(drop) => session.drop_native(text, drop),
            Definition::Pack | Definition::Zap | Definition::Reindex => Err(match session.is_known(self.0)? {
                true => Error::new(Code::Unsupported, format!("{} is no DBF table", self.0)),
                false => {
                    let names = session.database().shared.catalog.table_names()?;
                    mainstay_planner::unknown_table(&self.0.written, &names)
                }
            }),
        }
    }

    fn columns(&self, session: &Session) -> Result<Vec<ChangeableColumn>> {
        let form = form_of(session, &key_of(self.0))?;
        let column = |(place, field): (usize, &Arc<Field>)| ChangeableColumn {
            field: Arc::clone(field),
            is_identity: form.definition.columns.get(place).is_some_and(|column| column.identity.is_some()),
            is_computed: form.is_computed(place),
        };
        Ok(form.schema.fields().iter().enumerate().map(column).collect())
    }

    fn last_number(&self, session: &Session) -> Result<Option<i64>> {
        let form = form_of(session, &key_of(self.0))?;
        let sequence = form.definition.columns.iter().find_map(|column| column.identity.as_ref());
        Ok(sequence.and_then(|identity| session.given().last_of(identity.sequence)))
    }
}

/// The columns of a table, or of a view over packed records.
///
/// Errors: `UnknownTable`; those of the view's expressions, and of reading the rules of its table.
fn form_of(session: &Session, key: &str) -> Result<Arc<Form>> {
    let refusal = match session.form(key) {
        Err(error) if error.code() == Code::UnknownTable => error,
        form => return form,
    };
    let scope = session.scope();
    let Some(Relation::View { .. }) = scope.relation(key)? else { return Err(refusal) };
    let mut transaction = session.native().begin_reading(Isolation::ReadCommitted);
    let form = scope.packed_form(&session.database().shared.planner, key, &mut transaction)?;
    form.map(Arc::new).ok_or(refusal)
}

/// The parts of a statement over native tables that are the same for every storage.
fn context<'c>(
    changer: &'c super::Changer<'c>,
    parameters: &'c [ValueRef<'c>],
    visibility: Visibility,
) -> StatementContext<'c> {
    StatementContext {
        planner: changer.planner,
        catalog: changer.catalog,
        text: changer.text,
        parameters,
        visibility,
        position_column: POSITION,
        options: changer.options,
        sight: Sight::Writer,
    }
}

/// Runs an INSERT of the rows that `find` gives; `None` when it finds none that way.
///
/// Errors: those of the rows and of `find`.
pub(crate) fn insert_found(
    session: &mut Session,
    text: &str,
    insert: &Insert,
    find: Find<'_>,
) -> Result<Option<Answer>> {
    let visibility = session.visibility();
    session.change(text, |changer, transaction| {
        let mut rows = NativeRows::new(changer, transaction, &insert.table)?;
        let mut context = context(changer, &[], visibility);
        let columns = rows.begin_insert(insert, &context)?;
        let (transaction, view) = rows.reading();
        let Some(given) = find(transaction, view)? else { return Ok(Changed::Done(None)) };
        let inserted = insert_rows(&mut rows, &mut context, (insert, &columns), GivenRows::All(given))?;
        Ok(match inserted {
            Changed::Done(answer) => Changed::Done(Some(answer)),
            Changed::Overtaken => Changed::Overtaken,
        })
    })
}
