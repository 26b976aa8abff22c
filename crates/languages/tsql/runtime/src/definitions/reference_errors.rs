//! SQL Server's messages for invalid references: each error is followed by 1750.

use crate::catalog::{Catalog, Detail};
use crate::session::Inner;
use crate::statements::errors::raised;
use crate::statements::flow::Origin;
use mainstay_tsql_syntax::reduce::{self, quoted};
use mainstay_tsql_syntax::tree::{
    ColumnProperty, Constraint, ConstraintKind, ForeignKey, Name, ObjectName, ReferentialAction, TableElement,
};
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_vm::Raised;

/// The types of columns by their names.
type Types = Vec<(String, DataType)>;

/// A reference with the constraint and the column that it stands with.
type NewReference<'e> = (&'e Constraint, &'e ForeignKey, Option<&'e Name>);

impl Inner {
    /// Sees that what new elements of a table refer to is there: a table, its columns, a key of these, and their types.
    ///
    /// Errors: 1753, 1767, 1770, 1776, 1778, 1785.
    pub(crate) fn check_references(
        &mut self,
        table: &ObjectName,
        core: &str,
        elements: &[TableElement],
    ) -> Result<(), Box<Raised>> {
        let mut paths = Paths::default();
        for (constraint, key, column) in new_references(elements) {
            let own = self.types_of(table, elements);
            // The table does not exist yet when it refers to itself.
            if crate::objects::modules::key_of(&key.table) == crate::objects::modules::key_of(table) {
                let name = reduce::constraint_name(core, constraint, column, &self.names(&[]));
                check_types((table.last(), &own), (key, &own), (&key.referenced, column), &name)?;
                paths.take(&*self.catalog().map_err(crate::statements::errors::raised_error)?, table, key, &name)?;
                continue;
            }
            let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
            let name = reduce::constraint_name(core, constraint, column, &self.names(&[]));
            let shown = crate::definitions::define::shown_name(&key.table);
            let failed = |number: i32, text: String| of_reference(Message::error(number, text));
            let Some(object) = catalog.find(&key.table).filter(|object| object.kind == "U") else {
                return Err(failed(1767, format!("Foreign key '{name}' references invalid table '{shown}'.")));
            };
            if let Some(missing) = key.referenced.iter().find(|name| object.column(&name.text).is_none()) {
                let missing = &missing.text;
                let text = format!(
                    "Foreign key '{name}' references invalid column '{missing}' in referenced table '{shown}'."
                );
                return Err(failed(1770, text));
            }
            if !self.is_key(&key.table, &key.referenced) {
                let text = format!(
                    "There are no primary or candidate keys in the referenced table '{shown}' that match the referencing \
                     column list in the foreign key '{name}'."
                );
                return Err(failed(1776, text));
            }
            let of_key = object.primary_key().map(|key| &key.columns[..]).unwrap_or_default();
            let of_key = of_key
                .iter()
                .map(|(column, _)| Name { text: object.column_name(*column).to_owned(), ..Name::default() });
            let referenced = if key.referenced.is_empty() { of_key.collect() } else { key.referenced.clone() };
            let there = self.types_of(&key.table, &[]);
            check_types((table.last(), &own), (key, &there), (&referenced, column), &name)?;
            paths.take(&catalog, table, key, &name)?;
        }
        Ok(())
    }

    /// The types of a table's columns, those included that it is given now.
    fn types_of(&mut self, table: &ObjectName, elements: &[TableElement]) -> Types {
        let names = self.names(&[]);
        // An error in a type is reported when the column is created.
        let mut types = reduce::column_types(elements, &names).unwrap_or_default();
        let known = reduce::Scope::columns(&names, table).unwrap_or_default();
        types.extend(known.into_iter().map(|column| (column.name, column.data_type)));
        types
    }

    /// Returns true if these columns are a key of a table; without columns, if it has a primary key.
    fn is_key(&mut self, table: &ObjectName, columns: &[Name]) -> bool {
        let Ok(core) = reduce::Scope::table(&self.names(&[]), table) else { return true };
        let shared = self.core.definitions().shared;
        let known = shared.tables.iter().find(|known| {
            let schema = shared.schemas.iter().find(|schema| schema.id == known.schema);
            let schema = schema.map_or("dbo", |schema| &schema.name);
            let names = [quoted(&known.name), format!("{}.{}", quoted(schema), quoted(&known.name))];
            names.iter().any(|name| name.eq_ignore_ascii_case(&core))
        });
        // The core reports the errors that cannot be found here.
        let Some(known) = known else { return true };
        let number = |name: &Name| known.columns.iter().find(|of| name.is(&of.name)).map(|of| of.id);
        let mut wanted: Vec<Option<u64>> = columns.iter().map(number).collect();
        wanted.sort_unstable();
        let is_it = |parts: Vec<u64>| {
            let mut parts: Vec<Option<u64>> = parts.into_iter().map(Some).collect();
            parts.sort_unstable();
            parts == wanted
        };
        if columns.is_empty() {
            return known.primary_key.is_some();
        }
        let keys = known.primary_key.iter().chain(&known.unique);
        let keys = keys.map(|key| key.columns.iter().map(|part| part.column).collect::<Vec<u64>>());
        let indexes = known.indexes.iter().filter(|index| index.unique && index.filter.is_empty());
        let indexes = indexes.map(|index| index.columns.iter().map(|part| part.column).collect());
        keys.chain(indexes).any(is_it)
    }
}

/// The number of a table that is not there yet.
const NEW: i64 = -1;

/// The references that the statement makes whose actions go on from rows to those that refer to them: from which table, to
/// which one.
#[derive(Default)]
struct Paths {
    on_delete: Vec<(i64, i64)>,
    on_update: Vec<(i64, i64)>,
}

impl Paths {
    /// Sees that what a DELETE, or an UPDATE, does to other tables goes to each of them in one way, and never round in a circle.
    ///
    /// Errors: 1785.
    fn take(&mut self, catalog: &Catalog, table: &ObjectName, key: &ForeignKey, name: &str) -> Result<(), Box<Raised>> {
        let number = |of: &ObjectName| catalog.find(of).map_or(NEW, |object| object.id);
        let (from, to) = (number(&key.table), number(table));
        for (is_delete, action) in [(true, key.on_delete), (false, key.on_update)] {
            if !is_cascade(action) {
                continue;
            }
            let goes_on = |action| crate::catalog::action(action).0 != 0;
            let known = catalog.objects.iter().filter_map(|object| match &object.detail {
                Detail::Foreign(key) => {
                    let goes_on = goes_on(if is_delete { key.on_delete } else { key.on_update });
                    goes_on.then_some((key.referenced, object.parent))
                }
                _ => None,
            });
            let own = if is_delete { &mut self.on_delete } else { &mut self.on_update };
            let edges: Vec<(i64, i64)> = known.chain(own.iter().copied()).collect();
            let above = reached(from, &edges, |(above, below)| (below, above));
            let below = reached(to, &edges, |edge| edge);
            let is_circle = below.contains(&from);
            let is_second_way =
                || above.iter().any(|above| reached(*above, &edges, |edge| edge).iter().any(|it| below.contains(it)));
            if is_circle || is_second_way() {
                return Err(of_reference(Message::numbered(1785, &[&name, &table.last()])));
            }
            own.push((from, to));
        }
        Ok(())
    }
}

/// The tables to which one leads, itself included.
fn reached(from: i64, edges: &[(i64, i64)], along: impl Fn((i64, i64)) -> (i64, i64)) -> Vec<i64> {
    let mut found = vec![from];
    let mut looked = 0;
    while let Some(at) = found.get(looked).copied() {
        looked += 1;
        let next = edges.iter().map(|edge| along(*edge)).filter(|(start, _)| *start == at).map(|(_, end)| end);
        let next: Vec<i64> = next.filter(|end| !found.contains(end)).collect();
        found.extend(next);
    }
    found
}

fn is_cascade(action: Option<ReferentialAction>) -> bool {
    action.is_some_and(|action| action != ReferentialAction::NoAction)
}

/// An error of a reference, which 1750 follows.
fn of_reference(message: Message) -> Box<Raised> {
    let mut error = raised(message.state(0));
    error.detail = Some(Box::new(Origin::Reference));
    error
}

/// Sees that columns that refer have the types of those that they refer to.
///
/// Errors: 1753, 1778.
fn check_types(
    (table, own): (&str, &Types),
    (key, there): (&ForeignKey, &Types),
    (referenced, column): (&[Name], Option<&Name>),
    name: &str,
) -> Result<(), Box<Raised>> {
    let type_of = |types: &Types, name: &Name| types.iter().find(|(known, _)| name.is(known)).map(|(_, it)| *it);
    let referring = column.into_iter().chain(&key.columns);
    for (from, to) in referring.zip(referenced) {
        let (Some(has), Some(wanted)) = (type_of(own, from), type_of(there, to)) else { continue };
        let parts: [&dyn std::fmt::Display; 5] =
            [&crate::definitions::define::shown_name(&key.table), &to.text, &table, &from.text, &name];
        if std::mem::discriminant(&has) != std::mem::discriminant(&wanted) {
            return Err(of_reference(Message::numbered(1778, &parts)));
        }
        if size(has) != size(wanted) {
            return Err(of_reference(Message::numbered(1753, &parts)));
        }
    }
    Ok(())
}

/// Length, precision or digits, and scale of a type; its code page is ignored.
fn size(data_type: DataType) -> (Option<Length>, u8, u8) {
    match data_type {
        DataType::Decimal { precision, scale } => (None, precision, scale),
        DataType::Time(digits) | DataType::DateTime2(digits) | DataType::DateTimeOffset(digits) => (None, 0, digits),
        other => (other.length(), 0, 0),
    }
}

fn new_references(elements: &[TableElement]) -> Vec<NewReference<'_>> {
    let mut found = Vec::new();
    for element in elements {
        match element {
            TableElement::Constraint(constraint) => {
                if let ConstraintKind::ForeignKey(key) = &constraint.kind {
                    found.push((constraint, key.as_ref(), None));
                }
            }
            TableElement::Column(column) => {
                for property in &column.properties {
                    if let ColumnProperty::Constraint(constraint) = property
                        && let ConstraintKind::ForeignKey(key) = &constraint.kind
                    {
                        found.push((constraint, key.as_ref(), Some(&column.name)));
                    }
                }
            }
            _ => {}
        }
    }
    found
}
