//! Queries and their sources.

use super::Printer;
use crate::tree::*;

impl Printer {
    pub(super) fn with(&mut self, with: &With) {
        if with.namespaces.is_empty() && with.tables.is_empty() {
            return;
        }
        self.put("WITH");
        if !with.namespaces.is_empty() {
            self.put("XMLNAMESPACES");
            self.parens(&with.namespaces, |printer, (address, prefix)| {
                printer.put_if(prefix.is_none(), "DEFAULT");
                printer.quoted("", address);
                if let Some(prefix) = prefix {
                    printer.put("AS");
                    printer.name(prefix);
                }
            });
            self.put_if(!with.tables.is_empty(), ",");
        }
        self.list(&with.tables, |printer, table| {
            printer.name(&table.name);
            printer.names(&table.columns);
            printer.put("AS (");
            printer.query(&table.query);
            printer.put(")");
        });
    }

    pub(super) fn query(&mut self, query: &Query) {
        self.with(&query.with);
        self.body(&query.body);
        self.order(&query.order);
        if let Some(offset) = &query.offset {
            self.put("OFFSET");
            self.expr(offset);
            self.put("ROWS");
        }
        if let Some(fetch) = &query.fetch {
            self.put("FETCH NEXT");
            self.expr(fetch);
            self.put("ROWS ONLY");
        }
        if let Some(format) = &query.format {
            self.format(format);
        }
        self.phrases("OPTION", &query.hints);
    }

    fn body(&mut self, body: &QueryBody) {
        match body {
            QueryBody::Select(select) => self.select(select),
            QueryBody::Set(left, operator, all, right) => {
                let is_intersect = *operator == SetOperator::Intersect;
                let left_needs = is_intersect && is_loose(left);
                let right_needs = if is_intersect { matches!(**right, QueryBody::Set(..)) } else { is_loose(right) };
                self.side(left, left_needs);
                self.put(match operator {
                    SetOperator::Union => "UNION",
                    SetOperator::Except => "EXCEPT",
                    SetOperator::Intersect => "INTERSECT",
                });
                self.put_if(*all, "ALL");
                self.side(right, right_needs);
            }
        }
    }

    fn side(&mut self, body: &QueryBody, in_parentheses: bool) {
        self.put_if(in_parentheses, "(");
        self.body(body);
        self.put_if(in_parentheses, ")");
    }

    fn select(&mut self, select: &Select) {
        self.put("SELECT");
        self.set_quantifier(select.quantifier);
        self.top(select.top.as_ref());
        self.list(&select.items, Self::select_item);
        if let Some((name, group)) = &select.into {
            self.put("INTO");
            self.object(name);
            if let Some(group) = group {
                self.put("ON");
                self.word(group);
            }
        }
        self.sources("FROM", &select.from);
        self.optional("WHERE", select.condition.as_ref());
        if let Some(group) = &select.group {
            self.put("GROUP BY");
            self.put_if(group.all, "ALL");
            self.list(&group.items, Self::grouping);
            match group.with_cube {
                Some(true) => self.put("WITH CUBE"),
                Some(false) => self.put("WITH ROLLUP"),
                None => {}
            }
        }
        self.optional("HAVING", select.having.as_ref());
        if !select.windows.is_empty() {
            self.put("WINDOW");
            self.list(&select.windows, |printer, (name, window)| {
                printer.name(name);
                printer.put("AS");
                printer.window(window);
            });
        }
    }

    pub(super) fn top(&mut self, top: Option<&Top>) {
        let Some(top) = top else { return };
        self.put("TOP (");
        self.expr(&top.count);
        self.put(")");
        self.put_if(top.percent, "PERCENT");
        self.put_if(top.with_ties, "WITH TIES");
    }

    pub(super) fn select_item(&mut self, item: &SelectItem) {
        match item {
            SelectItem::Star(None) => self.put("*"),
            SelectItem::Star(Some(name)) => {
                self.object(name);
                self.put(".");
                self.put("*");
            }
            SelectItem::Assign(name, operator, value) => {
                self.put(&name.text);
                self.put(operator.text());
                self.expr(value);
            }
            SelectItem::Value(value, alias) => {
                self.expr(value);
                self.as_name(alias.as_ref());
            }
        }
    }

    fn as_name(&mut self, name: Option<&Name>) {
        if let Some(name) = name {
            self.put("AS");
            self.name(name);
        }
    }

    fn grouping(&mut self, grouping: &Grouping) {
        let (word, items) = match grouping {
            Grouping::Value(value) => return self.expr(value),
            Grouping::Tuple(values) => return self.parens(values, Self::expr),
            Grouping::Rollup(items) => ("ROLLUP", items),
            Grouping::Cube(items) => ("CUBE", items),
            Grouping::Sets(items) => ("GROUPING SETS", items),
        };
        self.put(word);
        self.parens(items, Self::grouping);
    }

    pub(super) fn order(&mut self, order: &[OrderItem]) {
        if order.is_empty() {
            return;
        }
        self.put("ORDER BY");
        self.list(order, |printer, item| {
            printer.expr(&item.value);
            match item.descending {
                Some(true) => printer.put("DESC"),
                Some(false) => printer.put("ASC"),
                None => {}
            }
        });
    }

    fn format(&mut self, format: &Format) {
        let directives = match format {
            Format::Browse => return self.put("FOR BROWSE"),
            Format::Json(is_path, directives) => {
                self.put(if *is_path { "FOR JSON PATH" } else { "FOR JSON AUTO" });
                directives
            }
            Format::Xml(mode, element, directives) => {
                self.put("FOR XML");
                self.put(match mode {
                    XmlMode::Raw => "RAW",
                    XmlMode::Auto => "AUTO",
                    XmlMode::Explicit => "EXPLICIT",
                    XmlMode::Path => "PATH",
                });
                if let Some(element) = element {
                    self.put("(");
                    self.quoted("", element);
                    self.put(")");
                }
                directives
            }
        };
        for directive in directives {
            self.put(",");
            self.phrase(directive);
        }
    }

    pub(super) fn sources(&mut self, word: &str, sources: &[Source]) {
        if !sources.is_empty() {
            self.put(word);
            self.list(sources, Self::source);
        }
    }

    pub(super) fn alias(&mut self, alias: &Alias) {
        self.as_name(alias.name.as_ref());
        self.names(&alias.columns);
    }

    pub(super) fn source(&mut self, source: &Source) {
        match source {
            Source::Table(table) => self.table_source(table),
            Source::Variable(name, alias) => {
                self.put(&name.text);
                self.alias(alias);
            }
            Source::Query(query, alias) => {
                self.put("(");
                self.query(query);
                self.put(")");
                self.alias(alias);
            }
            Source::Values(rows, alias) => {
                self.put("(VALUES");
                self.list(rows, |printer, row| printer.parens(row, Self::expr));
                self.put(")");
                self.alias(alias);
            }
            Source::Change(change, alias) => {
                self.put("(");
                self.change(change);
                self.put(")");
                self.alias(alias);
            }
            Source::Function(function, columns, alias) => {
                self.expr(function);
                self.schema_columns(columns);
                self.alias(alias);
            }
            Source::FunctionLike(function, table, alias) => {
                self.expr(function);
                self.put("WITH (");
                self.object(table);
                self.put(")");
                self.alias(alias);
            }
            Source::OpenRowset(phrase, columns, alias) => {
                self.phrase(phrase);
                self.schema_columns(columns);
                self.alias(alias);
            }
            _ => self.combined(source),
        }
    }

    /// Sources made of sources.
    fn combined(&mut self, source: &Source) {
        match source {
            Source::Join(join) => self.join(join),
            Source::Apply(left, outer, right) => {
                self.source(left);
                self.put(if *outer { "OUTER APPLY" } else { "CROSS APPLY" });
                self.source(right);
            }
            Source::Pivot(pivot) => {
                self.source(&pivot.source);
                self.put("PIVOT (");
                self.expr(&pivot.aggregate);
                self.put("FOR");
                self.object(&pivot.column);
                self.put("IN");
                self.parens(&pivot.values, Self::name);
                self.put(")");
                self.alias(&pivot.alias);
            }
            Source::Unpivot(unpivot) => {
                self.source(&unpivot.source);
                self.put("UNPIVOT (");
                self.name(&unpivot.value);
                self.put("FOR");
                self.name(&unpivot.column);
                self.put("IN");
                self.parens(&unpivot.columns, Self::object);
                self.put(")");
                self.alias(&unpivot.alias);
            }
            Source::Nested(inner) => {
                self.put("(");
                self.source(inner);
                self.put(")");
            }
            Source::OdbcJoin(inner) => {
                self.put("{oj");
                self.source(inner);
                self.put("}");
            }
            _ => {}
        }
    }

    fn schema_columns(&mut self, columns: &[SchemaColumn]) {
        if columns.is_empty() {
            return;
        }
        self.put("WITH");
        self.parens(columns, |printer, column| {
            printer.name(&column.name);
            printer.data_type(&column.data_type);
            if let Some(collation) = &column.collation {
                printer.put("COLLATE");
                printer.word(collation);
            }
            if let Some(path) = &column.path {
                printer.expr(path);
            }
            printer.put_if(column.as_json, "AS JSON");
        });
    }

    fn table_source(&mut self, table: &TableSource) {
        self.object(&table.name);
        if let Some(time) = &table.system_time {
            self.system_time(time);
        }
        self.as_name(table.alias.as_ref());
        if let Some(sample) = &table.sample {
            self.put("TABLESAMPLE");
            self.put_if(sample.system, "SYSTEM");
            self.put("(");
            self.expr(&sample.amount);
            match sample.percent {
                Some(true) => self.put("PERCENT"),
                Some(false) => self.put("ROWS"),
                None => {}
            }
            self.put(")");
            if let Some(seed) = &sample.seed {
                self.put("REPEATABLE (");
                self.expr(seed);
                self.put(")");
            }
        }
        self.phrases("WITH", &table.hints);
    }

    fn system_time(&mut self, time: &SystemTime) {
        self.put("FOR SYSTEM_TIME");
        let (first, words, second) = match time {
            SystemTime::All => return self.put("ALL"),
            SystemTime::AsOf(time) => {
                self.put("AS OF");
                return self.expr(time);
            }
            SystemTime::FromTo(first, second) => (first, ["FROM", "TO", ""], second),
            SystemTime::Between(first, second) => (first, ["BETWEEN", "AND", ""], second),
            SystemTime::ContainedIn(first, second) => (first, ["CONTAINED IN (", ",", ")"], second),
        };
        self.put(words[0]);
        self.expr(first);
        self.put(words[1]);
        self.expr(second);
        self.put(words[2]);
    }

    fn join(&mut self, join: &Join) {
        self.source(&join.left);
        self.put(match join.kind {
            JoinKind::Inner => "INNER",
            JoinKind::Left => "LEFT",
            JoinKind::Right => "RIGHT",
            JoinKind::Full => "FULL",
            JoinKind::Cross => "CROSS",
        });
        if let Some(hint) = &join.hint {
            self.word(hint);
        }
        self.put("JOIN");
        self.source(&join.right);
        self.optional("ON", join.condition.as_ref());
    }
}

/// Returns true if a body is a UNION or EXCEPT.
fn is_loose(body: &QueryBody) -> bool {
    matches!(body, QueryBody::Set(_, SetOperator::Union | SetOperator::Except, ..))
}
