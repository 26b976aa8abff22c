//! Objects that a text of T-SQL names: tables that it reads and changes, functions and procedures that it calls.
//!
//! Only the tokens are examined: the words before a name (`FROM`, `JOIN`, `INSERT INTO`, `EXEC`) or behind it (a
//! parenthesis behind a name with a schema is a call), so the text need not parse. Names of common table expressions,
//! of temporary tables and of variables are left out. Limit: names in executed strings.

use crate::lexer::tokens;
use mainstay_syntax::{Token, TokenKind, unquoted};

/// The way a statement uses the named object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Its rows are read, or nothing more is known.
    Read,
    /// Its rows are changed.
    Changed,
    /// It is called.
    Called,
}

/// A name with what is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its parts as they were written, without quotes: server, database, schema and name as far as they are there.
    pub parts: Vec<String>,
    /// The use of the object.
    pub naming: Naming,
    /// Its alias, if any.
    pub alias: Option<String>,
}

/// The objects that a text names, each once for what is done, in the order in which they come.
pub fn references(text: &str) -> Vec<Reference> {
    let (all, _) = tokens(text);
    let mut reader = Reader { text, tokens: &all, at: 0, found: Vec::new(), common: Vec::new() };
    reader.read();
    let Reader { mut found, common, .. } = reader;
    let is_other = |reference: &Reference| match reference.parts.as_slice() {
        [name] => {
            common.iter().any(|known| known.eq_ignore_ascii_case(name))
                || ["inserted", "deleted"].iter().any(|known| known.eq_ignore_ascii_case(name))
        }
        _ => false,
    };
    found.retain(|reference| !is_other(reference));
    let mut once: Vec<Reference> = Vec::with_capacity(found.len());
    for reference in found {
        if !once.contains(&reference) {
            once.push(reference);
        }
    }
    once
}

/// Words that end the list of tables behind FROM.
const ENDS: [&str; 13] = [
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "SELECT",
    "SET",
    "OPTION",
    "FOR",
    "WHEN",
    "VALUES",
];

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    found: Vec<Reference>,
    common: Vec<String>,
}

impl Reader<'_> {
    fn text_at(&self, at: usize) -> &str {
        self.tokens
            .get(at)
            .and_then(|token| self.text.get(token.span.start as usize..token.span.end as usize))
            .unwrap_or("")
    }

    fn is_word(&self, at: usize, word: &str) -> bool {
        let kind = self.tokens.get(at).map(|token| token.kind);
        matches!(kind, Some(TokenKind::Word | TokenKind::Reserved)) && self.text_at(at).eq_ignore_ascii_case(word)
    }

    fn is_name(&self, at: usize) -> bool {
        let kind = self.tokens.get(at).map(|token| token.kind);
        matches!(kind, Some(TokenKind::Word | TokenKind::Quoted | TokenKind::DoubleQuoted))
    }

    /// The name that begins here, and where it ends.
    fn name(&self, mut at: usize) -> Option<(Vec<String>, usize)> {
        let mut parts = Vec::new();
        loop {
            if !self.is_name(at) {
                return None;
            }
            let text = self.text_at(at);
            parts.push(match self.tokens.get(at).map(|token| token.kind) {
                Some(TokenKind::Word) => text.to_owned(),
                _ => unquoted(text),
            });
            at += 1;
            let mut points = 0;
            while self.text_at(at) == "." {
                (at, points) = (at + 1, points + 1);
            }
            match points {
                0 => return Some((parts, at)),
                1 => {}
                _ => parts.extend((1..points).map(|_| String::new())),
            }
        }
    }

    fn note(&mut self, at: usize, naming: Naming) -> usize {
        let Some((parts, end)) = self.name(at) else { return at };
        if parts.len() <= 4 && parts.last().is_some_and(|name| !name.starts_with('#')) {
            let place = if self.is_word(end, "AS") { end + 1 } else { end };
            let alias = self.name(place).filter(|(parts, _)| parts.len() == 1 && naming != Naming::Called);
            self.found.push(Reference { parts, naming, alias: alias.and_then(|(mut parts, _)| parts.pop()) });
        }
        end
    }

    fn read(&mut self) {
        // The number of open parentheses, and those of them that have a list of tables.
        let (mut depth, mut lists) = (0usize, Vec::new());
        while self.at < self.tokens.len() {
            let at = self.at;
            self.at += 1;
            if self.text_at(at) == "(" {
                depth += 1;
                continue;
            }
            if self.text_at(at) == ")" {
                lists.retain(|list| *list < depth);
                depth = depth.saturating_sub(1);
                continue;
            }
            if ENDS.iter().any(|word| self.is_word(at, word)) {
                lists.retain(|list| *list != depth);
            }
            let is_deleted = self.is_word(at, "DELETE");
            if self.is_word(at, "FROM") {
                lists.push(depth);
                let is_target = at > 0 && self.is_word(at - 1, "DELETE");
                self.at = self.table(at + 1, if is_target { Naming::Changed } else { Naming::Read });
            } else if ["JOIN", "APPLY", "USING"].iter().any(|word| self.is_word(at, word))
                || self.text_at(at) == "," && lists.contains(&depth)
            {
                self.at = self.table(at + 1, Naming::Read);
            } else if self.is_word(at, "INTO") || self.is_word(at, "MERGE") || self.is_word(at, "TABLE") {
                self.at = self.note(at + 1, Naming::Changed);
            } else if self.is_word(at, "INSERT") || is_deleted {
                // `INSERT t`, `DELETE t`; otherwise INTO and FROM tell.
                self.at = if self.is_name(at + 1) { self.note(at + 1, Naming::Changed) } else { at + 1 };
            } else if self.is_word(at, "UPDATE") && self.text_at(at + 1) != "(" {
                self.at = self.note(at + 1, Naming::Changed);
            } else if self.is_word(at, "EXEC") || self.is_word(at, "EXECUTE") {
                // `EXEC @status = p`
                let is_status = self.tokens.get(at + 1).is_some_and(|token| token.kind == TokenKind::Variable)
                    && self.text_at(at + 2) == "=";
                let name = if is_status { at + 3 } else { at + 1 };
                let is_as = self.is_word(name, "AS");
                self.at = if is_as { name } else { self.note(name, Naming::Called).max(name) };
            } else if self.is_word(at, "REFERENCES") || self.next_value(at) {
                let name = if self.is_word(at, "REFERENCES") { at + 1 } else { at + 3 };
                self.at = self.note(name, Naming::Read).max(name);
            } else if let Some((parts, end)) = self.name(at) {
                let follows = self.text_at(end) == "(";
                if parts.len() > 1 && follows && !parts[0].is_empty() {
                    self.found.push(Reference { parts, naming: Naming::Called, alias: None });
                } else if self.is_common(end) && parts.len() == 1 {
                    self.common.extend(parts);
                }
                self.at = end;
            }
        }
    }

    /// A table of a list; a function there is called.
    fn table(&mut self, at: usize, naming: Naming) -> usize {
        match self.name(at) {
            Some((_, end)) if self.text_at(end) == "(" && !self.is_word(end + 1, "NOLOCK") => {
                self.note(at, Naming::Called).max(at)
            }
            Some(_) => self.note(at, naming),
            None => at,
        }
    }

    fn next_value(&self, at: usize) -> bool {
        self.is_word(at, "NEXT") && self.is_word(at + 1, "VALUE") && self.is_word(at + 2, "FOR")
    }

    /// Returns true if what follows a name makes a common table expression of it: `AS (SELECT`, perhaps behind a list
    /// of columns.
    fn is_common(&self, mut at: usize) -> bool {
        if self.text_at(at) == "(" {
            while at < self.tokens.len() && self.text_at(at) != ")" {
                at += 1;
            }
            at += 1;
        }
        self.is_word(at, "AS") && self.text_at(at + 1) == "(" && self.is_word(at + 2, "SELECT")
    }
}

#[cfg(test)]
mod tests {
    use super::{Naming, references};

    #[test]
    fn names_are_found_by_what_stands_around_them() {
        let named = |text: &str| {
            let shown = |naming| match naming {
                Naming::Read => "read",
                Naming::Changed => "changed",
                Naming::Called => "called",
            };
            let all = references(text);
            all.iter().map(|it| format!("{} {}", it.parts.join("."), shown(it.naming))).collect::<Vec<_>>().join(", ")
        };
        for (text, wanted) in [
            ("SELECT a, b FROM t WHERE c = 1", "t read"),
            (
                "SELECT * FROM dbo.a AS x, [b c] y JOIN s.c ON x.i = c.i, d WHERE x.k IN (1, 2)",
                "dbo.a read, b c read, s.c read, d read",
            ),
            ("SELECT a, (SELECT MAX(x) FROM u) FROM t ORDER BY a, b", "u read, t read"),
            ("WITH c AS (SELECT 1 AS n FROM t) SELECT * FROM c JOIN #x ON 1 = 1 JOIN @v ON 1 = 1", "t read"),
            (
                "INSERT INTO t (a) SELECT b FROM u; INSERT v VALUES (1); UPDATE w SET a = 1; DELETE FROM z; DELETE y",
                "t changed, u read, v changed, w changed, z changed, y changed",
            ),
            ("SELECT dbo.f(a), len(b) FROM dbo.g(1) CROSS APPLY dbo.h(a)", "dbo.f called, dbo.g called, dbo.h called"),
            (
                "EXEC p 1; EXECUTE @r = dbo.q @x; EXEC (@sql); EXEC sp_executesql @s",
                "p called, dbo.q called, sp_executesql called",
            ),
            ("CREATE TRIGGER r ON t AFTER INSERT AS IF UPDATE(a) INSERT log SELECT a FROM inserted", "log changed"),
            ("SELECT 'FROM x' -- FROM y\n FROM z", "z read"),
            ("FROM", ""),
            ("EXEC", ""),
            ("SELECT NEXT VALUE FOR dbo.s", "dbo.s read"),
        ] {
            assert_eq!(named(text), wanted, "{text}");
        }
    }
}
