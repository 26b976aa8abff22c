//! Results of a change: OUTPUT, variables that it sets, identities, whole rows for triggers.
//!
//! The returned columns of a statement have this order: those of its OUTPUT clauses, the values of variables, the
//! identity, MERGE's action, the check of a view, the new row, the old row.

use super::updatable::Mapped;
use super::{Head, Reducer, TableColumn, not_supported, quoted, refusals};
use crate::tree::{Name, ObjectName, Output, SelectItem, Source};
use mainstay_tsql_types::Message;
use std::rc::Rc;

/// A value of the returned rows that goes to a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Assigned {
    /// The variable, with its `@`.
    pub variable: String,
    /// The number of the returned column, from 0.
    pub column: usize,
}

/// An OUTPUT clause of a change in the SQL of the core.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedOutput {
    /// The heads of its columns, which follow those of the clause before it.
    pub heads: Vec<Head>,
    /// Where the rows go, when not to the client.
    pub into: Option<(ObjectName, Vec<Name>)>,
}

/// The whole rows behind all other returned columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    /// The number of columns of the table.
    pub columns: usize,
    /// True if what a row has become is there.
    pub new: bool,
    /// True if what a row was is there.
    pub old: bool,
}

/// The changes that OUTPUT can stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Insert,
    Update,
    Delete,
    Merge,
    /// No OUTPUT but a condition that new rows have to meet: every column is that of the new row.
    Check,
}

/// The core's names for `inserted`, `deleted` and other tables.
#[derive(Debug)]
pub(super) struct OutputNames {
    pub(super) kind: Kind,
    /// The columns of what is changed, where they are not the table's own.
    pub(super) map: Option<Vec<Mapped>>,
    /// Where columns of other tables come out of the query that finds the rows: what that calls what is changed.
    pub(super) beside: Option<String>,
}

impl OutputNames {
    /// The core's name of a column of `inserted` or `deleted`, or of `$action`; `None` for another table's.
    pub(super) fn column(&self, name: &ObjectName) -> Option<Result<String, Message>> {
        let [table, column] = &name.parts[..] else {
            return match (self.kind, &name.parts[..]) {
                (Kind::Check, [.., column]) => Some(self.mapped("new", &column.text)),
                (Kind::Merge, [action]) if action.is("$action") => {
                    Some(Ok("\"mssql:cast:nvarchar(10)\"(\"_merge\".\"action\")".to_owned()))
                }
                // Columns are named with the row or the table that they are of.
                (_, [column]) => Some(Err(Message::error(207, format!("Invalid column name '{}'.", column.text)))),
                _ => None,
            };
        };
        let (inserted, deleted) = (table.is("inserted"), table.is("deleted"));
        let unbound = || {
            Message::error(
                4104,
                format!("The multi-part identifier \"{}.{}\" could not be bound.", table.text, column.text),
            )
        };
        match self.kind {
            Kind::Check => Some(self.mapped("new", &column.text)),
            Kind::Insert if inserted => Some(self.mapped("new", &column.text)),
            Kind::Delete if deleted => Some(self.mapped("old", &column.text)),
            Kind::Update | Kind::Merge if inserted => Some(self.mapped("new", &column.text)),
            Kind::Update | Kind::Merge if deleted => Some(self.mapped("old", &column.text)),
            _ if inserted || deleted => Some(Err(unbound())),
            _ => None,
        }
    }

    /// A calculated column of the row that was, as the query that finds the rows knows it.
    pub(super) fn calculated(&self, name: &ObjectName) -> Option<ObjectName> {
        let [table, column] = &name.parts[..] else { return None };
        let found = self.map.as_ref()?.iter().find(|(name, _)| name.eq_ignore_ascii_case(&column.text))?;
        let alias = self.beside.as_ref().filter(|_| found.1.is_none() && table.is("deleted"))?;
        Some(ObjectName { parts: vec![super::updatable::named_as(alias), column.clone()], span: name.span })
    }

    /// Returns true if the row that was and the row that is have names of their own.
    pub(super) fn has_both_rows(&self) -> bool {
        !matches!(self.kind, Kind::Insert | Kind::Delete)
    }

    fn mapped(&self, row: &str, column: &str) -> Result<String, Message> {
        let column = match &self.map {
            None => column,
            Some(map) => match map.iter().find(|(name, _)| name.eq_ignore_ascii_case(column)) {
                Some((_, Some(column))) => column,
                Some((_, None)) => return Err(not_supported("OUTPUT of a new calculated column of a view")),
                None => return Err(Message::error(207, format!("Invalid column name '{column}'."))),
            },
        };
        // The row of an INSERT is the only one there is, and that of a DELETE is the one that was.
        Ok(match self.has_both_rows() {
            false => quoted(column),
            true => format!("\"{row}\".{}", quoted(column)),
        })
    }

    /// The columns that a star stands for.
    fn all(&self, columns: &[TableColumn]) -> Vec<String> {
        match &self.map {
            None => columns.iter().map(|column| column.name.clone()).collect(),
            Some(map) => {
                let is_shown = |below: &Option<String>| below.is_some() || self.kind == Kind::Delete;
                map.iter().filter(|(_, below)| is_shown(below)).map(|(name, _)| name.clone()).collect()
            }
        }
    }
}

/// The list of returned columns while it is gathered.
#[derive(Default)]
pub(super) struct Returned {
    pub(super) texts: Vec<String>,
    pub(super) outputs: Vec<ReducedOutput>,
    pub(super) assigned: Vec<Assigned>,
    pub(super) identity: Option<usize>,
    pub(super) narrow_identity: bool,
    pub(super) identity_table: Option<String>,
    pub(super) action: Option<usize>,
    pub(super) check: Option<usize>,
    pub(super) images: Option<Images>,
    pub(super) ignores_keys: bool,
}

impl Reducer<'_> {
    /// The OUTPUT clauses of a change of a table with these columns.
    pub(super) fn outputs(
        &mut self,
        outputs: &[Output],
        (names, columns, from): (&Rc<OutputNames>, Option<&[TableColumn]>, &[Source]),
        returned: &mut Returned,
    ) -> Result<(), Message> {
        for output in outputs {
            let mut heads = Vec::new();
            for item in &output.items {
                let items = self.without_star(item, names, columns, from)?;
                for item in &items {
                    let number = returned.texts.len();
                    self.output = Some(Rc::clone(names));
                    let text = self.aside(|it| it.item(item, number));
                    self.output = None;
                    returned.texts.push(text?);
                    heads.push(match super::query::head(item) {
                        Head::Named(name) if name.eq_ignore_ascii_case("$action") => Head::Named("$action".to_owned()),
                        head => head,
                    });
                }
            }
            returned.outputs.push(ReducedOutput { heads, into: output.into.clone() });
        }
        Ok(())
    }

    /// An item of OUTPUT; for `inserted.*` one for each column.
    fn without_star(
        &self,
        item: &SelectItem,
        names: &OutputNames,
        columns: Option<&[TableColumn]>,
        from: &[Source],
    ) -> Result<Vec<SelectItem>, Message> {
        let SelectItem::Star(of) = item else { return Ok(vec![item.clone()]) };
        let Some(of) = of else { return Err(Message::error(102, "Incorrect syntax near '*'.").severity(15)) };
        let named = match ["inserted", "deleted"].iter().any(|row| of.is(row)) {
            true => names.all(columns.unwrap_or_default()),
            false => {
                let sources = from.iter().find_map(|source| self.columns_under(source, of.last()));
                sources.ok_or_else(|| not_supported(refusals::OUTPUT_OF_ALL))?
            }
        };
        let column = |name: String| {
            let parts =
                [of.parts.last().cloned().unwrap_or_default(), Name { text: name, quoted: true, ..Name::default() }];
            let name = ObjectName { parts: parts.to_vec(), ..ObjectName::default() };
            SelectItem::Value(crate::tree::Expr::Column(name), None)
        };
        Ok(named.into_iter().map(column).collect())
    }

    /// The columns of the source of this name.
    fn columns_under(&self, source: &Source, name: &str) -> Option<Vec<String>> {
        let is = |alias: Option<&Name>, own: &str| alias.map_or(own, |alias| &alias.text).eq_ignore_ascii_case(name);
        match source {
            Source::Table(table) if is(table.alias.as_ref(), table.name.last()) => self.columns_of(source),
            Source::Query(_, alias) | Source::Values(_, alias) if is(alias.name.as_ref(), "") => {
                self.columns_of(source)
            }
            Source::Variable(table, alias) if is(alias.name.as_ref(), &table.text) => {
                let table = ObjectName { parts: vec![table.clone()], span: table.span };
                Some(self.scope.columns(&table)?.into_iter().map(|column| column.name).collect())
            }
            Source::Join(join) => {
                self.columns_under(&join.left, name).or_else(|| self.columns_under(&join.right, name))
            }
            Source::Nested(inner) => self.columns_under(inner, name),
            _ => None,
        }
    }

    /// A value that the query which finds the rows gives beside each: what it is called there.
    pub(super) fn beside(&mut self, text: String) -> String {
        let place = self.beside.iter().position(|known| *known == text).unwrap_or_else(|| {
            self.beside.push(text);
            self.beside.len() - 1
        });
        format!("\"#s\".\"#b{place}\"")
    }

    /// Returns true if new rows are seen through the view that they were put into.
    pub(super) fn check(
        &mut self,
        checks: &[(crate::tree::Expr, Option<Vec<Mapped>>)],
        returned: &mut Returned,
    ) -> Result<(), Message> {
        if checks.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        for (number, (condition, map)) in checks.iter().enumerate() {
            if number > 0 {
                text.push_str(" AND ");
            }
            self.output = Some(Rc::new(OutputNames { kind: Kind::Check, map: map.clone(), beside: None }));
            let condition = self.aside(|it| it.condition(condition));
            self.output = None;
            text.push_str(&format!("({})", condition?));
        }
        returned.check = Some(returned.texts.len());
        returned.texts.push(format!("{text} AS \"#check\""));
        Ok(())
    }

    /// Returns whole rows, for triggers.
    pub(super) fn whole_rows(
        &self,
        columns: Option<&[TableColumn]>,
        kind: Kind,
        returned: &mut Returned,
    ) -> Result<(), Message> {
        if !self.images {
            return Ok(());
        }
        let Some(columns) = columns else { return Err(not_supported(refusals::TRIGGER)) };
        let (new, old) = (kind != Kind::Delete, !matches!(kind, Kind::Insert));
        returned.images = Some(Images { columns: columns.len(), new, old });
        let rows: &[&str] = match kind {
            Kind::Insert | Kind::Delete => &[""],
            _ => &["\"new\".", "\"old\"."],
        };
        for row in rows {
            returned.texts.extend(columns.iter().map(|column| format!("{row}{}", quoted(&column.name))));
        }
        Ok(())
    }

    pub(super) fn finish(mut self, target: ObjectName, returned: Returned) -> super::ReducedChange {
        if !returned.texts.is_empty() {
            self.push(" RETURNING ");
            self.push(&returned.texts.join(", "));
        }
        super::ReducedChange {
            text: self.out,
            parameters: self.parameters,
            target,
            returns: returned.texts.len(),
            outputs: returned.outputs,
            assigned: returned.assigned,
            identity: returned.identity,
            narrow_identity: returned.narrow_identity,
            identity_table: returned.identity_table,
            action: returned.action,
            check: returned.check,
            images: returned.images,
            ignores_keys: returned.ignores_keys,
        }
    }
}
