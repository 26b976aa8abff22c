//! Changes.

use super::Printer;
use crate::tree::*;

impl Printer {
    pub(super) fn change(&mut self, change: &Change) {
        match change {
            Change::Insert(insert) => self.insert(insert),
            Change::Update(update) => self.update(update),
            Change::Delete(delete) => self.delete(delete),
            Change::Merge(merge) => self.merge(merge),
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Table(name, hints) => {
                self.object(name);
                self.phrases("WITH", hints);
            }
            Target::Remote(source) => self.source(source),
        }
    }

    fn outputs(&mut self, outputs: &[Output]) {
        for output in outputs {
            self.put("OUTPUT");
            self.list(&output.items, Self::select_item);
            if let Some((name, columns)) = &output.into {
                self.put("INTO");
                self.object(name);
                self.names(columns);
            }
        }
    }

    fn insert(&mut self, insert: &Insert) {
        self.with(&insert.with);
        self.put("INSERT");
        self.top(insert.top.as_ref());
        self.put("INTO");
        self.target(&insert.target);
        self.some_parens(&insert.columns, Self::word);
        self.outputs(&insert.outputs);
        match &insert.rows {
            InsertRows::Values(rows) => {
                self.put("VALUES");
                self.list(rows, |printer, row| printer.parens(row, Self::expr));
            }
            InsertRows::Default => self.put("DEFAULT VALUES"),
            InsertRows::Query(query) => self.query(query),
            InsertRows::Execute(execute) => self.execute(execute),
        }
        self.phrases("OPTION", &insert.hints);
    }

    fn set_items(&mut self, items: &[SetItem]) {
        self.put("SET");
        self.list(items, |printer, item| {
            let (operator, value) = match item {
                SetItem::Column(column, operator, value) => {
                    printer.object(column);
                    (operator, value)
                }
                SetItem::Variable(name, operator, value) => {
                    printer.put(&name.text);
                    (operator, value)
                }
                SetItem::Both(name, column, operator, value) => {
                    printer.put(&name.text);
                    printer.put("=");
                    printer.object(column);
                    (operator, value)
                }
                SetItem::Method(column, method, arguments) => {
                    printer.object(column);
                    printer.put(".");
                    printer.name(method);
                    return printer.parens(arguments, Self::expr);
                }
            };
            printer.put(operator.text());
            printer.expr(value);
        });
    }

    fn update(&mut self, update: &Update) {
        self.with(&update.with);
        self.put("UPDATE");
        self.top(update.top.as_ref());
        self.target(&update.target);
        self.set_items(&update.items);
        self.outputs(&update.outputs);
        self.sources("FROM", &update.from);
        self.optional("WHERE", update.condition.as_ref());
        self.phrases("OPTION", &update.hints);
    }

    fn delete(&mut self, delete: &Delete) {
        self.with(&delete.with);
        self.put("DELETE");
        self.top(delete.top.as_ref());
        self.put("FROM");
        self.target(&delete.target);
        self.outputs(&delete.outputs);
        self.sources("FROM", &delete.from);
        self.optional("WHERE", delete.condition.as_ref());
        self.phrases("OPTION", &delete.hints);
    }

    fn merge(&mut self, merge: &Merge) {
        self.with(&merge.with);
        self.put("MERGE");
        self.top(merge.top.as_ref());
        self.put("INTO");
        self.target(&merge.target);
        if let Some(alias) = &merge.alias {
            self.put("AS");
            self.name(alias);
        }
        self.put("USING");
        self.source(&merge.source);
        self.optional("ON", Some(&merge.condition));
        for branch in &merge.branches {
            self.put(match branch.case {
                MergeCase::Matched => "WHEN MATCHED",
                MergeCase::NotMatchedByTarget => "WHEN NOT MATCHED BY TARGET",
                MergeCase::NotMatchedBySource => "WHEN NOT MATCHED BY SOURCE",
            });
            self.optional("AND", branch.condition.as_ref());
            self.put("THEN");
            match &branch.action {
                MergeAction::Update(items) => {
                    self.put("UPDATE");
                    self.set_items(items);
                }
                MergeAction::Delete => self.put("DELETE"),
                MergeAction::Insert(columns, row) => {
                    self.put("INSERT");
                    self.some_parens(columns, Self::word);
                    match row {
                        Some(row) => {
                            self.put("VALUES");
                            self.parens(row, Self::expr);
                        }
                        None => self.put("DEFAULT VALUES"),
                    }
                }
            }
        }
        self.outputs(&merge.outputs);
        self.phrases("OPTION", &merge.hints);
    }
}
