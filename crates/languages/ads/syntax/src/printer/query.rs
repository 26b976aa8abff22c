//! Queries and expressions.

use super::Printer;
use crate::parser::type_text;
use crate::tree::*;
use std::fmt::Write;

impl Printer {
    pub(super) fn query(&mut self, query: &Query) {
        self.body(&query.body, query.offset.as_ref());
        if !query.order.is_empty() {
            self.put(" ORDER BY ");
            self.list(&query.order, |it, item| {
                it.expression(&item.value);
                it.put(match item.descending {
                    Some(true) => " DESC",
                    Some(false) => " ASC",
                    None => "",
                });
            });
        }
    }

    fn body(&mut self, body: &QueryBody, offset: Option<&Expr>) {
        match body {
            QueryBody::Select(select) => self.select(select, offset),
            QueryBody::Set(left, _, all, right) => {
                self.body(left, offset);
                self.put(if *all { " UNION ALL " } else { " UNION " });
                self.body(right, None);
            }
        }
    }

    fn select(&mut self, select: &Select, offset: Option<&Expr>) {
        self.put("SELECT ");
        if let Some(top) = &select.top {
            self.put("TOP ");
            self.primary(&top.count);
            self.put(if top.percent { " PERCENT " } else { " " });
        }
        if let Some(offset) = offset {
            self.put("START AT ");
            self.primary(offset);
            self.put(" ");
        }
        self.put(match select.quantifier {
            Some(SetQuantifier::Distinct) => "DISTINCT ",
            Some(SetQuantifier::All) => "ALL ",
            None => "",
        });
        self.list(&select.items, |it, item| match item {
            SelectItem::Star(None) => it.put("*"),
            SelectItem::Star(Some(table)) => {
                it.object(table);
                it.put(".*");
            }
            SelectItem::Value(value, alias) => {
                it.expression(value);
                if let Some(alias) = alias {
                    it.put(" AS ");
                    it.name(alias);
                }
            }
            SelectItem::Assign(..) => {}
        });
        if let Some((into, _)) = &select.into {
            self.put(" INTO ");
            self.object(into);
        }
        self.sources(&select.from);
        self.optional(" WHERE ", select.condition.as_ref());
        if let Some(group) = &select.group {
            self.put(" GROUP BY ");
            self.list(&group.items, |it, item| {
                if let Grouping::Value(value) = item {
                    it.expression(value);
                }
            });
        }
        self.optional(" HAVING ", select.having.as_ref());
    }

    pub(super) fn sources(&mut self, sources: &[Source]) {
        if !sources.is_empty() {
            self.put(" FROM ");
            self.list(sources, Self::source);
        }
    }

    pub(super) fn table(&mut self, table: &TableSource) {
        self.object(&table.name);
        self.alias(table.alias.as_ref());
    }

    pub(super) fn alias(&mut self, alias: Option<&Name>) {
        if let Some(alias) = alias {
            self.put(" AS ");
            self.name(alias);
        }
    }

    pub(super) fn source(&mut self, source: &Source) {
        match source {
            Source::Table(table) => self.table(table),
            Source::Query(query, alias) => {
                self.put("(");
                self.query(query);
                self.put(")");
                self.alias(alias.name.as_ref());
            }
            Source::Function(call, _, alias) => {
                self.put("(EXECUTE PROCEDURE ");
                self.expression(call);
                self.put(")");
                self.alias(alias.name.as_ref());
            }
            Source::Join(join) => {
                self.source(&join.left);
                self.put(match join.kind {
                    JoinKind::Inner => " INNER JOIN ",
                    JoinKind::Left => " LEFT OUTER JOIN ",
                    JoinKind::Right => " RIGHT OUTER JOIN ",
                    JoinKind::Full => " FULL OUTER JOIN ",
                    JoinKind::Cross => " CROSS JOIN ",
                });
                self.source(&join.right);
                self.optional(" ON ", join.condition.as_ref());
            }
            Source::Nested(inner) => {
                self.put("(");
                self.source(inner);
                self.put(")");
            }
            Source::OdbcJoin(inner) => {
                self.put("{OJ ");
                self.source(inner);
                self.put("}");
            }
            _ => {}
        }
    }

    pub(super) fn optional(&mut self, words: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            self.put(words);
            self.expression(value);
        }
    }

    /// A value that stands beside an operator: in parentheses unless it has no operators itself.
    pub(super) fn primary(&mut self, value: &Expr) {
        let is_plain = matches!(
            value,
            Expr::Literal(_)
                | Expr::Column(_)
                | Expr::Variable(_)
                | Expr::Niladic(_)
                | Expr::Call(_)
                | Expr::Cast(_)
                | Expr::Case(_)
                | Expr::Subquery(_)
                | Expr::Exists(_)
                | Expr::OdbcLiteral(..)
        );
        match is_plain {
            true => self.expression(value),
            false => {
                self.put("(");
                self.expression(value);
                self.put(")");
            }
        }
    }

    pub(super) fn expression(&mut self, value: &Expr) {
        match value {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Column(name) => self.object(name),
            Expr::Variable(name) => self.put(if name.text.starts_with('?') { "?" } else { &name.text }),
            Expr::Niladic(word) => self.put(word),
            Expr::Default => self.put("DEFAULT"),
            Expr::Star(None) => self.put("*"),
            Expr::Unary(operator, operand) => {
                self.put(match operator {
                    UnaryOperator::Minus => "-",
                    UnaryOperator::Plus => "+",
                    UnaryOperator::BitNot => "~",
                    UnaryOperator::Not => "NOT ",
                });
                self.primary(operand);
            }
            Expr::Binary(left, operator, right) => {
                self.primary(left);
                let _ = write!(self.out, " {} ", operator.text());
                self.primary(right);
            }
            Expr::And(parts) | Expr::Or(parts) => {
                let word = if matches!(value, Expr::And(_)) { " AND " } else { " OR " };
                for (place, part) in parts.iter().enumerate() {
                    self.put(if place > 0 { word } else { "" });
                    self.primary(part);
                }
            }
            Expr::Quantified(left, operator, quantifier, query) => {
                self.primary(left);
                let word = if *quantifier == Quantifier::All { "ALL" } else { "ANY" };
                let _ = write!(self.out, " {} {word} (", operator.text());
                self.query(query);
                self.put(")");
            }
            Expr::Test(left, negated, test) => self.test(left, *negated, test),
            Expr::Exists(query) => {
                self.put("EXISTS (");
                self.query(query);
                self.put(")");
            }
            Expr::Subquery(query) => {
                self.put("(");
                self.query(query);
                self.put(")");
            }
            Expr::Case(case) => self.case(case),
            Expr::Cast(cast) => {
                self.put(if cast.kind == CastKind::Convert { "CONVERT(" } else { "CAST(" });
                self.expression(&cast.value);
                self.put(if cast.kind == CastKind::Convert { ", " } else { " AS " });
                self.put(&type_text(&cast.data_type));
                self.put(")");
            }
            Expr::Collate(inner, name) => {
                self.primary(inner);
                self.put(" COLLATE ");
                self.name(name);
            }
            Expr::Call(call) => self.call(call),
            Expr::OdbcLiteral(kind, text) => {
                let _ = write!(self.out, "{{{} ", kind.text);
                self.string(text);
                self.put("}");
            }
            _ => {}
        }
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Null => self.put("NULL"),
            Literal::String(text) | Literal::NationalString(text) => self.string(text),
            Literal::Binary(digits) => {
                let _ = write!(self.out, "x'{}'", digits.trim_start_matches("0x"));
            }
            Literal::Integer(text) | Literal::Decimal(text) | Literal::Float(text) | Literal::Money(text) => {
                self.put(text);
            }
        }
    }

    fn test(&mut self, left: &Expr, negated: bool, test: &Test) {
        self.primary(left);
        let not = if negated { " NOT" } else { "" };
        match test {
            Test::Null => self.put(if negated { " IS NOT NULL" } else { " IS NULL" }),
            Test::DistinctFrom(_) => {}
            Test::Between(low, high) => {
                let _ = write!(self.out, "{not} BETWEEN ");
                self.primary(low);
                self.put(" AND ");
                self.primary(high);
            }
            Test::InList(items) => {
                let _ = write!(self.out, "{not} IN (");
                self.list(items, Self::expression);
                self.put(")");
            }
            Test::InQuery(query) => {
                let _ = write!(self.out, "{not} IN (");
                self.query(query);
                self.put(")");
            }
            Test::Like(pattern, escape) => {
                let _ = write!(self.out, "{not} LIKE ");
                self.primary(pattern);
                if let Some(escape) = escape {
                    self.put(" ESCAPE ");
                    self.primary(escape);
                }
            }
        }
    }

    fn case(&mut self, case: &Case) {
        self.put("CASE");
        self.optional(" ", case.operand.as_ref());
        for (when, then) in &case.branches {
            self.optional(" WHEN ", Some(when));
            self.optional(" THEN ", Some(then));
        }
        self.optional(" ELSE ", case.otherwise.as_ref());
        self.put(" END");
    }

    fn call(&mut self, call: &Call) {
        self.object(&call.name);
        self.put("(");
        self.put(match call.quantifier {
            Some(SetQuantifier::Distinct) => "DISTINCT ",
            Some(SetQuantifier::All) => "ALL ",
            None => "",
        });
        self.list(&call.arguments, |it, argument| {
            if let Argument::Value(value) = argument {
                it.expression(value);
            }
        });
        self.put(")");
    }
}
