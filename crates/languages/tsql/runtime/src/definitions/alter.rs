//! ALTER TABLE.

use crate::catalog::Detail;
use crate::definitions::dependencies::{OfColumn, Preceded};
use crate::definitions::extended_properties::Subject;
use crate::objects::modules;
use crate::session::Inner;
use crate::statements::errors::{raised, raised_error};
use mainstay_tsql_syntax::reduce::{self, Scope, quoted};
use mainstay_tsql_syntax::tree::{
    AlterTable, AlterTableAction, Constraint, ConstraintKind, DropElement, Name, ObjectName, TableElement,
};
use mainstay_tsql_types::Message;
use mainstay_types::{Cause, Code, Error};
use mainstay_vm::Raised;

impl Inner {
    /// ALTER TABLE. A default is a constraint here, and a property of its column in the core.
    pub(crate) fn alter_table(&mut self, alter: &AlterTable) -> Result<(), Box<Raised>> {
        if let AlterTableAction::AlterColumn(column, _) = &alter.action {
            return self.alter_column(&alter.table, column);
        }
        if let AlterTableAction::Trigger(enable, names) = &alter.action {
            return self.switch_triggers(&alter.table, *enable, names);
        }
        let table = self.names(&[]).table(&alter.table).map_err(raised)?;
        let mut action = alter.action.clone();
        let mut forgotten = Vec::new();
        if let AlterTableAction::Add(_, elements) = &action {
            self.check_added(&alter.table, elements)?;
            self.check_new_columns(&alter.table, &table, elements)?;
            self.check_references(&alter.table, &table, elements)?;
            self.check_clustered(&alter.table, elements)?;
        }
        if let AlterTableAction::Drop(elements) = &mut action {
            self.known_elements(&alter.table, elements)?;
            if elements.is_empty() {
                return Ok(());
            }
            self.check_dropped_columns(&alter.table, elements)?;
            self.check_dropped_keys(&alter.table, elements)?;
            let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
            let object = catalog.find(&alter.table);
            let default_of = |name: &str| {
                let object = object?;
                let default = catalog.children(object, "D").find(|known| known.name.eq_ignore_ascii_case(name))?;
                match default.detail {
                    Detail::Default(column, _) => Some(object.column_name(column).to_owned()),
                    _ => None,
                }
            };
            let is_constraint = |name: &str| {
                object.is_none_or(|object| {
                    let kinds = ["C", "F", "PK", "UQ", "D"];
                    let mut known = kinds.iter().flat_map(|kind| catalog.children(object, kind));
                    known.any(|known| known.name.eq_ignore_ascii_case(name))
                })
            };
            forgotten.extend(elements.iter().filter(|e| e.column == Some(true)).map(|e| e.name.text.clone()));
            let mut others = Vec::new();
            for element in elements.iter() {
                match default_of(&element.name.text).filter(|_| element.column != Some(true)) {
                    Some(column) => {
                        self.execute(&format!("ALTER TABLE {table} ALTER COLUMN {} DROP DEFAULT", quoted(&column)))?;
                        forgotten.push(column);
                    }
                    None if element.column != Some(true)
                        && !element.if_exists
                        && !is_constraint(&element.name.text) =>
                    {
                        return Err(no_constraint(&element.name.text));
                    }
                    None => others.push(element.clone()),
                }
            }
            *elements = others;
        }
        let before = self.checks_of(&alter.table);
        let names = self.names(&[]);
        let known = names.columns(&alter.table).unwrap_or_default();
        let statements = reduce::alter_table(&table, &action, &known, &names).map_err(raised)?;
        self.keep_asking(&statements)?;
        for statement in statements {
            self.execute(&statement).map_err(|error| match &alter.action {
                AlterTableAction::CheckConstraint(_, _, names) => {
                    self.explained(missing_constraint(names, error), "ALTER TABLE", &alter.table)
                }
                _ => self.explained(error, "ALTER TABLE", &alter.table),
            })?;
        }
        if let AlterTableAction::Add(check, elements) = &action
            && *check != Some(false)
        {
            self.check_rows(&alter.table, &table, elements, &before)?;
        }
        let mut gone = 0;
        for column in forgotten {
            gone += modules::forget_parts(&mut self.core, &alter.table, Some(&column)).map_err(raised)?;
        }
        if gone > 0 {
            self.objects_changed()?;
        }
        match &alter.action {
            AlterTableAction::Add(_, elements) => {
                self.note_indexes(&alter.table, elements)?;
                self.keep_types(&alter.table, elements)?;
                self.keep_defaults(&alter.table, elements)
            }
            AlterTableAction::Drop(elements) => elements.iter().try_for_each(|element| match element.column {
                Some(true) => self.forget_properties(Subject::Column(&alter.table, &element.name.text)),
                _ => self.note_dropped_index(&alter.table, &element.name.text),
            }),
            _ => Ok(()),
        }
    }

    /// ALTER TABLE ... ENABLE TRIGGER or DISABLE TRIGGER.
    ///
    /// Errors: 4920 for a trigger that the table does not have.
    fn switch_triggers(&mut self, table: &ObjectName, enable: bool, names: &[Name]) -> Result<(), Box<Raised>> {
        self.hold_for_triggers(table)?;
        let key = crate::objects::modules::key_of(table);
        let own = self.modules.triggers_of(&key);
        let is_own = |name: &str| own.iter().any(|known| known.rsplit('.').next() == Some(name));
        if let Some(missing) = names.iter().find(|name| !is_own(&name.text.to_lowercase())) {
            let message = Message::numbered(4920, &[&missing.text, &crate::definitions::define::shown_name(table)]);
            return Err(raised(message.state(0)));
        }
        let named = |name: &Name| ObjectName { parts: vec![name.clone()], span: name.span };
        let names: Vec<ObjectName> = names.iter().map(named).collect();
        self.enable_triggers(enable, &names, &key)
    }

    /// Sees that nothing needs the columns that are dropped, but for constraints that go with them.
    fn check_dropped_columns(&mut self, table: &ObjectName, elements: &[DropElement]) -> Result<(), Box<Raised>> {
        let (columns, constraints): (Vec<_>, Vec<_>) = elements.iter().partition(|it| it.column == Some(true));
        let beside: Vec<&str> = constraints.iter().map(|element| &*element.name.text).collect();
        let mut columns = columns.into_iter();
        columns.try_for_each(|it| self.check_dependents(table, &it.name.text, OfColumn::Drop, &beside))
    }

    /// Returns true if another table refers to this one.
    pub(crate) fn is_referenced(&mut self, table: &ObjectName) -> bool {
        let Ok(catalog) = self.catalog() else { return false };
        let Some(object) = catalog.find(table) else { return false };
        catalog.objects.iter().any(|known| match &known.detail {
            Detail::Foreign(key) => key.referenced == object.id && known.parent != object.id,
            _ => false,
        })
    }

    /// The names of a table's conditions.
    fn checks_of(&mut self, table: &ObjectName) -> Vec<String> {
        let Ok(catalog) = self.catalog() else { return Vec::new() };
        let Some(object) = catalog.find(table) else { return Vec::new() };
        catalog.children(object, "C").map(|check| check.name.clone()).collect()
    }

    /// Sees that the rows of a table keep to the conditions that were added to it, and takes them back if not.
    ///
    /// Errors: 547.
    fn check_rows(
        &mut self,
        table: &ObjectName,
        core: &str,
        elements: &[TableElement],
        before: &[String],
    ) -> Result<(), Box<Raised>> {
        for element in elements {
            let TableElement::Constraint(Constraint { kind: ConstraintKind::Check(_, condition), .. }) = element else {
                continue;
            };
            let text = reduce::table_expression(condition, &self.names(&[])).map_err(raised)?;
            let text = format!("SELECT 1 FROM {core} WHERE NOT ({text}) LIMIT 1");
            let found = self.plan(&text, Vec::new(), Vec::new()).and_then(|mut plan| self.rows_of(&mut plan, &[]));
            if found.as_ref().is_ok_and(|found| found.rows.is_empty()) {
                continue;
            }
            let added: Vec<String> = self.checks_of(table).into_iter().filter(|name| !before.contains(name)).collect();
            let name = added.first().cloned().unwrap_or_default();
            let error = match found {
                Err(error) => error,
                Ok(_) => {
                    let message = format!("the row does not keep to the check {name}");
                    let error = Error::new(Code::CheckViolation, message).about(name);
                    self.explained(raised_error(error), "ALTER TABLE", table)
                }
            };
            for name in added {
                self.execute(&format!("ALTER TABLE {core} DROP CONSTRAINT {}", quoted(&name)))?;
            }
            return Err(error);
        }
        Ok(())
    }
}

/// 3727, after 3728.
fn no_constraint(name: &str) -> Box<Raised> {
    let mut error = raised(Message::numbered(3727, &[]).severity(16).state(0));
    error.detail = Some(Box::new(Preceded(vec![Message::numbered(3728, &[&name])])));
    error
}

/// The error of switching a constraint that is not there.
fn missing_constraint(names: &[Name], error: Box<Raised>) -> Box<Raised> {
    let source = error.source.as_ref().filter(|error| error.cause() == Some(Cause::UnknownConstraint));
    let Some(missing) = source.and_then(|error| error.subject()) else { return error };
    let shown = names.iter().find(|name| name.is(missing)).map_or(missing, |name| &name.text);
    raised(Message::error(4917, format!("Constraint '{shown}' does not exist.")).state(0))
}
