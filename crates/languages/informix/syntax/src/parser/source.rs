//! FROM.

use super::Parser;
use crate::error::Parse;
use crate::tree::{Alias, Join, JoinKind, Source, TableSource};

impl Parser<'_> {
    pub(super) fn sources(&mut self) -> Parse<Vec<Source>> {
        let (mut sources, mut subordinate): (Vec<Source>, Vec<Source>) = (Vec::new(), Vec::new());
        loop {
            let is_outer = self.sees("OUTER") && !self.is(1, ",") && !self.is(1, "WHERE");
            if is_outer {
                self.advance();
                let right = match self.accept("(") {
                    // Several tables, of which some may be subordinate to the others.
                    true => {
                        let inner = self.nested(Self::sources)?.into_iter().reduce(cross);
                        self.expect(")")?;
                        inner.ok_or_else(|| self.unexpected())?
                    }
                    false => self.joined()?,
                };
                subordinate.push(right);
            } else {
                sources.push(self.joined()?);
            }
            if !self.accept(",") {
                break;
            }
        }
        if subordinate.is_empty() {
            return Ok(sources);
        }
        // All other tables, wherever they stand, keep their rows where a subordinate one has no partner.
        let dominant = sources.into_iter().reduce(cross).ok_or_else(|| self.unexpected())?;
        let with = |left: Source, right: Source| Source::Apply(Box::new(left), true, Box::new(right));
        Ok(vec![subordinate.into_iter().fold(dominant, with)])
    }

    fn joined(&mut self) -> Parse<Source> {
        let mut left = self.nested(Self::source)?;
        while let Some(kind) = self.join_kind() {
            self.link()?;
            let right = self.nested(Self::source)?;
            let condition = match kind {
                JoinKind::Cross => None,
                _ => {
                    self.expect("ON")?;
                    Some(self.expression()?)
                }
            };
            left = Source::Join(Box::new(Join { left, kind, hint: None, right, condition }));
        }
        Ok(left)
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

    pub(super) fn source(&mut self) -> Parse<Source> {
        if ["TABLE ( SET {", "TABLE ( MULTISET {", "TABLE ( LIST {"].iter().any(|words| self.accept(words)) {
            let values = self.list(Self::expression)?;
            self.expect("} )")?;
            let rows = values.into_iter().map(|value| vec![value]).collect();
            return Ok(Source::Values(rows, self.alias()?));
        }
        if self.accept("TABLE ( MULTISET (") {
            let query = self.query()?;
            self.expect(") )")?;
            return Ok(Source::Query(Box::new(query), self.alias()?));
        }
        if self.accept("TABLE (") || self.accept("LATERAL (") || (self.sees("( SELECT") && self.accept("(")) {
            let query = self.query()?;
            self.expect(")")?;
            return Ok(Source::Query(Box::new(query), self.alias()?));
        }
        if self.accept("(") {
            let inner = self.nested(Self::joined)?;
            self.expect(")")?;
            return Ok(Source::Nested(Box::new(inner)));
        }
        let name = self.object_name()?;
        let alias = self.alias()?.name;
        Ok(Source::Table(Box::new(TableSource { name, alias, ..TableSource::default() })))
    }

    fn alias(&mut self) -> Parse<Alias> {
        let name = match self.accept("AS") || self.is_alias(0) {
            true => Some(self.name()?),
            false => None,
        };
        let columns = if name.is_some() && self.sees("(") { self.names()? } else { Vec::new() };
        Ok(Alias { name, columns })
    }
}

fn cross(left: Source, right: Source) -> Source {
    Source::Join(Box::new(Join { left, kind: JoinKind::Cross, hint: None, right, condition: None }))
}
