//! Rows that are against a constraint, in SQL Server's words: they name the statement, the constraint, and where the
//! conflict is. The core knows the constraint; the catalog knows the rest.

use crate::catalog::{Catalog, Detail, Object};
use crate::session::Inner;
use mainstay_base::{Code, Error};
use mainstay_program::Raised;

/// The core's words for a reference to a row that is not there; a row that is still referred to has others.
const NO_PARENT: &str = "there is no row with the key";

impl Inner {
    /// An error of a statement, with the words of a violation where it is one. `verb` is INSERT, UPDATE, DELETE, MERGE or
    /// ALTER TABLE, which says of which `table`.
    pub(crate) fn violation(&mut self, verb: &str, table: Option<&str>, mut raised: Box<Raised>) -> Box<Raised> {
        let Some(error) = raised.source.as_ref() else { return raised };
        let text = match error.code() {
            Code::NotNullViolation => Some(self.null_text(verb, error)),
            Code::ForeignKeyViolation | Code::CheckViolation => self.conflict_text(verb, table, error),
            _ => None,
        };
        if let Some(text) = text {
            raised.text = text;
        }
        raised
    }

    fn null_text(&self, verb: &str, error: &Error) -> String {
        let (table, column) = error.place().and_then(|place| place.rsplit_once('.')).unwrap_or(("", ""));
        let levels = self.state.levels.iter().flat_map(|level| &level.tables);
        let temporary = levels.filter(|(_, known)| known.core.eq_ignore_ascii_case(table)).map(|(name, _)| name).next();
        let table = match temporary {
            Some(name) if name.starts_with('@') => name.clone(),
            Some(name) => format!("tempdb.dbo.{name}"),
            None => format!("{}.dbo.{table}", self.state.database),
        };
        format!(
            "Cannot insert the value NULL into column '{column}', table '{table}'; column does not allow nulls. {verb} fails."
        )
    }

    fn conflict_text(&mut self, verb: &str, table: Option<&str>, error: &Error) -> Option<String> {
        let database = self.state.database.clone();
        let catalog = self.catalog().ok()?;
        let conflict = match error.code() {
            Code::CheckViolation => {
                let name = error.message().rsplit_once(" the check ")?.1;
                check(&catalog, name).or_else(|| Some(Conflict::new("CHECK", name, table?)))?
            }
            _ => {
                let (child, name) = error.place()?.split_once(", foreign key ")?;
                let has_no_parent = error.message().contains(NO_PARENT);
                let parent = error.message().rsplit_once(") in ").map_or(child, |(_, parent)| parent);
                reference(&catalog, child, name, has_no_parent)
                    .unwrap_or_else(|| Conflict::new("FOREIGN KEY", name, parent))
            }
        };
        let Conflict { kind, name, table, column } = conflict;
        let column = column.map_or_else(String::new, |column| format!(", column '{column}'"));
        Some(format!(
            "The {verb} statement conflicted with the {kind} constraint \"{name}\". The conflict occurred in database \
             \"{database}\", table \"{table}\"{column}."
        ))
    }
}

impl Conflict {
    /// With a constraint that is not in the catalog: one that was about to be added.
    fn new(kind: &'static str, name: &str, table: &str) -> Conflict {
        Conflict { kind, name: name.to_owned(), table: format!("dbo.{table}"), column: None }
    }
}

/// What a violation says of its constraint.
struct Conflict {
    kind: &'static str,
    name: String,
    /// With its schema.
    table: String,
    /// When there is only one.
    column: Option<String>,
}

fn check(catalog: &Catalog, name: &str) -> Option<Conflict> {
    let found = catalog.objects.iter().find(|object| object.kind == "C" && object.name.eq_ignore_ascii_case(name))?;
    let table = catalog.by_id(found.parent)?;
    let Detail::Check(text) = &found.detail else { return None };
    let lower = text.to_lowercase();
    let mut mentioned =
        table.columns.iter().filter(|column| lower.contains(&format!("[{}]", column.name.to_lowercase())));
    let column = mentioned.next().filter(|_| mentioned.next().is_none()).map(|column| column.name.clone());
    Some(Conflict { kind: "CHECK", name: found.name.clone(), table: full_name(catalog, table), column })
}

fn reference(catalog: &Catalog, child: &str, name: &str, has_no_parent: bool) -> Option<Conflict> {
    let is_meant = |object: &&Object| {
        object.kind == "F"
            && object.name.eq_ignore_ascii_case(name)
            && catalog.by_id(object.parent).is_some_and(|table| table.name.eq_ignore_ascii_case(child))
    };
    let found = catalog.objects.iter().find(is_meant)?;
    let Detail::Foreign(key) = &found.detail else { return None };
    let is_own = key.referenced == found.parent;
    let (table, columns) =
        if has_no_parent { (key.referenced, &key.referenced_columns) } else { (found.parent, &key.columns) };
    let kind = match (has_no_parent, is_own) {
        (true, false) => "FOREIGN KEY",
        (true, true) => "FOREIGN KEY SAME TABLE",
        (false, false) => "REFERENCE",
        (false, true) => "SAME TABLE REFERENCE",
    };
    let table = catalog.by_id(table)?;
    let column = match &columns[..] {
        [column] => Some(table.column_name(*column).to_owned()),
        _ => None,
    };
    Some(Conflict { kind, name: found.name.clone(), table: full_name(catalog, table), column })
}

fn full_name(catalog: &Catalog, table: &Object) -> String {
    format!("{}.{}", catalog.schema_name(table.schema), table.name)
}
