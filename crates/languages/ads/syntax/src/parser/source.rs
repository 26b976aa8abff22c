//! FROM: tables, joins, subqueries, procedures.

use super::Parser;
use crate::error::Parse;
use crate::tree::{Alias, Argument, Call, Expr, Join, JoinKind, Name, Source, TableSource};

impl Parser<'_> {
    pub(super) fn sources(&mut self) -> Parse<Vec<Source>> {
        self.list(|it| it.nested(Self::joined))
    }

    fn joined(&mut self) -> Parse<Source> {
        let mut left = self.source()?;
        while let Some(kind) = self.join_kind() {
            self.link()?;
            let right = self.source()?;
            let nested = self.nested_joins(right)?;
            let condition = match kind {
                JoinKind::Cross => None,
                _ => {
                    self.expect("ON")?;
                    Some(self.expression()?)
                }
            };
            left = Source::Join(Box::new(Join { left, kind, hint: None, right: nested, condition }));
        }
        Ok(left)
    }

    /// `a JOIN b JOIN c ON .. ON ..`: joins that stand before the condition belong to the right side.
    fn nested_joins(&mut self, right: Source) -> Parse<Source> {
        let mut right = right;
        while !self.sees("ON") {
            let Some(kind) = self.join_kind() else { break };
            self.link()?;
            let inner = self.source()?;
            let inner = self.nested(|it| it.nested_joins(inner))?;
            let condition = match kind {
                JoinKind::Cross => None,
                _ => {
                    self.expect("ON")?;
                    Some(self.expression()?)
                }
            };
            right = Source::Join(Box::new(Join { left: right, kind, hint: None, right: inner, condition }));
        }
        Ok(right)
    }

    fn join_kind(&mut self) -> Option<JoinKind> {
        const KINDS: [(&str, JoinKind); 9] = [
            ("INNER JOIN", JoinKind::Inner),
            ("JOIN", JoinKind::Inner),
            ("LEFT OUTER JOIN", JoinKind::Left),
            ("LEFT JOIN", JoinKind::Left),
            ("RIGHT OUTER JOIN", JoinKind::Right),
            ("RIGHT JOIN", JoinKind::Right),
            ("FULL OUTER JOIN", JoinKind::Full),
            ("FULL JOIN", JoinKind::Full),
            ("CROSS JOIN", JoinKind::Cross),
        ];
        KINDS.into_iter().find(|(words, _)| self.accept(words)).map(|(_, kind)| kind)
    }

    fn source(&mut self) -> Parse<Source> {
        if self.accept("{") {
            self.expect("OJ")?;
            let inner = self.nested(Self::joined)?;
            self.expect("}")?;
            return Ok(Source::OdbcJoin(Box::new(inner)));
        }
        if self.sees("EXECUTE PROCEDURE") {
            let call = self.procedure_source()?;
            return Ok(Source::Function(Box::new(call), Vec::new(), self.alias()?));
        }
        if self.accept("(") {
            if self.sees("SELECT") {
                let query = self.query()?;
                self.expect(")")?;
                return Ok(Source::Query(Box::new(query), self.alias()?));
            }
            if self.sees("EXECUTE PROCEDURE") {
                let call = self.procedure_source()?;
                self.expect(")")?;
                return Ok(Source::Function(Box::new(call), Vec::new(), self.alias()?));
            }
            let inner = self.nested(Self::joined)?;
            self.expect(")")?;
            return Ok(Source::Nested(Box::new(inner)));
        }
        let name = self.table_name()?;
        let alias = self.table_alias()?;
        Ok(Source::Table(Box::new(TableSource { name, alias, ..TableSource::default() })))
    }

    fn procedure_source(&mut self) -> Parse<Expr> {
        self.expect("EXECUTE PROCEDURE")?;
        let (name, values) = self.procedure_call()?;
        let arguments = values.into_iter().map(Argument::Value).collect();
        Ok(Expr::Call(Box::new(Call { name, arguments, ..Call::default() })))
    }

    fn alias(&mut self) -> Parse<Alias> {
        Ok(Alias { name: self.table_alias()?, columns: Vec::new() })
    }

    pub(super) fn table_alias(&mut self) -> Parse<Option<Name>> {
        if self.accept("AS") {
            return self.any_name().map(Some);
        }
        // CROSS is no reserved word, but no alias either.
        if self.is_name(0) && !self.sees("CROSS JOIN") { self.name().map(Some) } else { Ok(None) }
    }
}
