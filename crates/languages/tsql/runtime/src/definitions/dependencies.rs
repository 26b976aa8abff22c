//! Dependencies between objects: the names in the texts of modules, and the parts of a table that need a column.
//!
//! `sys.sql_expression_dependencies` and `sp_depends` show the former; ALTER TABLE and DROP refuse a change that would
//! break a dependency: 5074 with 4922 for a column, 3729 for an object that a module WITH SCHEMABINDING names.

use crate::catalog::{Catalog, Detail, Object};
use crate::session::Inner;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::tree::{Name, ObjectName};
use mainstay_tsql_syntax::{Naming, Reference, references, tokens, unquoted};
use mainstay_tsql_types::{DataType, Message};
use mainstay_vm::Raised;

/// Messages that the client hears before an error.
#[derive(Debug)]
pub(crate) struct Preceded(pub(crate) Vec<Message>);

/// A reference from a module to an object.
pub(crate) struct Dependency<'c> {
    /// The module.
    pub(crate) of: &'c Object,
    /// The reference, as it was written.
    pub(crate) reference: Reference,
    /// The object that is referred to, if it exists.
    pub(crate) on: Option<&'c Object>,
    /// True if it is schema-bound to the object.
    pub(crate) is_bound: bool,
}

impl Catalog {
    /// The references of the modules of the database.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = Dependency<'_>> {
        let is_module = |object: &&Object| matches!(object.kind, "P" | "FN" | "IF" | "TF" | "TR" | "V");
        let modules = self.objects.iter().filter(is_module).filter_map(|of| Some((of, of.text.as_deref()?)));
        modules.flat_map(move |(of, text)| {
            let is_bound = is_schema_bound(text);
            references(text).into_iter().map(move |reference| {
                let on = self.named(&reference.parts);
                Dependency { of, reference, on, is_bound }
            })
        })
    }

    fn named(&self, parts: &[String]) -> Option<&Object> {
        let part = |text: &String| Name { text: text.clone(), ..Name::default() };
        self.find(&ObjectName { parts: parts.iter().map(part).collect(), ..ObjectName::default() })
    }
}

/// Returns true if a module is WITH SCHEMABINDING.
fn is_schema_bound(text: &str) -> bool {
    let (all, _) = tokens(text);
    let text_of = |token: &mainstay_tsql_syntax::Token| text.get(token.span.start as usize..token.span.end as usize);
    all.iter().filter_map(text_of).any(|word| word.eq_ignore_ascii_case("SCHEMABINDING"))
}

/// Returns true if a text contains this name as a token.
fn mentions(text: &str, name: &str) -> bool {
    let (all, _) = tokens(text);
    all.iter().any(|token| {
        let word = text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
        match word.chars().next() {
            Some('[' | '"') => unquoted(word).eq_ignore_ascii_case(name),
            _ => word.eq_ignore_ascii_case(name),
        }
    })
}

/// The change of a column by ALTER TABLE.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfColumn {
    Drop,
    /// To another type.
    Alter(DataType),
}

impl Inner {
    /// Sees that nothing needs a column that is dropped or altered; `beside` are constraints that go with it.
    ///
    /// Errors: 4922, after a 5074 for each thing that needs it.
    pub(crate) fn check_dependents(
        &mut self,
        table: &ObjectName,
        column: &str,
        how: OfColumn,
        beside: &[&str],
    ) -> Result<(), Box<Raised>> {
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        let Some(object) = catalog.find(table) else { return Ok(()) };
        let Some(known) = object.column(column) else { return Ok(()) };
        let is_beside = |name: &str| beside.iter().any(|one| one.eq_ignore_ascii_case(name));
        let needs = dependents(&catalog, object, (known.id, &known.name, known.data_type), how);
        let needs: Vec<(&str, &str)> = needs.into_iter().filter(|(_, name)| !is_beside(name)).collect();
        if needs.is_empty() {
            return Ok(());
        }
        let before = needs.iter().map(|(kind, name)| Message::numbered(5074, &[kind, name, &"column", &known.name]));
        let words = if how == OfColumn::Drop { "ALTER TABLE DROP COLUMN" } else { "ALTER TABLE ALTER COLUMN" };
        let mut error = raised(Message::numbered(4922, &[&words, &known.name, &"column"]).state(9));
        error.detail = Some(Box::new(Preceded(before.collect())));
        Err(error)
    }

    /// Sees that no module is bound to an object that is dropped or changed.
    ///
    /// Errors: 3729.
    pub(crate) fn check_bound(&mut self, name: &ObjectName, doing: &str) -> Result<(), Box<Raised>> {
        match self.module_bound_to(name)? {
            Some(module) => {
                Err(raised(Message::numbered(3729, &[&doing, &crate::definitions::define::shown_name(name), &module])))
            }
            None => Ok(()),
        }
    }

    /// Sees that no module is bound to an object, and no table calls it, that is to have another name; `shown` is its name as
    /// it was given.
    ///
    /// Errors: 15336.
    pub(crate) fn check_free_to_rename(&mut self, name: &ObjectName, shown: &str) -> Result<(), Box<Raised>> {
        let is_needed =
            self.module_bound_to(name)?.is_some() || self.user_of(&crate::objects::modules::key_of(name)).is_some();
        if !is_needed {
            return Ok(());
        }
        Err(raised(Message::numbered(15336, &[&shown])))
    }

    /// The module that is bound to an object.
    fn module_bound_to(&mut self, name: &ObjectName) -> Result<Option<String>, Box<Raised>> {
        // The catalog is made for nothing else here, and procedures drop temporary tables all the time.
        let may_be_bound =
            !name.last().starts_with('#') && self.modules.all().any(|known| is_schema_bound(&known.text));
        if !may_be_bound {
            return Ok(None);
        }
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        let Some(object) = catalog.find(name) else { return Ok(None) };
        let is_it = |dependency: &Dependency<'_>| {
            dependency.is_bound && dependency.of.id != object.id && dependency.on.is_some_and(|on| on.id == object.id)
        };
        Ok(catalog.dependencies().find(is_it).map(|dependency| dependency.of.name.clone()))
    }
}

/// The objects that depend on a column of a table: the kind as messages name it, and the name.
fn dependents<'c>(
    catalog: &'c Catalog,
    table: &'c Object,
    (column, name, old): (i64, &str, DataType),
    how: OfColumn,
) -> Vec<(&'static str, &'c str)> {
    let shown = format!("[{}]", name.to_lowercase());
    let says = |text: &str| text.to_lowercase().contains(&shown);
    // A text or bytes of any length may become longer, whatever depends on it.
    let grows = match how {
        OfColumn::Drop => false,
        OfColumn::Alter(new) => {
            let is_same_kind = std::mem::discriminant(&new) == std::mem::discriminant(&old);
            let fits = match (old.limit(), new.limit()) {
                (_, None) => true,
                (Some(from), Some(to)) => from <= to,
                (None, Some(_)) => false,
            };
            let varies = matches!(old, DataType::VarChar(..) | DataType::NVarChar(_) | DataType::VarBinary(_));
            new == old || varies && is_same_kind && fits
        }
    };
    let is_same_kind = |new: DataType| std::mem::discriminant(&new) == std::mem::discriminant(&old);
    let mut found: Vec<(&'static str, &'c str)> = Vec::new();
    for other in &catalog.objects {
        let needs = match &other.detail {
            Detail::Foreign(key) => {
                (other.parent == table.id && key.columns.contains(&column)
                    || key.referenced == table.id && key.referenced_columns.contains(&column))
                    && how != OfColumn::Alter(old)
            }
            _ if other.parent != table.id => false,
            Detail::Key(index) => {
                let index = table.indexes.iter().find(|known| known.id == *index);
                index.is_some_and(|index| index.columns.iter().any(|(known, _)| *known == column))
                    && (!grows || other.kind == "PK" && how != OfColumn::Alter(old))
            }
            Detail::Check(text) => says(text) && !grows,
            Detail::Default(of, _) => *of == column && !matches!(how, OfColumn::Alter(new) if is_same_kind(new)),
            _ => false,
        };
        if needs {
            found.push(("object", &other.name));
        }
    }
    let plain = table.indexes.iter().filter(|index| !index.primary && !index.constraint);
    for index in plain {
        let has = index.columns.iter().any(|(known, _)| *known == column);
        let filters = index.filter.as_deref().is_some_and(says);
        if let Some(name) = index.name.as_deref().filter(|_| (has || filters) && !grows) {
            found.push(("index", name));
        }
    }
    for computed in &table.columns {
        if computed.computed.as_deref().is_some_and(says) && how != OfColumn::Alter(old) {
            found.push(("column", &computed.name));
        }
    }
    if how != OfColumn::Alter(old) {
        for dependency in catalog.dependencies() {
            let is_on_table = dependency.is_bound && dependency.on.is_some_and(|on| on.id == table.id);
            let text = dependency.of.text.as_deref().unwrap_or("");
            if is_on_table && mentions(text, name) && !found.iter().any(|(_, known)| *known == dependency.of.name) {
                found.push(("object", &dependency.of.name));
            }
        }
    }
    found
}

/// The rows of `sys.sql_expression_dependencies`.
pub(crate) fn rows(catalog: &Catalog) -> Vec<Vec<mainstay_types::Value>> {
    use mainstay_types::Value;
    let text =
        |text: Option<&String>| text.filter(|text| !text.is_empty()).map_or(Value::Null, |it| Value::Text(it.clone()));
    let row = |dependency: Dependency<'_>| {
        let Dependency { of, reference, on, is_bound } = dependency;
        let parts = &reference.parts;
        let part = |from_end: usize| parts.len().checked_sub(from_end).and_then(|place| parts.get(place));
        // A procedure that is called without its schema may be another one for another caller.
        let is_callers = reference.naming == Naming::Called && parts.len() == 1;
        crate::views::row![
            of.id,
            0,
            1,
            "OBJECT_OR_COLUMN",
            is_bound,
            1,
            "OBJECT_OR_COLUMN",
            text(part(4)),
            text(part(3)),
            text(part(2)),
            text(part(1)),
            on.filter(|_| !is_callers).map_or(Value::Null, |on| Value::Integer(on.id)),
            0,
            is_callers,
            false
        ]
    };
    let once = catalog.dependencies().fold(Vec::<Dependency<'_>>::new(), |mut kept, next| {
        let is_known =
            kept.iter().any(|known| known.of.id == next.of.id && known.reference.parts == next.reference.parts);
        if !is_known {
            kept.push(next);
        }
        kept
    });
    once.into_iter().map(row).collect()
}

/// The rows of `sys.sql_dependencies`.
pub(crate) fn old_rows(catalog: &Catalog) -> Vec<Vec<mainstay_types::Value>> {
    let mut all: Vec<(i64, i64, bool, bool, bool)> = Vec::new();
    for Dependency { of, reference, on, is_bound } in catalog.dependencies() {
        let Some(on) = on else { continue };
        let (reads, changes) = (reference.naming == Naming::Read, reference.naming == Naming::Changed);
        match all.iter_mut().find(|known| (known.0, known.1) == (of.id, on.id)) {
            Some(known) => (known.2, known.3) = (known.2 || reads, known.3 || changes),
            None => all.push((of.id, on.id, reads, changes, is_bound)),
        }
    }
    let row = |(of, on, reads, changes, is_bound): (i64, i64, bool, bool, bool)| {
        let (class, words) = match is_bound {
            true => (1, "OBJECT_OR_COLUMN_REFERENCE_SCHEMA_BOUND"),
            false => (0, "OBJECT_OR_COLUMN_REFERENCE_NON_SCHEMA_BOUND"),
        };
        crate::views::row![class, words, of, 0, on, 0, reads, changes, false]
    };
    all.into_iter().map(row).collect()
}
