//! MERGE: the core has it; its names and types are reduced.

use super::change::{insert_columns, table_of};
use super::output::{Kind, OutputNames, Returned};
use super::update::Sets;
use super::{ReducedChange, Reducer, TableColumn, not_supported, quoted};
use crate::tree::{Expr, Merge, MergeAction, MergeBranch, MergeCase, Name, SetItem, Source};
use mainstay_tsql_types::{DataType, Message};
use std::rc::Rc;

impl Reducer<'_> {
    pub(super) fn merge(mut self, merge: &Merge, identity_insert: bool) -> Result<ReducedChange, Message> {
        let through = self.merge_through(merge)?;
        let merge = through.as_ref().unwrap_or(merge);
        let target = table_of(&merge.target)?.clone();
        if let Some(top) = &merge.top {
            self.check_top(top)?;
        }
        check_branches(&merge.branches)?;
        let columns = self.scope.columns(&target);
        let alias = merge.alias.as_ref().map_or_else(|| target.last().to_owned(), |alias| alias.text.clone());
        self.with(&merge.with)?;
        self.note_target(&target, &alias);
        let mut returned = Returned::default();
        let names = Rc::new(OutputNames { kind: Kind::Merge, map: None, beside: None });
        let sources = std::slice::from_ref(&merge.source);
        self.outputs(&merge.outputs, (&names, columns.as_deref(), sources), &mut returned)?;
        if let Some(identity) = columns.iter().flatten().find(|column| column.is_identity) {
            returned.identity = Some(returned.texts.len());
            returned.narrow_identity = identity.data_type == DataType::TinyInt;
            returned.texts.push(format!("\"new\".{}", quoted(&identity.name)));
        }
        if self.images || returned.identity.is_some() {
            returned.action = Some(returned.texts.len());
            returned.texts.push("\"_merge\".\"action\" AS \"#action\"".to_owned());
        }
        self.whole_rows(columns.as_deref(), Kind::Merge, &mut returned)?;
        self.push("MERGE INTO ");
        self.table_name(&target)?;
        self.push(" AS ");
        self.name(&alias);
        self.push(" USING ");
        match &merge.source {
            Source::Table(_) | Source::Variable(..) | Source::Query(..) | Source::Values(..) | Source::Function(..) => {
                self.source(&merge.source)?;
            }
            _ => return Err(not_supported("MERGE with this source")),
        }
        self.push(" ON ");
        match &merge.top {
            // The core's MERGE has no place for a count of rows but this.
            Some(top) if top.percent => {
                self.push("\"merge:qualify\"(");
                self.is_in_share(top, &[])?;
                self.push(", ");
                self.condition(&merge.condition)?;
                self.push(")");
            }
            Some(top) => {
                self.push("\"merge:first\"(");
                self.row_count(&top.count)?;
                self.push(", ");
                self.condition(&merge.condition)?;
                self.push(")");
            }
            None => self.condition(&merge.condition)?,
        }
        for branch in &merge.branches {
            self.branch(branch, (&target, &alias, columns.as_deref()), identity_insert)?;
        }
        Ok(self.finish(target, returned))
    }

    fn branch(
        &mut self,
        branch: &MergeBranch,
        (target, alias, columns): (&crate::tree::ObjectName, &str, Option<&[TableColumn]>),
        identity_insert: bool,
    ) -> Result<(), Message> {
        self.push(match branch.case {
            MergeCase::Matched => " WHEN MATCHED",
            MergeCase::NotMatchedByTarget => " WHEN NOT MATCHED BY TARGET",
            MergeCase::NotMatchedBySource => " WHEN NOT MATCHED BY SOURCE",
        });
        if let Some(condition) = &branch.condition {
            self.push(" AND (");
            self.condition(condition)?;
            self.push(")");
        }
        match &branch.action {
            MergeAction::Delete => {
                self.push(" THEN DELETE");
                Ok(())
            }
            MergeAction::Update(items) => {
                if items.iter().any(|item| matches!(item, SetItem::Variable(..) | SetItem::Both(..))) {
                    return Err(not_supported("MERGE that sets a variable"));
                }
                self.push(" THEN UPDATE SET ");
                let sets = Sets::of(items, columns, None)?;
                self.list(&sets.columns, |it, set| {
                    it.name(&set.name);
                    it.push(" = ");
                    it.takes(target, &set.name);
                    it.set_value(set, alias)
                })
            }
            MergeAction::Insert(names, row) => {
                let columns = columns.unwrap_or_default();
                let defaults = [Expr::Default];
                let (given, row): (Vec<TableColumn>, &[Expr]) = match row {
                    Some(row) => (insert_columns(columns, names, target, identity_insert)?, row),
                    None => {
                        // One column stands for all; a table may have no other than its identity.
                        let given = insert_columns(columns, &[], target, false)?;
                        let identity = columns.iter().find(|column| column.is_identity);
                        (given.iter().chain(identity).take(1).cloned().collect(), &defaults)
                    }
                };
                super::change::check_length(row.len(), Some(&given), !names.is_empty())?;
                self.push(" THEN INSERT (");
                let named: Vec<Name> =
                    given.iter().map(|column| Name { text: column.name.clone(), ..Name::default() }).collect();
                self.names(&named)?;
                self.push(") VALUES (");
                self.list(row.iter().zip(&given), |it, (value, column)| {
                    it.takes(target, &column.name);
                    it.assigned(value, Some(column.data_type))
                })?;
                self.push(")");
                Ok(())
            }
        }
    }
}

/// Refuses branches that one MERGE must not combine.
///
/// Errors: 5324, 10710, 10711, 10714.
fn check_branches(branches: &[MergeBranch]) -> Result<(), Message> {
    for (number, branch) in branches.iter().enumerate() {
        let clause = match branch.case {
            MergeCase::Matched => "WHEN MATCHED",
            MergeCase::NotMatchedByTarget => "WHEN NOT MATCHED",
            MergeCase::NotMatchedBySource => "WHEN NOT MATCHED BY SOURCE",
        };
        let word = match &branch.action {
            MergeAction::Update(_) => "UPDATE",
            MergeAction::Delete => "DELETE",
            MergeAction::Insert(..) => "INSERT",
        };
        let is_insert = matches!(branch.action, MergeAction::Insert(..));
        if is_insert != (branch.case == MergeCase::NotMatchedByTarget) {
            let number = if is_insert { 10711 } else { 10710 };
            let text =
                format!("An action of type '{word}' is not allowed in the '{clause}' clause of a MERGE statement.");
            return Err(Message::error(number, text).severity(15));
        }
        let mut before = branches[..number].iter().filter(|before| before.case == branch.case);
        if before.clone().any(|before| before.condition.is_none()) {
            let text = format!(
                "In a MERGE statement, a '{clause}' clause with a search condition cannot appear after a '{clause}' clause \
                 with no search condition."
            );
            return Err(Message::error(5324, text).severity(15));
        }
        if before.any(|before| std::mem::discriminant(&before.action) == std::mem::discriminant(&branch.action)) {
            let text = format!(
                "An action of type '{clause}' cannot appear more than once in a '{word}' clause of a MERGE statement."
            );
            return Err(Message::error(10714, text).severity(15));
        }
    }
    Ok(())
}
