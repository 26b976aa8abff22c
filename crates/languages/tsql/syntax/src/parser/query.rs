//! SELECT and the clauses around it.

use super::{Assignments, Parser};
use crate::error::{Diagnostic, Parse};
use crate::tree::*;
use mainstay_syntax::{Span, TokenKind};

/// The most queries that UNION or its kin joins in a row.
const MOST_JOINED: usize = 4096;

/// More of them than this in a row are joined in groups: the first group in its order, each of the others as one query.
const MOST_IN_ORDER: usize = 128;

/// The queries of a group. So many groups and queries of the first one are in order that a chain of the most is grouped once.
const IN_GROUP: usize = 64;

/// Queries that one operator joins in a row; none for a single query.
struct Chain {
    queries: Vec<QueryBody>,
    operator: Option<(SetOperator, bool)>,
}

const SET_OPERATORS: [&str; 3] = ["UNION", "EXCEPT", "INTERSECT"];

const UNORDERED: &str = "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and \
                         common table expressions, unless TOP, OFFSET or FOR XML is also specified.";

const MIXED_SELECT: &str = "A SELECT statement that assigns a value to a variable must not be combined with \
                            data-retrieval operations.";

const ASSIGNS_IN_INSERT: &str =
    "An INSERT statement cannot contain a SELECT statement that assigns values to a variable.";

impl Parser<'_> {
    /// A query of its own: with OPTION, and any ORDER BY.
    pub(super) fn query(&mut self, with: With) -> Parse<Query> {
        self.nested(|parser| {
            let around = std::mem::replace(&mut parser.orders_branches, false);
            let query = parser.query_without_hints(with);
            parser.orders_branches = around;
            let mut query = query?;
            query.hints = parser.query_hints()?;
            Ok(query)
        })
    }

    /// A query that is a part of something: its order counts only where it decides which rows there are.
    pub(super) fn subquery(&mut self) -> Parse<Query> {
        let at = self.at;
        let around = std::mem::replace(&mut self.orders_branches, true);
        let query = self.nested(|parser| parser.query_without_hints(With::default()));
        self.orders_branches = around;
        let query = query?;
        self.check_order(&query, at)?;
        Ok(query)
    }

    /// The query of a view or an inline function, which may have its WITH.
    pub(super) fn module_query(&mut self) -> Parse<Query> {
        let at = self.at;
        let with = self.with_clause()?;
        let query = self.query(with)?;
        self.check_order(&query, at)?;
        Ok(query)
    }

    fn check_order(&self, query: &Query, at: usize) -> Parse<()> {
        let has_top = matches!(&query.body, QueryBody::Select(select) if select.top.is_some());
        if query.order.is_empty()
            || has_top
            || query.offset.is_some()
            || matches!(query.format, Some(Format::Xml(..) | Format::Json(..)))
        {
            return Ok(());
        }
        let end = self.near().0;
        Err(self.error(1033, Span { start: end.start.max(self.tokens[at].span.start), end: end.end }, UNORDERED))
    }

    /// Returns true if a query comes next.
    pub(super) fn sees_query(&self) -> bool {
        self.sees("SELECT") || self.sees("(") && self.is_set_of_queries(0)
    }

    /// Returns true if a parenthesis comes next, and a query in it.
    pub(super) fn sees_query_after_parenthesis(&self) -> bool {
        self.sees("(") && (self.is(1, "SELECT") || self.is(1, "(") && self.is_set_of_queries(1))
    }

    /// Returns true if the parenthesis some places ahead holds a query that UNION or its kin joins with what follows
    /// it.
    fn is_set_of_queries(&self, ahead: usize) -> bool {
        let mut at = ahead;
        while self.is(at, "(") {
            at += 1;
        }
        if !self.is(at, "SELECT") {
            return false;
        }
        let mut open = at - ahead;
        while open > 0 && self.token(at).kind != TokenKind::End {
            open += usize::from(self.is(at, "("));
            open -= usize::from(self.is(at, ")"));
            at += 1;
        }
        SET_OPERATORS.iter().any(|word| self.is(at, word))
    }

    fn query_without_hints(&mut self, with: With) -> Parse<Query> {
        let body = self.query_body()?;
        let mut query =
            Query { with, body, order: Vec::new(), offset: None, fetch: None, format: None, hints: Vec::new() };
        if self.sees("ORDER") {
            query.order = self.order_by()?;
            self.offset(&mut query)?;
        }
        query.format = self.format()?;
        Ok(query)
    }

    fn offset(&mut self, query: &mut Query) -> Parse<()> {
        let span = self.span();
        if !self.accept("OFFSET") {
            return Ok(());
        }
        if matches!(&query.body, QueryBody::Select(select) if select.top.is_some()) {
            let text = "A TOP can not be used in the same query or sub-query as a OFFSET.";
            return Err(Box::new(Diagnostic::new(10741, span, text).state(2)));
        }
        query.offset = Some(self.expression()?);
        self.rows_word()?;
        if self.accept("FETCH") {
            if self.accept_any(&["NEXT", "FIRST"]).is_none() {
                return Err(self.unexpected());
            }
            query.fetch = Some(self.expression()?);
            self.rows_word()?;
            self.expect("ONLY")?;
        }
        Ok(())
    }

    fn rows_word(&mut self) -> Parse<()> {
        self.accept_any(&["ROWS", "ROW"]).map(|_| ()).ok_or_else(|| self.unexpected())
    }

    /// ORDER BY and its list.
    pub(super) fn order_by(&mut self) -> Parse<Vec<OrderItem>> {
        self.expect("ORDER BY")?;
        self.list(|parser| {
            let value = parser.expression()?;
            let descending = parser.accept_any(&["ASC", "DESC"]).map(|word| word == "DESC");
            Ok(OrderItem { value, descending })
        })
    }

    fn format(&mut self) -> Parse<Option<Format>> {
        if self.accept("FOR BROWSE") {
            return Ok(Some(Format::Browse));
        }
        if self.accept("FOR XML") {
            let mode = match self.accept_any(&["RAW", "AUTO", "EXPLICIT", "PATH"]) {
                Some("RAW") => XmlMode::Raw,
                Some("AUTO") => XmlMode::Auto,
                Some("EXPLICIT") => XmlMode::Explicit,
                Some(_) => XmlMode::Path,
                None => return Err(self.unexpected()),
            };
            let mut element = None;
            if self.accept("(") {
                element = Some(self.string()?);
                self.expect(")")?;
            }
            return Ok(Some(Format::Xml(mode, element, self.directives()?)));
        }
        if self.accept("FOR JSON") {
            let is_path = self.accept("PATH");
            if !is_path {
                self.expect("AUTO")?;
            }
            return Ok(Some(Format::Json(is_path, self.directives()?)));
        }
        Ok(None)
    }

    /// The directives behind the mode: words up to the next statement, which begins with a reserved word.
    fn directives(&mut self) -> Parse<Vec<Phrase>> {
        let mut found = Vec::new();
        while self.accept(",") {
            found.push(self.phrase_while(|parser| parser.kind() != TokenKind::Reserved && !parser.is(1, ":"))?);
        }
        Ok(found)
    }

    fn query_body(&mut self) -> Parse<QueryBody> {
        let assignments = self.assignments;
        let mut chain = Chain { queries: vec![self.query_term(false)?], operator: None };
        while let Some(word) = self.accept_any(&["UNION ALL", "UNION", "EXCEPT"]) {
            self.assignments = assignments;
            let operator = if word == "EXCEPT" { SetOperator::Except } else { SetOperator::Union };
            let operator = Some((operator, word == "UNION ALL"));
            if chain.operator != operator {
                chain = Chain { queries: vec![self.joined_queries(chain)?], operator };
            }
            let left = std::mem::take(&mut self.height);
            chain.queries.push(self.query_term(true)?);
            self.height = self.height.max(left);
            if chain.queries.len() > MOST_JOINED {
                return Err(self.too_deep());
            }
        }
        self.joined_queries(chain)
    }

    /// The tree of a chain: as it is read, or, where that would be too high, with groups of queries that are joined first. The
    /// printed tree is read as the same one.
    fn joined_queries(&mut self, chain: Chain) -> Parse<QueryBody> {
        let Chain { mut queries, operator } = chain;
        // UNION gives the same result whichever of them are joined first; EXCEPT does not.
        if queries.len() > MOST_IN_ORDER && operator.is_some_and(|(operator, _)| operator == SetOperator::Union) {
            let mut rest = queries.split_off(IN_GROUP).into_iter();
            // Groups stand beside each other.
            let (of_queries, mut highest) = (self.height, self.height);
            while let Some(first) = rest.next() {
                let group = std::iter::once(first).chain(rest.by_ref().take(IN_GROUP - 1)).collect();
                self.height = of_queries;
                queries.push(self.joined_in_order(group, operator)?);
                highest = highest.max(self.height);
            }
            self.height = highest;
        }
        self.joined_in_order(queries, operator)
    }

    fn joined_in_order(&mut self, queries: Vec<QueryBody>, operator: Option<(SetOperator, bool)>) -> Parse<QueryBody> {
        let mut queries = queries.into_iter();
        let mut left = queries.next().ok_or_else(|| self.unexpected())?;
        let Some((operator, all)) = operator else { return Ok(left) };
        for right in queries {
            self.grow()?;
            left = QueryBody::Set(Box::new(left), operator, all, Box::new(right));
        }
        Ok(left)
    }

    /// `is_right`: whether it is joined to what stands before it.
    fn query_term(&mut self, is_right: bool) -> Parse<QueryBody> {
        let assignments = self.assignments;
        let mut left = self.query_primary(is_right)?;
        while self.accept("INTERSECT") {
            self.assignments = assignments;
            let right = self.beside(|parser| parser.query_primary(true))?;
            left = QueryBody::Set(Box::new(left), SetOperator::Intersect, false, Box::new(right));
        }
        Ok(left)
    }

    /// Reads the right side of a node whose left side was read before.
    pub(super) fn beside<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let left = std::mem::take(&mut self.height);
        let right = read(self)?;
        self.height = self.height.max(left);
        self.grow()?;
        Ok(right)
    }

    fn query_primary(&mut self, is_right: bool) -> Parse<QueryBody> {
        let at = self.at;
        if self.accept("(") {
            let mut body = self.nested(|parser| parser.query_body())?;
            if self.orders_branches && self.sees("ORDER") {
                body = self.ordered_branch(body, at)?;
            }
            self.expect(")")?;
            return Ok(body);
        }
        let select = self.select()?;
        let is_branch = self.orders_branches && self.sees("ORDER") && select.top.is_some();
        let body = QueryBody::Select(Box::new(select));
        if is_branch && (is_right || self.is_followed_by_set_operator()) {
            return self.ordered_branch(body, at);
        }
        Ok(body)
    }

    /// Returns true if what is read is joined by UNION or its kin with what follows it, before the parenthesis around
    /// it ends.
    fn is_followed_by_set_operator(&self) -> bool {
        let (mut ahead, mut open) = (0, 0usize);
        while self.token(ahead).kind != TokenKind::End {
            if open == 0 && SET_OPERATORS.iter().any(|word| self.is(ahead, word)) {
                return true;
            }
            open += usize::from(self.is(ahead, "("));
            match (self.is(ahead, ")"), open.checked_sub(1)) {
                (true, Some(less)) => open = less,
                (true, None) => return false,
                (false, _) => {}
            }
            ahead += 1;
        }
        false
    }

    /// A side of UNION or its kin that has an order of its own, which decides the rows that its TOP takes. SQL Server reads
    /// that within other queries only; here it is a query over the one that is ordered.
    fn ordered_branch(&mut self, mut body: QueryBody, at: usize) -> Parse<QueryBody> {
        if let QueryBody::Select(select) = &mut body {
            let unnamed = |value: &Expr| !matches!(value, Expr::Column(_));
            for (place, item) in select.items.iter_mut().enumerate() {
                if let SelectItem::Value(value, alias @ None) = item
                    && unnamed(value)
                {
                    *alias = Some(Name { text: format!("#{place}"), quoted: true, span: Span::default() });
                }
            }
        }
        let order = self.order_by()?;
        let mut query =
            Query { with: With::default(), body, order, offset: None, fetch: None, format: None, hints: Vec::new() };
        self.offset(&mut query)?;
        self.check_order(&query, at)?;
        let name = Name { text: "#branch".to_owned(), quoted: true, span: Span::default() };
        let from = vec![Source::Query(Box::new(query), Alias { name: Some(name), columns: Vec::new() })];
        self.grow()?;
        let select = Select { items: vec![SelectItem::Star(None)], from, ..Select::default() };
        Ok(QueryBody::Select(Box::new(select)))
    }

    fn select(&mut self) -> Parse<Select> {
        let at = self.at;
        self.expect("SELECT")?;
        // A query within its parts may not.
        let assignments = std::mem::take(&mut self.assignments);
        let mut select = Select { quantifier: self.set_quantifier(), top: self.top()?, ..Select::default() };
        select.items = self.list(|parser| {
            parser.assignments = assignments;
            parser.select_item()
        })?;
        let assigns = select.items.iter().filter(|item| matches!(item, SelectItem::Assign(..))).count();
        if assigns > 0 && assigns < select.items.len() {
            let span = self.tokens[at].span;
            self.errors.push(Diagnostic::new(141, span, MIXED_SELECT));
        }
        if assigns > 0 && assignments == Assignments::InInsert {
            self.errors.push(Diagnostic::new(199, self.tokens[at].span, ASSIGNS_IN_INSERT));
        }
        if self.sees("INTO") && assignments != Assignments::Allowed {
            // Only a statement of its own creates a table.
            return Err(self.unexpected());
        }
        if self.accept("INTO") {
            let name = self.object_name()?;
            select.into = Some((name, self.after("ON", Self::word)?));
        }
        if self.accept("FROM") {
            select.from = self.list(Self::source)?;
        }
        select.condition = self.after("WHERE", Self::condition)?;
        if self.accept("GROUP BY") {
            select.group = Some(self.group_by()?);
        }
        select.having = self.after("HAVING", Self::condition)?;
        if self.sees("WINDOW") && self.is(2, "AS") {
            self.advance();
            select.windows = self.list(|parser| {
                let name = parser.name()?;
                parser.expect("AS")?;
                Ok((name, parser.window()?))
            })?;
        }
        Ok(select)
    }

    /// TOP of a query or a change.
    pub(super) fn top(&mut self) -> Parse<Option<Top>> {
        if !self.accept("TOP") {
            return Ok(None);
        }
        let count = if self.sees_query_after_parenthesis() {
            self.expect("(")?;
            let query = self.subquery()?;
            self.expect(")")?;
            Expr::Subquery(Box::new(query))
        } else if self.accept("(") {
            let count = self.expression()?;
            self.expect(")")?;
            count
        } else if self.kind() == TokenKind::Variable {
            let name = self.take_name();
            self.checks.scalar(&name, false);
            Expr::Variable(name)
        } else {
            self.signed_literal()?
        };
        let percent = self.accept("PERCENT");
        Ok(Some(Top { count, percent, with_ties: self.accept("WITH TIES") }))
    }

    /// An item of a select list or of OUTPUT.
    pub(super) fn select_item(&mut self) -> Parse<SelectItem> {
        let assigns = std::mem::take(&mut self.assignments) != Assignments::Refused;
        if self.accept("*") {
            return Ok(SelectItem::Star(None));
        }
        if assigns
            && self.kind() == TokenKind::Variable
            && let Some(operator) = self.assign_operator(1)
        {
            let name = self.take_name();
            self.checks.scalar(&name, true);
            self.advance();
            return Ok(SelectItem::Assign(name, operator, self.expression()?));
        }
        let is_alias = self.is_name(0) || self.kind() == TokenKind::String || self.kind() == TokenKind::DoubleQuoted;
        if is_alias && self.is(1, "=") {
            let alias = self.alias_name()?;
            self.expect("=")?;
            return Ok(SelectItem::Value(self.expression()?, Some(alias)));
        }
        if let Some(name) = self.star_of_table()? {
            return Ok(SelectItem::Star(Some(name)));
        }
        let value = self.expression()?;
        let alias = self.column_alias()?;
        Ok(SelectItem::Value(value, alias))
    }

    /// The operator some places ahead, if it sets a value.
    pub(super) fn assign_operator(&self, ahead: usize) -> Option<AssignOperator> {
        let forms = AssignOperator::ALL.into_iter();
        forms.clone().find(|(_, text)| self.is(ahead, text)).map(|(operator, _)| operator)
    }

    /// `t.*`, if that comes next.
    fn star_of_table(&mut self) -> Parse<Option<ObjectName>> {
        let mut ahead = 0;
        while self.is_name(ahead) && self.is(ahead + 1, ".") {
            ahead += 2;
        }
        if ahead == 0 || !self.is(ahead, "*") {
            return Ok(None);
        }
        let name = self.object_name()?;
        self.expect(". *")?;
        Ok(Some(name))
    }

    fn column_alias(&mut self) -> Parse<Option<Name>> {
        if self.accept("AS") {
            return self.alias_name().map(Some);
        }
        let is_string = matches!(self.kind(), TokenKind::String | TokenKind::NationalString | TokenKind::DoubleQuoted);
        if is_string || self.is_name(0) && !self.begins_after_source() {
            return self.alias_name().map(Some);
        }
        Ok(None)
    }

    /// A name that may be written as a string.
    fn alias_name(&mut self) -> Parse<Name> {
        let is_string = matches!(self.kind(), TokenKind::String | TokenKind::NationalString | TokenKind::DoubleQuoted);
        if is_string { self.take_filled_name() } else { self.name() }
    }

    /// Returns true if a word that could be a name begins something else here: a label, a clause, a statement.
    pub(super) fn begins_after_source(&self) -> bool {
        self.is(1, ":") && !self.is(1, "::")
            || self.sees("USING")
            || self.sees("WINDOW") && self.is(2, "AS")
            || self.sees_any(&["ENABLE TRIGGER", "DISABLE TRIGGER"])
    }

    fn group_by(&mut self) -> Parse<GroupBy> {
        let all = self.accept("ALL");
        let items = self.list(|parser| parser.grouping(false))?;
        let with_cube = self.accept_any(&["WITH ROLLUP", "WITH CUBE"]).map(|words| words == "WITH CUBE");
        Ok(GroupBy { all, items, with_cube })
    }

    fn grouping(&mut self, in_sets: bool) -> Parse<Grouping> {
        if self.accept("( )") {
            return Ok(Grouping::Tuple(Vec::new()));
        }
        if in_sets && self.sees("(") {
            return Ok(Grouping::Tuple(self.parens(Self::expression)?));
        }
        let node = match self.accept_any(&["ROLLUP (", "CUBE (", "GROUPING SETS ("]) {
            Some("ROLLUP (") => Grouping::Rollup,
            Some("CUBE (") => Grouping::Cube,
            Some(_) => Grouping::Sets,
            None => return Ok(Grouping::Value(self.expression()?)),
        };
        let items = self.nested(|parser| parser.list(|parser| parser.grouping(true)))?;
        self.expect(")")?;
        Ok(node(items))
    }

    /// WITH before a statement, if it comes next.
    pub(super) fn with_clause(&mut self) -> Parse<With> {
        let mut with = With::default();
        if !self.accept("WITH") {
            return Ok(with);
        }
        if self.accept("XMLNAMESPACES") {
            with.namespaces = self.parens(|parser| {
                if parser.accept("DEFAULT") {
                    return Ok((parser.string()?, None));
                }
                let address = parser.string()?;
                parser.expect("AS")?;
                Ok((address, Some(parser.name()?)))
            })?;
            if !self.accept(",") {
                return Ok(with);
            }
        }
        with.tables = self.list(Self::common_table)?;
        Ok(with)
    }

    fn common_table(&mut self) -> Parse<CommonTable> {
        let name = self.name()?;
        let columns = self.optional_parens(Self::name)?;
        self.expect("AS (")?;
        let query = self.subquery()?;
        self.expect(")")?;
        Ok(CommonTable { name, columns, query })
    }
}
