//! INSERT, UPDATE, DELETE, MERGE.

use super::{Assignments, Parser};
use crate::error::{Diagnostic, Parse};
use crate::tree::*;
use mainstay_syntax::{Span, TokenKind};

impl Parser<'_> {
    /// A change, its WITH read before.
    pub(super) fn change(&mut self, with: With) -> Parse<Change> {
        self.nested(|parser| match parser.accept_any(&["INSERT", "UPDATE", "DELETE", "MERGE"]) {
            Some("INSERT") => Ok(Change::Insert(Box::new(parser.insert(with)?))),
            Some("UPDATE") => Ok(Change::Update(Box::new(parser.update(with)?))),
            Some("DELETE") => Ok(Change::Delete(Box::new(parser.delete(with)?))),
            Some(_) => Ok(Change::Merge(Box::new(parser.merge(with)?))),
            None => Err(parser.unexpected()),
        })
    }

    /// The target of a change with its hints; with `old_hints` also hints without WITH, where no list of columns may
    /// follow.
    fn target(&mut self, old_hints: bool) -> Parse<Target> {
        if self.kind() == TokenKind::Variable {
            let name = self.variable()?;
            self.checks.table(&name);
            self.checks.changed_table(&name);
            let span = name.span;
            return Ok(Target::Table(ObjectName { parts: vec![name], span }, self.table_hints()?));
        }
        if self.sees_any(&["OPENQUERY (", "OPENROWSET (", "OPENDATASOURCE ("]) {
            return Ok(Target::Remote(self.source()?));
        }
        let name = self.object_name()?;
        let hints = if old_hints || self.sees("WITH") { self.table_hints()? } else { Vec::new() };
        Ok(Target::Table(name, hints))
    }

    /// The OUTPUT clauses: at most two.
    fn outputs(&mut self) -> Parse<Vec<Output>> {
        let mut outputs = Vec::new();
        while outputs.len() < 2 && self.accept("OUTPUT") {
            let items = self.list(Self::select_item)?;
            let mut into = None;
            if self.accept("INTO") {
                let Target::Table(name, _) = self.target(false)? else { return Err(self.unexpected()) };
                into = Some((name, self.optional_parens(Self::name)?));
            }
            outputs.push(Output { items, into });
        }
        Ok(outputs)
    }

    fn insert(&mut self, with: With) -> Parse<Insert> {
        let top = self.top()?;
        self.accept("INTO");
        let first = self.at;
        let target = self.target(false)?;
        let columns = if self.sees("(") && !self.is(1, "SELECT") && !self.is(1, "(") {
            self.parens(|parser| {
                // A column may be written with its table before it.
                let mut name = parser.column_name()?;
                Ok(name.parts.pop().unwrap_or_default())
            })?
        } else {
            Vec::new()
        };
        let outputs = self.outputs()?;
        let rows = self.insert_rows(&columns, first)?;
        let hints = self.query_hints()?;
        Ok(Insert { with, top, target, columns, outputs, rows, hints })
    }

    fn column_name(&mut self) -> Parse<ObjectName> {
        if self.sees_any(&["IDENTITYCOL", "ROWGUIDCOL"]) { Ok(self.reserved_name()) } else { self.dotted_name() }
    }

    fn insert_rows(&mut self, columns: &[Name], target: usize) -> Parse<InsertRows> {
        if self.accept("DEFAULT VALUES") {
            return Ok(InsertRows::Default);
        }
        if self.accept("VALUES") {
            let rows = self.value_rows()?;
            self.check_counts(columns, &rows, target);
            return Ok(InsertRows::Values(rows));
        }
        if self.accept_any(&["EXECUTE", "EXEC"]).is_some() {
            return Ok(InsertRows::Execute(Box::new(self.execute()?)));
        }
        if self.sees_query() {
            self.assignments = Assignments::InInsert;
            let query = self.query(With::default());
            self.assignments = Assignments::Refused;
            return Ok(InsertRows::Query(Box::new(query?)));
        }
        if self.sees("( SELECT") {
            // A query in parentheses may be followed by nothing that belongs to it.
            self.advance();
            let query = self.subquery()?;
            self.expect(")")?;
            return Ok(InsertRows::Query(Box::new(query)));
        }
        Err(self.unexpected())
    }

    /// Every row of VALUES has as many values as there are columns (109, 110). Rows of several lengths are told when the
    /// statement runs (10709).
    fn check_counts(&mut self, columns: &[Name], rows: &[Vec<Expr>], target: usize) {
        if rows.iter().any(|row| Some(row.len()) != rows.first().map(Vec::len)) {
            return;
        }
        let Some(row) = rows.iter().find(|row| !columns.is_empty() && row.len() != columns.len()) else { return };
        let (number, word) = if row.len() < columns.len() { (109, "more") } else { (110, "fewer") };
        let text = format!(
            "There are {word} columns in the INSERT statement than values specified in the VALUES clause. The number of \
             values in the VALUES clause must match the number of columns specified in the INSERT statement."
        );
        let span = self.tokens[target].span;
        self.errors.push(Diagnostic::new(number, span, text));
    }

    fn update(&mut self, with: With) -> Parse<Update> {
        let top = self.top()?;
        let target = self.target(true)?;
        self.expect("SET")?;
        let items = self.list(Self::set_item)?;
        let outputs = self.outputs()?;
        let from = self.after("FROM", |parser| parser.list(Self::source))?.unwrap_or_default();
        self.check_changed(&target, &from);
        let condition = self.where_or_current()?;
        Ok(Update { with, top, target, items, outputs, from, condition, hints: self.query_hints()? })
    }

    /// The table that a change names by its alias may be one that is not to be changed.
    fn check_changed(&mut self, target: &Target, from: &[Source]) {
        let Target::Table(named, _) = target else { return };
        if let Some(table) = crate::reduce::target_table(from, named)
            && let Some(name) = table.parts.last()
            && !name.is(named.last())
        {
            self.checks.changed_table(name);
        }
    }

    /// WHERE of a change: a condition, or the row of a cursor.
    fn where_or_current(&mut self) -> Parse<Option<Expr>> {
        if self.accept("WHERE CURRENT OF") {
            return Ok(Some(Expr::CurrentOf(self.cursor_name()?)));
        }
        self.after("WHERE", Self::condition)
    }

    /// An item of SET.
    fn set_item(&mut self) -> Parse<SetItem> {
        if self.kind() == TokenKind::Variable {
            let name = self.variable()?;
            self.checks.scalar(&name, true);
            let operator = self.expect_assignment()?;
            if operator == AssignOperator::Set && self.sees_assigned_column() {
                let column = self.column_name()?;
                let operator = self.expect_assignment()?;
                return Ok(SetItem::Both(name, column, operator, self.expression()?));
            }
            return Ok(SetItem::Variable(name, operator, self.expression()?));
        }
        let mut column = self.column_name()?;
        if self.sees("(") {
            let method = column.parts.pop().unwrap_or_default();
            if column.parts.is_empty() {
                return Err(self.unexpected());
            }
            return Ok(SetItem::Method(column, method, self.arguments(Self::expression)?));
        }
        let operator = self.expect_assignment()?;
        Ok(SetItem::Column(column, operator, self.expression()?))
    }

    /// Returns true if a column and an operator that sets it come next.
    fn sees_assigned_column(&self) -> bool {
        let mut ahead = 0;
        while self.is_name(ahead) && self.is(ahead + 1, ".") {
            ahead += 2;
        }
        self.is_name(ahead) && self.assign_operator(ahead + 1).is_some()
    }

    pub(super) fn expect_assignment(&mut self) -> Parse<AssignOperator> {
        let operator = self.assign_operator(0).ok_or_else(|| self.unexpected())?;
        self.advance();
        Ok(operator)
    }

    fn delete(&mut self, with: With) -> Parse<Delete> {
        let top = self.top()?;
        self.accept("FROM");
        let target = self.target(true)?;
        let outputs = self.outputs()?;
        let from = self.after("FROM", |parser| parser.list(Self::source))?.unwrap_or_default();
        self.check_changed(&target, &from);
        let condition = self.where_or_current()?;
        Ok(Delete { with, top, target, outputs, from, condition, hints: self.query_hints()? })
    }

    fn merge(&mut self, with: With) -> Parse<Merge> {
        let top = self.top()?;
        self.accept("INTO");
        let target = self.target(true)?;
        let has_alias = self.accept("AS") || self.is_name(0) && !self.sees("USING");
        let alias = if has_alias { Some(self.name()?) } else { None };
        self.expect("USING")?;
        let source = self.source()?;
        self.expect("ON")?;
        let condition = self.condition()?;
        let mut branches = Vec::new();
        while self.accept("WHEN") {
            branches.push(self.merge_branch()?);
        }
        if branches.is_empty() {
            return Err(self.unexpected());
        }
        let outputs = self.outputs()?;
        Ok(Merge { with, top, target, alias, source, condition, branches, outputs, hints: self.query_hints()? })
    }

    /// A MERGE that is a statement must end with a semicolon.
    pub(super) fn check_merge_end(&mut self, change: &Change, first: usize) {
        if matches!(change, Change::Merge(_)) && !self.sees(";") {
            let whole = self.span_from(first);
            let span = Span { start: whole.end.saturating_sub(1), end: whole.end };
            let text = "A MERGE statement must be terminated by a semi-colon (;).";
            self.errors.push(Diagnostic::new(10713, span, text));
        }
    }

    fn merge_branch(&mut self) -> Parse<MergeBranch> {
        let forms = ["NOT MATCHED BY SOURCE", "NOT MATCHED BY TARGET", "NOT MATCHED", "MATCHED"];
        let case = match self.accept_any(&forms) {
            Some("MATCHED") => MergeCase::Matched,
            Some("NOT MATCHED BY SOURCE") => MergeCase::NotMatchedBySource,
            Some(_) => MergeCase::NotMatchedByTarget,
            None => return Err(self.unexpected()),
        };
        let condition = self.after("AND", Self::condition)?;
        self.expect("THEN")?;
        let action = match self.accept_any(&["UPDATE SET", "DELETE", "INSERT"]) {
            Some("UPDATE SET") => MergeAction::Update(self.list(Self::set_item)?),
            Some("DELETE") => MergeAction::Delete,
            Some(_) => {
                let columns = self.optional_parens(|parser| {
                    let mut name = parser.column_name()?;
                    Ok(name.parts.pop().unwrap_or_default())
                })?;
                let row = if self.accept("DEFAULT VALUES") {
                    None
                } else {
                    self.expect("VALUES")?;
                    Some(self.parens(Self::expression)?)
                };
                MergeAction::Insert(columns, row)
            }
            None => return Err(self.unexpected()),
        };
        Ok(MergeBranch { case, condition, action })
    }
}
