//! Sources in FROM: tables, queries, joins, APPLY and functions that give tables.

use super::updatable::leaves_of;
use super::{Reducer, Scope, not_supported, quoted, refusals};
use crate::tree::{
    Alias, Expr, Join, JoinKind, Name, ObjectName, PhraseItem, QueryBody, SelectItem, Source, TableSource,
};
use mainstay_tsql_types::Message;
use std::borrow::Cow;

/// The greatest nesting depth of the queries of views and inline functions.
const DEEPEST: usize = 32;

/// The core's name for a source: the core would take the name of a table variable, which begins with `@`, for a
/// variable.
pub(super) fn source_name(name: &str) -> Cow<'_, str> {
    if name.starts_with('@') { Cow::Owned(format!("#{name}")) } else { Cow::Borrowed(name) }
}

/// The suffix of the names of tables that differ from those in the statement.
pub(super) fn mark_of(scope: &dyn Scope) -> String {
    if scope.disguises_tables() { ":".to_owned() } else { String::new() }
}

impl Reducer<'_> {
    /// Writes one source.
    pub(super) fn source(&mut self, source: &Source) -> Result<(), Message> {
        match source {
            Source::Table(table) => self.table_source(table),
            Source::Variable(name, alias) => {
                let table = ObjectName { parts: vec![name.clone()], span: name.span };
                match self.momentary_columns(&table, alias.name.as_ref()) {
                    Some(columns) => self.momentary_table(&table, &columns)?,
                    None => self.table_name(&table)?,
                }
                match &alias.name {
                    Some(_) => self.alias(alias),
                    None => {
                        self.push(" AS ");
                        self.table_alias(&name.text);
                        Ok(())
                    }
                }
            }
            Source::Query(query, alias) => {
                if let (Some(name), true) = (&alias.name, alias.columns.is_empty()) {
                    super::checks::check_columns(query, &name.text)?;
                }
                let columns = self.columns_outside(query, &alias.columns);
                self.push("(");
                self.query_under(query, &columns)?;
                self.push(")");
                self.alias(&Alias { name: alias.name.clone(), columns })
            }
            Source::Values(rows, alias) => self.rows_of_values(rows, alias),
            Source::Function(call, ..) if super::rowset::linked_server(call).is_some() => {
                let server = super::rowset::linked_server(call).unwrap_or_default();
                Err(Message::numbered(7202, &[&server]).state(2))
            }
            Source::Function(call, columns, alias) if super::rowset::is_rowset(call) => {
                self.rowset(call, columns, alias)
            }
            Source::Function(call, _, alias) => self.table_function(call, alias),
            Source::Join(join) => self.join(join),
            Source::Apply(left, outer, right) => self.apply(left, *outer, right),
            Source::Pivot(pivot) => self.pivot(pivot),
            Source::Unpivot(unpivot) => self.unpivot(unpivot),
            Source::Nested(inner) | Source::OdbcJoin(inner) => {
                self.push("(");
                self.source(inner)?;
                self.push(")");
                Ok(())
            }
            Source::Change(..) => Err(not_supported("A change as the source of a query")),
            Source::OpenRowset(phrase, _, alias) => self.open_rowset(phrase, alias),
            Source::FunctionLike(call, table, alias) => self.rowset_like(call, table, alias),
        }
    }

    /// Errors: 308 for a hint of an index that the table does not have.
    fn check_indexes(&self, table: &TableSource) -> Result<(), Message> {
        let hints = table.hints.iter().filter(|hint| hint.starts("INDEX"));
        let names = hints.flat_map(|hint| words(hint.items.get(1..).unwrap_or_default()));
        for name in names {
            if !self.scope.has_index(&table.name, &name.text) {
                let parts: Vec<&str> = table.name.parts.iter().map(|part| part.text.as_str()).collect();
                return Err(Message::numbered(308, &[&name.text, &parts.join(".")]));
            }
        }
        Ok(())
    }

    fn table_source(&mut self, table: &TableSource) -> Result<(), Message> {
        if table.system_time.is_some() || table.sample.is_some() {
            return Err(not_supported(refusals::SYSTEM_TIME));
        }
        self.check_indexes(table)?;
        if !self.is_common(&table.name)
            && let Some(view) = self.scope.inlined_view(&table.name)
        {
            return self.view_in_place(&view, table);
        }
        if !self.is_common(&table.name)
            && let Some(columns) = self.momentary_columns(&table.name, table.alias.as_ref())
        {
            self.momentary_table(&table.name, &columns)?;
            self.push(" AS ");
            self.table_alias(table.alias.as_ref().map_or(table.name.last(), |alias| &alias.text));
            return Ok(());
        }
        self.table_name(&table.name)?;
        match &table.alias {
            Some(alias) => {
                self.push(" AS ");
                self.table_alias(&alias.text);
            }
            // The table is known by the name that was written, whatever it is called behind the scenes.
            None if !self.mark.is_empty() || !self.out.ends_with(&quoted(table.name.last())) => {
                self.push(" AS ");
                self.table_alias(table.name.last());
            }
            None => {}
        }
        Ok(())
    }

    /// Writes the query of a view in its place, to which nothing of the statement around it is in sight.
    fn view_in_place(&mut self, view: &crate::tree::View, table: &TableSource) -> Result<(), Message> {
        self.begin_in_place(&table.name)?;
        let (common, inlined) = (std::mem::take(&mut self.common), std::mem::take(&mut self.inlined));
        let before = self.hidden.len();
        self.hidden.extend(common.iter().cloned());
        self.push("(");
        let columns = self.columns_outside(&view.query, &view.columns);
        let written = self.query_under(&view.query, &columns);
        self.hidden.truncate(before);
        (self.common, self.inlined) = (common, inlined);
        self.in_place.pop();
        written?;
        self.push(")");
        let name = table.alias.clone().or_else(|| table.name.parts.last().cloned());
        self.alias(&Alias { name, columns })
    }

    /// Notes that the query of a view or an inline function is written in its place.
    ///
    /// Errors: 4429 for one that is within its own query, 217 for too many within each other.
    fn begin_in_place(&mut self, name: &ObjectName) -> Result<(), Message> {
        let schema = name.parts.len().checked_sub(2).map_or("", |place| &name.parts[place].text);
        let schema = if schema.is_empty() { "dbo" } else { schema };
        let key = format!("{schema}.{}", name.last()).to_lowercase();
        if self.in_place.contains(&key) {
            return Err(Message::numbered(4429, &[&name.last()]));
        }
        if self.in_place.len() >= DEEPEST {
            let text = "Maximum stored procedure, function, trigger, or view nesting level exceeded (limit 32).";
            return Err(Message::error(217, text));
        }
        self.in_place.push(key);
        Ok(())
    }

    fn is_common(&self, name: &ObjectName) -> bool {
        name.parts.len() == 1 && self.common.contains(&name.last().to_lowercase())
    }

    /// Writes the name of a table: a common table expression's, or the core's.
    pub(super) fn table_name(&mut self, name: &ObjectName) -> Result<(), Message> {
        match self.is_common(name) {
            true => self.name(name.last()),
            false => {
                let table = self.scope.table(name)?;
                // `dbo.t` is the table, whatever common table expression is called `t`.
                let alone = table.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).map(str::to_lowercase);
                if alone.is_some_and(|name| self.common.contains(&name) || self.hidden.contains(&name)) {
                    self.push("\"dbo\".");
                }
                self.push(&table);
            }
        }
        Ok(())
    }

    pub(super) fn alias(&mut self, alias: &Alias) -> Result<(), Message> {
        self.push(" AS ");
        match &alias.name {
            Some(name) => self.table_alias(&name.text),
            None => {
                let name = self.made_name();
                self.name(&name);
            }
        }
        if alias.columns.is_empty() {
            return Ok(());
        }
        self.push(" (");
        self.names(&alias.columns)?;
        self.push(")");
        Ok(())
    }

    pub(super) fn names(&mut self, names: &[Name]) -> Result<(), Message> {
        self.list(names, |it, name| {
            it.name(&name.text);
            Ok(())
        })
    }

    /// A function that gives a table, as a source.
    fn table_function(&mut self, call: &Expr, alias: &Alias) -> Result<(), Message> {
        let Expr::Call(call) = call else { return Err(not_supported("A method as a source")) };
        if let Some(function) = self.scope.inline_function(&call.name) {
            return self.inline(&function, call, alias);
        }
        if let Some(function) = self.scope.table_function(&call.name) {
            return self.table_call(&function, call, alias, None);
        }
        let name: Vec<String> = call.name.parts.iter().map(|part| part.text.to_lowercase()).collect();
        let name = name.join(".");
        self.push(&quoted(&format!("mssql:table:{name}")));
        self.push("(");
        let mut values = Vec::new();
        for argument in &call.arguments {
            match argument {
                crate::tree::Argument::Value(value) => values.push(value),
                _ => return Err(not_supported("An argument of this form")),
            }
        }
        self.list(values, |it, value| it.expression(value))?;
        self.push(")");
        match &alias.name {
            Some(_) => self.alias(alias),
            None => {
                self.push(" AS ");
                self.table_alias(call.name.last());
                Ok(())
            }
        }
    }

    /// A function that is a query, as that query with the arguments in the place of the parameters.
    fn inline(
        &mut self,
        function: &super::InlineFunction,
        call: &crate::tree::Call,
        alias: &Alias,
    ) -> Result<(), Message> {
        let (before, own) = (self.inlined.len(), self.parameters.len());
        let mut inlined = Vec::new();
        for (place, (name, data_type)) in function.parameters.iter().enumerate() {
            let text = match call.arguments.get(place) {
                Some(crate::tree::Argument::Value(Expr::Default)) => {
                    let default = function.defaults.get(place).cloned().flatten();
                    let value = default.unwrap_or(Expr::Literal(crate::tree::Literal::Null));
                    self.aside(|it| it.call(&format!("cast:{data_type}"), &[&value]))?
                }
                Some(crate::tree::Argument::Value(value)) => {
                    self.aside(|it| it.call(&format!("cast:{data_type}"), &[value]))?
                }
                _ => {
                    let message = "An insufficient number of arguments were supplied for the procedure or function";
                    return Err(Message::error(313, format!("{message} {}.", call.name.last())));
                }
            };
            inlined.push((name.clone(), text));
        }
        self.begin_in_place(&call.name)?;
        let parameters: std::rc::Rc<[super::Parameter]> = self.parameters.as_slice().into();
        let value = |(name, text)| super::variable::InlinedValue { name, text, parameters: parameters.clone() };
        self.inlined.extend(inlined.into_iter().map(value));
        // Parameters that the arguments need are added where the query uses them.
        self.parameters.truncate(own);
        self.made += 1;
        let mark = std::mem::replace(&mut self.mark, format!(":{}", self.made));
        self.push("(");
        let columns = self.columns_outside(&function.query, &alias.columns);
        self.query_under(&function.query, &columns)?;
        self.push(")");
        self.mark = mark;
        self.inlined.truncate(before);
        self.in_place.pop();
        let name = alias.name.clone().or_else(|| call.name.parts.last().cloned());
        self.alias(&Alias { name, columns })
    }

    fn join(&mut self, join: &Join) -> Result<(), Message> {
        self.source(&join.left)?;
        self.push(match join.kind {
            JoinKind::Inner => " JOIN ",
            JoinKind::Left => " LEFT JOIN ",
            JoinKind::Right => " RIGHT JOIN ",
            JoinKind::Full => " FULL JOIN ",
            JoinKind::Cross => " CROSS JOIN ",
        });
        // The right operand is one side: `a JOIN b JOIN c ON ... ON ...` nests to the right.
        match &join.right {
            Source::Join(_) => {
                self.push("(");
                self.source(&join.right)?;
                self.push(")");
            }
            right => self.source(right)?,
        }
        if let Some(condition) = &join.condition {
            self.push(" ON ");
            self.condition(condition)?;
        }
        Ok(())
    }

    /// Writes CROSS APPLY and OUTER APPLY: a side that looks at the row to its left.
    fn apply(&mut self, left: &Source, outer: bool, right: &Source) -> Result<(), Message> {
        self.source(left)?;
        self.push(if outer { " LEFT JOIN " } else { " CROSS JOIN " });
        if let Source::Function(call, _, alias) = right
            && let Expr::Call(call) = call.as_ref()
            && let Some(function) = self.scope.table_function(&call.name)
        {
            self.push("LATERAL ");
            self.table_call(&function, call, alias, Some(left))?;
            self.push(if outer { " ON TRUE" } else { "" });
            return Ok(());
        }
        let is_inline = matches!(right, Source::Function(call, ..) if matches!(call.as_ref(), Expr::Call(call) if self.scope.inline_function(&call.name).is_some()));
        let is_rowset = matches!(right, Source::Function(call, ..) if super::rowset::is_rowset(call));
        if is_inline || is_rowset || matches!(right, Source::Query(..) | Source::Values(..)) {
            self.push("LATERAL ");
        }
        match right {
            Source::Function(call, columns, alias) if is_inline => {
                let call = Box::new(self.with_owned_columns(call, left));
                self.source(&Source::Function(call, columns.clone(), alias.clone()))?;
            }
            _ => self.source(right)?,
        }
        if outer {
            self.push(" ON TRUE");
        }
        Ok(())
    }

    /// The call of an inline function with the tables of its columns: in the function's query they would be taken for those of
    /// its own tables.
    fn with_owned_columns(&self, call: &Expr, left: &Source) -> Expr {
        let mut call = call.clone();
        let Expr::Call(inner) = &mut call else { return call };
        for argument in &mut inner.arguments {
            if let crate::tree::Argument::Value(Expr::Column(column)) = argument
                && let [name] = &column.parts[..]
                && let Some(owner) = self.owner_of(left, &name.text)
            {
                column.parts.insert(0, owner);
            }
        }
        call
    }

    /// The name of the table that has a column of this name.
    pub(super) fn owner_of(&self, source: &Source, column: &str) -> Option<Name> {
        let has_it = |source: &Source| {
            let columns = self.columns_of(source).unwrap_or_default();
            columns.iter().any(|known| known.eq_ignore_ascii_case(column))
        };
        match source {
            Source::Join(join) => self.owner_of(&join.left, column).or_else(|| self.owner_of(&join.right, column)),
            Source::Apply(left, _, right) => self.owner_of(left, column).or_else(|| self.owner_of(right, column)),
            Source::Nested(inner) | Source::OdbcJoin(inner) => self.owner_of(inner, column),
            Source::Table(table) if has_it(source) => table.alias.clone().or_else(|| table.name.parts.last().cloned()),
            Source::Variable(name, alias) if has_it(source) => Some(alias.name.clone().unwrap_or_else(|| name.clone())),
            Source::Query(_, alias) | Source::Values(_, alias) if has_it(source) => alias.name.clone(),
            _ => None,
        }
    }

    /// The names of the columns of a source, where they can be told without planning it.
    pub(super) fn columns_of(&self, source: &Source) -> Option<Vec<String>> {
        match source {
            Source::Table(table) if self.is_common(&table.name) => {
                let name = table.name.last().to_lowercase();
                let known = self.common_columns.iter().rev().find(|(known, _)| *known == name);
                known.map(|(_, columns)| columns.clone())
            }
            Source::Table(table) => {
                let columns = self.scope.columns(&table.name)?;
                Some(columns.into_iter().map(|column| column.name).collect())
            }
            Source::Variable(name, _) => {
                let table = ObjectName { parts: vec![name.clone()], span: name.span };
                Some(self.scope.columns(&table)?.into_iter().map(|column| column.name).collect())
            }
            Source::Query(query, alias) if alias.columns.is_empty() => self.columns_of_body(&query.body),
            Source::Function(call, _, alias) if alias.columns.is_empty() => {
                let Expr::Call(call) = call.as_ref() else { return None };
                match self.scope.table_function(&call.name) {
                    Some(function) => Some(function.columns.into_iter().map(|column| column.name).collect()),
                    None => self.columns_of_body(&self.scope.inline_function(&call.name)?.query.body),
                }
            }
            Source::Join(join) => Some([self.columns_of(&join.left)?, self.columns_of(&join.right)?].concat()),
            Source::Pivot(pivot) => {
                let values = pivot.values.iter().map(|name| name.text.clone());
                Some(self.columns_beside_pivot(pivot)?.into_iter().chain(values).collect())
            }
            Source::Unpivot(unpivot) => {
                let made = [&unpivot.value, &unpivot.column].map(|name| name.text.clone());
                Some(self.columns_beside_unpivot(unpivot)?.into_iter().chain(made).collect())
            }
            Source::Query(_, alias) | Source::Values(_, alias) | Source::Function(_, _, alias) => {
                Some(alias.columns.iter().map(|name| name.text.clone()).collect())
            }
            Source::Nested(inner) | Source::OdbcJoin(inner) => self.columns_of(inner),
            _ => None,
        }
    }

    /// The names of the columns of a query, where they can be told without planning it.
    fn columns_of_body(&self, body: &QueryBody) -> Option<Vec<String>> {
        let select = match body {
            QueryBody::Set(first, ..) => return self.columns_of_body(first),
            QueryBody::Select(select) => select,
        };
        let mut columns = Vec::new();
        for item in &select.items {
            match (item, super::query::head(item)) {
                (SelectItem::Star(Some(of)), _) => {
                    let mut leaves = Vec::new();
                    select.from.iter().for_each(|source| leaves_of(source, &mut leaves));
                    let leaf = leaves.iter().find(|leaf| leaf.alias.eq_ignore_ascii_case(of.last()))?;
                    columns.extend(self.columns_of(&leaf.source)?);
                }
                (_, super::Head::Star) => {
                    for source in &select.from {
                        columns.extend(self.columns_of(source)?);
                    }
                }
                (_, super::Head::Named(name)) => columns.push(name),
            }
        }
        Some(columns)
    }
}

/// The words of a phrase, those within parentheses too.
fn words(items: &[PhraseItem]) -> Vec<&Name> {
    let mut found = Vec::new();
    for item in items {
        match item {
            PhraseItem::Word(name) => found.push(name),
            PhraseItem::Group(phrases) => phrases.iter().for_each(|phrase| found.extend(words(&phrase.items))),
            _ => {}
        }
    }
    found
}
