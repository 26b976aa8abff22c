//! Common table expressions that name themselves.
//!
//! ```text
//!   first UNION ALL first UNION ALL again UNION ALL again
//!   first UNION ALL first   UNION ALL   SELECT * FROM "mssql:table:recursion"('100', (again UNION ALL again))
//! ```

use super::Reducer;
use crate::tree::{CommonTable, Literal, Name, Phrase, PhraseItem, QueryBody, SetOperator, Source};
use mainstay_tsql_types::Message;

impl Reducer<'_> {
    /// Writes the first and the recursive part of a common table expression.
    pub(super) fn recursion(&mut self, first: &QueryBody, again: &QueryBody) -> Result<(), Message> {
        self.body(first)?;
        self.push(" UNION ALL ");
        let limit = match (self.recursion_limit, again) {
            (0, QueryBody::Select(_)) => return self.body(again),
            // Several parts run together, with or without a limit of recursion.
            (0, QueryBody::Set(..)) => u32::MAX.to_string(),
            (limit, _) => limit.to_string(),
        };
        self.push("SELECT * FROM \"mssql:table:recursion\"(");
        self.text(&limit);
        self.push(", (");
        self.body(again)?;
        self.push(")) AS \"#r\"");
        Ok(())
    }

    /// Takes MAXRECURSION of the hints of a statement.
    ///
    /// Errors: 310 for more than 32,767.
    pub(super) fn recursion_limit(&mut self, hints: &[Phrase]) -> Result<(), Message> {
        for hint in hints.iter().filter(|hint| hint.starts("MAXRECURSION")) {
            let Some(PhraseItem::Literal(Literal::Integer(digits))) = hint.items.get(1) else { continue };
            self.recursion_limit = match digits.parse() {
                Ok(limit) if limit <= 32_767 => limit,
                _ => {
                    let text = format!(
                        "The value {digits} specified for the MAXRECURSION option exceeds the allowed maximum of 32767."
                    );
                    return Err(Message::error(310, text).severity(15));
                }
            };
        }
        Ok(())
    }
}

/// Returns true if a common table expression names itself.
pub(super) fn is_recursive(table: &CommonTable) -> bool {
    names(&table.query.body, &table.name)
}

/// The parts of a recursive common table expression that do not name it and those that do, which run in each turn.
pub(super) fn recursive_parts(table: &CommonTable) -> Option<(QueryBody, QueryBody)> {
    let mut parts = Vec::new();
    let mut rest = &table.query.body;
    while let QueryBody::Set(left, SetOperator::Union, true, right) = rest {
        parts.push(right.as_ref());
        rest = left;
    }
    parts.push(rest);
    let united = |parts: Vec<&QueryBody>| {
        let mut parts = parts.into_iter().rev().cloned();
        let first = parts.next()?;
        Some(parts.fold(first, |left, right| QueryBody::Set(Box::new(left), SetOperator::Union, true, Box::new(right))))
    };
    let (again, first) = parts.into_iter().partition(|part| names(part, &table.name));
    Some((united(first)?, united(again)?))
}

/// Returns true if a query names a table.
fn names(body: &QueryBody, name: &Name) -> bool {
    fn in_body(body: &QueryBody, name: &Name) -> bool {
        match body {
            QueryBody::Set(left, _, _, right) => in_body(left, name) || in_body(right, name),
            QueryBody::Select(select) => select.from.iter().any(|source| in_source(source, name)),
        }
    }
    fn in_source(source: &Source, name: &Name) -> bool {
        match source {
            Source::Table(table) => table.name.is(&name.text),
            Source::Query(query, _) => in_body(&query.body, name),
            Source::Join(join) => in_source(&join.left, name) || in_source(&join.right, name),
            Source::Apply(left, _, right) => in_source(left, name) || in_source(right, name),
            Source::Nested(inner) | Source::OdbcJoin(inner) => in_source(inner, name),
            _ => false,
        }
    }
    in_body(body, name)
}
