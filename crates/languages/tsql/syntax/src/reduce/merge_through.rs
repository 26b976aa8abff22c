//! MERGE into a view or a common table expression, rewritten as a MERGE into its table.
//!
//! ```text
//!   WITH c AS (SELECT id, qty AS n FROM stock WHERE place = 1)
//!   MERGE c USING s ON c.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED BY SOURCE THEN DELETE
//!
//!   MERGE stock AS c USING s ON c.id = s.id AND c.place = 1
//!   WHEN MATCHED THEN UPDATE SET qty = s.n WHEN NOT MATCHED BY SOURCE AND c.place = 1 THEN DELETE
//! ```
//!
//! Rows that the query leaves out do not count: a row of the source that matches only such rows is not matched. Limits:
//! a query of one table with columns of it and a condition; no subquery in that condition.

use super::updatable::named_as;
use super::{Reducer, not_supported};
use crate::tree::{
    Expr, Merge, MergeAction, MergeBranch, MergeCase, Name, ObjectName, Query, QueryBody, Select, SelectItem, SetItem,
    Source, Target,
};
use mainstay_tsql_types::Message;

/// The target of a MERGE through a view or a common table expression, with its table.
struct Through {
    table: ObjectName,
    /// The statement's name for it.
    alias: Name,
    /// Its columns, and what each is of the table.
    columns: Vec<(String, Expr)>,
    /// The condition of its rows.
    condition: Option<Expr>,
}

impl Reducer<'_> {
    /// The same MERGE into the table; `None` for one that is into a table.
    ///
    /// Errors: 4406 for a column that is calculated, 40515 for a query that is more than columns and a condition.
    pub(super) fn merge_through(&self, merge: &Merge) -> Result<Option<Merge>, Message> {
        let named = super::change::table_of(&merge.target)?;
        let common = merge.with.tables.iter().find(|common| named.is(&common.name.text));
        let (query, columns, is_checked) = match common {
            Some(common) => (common.query.clone(), common.columns.clone(), false),
            None => match self.scope.view(named) {
                Some(view) => (view.query, view.columns, view.check_option),
                None => return Ok(None),
            },
        };
        let alias = merge.alias.clone().unwrap_or_else(|| named_as(named.last()));
        let through = self.through(&query, &columns, alias).filter(|_| !is_checked);
        let Some(through) = through else {
            return Err(not_supported("MERGE into a query of more than columns of a table and a condition"));
        };
        let mut merge = merge.clone();
        merge.target = Target::Table(through.table.clone(), Vec::new());
        merge.alias = Some(through.alias.clone());
        through.rewrite(&mut merge.condition);
        if let Some(condition) = &through.condition {
            merge.condition = both(condition.clone(), merge.condition);
        }
        merge.branches.iter_mut().try_for_each(|branch| through.branch(branch))?;
        for output in &mut merge.outputs {
            output.items = output.items.iter().flat_map(|item| through.given(item)).collect();
        }
        Ok(Some(merge))
    }

    fn through(&self, query: &Query, columns: &[Name], alias: Name) -> Option<Through> {
        let QueryBody::Select(select) = &query.body else { return None };
        let Select { quantifier: None, top: None, into: None, group: None, having: None, .. } = select.as_ref() else {
            return None;
        };
        let [Source::Table(source)] = &select.from[..] else { return None };
        let known = self.scope.columns(&source.name).filter(|_| self.scope.view(&source.name).is_none())?;
        let of_table = |name: &str| {
            let parts = vec![alias.clone(), named_as(name)];
            Expr::Column(ObjectName { parts, ..ObjectName::default() })
        };
        let mut own: Vec<(String, Expr)> = Vec::new();
        for item in &select.items {
            match item {
                SelectItem::Star(_) => {
                    own.extend(known.iter().map(|column| (column.name.clone(), of_table(&column.name))));
                }
                SelectItem::Value(value, _) if super::function::has_window(value) => return None,
                SelectItem::Value(value, name) => {
                    let shown = name.as_ref().map(|name| name.text.clone());
                    let mut value = value.clone();
                    let shown = match &value {
                        Expr::Column(column) => shown.unwrap_or_else(|| column.last().to_owned()),
                        _ => shown.unwrap_or_default(),
                    };
                    qualify(&mut value, &of_table)?;
                    own.push((shown, value));
                }
                SelectItem::Assign(..) => return None,
            }
        }
        for (column, name) in own.iter_mut().zip(columns) {
            column.0.clone_from(&name.text);
        }
        let mut condition = select.condition.clone();
        if let Some(condition) = &mut condition {
            qualify(condition, &of_table)?;
        }
        Some(Through { table: source.name.clone(), alias, columns: own, condition })
    }
}

/// Brings the columns of an expression over the one table of a query to those of the statement around it; `None` where a
/// subquery may name some.
fn qualify(value: &mut Expr, of_table: &dyn Fn(&str) -> Expr) -> Option<()> {
    if super::within::has_subquery(value) {
        return None;
    }
    if let Expr::Column(column) = value {
        *value = of_table(column.last());
        return Some(());
    }
    // A part of a date is no column.
    let is_part = matches!(value, Expr::Call(call) if super::is_datepart_function(&call.name.last().to_lowercase()));
    let (mut done, mut place) = (Some(()), 0);
    value.parts_mut(&mut |part| {
        if !is_part || place > 0 {
            done = done.and(qualify(part, of_table));
        }
        place += 1;
    });
    done
}

fn both(one: Expr, other: Expr) -> Expr {
    Expr::And(vec![one, other])
}

impl Through {
    fn meant(&self, column: &str) -> Option<&Expr> {
        self.columns.iter().find(|(name, _)| name.eq_ignore_ascii_case(column)).map(|(_, meant)| meant)
    }

    /// The table's column that one of the query is.
    ///
    /// Errors: 4406 for one that is calculated, 207 for one that is not there.
    fn column(&self, name: &str) -> Result<Name, Message> {
        match self.meant(name) {
            Some(Expr::Column(column)) => Ok(named_as(column.last())),
            Some(_) => Err(Message::numbered(4406, &[&self.alias.text])),
            None => Err(Message::numbered(207, &[&name])),
        }
    }

    /// Replaces what is named with the query's name.
    fn rewrite(&self, value: &mut Expr) {
        let mut renamed = None;
        if let Expr::Column(column) = &*value
            && let [.., of, name] = &column.parts[..]
        {
            let images = ["inserted", "deleted"];
            if of.is(&self.alias.text) {
                renamed = self.meant(&name.text).cloned();
            } else if images.iter().any(|image| of.is(image))
                && let Some(Expr::Column(own)) = self.meant(&name.text)
            {
                let parts = vec![of.clone(), named_as(own.last())];
                renamed = Some(Expr::Column(ObjectName { parts, span: column.span }));
            }
        }
        match renamed {
            Some(meant) => *value = meant,
            None => value.parts_mut(&mut |part| self.rewrite(part)),
        }
    }

    fn branch(&self, branch: &mut MergeBranch) -> Result<(), Message> {
        branch.condition.iter_mut().for_each(|condition| self.rewrite(condition));
        if branch.case == MergeCase::NotMatchedBySource
            && let Some(own) = &self.condition
        {
            let own = own.clone();
            branch.condition = Some(match branch.condition.take() {
                Some(condition) => both(own, condition),
                None => own,
            });
        }
        match &mut branch.action {
            MergeAction::Delete => {}
            MergeAction::Update(items) => {
                for item in items {
                    if let SetItem::Column(column, _, value) | SetItem::Both(_, column, _, value) = item {
                        *column = ObjectName { parts: vec![self.column(column.last())?], span: column.span };
                        self.rewrite(value);
                    }
                }
            }
            MergeAction::Insert(_, None) => {}
            MergeAction::Insert(names, Some(row)) => {
                if names.is_empty() {
                    *names = self.columns.iter().map(|(name, _)| named_as(name)).collect();
                }
                for name in names {
                    *name = self.column(&name.text)?;
                }
                row.iter_mut().for_each(|value| self.rewrite(value));
            }
        }
        Ok(())
    }

    /// An item of OUTPUT, under the names that the query gives its columns.
    fn given(&self, item: &SelectItem) -> Vec<SelectItem> {
        match item {
            SelectItem::Star(Some(image)) if image.is("inserted") || image.is("deleted") => {
                let columns = self.columns.iter().filter(|(_, meant)| matches!(meant, Expr::Column(_)));
                let of_image = |(name, _): &(String, Expr)| {
                    let parts = vec![image.parts[0].clone(), named_as(name)];
                    let column = Expr::Column(ObjectName { parts, span: image.span });
                    self.given(&SelectItem::Value(column, None))
                };
                columns.flat_map(of_image).collect()
            }
            SelectItem::Value(value, alias) => {
                let mut meant = value.clone();
                self.rewrite(&mut meant);
                let shown = match value {
                    Expr::Column(column) if meant != *value => Some(named_as(column.last())),
                    _ => None,
                };
                vec![SelectItem::Value(meant, alias.clone().or(shown))]
            }
            item => vec![item.clone()],
        }
    }
}
