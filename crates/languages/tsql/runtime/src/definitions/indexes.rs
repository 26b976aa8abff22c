//! CREATE INDEX and DROP INDEX.
//!
//! ```text
//!   1913         an index of the table has the name
//!   1907, 7999   with DROP_EXISTING: it keeps another constraint than the new one would, or is not there
//!   1916         IGNORE_DUP_KEY of an index that is not unique
//!   1911         a column is not there
//!   3701         an index that is to be dropped is not there
//! ```

use crate::catalog::{Index, Object};
use crate::changes::ignored_keys::ignores;
use crate::session::Inner;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::reduce::{self, Scope, quoted};
use mainstay_tsql_syntax::tree::{CreateIndex, KeyKind, Name, ObjectName, PhraseItem};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;

impl Inner {
    /// CREATE INDEX.
    pub(crate) fn create_index(&mut self, create: &CreateIndex) -> Result<(), Box<Raised>> {
        if self.is_view(&create.table)? {
            return Err(raised(reduce::not_supported("An index on a view")));
        }
        if ignores(&create.index.options) == Some(true) && create.index.key == KeyKind::None {
            return Err(raised(Message::numbered(1916, &[&"nonunique", &"ignore_dup_key"])));
        }
        let table = self.names(&[]).table(&create.table).map_err(raised)?;
        self.check_index_columns(create)?;
        let statement = reduce::create_index(&create.index, &table).map_err(raised)?;
        match (self.check_new_index(create)?, &create.index.name) {
            (NewIndex::ThereAlready, _) => Ok(()),
            (NewIndex::MadeAgain, Some(name)) => {
                let name = ObjectName { parts: vec![name.clone()], span: name.span };
                self.as_one(|inner| {
                    inner.drop_index(&name, Some(&create.table), false)?;
                    inner.create_new_index(create, &statement)
                })
            }
            _ => self.create_new_index(create, &statement),
        }
    }

    /// Errors: 1911 for a column that the table does not have.
    fn check_index_columns(&mut self, create: &CreateIndex) -> Result<(), Box<Raised>> {
        let Some(columns) = self.names(&[]).columns(&create.table) else { return Ok(()) };
        let named = create.index.columns.iter().map(|(name, _)| name).chain(&create.index.include);
        let is_missing = |name: &&Name| !columns.iter().any(|column| name.is(&column.name));
        match named.into_iter().find(is_missing) {
            Some(missing) => Err(raised(Message::numbered(1911, &[&missing.text]))),
            None => Ok(()),
        }
    }

    fn create_new_index(&mut self, create: &CreateIndex, statement: &str) -> Result<(), Box<Raised>> {
        let is_clustered = create.index.clustered == Some(true);
        if is_clustered {
            self.check_no_clustered(&create.table)?;
        }
        let done = self.execute(statement);
        done.map_err(|error| self.explained(error, "CREATE UNIQUE INDEX", &create.table))?;
        let Some(name) = &create.index.name else { return Ok(()) };
        if ignores(&create.index.options) == Some(true) {
            self.set_ignored(&create.table, &name.text, true)?;
        }
        match is_clustered {
            true => self.set_clustered(&create.table, Some(name.text.clone())),
            false => Ok(()),
        }
    }

    /// The form of the new index: an existing index of the name may make it unnecessary.
    ///
    /// Errors: 1913 when the table has an index of this name; with DROP_EXISTING 7999 when it has none, and 1907 when it keeps a
    /// constraint that the new one does not.
    fn check_new_index(&mut self, create: &CreateIndex) -> Result<NewIndex, Box<Raised>> {
        let Some(name) = &create.index.name else { return Ok(NewIndex::Made) };
        let drops = drops_existing(create);
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        let table = catalog.find(&create.table);
        let known = table.and_then(|table| Some((table, index_named(table, &name.text)?)));
        match known {
            None if drops && table.is_some() => {
                let shown = crate::definitions::define::shown_name(&create.table);
                let text = format!("Could not find any index named '{}' for table '{shown}'.", name.text);
                return Err(raised(Message::error(7999, text)));
            }
            None => return Ok(NewIndex::Made),
            Some((table, index)) if drops && (index.primary || index.constraint) => {
                let columns = index.columns.iter().map(|(column, descends)| (table.column_name(*column), *descends));
                let wanted = create.index.columns.iter().map(|(name, descends)| (&name.text, *descends == Some(true)));
                let is_same = |(had, wants): ((&str, bool), (&String, bool))| {
                    had.0.eq_ignore_ascii_case(wants.0) && had.1 == wants.1
                };
                let is_same = index.columns.len() == create.index.columns.len() && columns.zip(wanted).all(is_same);
                return match is_same && create.index.key != KeyKind::None && create.index.filter.is_none() {
                    true => Ok(NewIndex::ThereAlready),
                    false => Err(raised(Message::numbered(1907, &[&name.text]))),
                };
            }
            Some(_) if drops => return Ok(NewIndex::MadeAgain),
            Some(_) => {}
        }
        let text = format!(
            "The operation failed because an index or statistics with name '{}' already exists on table '{}'.",
            name.text,
            crate::definitions::define::shown_name(&create.table)
        );
        Err(raised(Message::error(1913, text)))
    }

    /// Drops an index of one table: others may have one of the same name.
    ///
    /// Errors: 3701 when it is not there.
    pub(crate) fn drop_index(
        &mut self,
        name: &ObjectName,
        table: Option<&ObjectName>,
        if_exists: bool,
    ) -> Result<(), Box<Raised>> {
        let index = name.last().to_owned();
        let own = match table {
            Some(table) => table.clone(),
            None => ObjectName { parts: name.parts[..name.parts.len().saturating_sub(1)].to_vec(), ..name.clone() },
        };
        match self.known(&own, |table| has_index(table, &index))? {
            Some(true) => {
                let table = self.names(&[]).table(&own).map_err(raised)?;
                self.execute(&format!("DROP INDEX {} ON {table}", quoted(&index)))?;
                self.note_dropped_index(&own, &index)
            }
            _ if if_exists => Ok(()),
            _ => {
                let text = format!(
                    "Cannot drop the index '{}.{index}', because it does not exist or you do not have permission.",
                    crate::definitions::define::shown_name(&own)
                );
                Err(raised(Message::error(3701, text).severity(11).state(7)))
            }
        }
    }
}

/// The object that CREATE INDEX creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NewIndex {
    /// An index.
    Made,
    /// One in the place of another one of its name.
    MadeAgain,
    /// Nothing: the index of a constraint is as it is to be.
    ThereAlready,
}

/// Returns true if CREATE INDEX contains WITH (DROP_EXISTING = ON), or the old WITH DROP_EXISTING.
fn drops_existing(create: &CreateIndex) -> bool {
    let is_off = |item: &PhraseItem| matches!(item, PhraseItem::Word(word) if word.is("OFF"));
    let mut options = create.index.options.iter();
    options.any(|option| option.starts("DROP_EXISTING") && !option.items.iter().any(is_off))
}

/// Returns true if a table has an index of this name.
pub(crate) fn has_index(table: &Object, name: &str) -> bool {
    index_named(table, name).is_some()
}

fn index_named<'o>(table: &'o Object, name: &str) -> Option<&'o Index> {
    table.indexes.iter().find(|index| index.name.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(name)))
}
