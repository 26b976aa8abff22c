//! Clues to the types of variables that a text of T-SQL does not declare: drivers ask for the types of a statement's
//! parameters before they know the values.
//!
//! As in [`references`](crate::references), only the tokens are examined: a variable beside an operator that compares
//! it with a column, one that is set to a column, a value of an INSERT, an argument of EXEC, a number of rows. Without
//! a clue, a variable stays unknown.

use crate::lexer::tokens;
use crate::references::{self, Reference};
use mainstay_syntax::{Token, TokenKind, unquoted};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The clue to a variable's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// It meets this column: the name as it was written, of which the last part is the column.
    Column(Vec<String>),
    /// It is a value of an INSERT into this table, for the column of this name, or at this place of its columns.
    Inserted(Vec<String>, Option<String>, usize),
    /// It is an argument of a call of this procedure: by the name of a parameter, with the `@`, or at this place.
    Argument(Vec<String>, Option<String>, usize),
    /// It takes the status of a procedure.
    Status,
    /// It counts rows.
    Count,
    /// It is a pattern, or text.
    Text,
    /// Nothing.
    Unknown,
}

/// The variables of a text without a declaration, each once, in the order in which they come; `known` are declared
/// elsewhere. Beside them the tables of the text, by which names of columns are looked up.
pub fn undeclared(text: &str, known: &[String]) -> (Vec<(String, Hint)>, Vec<Reference>) {
    let (all, _) = tokens(text);
    let reader = Reader { text, tokens: &all, lists: RefCell::default() };
    let mut declared: HashSet<String> = known.iter().map(|name| name.to_lowercase()).collect();
    let mut found: Vec<(String, Hint)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut at = 0;
    while at < all.len() {
        if reader.is_word(at, "DECLARE") {
            at = reader.declaration(at + 1, &mut declared);
            continue;
        }
        let mut note = |at: usize, hint: Hint| {
            let name = reader.text_at(at);
            let lower = name.to_lowercase();
            if reader.kind(at) != TokenKind::Variable || name.starts_with("@@") || declared.contains(&lower) {
                return;
            }
            match places.get(&lower).and_then(|place| found.get_mut(*place)) {
                Some((_, known)) if *known == Hint::Unknown => *known = hint,
                Some(_) => {}
                None => {
                    places.insert(lower, found.len());
                    found.push((name.to_owned(), hint));
                }
            }
        };
        if (reader.is_word(at, "EXEC") || reader.is_word(at, "EXECUTE")) && reader.text_at(at + 1) != "(" {
            at = reader.arguments(at + 1, &mut note);
            continue;
        }
        if all[at].kind == TokenKind::Variable {
            note(at, reader.hint(at));
        }
        at += 1;
    }
    (found, references::references(text))
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// The lists of values that were looked at, by the parentheses that open their rows: a row asks the one before it.
    lists: RefCell<HashMap<usize, Option<Rc<Inserted>>>>,
}

/// The table that rows of values are for, and the columns that are named.
struct Inserted {
    table: Vec<String>,
    columns: Option<Vec<String>>,
}

impl Reader<'_> {
    fn text_at(&self, at: usize) -> &str {
        let span = self.tokens.get(at).map(|token| token.span);
        span.and_then(|span| self.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |token| token.kind)
    }

    fn is_word(&self, at: usize, word: &str) -> bool {
        matches!(self.kind(at), TokenKind::Word | TokenKind::Reserved) && self.text_at(at).eq_ignore_ascii_case(word)
    }

    fn is_name(&self, at: usize) -> bool {
        matches!(self.kind(at), TokenKind::Word | TokenKind::Quoted | TokenKind::DoubleQuoted)
    }

    /// Takes the variables of a DECLARE, and gives where its list ends.
    fn declaration(&self, mut at: usize, declared: &mut HashSet<String>) -> usize {
        let mut depth = 0usize;
        let mut is_first = true;
        while self.kind(at) != TokenKind::End {
            match self.text_at(at) {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "," if depth == 0 => is_first = true,
                name if is_first && self.kind(at) == TokenKind::Variable => {
                    declared.insert(name.to_lowercase());
                    is_first = false;
                }
                _ if is_first || depth == 0 && self.kind(at) == TokenKind::Reserved && !self.is_word(at, "AS") => {
                    return at;
                }
                ";" if depth == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// Notes the variables of a call, and gives where it ends.
    fn arguments(&self, mut at: usize, note: &mut dyn FnMut(usize, Hint)) -> usize {
        if self.kind(at) == TokenKind::Variable && self.text_at(at + 1) == "=" {
            note(at, Hint::Status);
            at += 2;
        }
        if self.kind(at) == TokenKind::Variable {
            note(at, Hint::Unknown);
            at += 1;
        }
        let mut procedure = Vec::new();
        while self.is_name(at) || self.text_at(at) == "." {
            if self.is_name(at) {
                procedure.push(self.part(at));
            }
            at += 1;
        }
        let mut place = 0;
        loop {
            let mut name = None;
            if self.kind(at) == TokenKind::Variable && self.text_at(at + 1) == "=" {
                name = Some(self.text_at(at).to_owned());
                at += 2;
            }
            if self.kind(at) == TokenKind::Variable {
                note(at, Hint::Argument(procedure.clone(), name, place));
            }
            // An argument is one token, perhaps with a sign before it and OUTPUT behind.
            at += usize::from(self.text_at(at) == "-") + 1;
            at += usize::from(self.is_word(at, "OUTPUT") || self.is_word(at, "OUT"));
            if self.text_at(at) != "," {
                return at;
            }
            at += 1;
            place += 1;
        }
    }

    fn part(&self, at: usize) -> String {
        match self.kind(at) {
            TokenKind::Word => self.text_at(at).to_owned(),
            _ => unquoted(self.text_at(at)),
        }
    }

    /// The name that ends before this token.
    fn name_before(&self, at: usize) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        let mut at = at.checked_sub(1)?;
        loop {
            if !self.is_name(at) {
                return None;
            }
            parts.insert(0, self.part(at));
            if at < 2 || self.text_at(at - 1) != "." {
                return Some(parts);
            }
            at -= 2;
        }
    }

    /// The name that begins with this token, if nothing calls it.
    fn name_at(&self, mut at: usize) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        loop {
            if !self.is_name(at) {
                return None;
            }
            parts.push(self.part(at));
            at += 1;
            if self.text_at(at) != "." {
                return (self.text_at(at) != "(").then_some(parts);
            }
            at += 1;
        }
    }

    fn hint(&self, at: usize) -> Hint {
        let before = |steps: usize| at.checked_sub(steps);
        let is_before = |steps: usize, word: &str| before(steps).is_some_and(|at| self.is_word(at, word));
        if is_before(1, "TOP")
            || is_before(2, "TOP")
            || is_before(1, "OFFSET")
            || is_before(1, "NEXT")
            || is_before(1, "FIRST")
        {
            return Hint::Count;
        }
        // `column = @p`, `column += @p`, `column BETWEEN @p`
        if let Some(operator) = before(1)
            && is_operator(self.text_at(operator))
            && let Some(name) = self.name_before(operator)
        {
            return Hint::Column(name);
        }
        if is_operator(self.text_at(at + 1))
            && let Some(name) = self.name_at(at + 2)
        {
            return Hint::Column(name);
        }
        for word in ["LIKE", "BETWEEN"] {
            if is_before(1, word) {
                let operator = before(if is_before(2, "NOT") { 2 } else { 1 }).unwrap_or(0);
                return self.name_before(operator).map_or(Hint::Text, Hint::Column);
            }
        }
        // `column BETWEEN x AND @p`
        if is_before(1, "AND")
            && let Some(between) = before(3).filter(|_| is_before(3, "BETWEEN"))
            && let Some(name) = self.name_before(between)
        {
            return Hint::Column(name);
        }
        self.listed(at).unwrap_or(Hint::Unknown)
    }

    /// The clue of a variable in parentheses: `column IN (@p, ...)`, `INSERT INTO t (...) VALUES (@p, ...)`.
    fn listed(&self, at: usize) -> Option<Hint> {
        let (mut open, mut depth, mut place) = (at, 0usize, 0usize);
        loop {
            open = open.checked_sub(1)?;
            match self.text_at(open) {
                ")" => depth += 1,
                "(" if depth == 0 => break,
                "(" => depth -= 1,
                "," if depth == 0 => place += 1,
                ";" => return None,
                _ => {}
            }
        }
        let mut word = open.checked_sub(1)?;
        if self.is_word(word, "IN") {
            word = word.checked_sub(1)?;
            let end = if self.is_word(word, "NOT") { word } else { word + 1 };
            return self.name_before(end).map(Hint::Column);
        }
        let inserted = self.inserted(open)?;
        let column = match &inserted.columns {
            Some(names) => Some(names.get(place)?.clone()),
            None => None,
        };
        Some(Hint::Inserted(inserted.table.clone(), column, place))
    }

    /// The table of the INSERT that has a row of values in this parenthesis.
    fn inserted(&self, open: usize) -> Option<Rc<Inserted>> {
        if let Some(known) = self.lists.borrow().get(&open) {
            return known.clone();
        }
        // The rows before this one, back to one that is known.
        let (mut rows, mut first) = (vec![open], open);
        let found = loop {
            let Some(before) = first.checked_sub(1) else { break None };
            if self.text_at(before) != "," {
                break self.inserted_before(before);
            }
            let Some(row) = before.checked_sub(1).and_then(|close| self.opening(close)) else { break None };
            if let Some(known) = self.lists.borrow().get(&row) {
                break known.clone();
            }
            rows.push(row);
            first = row;
        };
        self.lists.borrow_mut().extend(rows.into_iter().map(|row| (row, found.clone())));
        found
    }

    /// The names before VALUES, which is this token.
    fn inserted_before(&self, word: usize) -> Option<Rc<Inserted>> {
        if !self.is_word(word, "VALUES") {
            return None;
        }
        let mut end = self.output_before(word).unwrap_or(word);
        let mut columns = None;
        if self.text_at(end.checked_sub(1)?) == ")" {
            let opening = self.opening(end - 1)?;
            columns = Some(opening + 1..end - 1);
            end = opening;
        }
        let table = self.name_before(end)?;
        let columns = columns.map(|columns| {
            let (mut names, mut depth) = (Vec::new(), 0);
            for at in columns {
                match self.text_at(at) {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    _ if depth == 0 && self.is_name(at) => names.push(self.part(at)),
                    _ => {}
                }
            }
            names
        });
        Some(Rc::new(Inserted { table, columns }))
    }

    /// The OUTPUT clause between an INSERT's columns and its VALUES.
    fn output_before(&self, values: usize) -> Option<usize> {
        let mut at = values.checked_sub(1)?;
        loop {
            match self.text_at(at) {
                ")" => at = self.opening(at)?,
                ";" => return None,
                _ if self.is_word(at, "OUTPUT") => return Some(at),
                _ if self.is_word(at, "INSERT") || self.is_word(at, "VALUES") => return None,
                _ => {}
            }
            at = at.checked_sub(1)?;
        }
    }

    /// Where the parenthesis is opened that is closed here; nothing where none is closed.
    fn opening(&self, close: usize) -> Option<usize> {
        let (mut at, mut depth) = (close, 0usize);
        loop {
            match self.text_at(at) {
                ")" => depth += 1,
                "(" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at = at.checked_sub(1)?;
        }
    }
}

fn is_operator(text: &str) -> bool {
    let all =
        ["=", "<>", "!=", "<", ">", "<=", ">=", "!<", "!>", "+", "-", "*", "/", "%", "+=", "-=", "*=", "/=", "%="];
    all.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::{Hint, undeclared};

    #[test]
    fn variables_take_what_stands_beside_them() {
        let shown = |text: &str| {
            let all = undeclared(text, &["@known".to_owned()]).0;
            let one = |(name, hint): &(String, Hint)| match hint {
                Hint::Column(parts) => format!("{name} {}", parts.join(".")),
                Hint::Inserted(table, column, place) => {
                    format!("{name} {}({})", table.join("."), column.clone().unwrap_or_else(|| place.to_string()))
                }
                Hint::Argument(procedure, parameter, place) => {
                    format!("{name} {}:{}", procedure.join("."), parameter.clone().unwrap_or_else(|| place.to_string()))
                }
                other => format!("{name} {other:?}"),
            };
            all.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        for (text, wanted) in [
            ("SELECT * FROM t WHERE t.a = @p AND @q < b AND c LIKE @r", "@p t.a, @q b, @r c"),
            ("SELECT TOP (@n) * FROM t WHERE a BETWEEN @x AND @y AND b NOT IN (1, @z)", "@n Count, @x a, @y a, @z b"),
            ("INSERT INTO dbo.t (a, [b c]) VALUES (@p, @q), (1, @r)", "@p dbo.t(a), @q dbo.t(b c), @r dbo.t(b c)"),
            ("INSERT t VALUES (1, @p)", "@p t(1)"),
            ("INSERT t OUTPUT inserted.a, LEFT(inserted.b, 2) VALUES (1, @p), (@q)", "@p t(1), @q t(0)"),
            ("INSERT t (a, b) OUTPUT inserted.a INTO @known VALUES (@p, @q)", "@p t(a), @q t(b)"),
            ("UPDATE t SET a = @p, b += @q WHERE id = @known", "@p a, @q b"),
            ("DECLARE @x INT = 1, @y TABLE (a INT) SELECT @x, @p, @@ROWCOUNT", "@p Unknown"),
            ("SELECT @p; SELECT 1 FROM t WHERE a = @p", "@p a"),
            ("EXEC dbo.p @q, -1, @r OUTPUT SELECT @s", "@q dbo.p:0, @r dbo.p:2, @s Unknown"),
            ("EXECUTE @x = [my p] @a = @q, @b = @known, @c = DEFAULT, @d = @q", "@x Status, @q my p:@a"),
            ("EXEC", ""),
            ("EXEC p", ""),
            ("EXEC (@p)", "@p Unknown"),
            ("EXEC @p @q", "@p Unknown, @q :0"),
            ("VALUES (@p", "@p Unknown"),
            // The text before the comma closes no parenthesis.
            ("SELECT (1, (@p)", "@p Unknown"),
            ("f(a, (@p, @q", "@p Unknown, @q Unknown"),
            ("", ""),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }
}
