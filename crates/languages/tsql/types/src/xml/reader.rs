//! Reader of paths: see `path`.

use super::functions::is_function;
use super::path::{Axis, Expr, Step, Test};
use crate::messages::Message;

/// Node tests: names before parentheses in a step that are not functions.
const NODE_TESTS: [&str; 5] = ["text", "node", "element", "comment", "processing-instruction"];

/// Reads a text from its front.
pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
    variables: usize,
    /// True if a step leads to what an item stands in.
    pub(super) goes_up: bool,
    /// The prefixes of the names that were read.
    pub(super) prefixes: Vec<String>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Reader<'t> {
        Reader { text, at: 0, variables: 0, goes_up: false, prefixes: Vec::new() }
    }

    /// The expression that the text is.
    ///
    /// Errors: 2217 for an invalid text, 2395 for an unknown function.
    pub(super) fn whole(&mut self) -> Result<Expr, Message> {
        let expr = self.list()?;
        self.blanks();
        if self.rest().is_empty() { Ok(expr) } else { Err(self.error()) }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&self) -> Message {
        let near = self.rest().chars().next().map_or_else(|| "<eof>".to_owned(), |c| c.to_string());
        Message::error(2217, format!("XQuery: syntax error near '{near}', or a construct that is not supported here."))
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn accept(&mut self, text: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Message> {
        if self.accept(text) { Ok(()) } else { Err(self.error()) }
    }

    /// Accepts a word that is not the start of a longer one.
    fn word(&mut self, word: &str) -> bool {
        self.blanks();
        let follows = self.rest().strip_prefix(word).map(|rest| rest.chars().next());
        let found = follows.is_some_and(|next| next.is_none_or(|c| !is_name_part(c)));
        if found {
            self.at += word.len();
        }
        found
    }

    fn list(&mut self) -> Result<Expr, Message> {
        let first = self.or()?;
        if !self.accept(",") {
            return Ok(first);
        }
        let mut parts = vec![first, self.or()?];
        while self.accept(",") {
            parts.push(self.or()?);
        }
        Ok(Expr::List(parts))
    }

    fn or(&mut self) -> Result<Expr, Message> {
        let mut left = self.and()?;
        while self.word("or") {
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, Message> {
        let mut left = self.compare()?;
        while self.word("and") {
            left = Expr::And(Box::new(left), Box::new(self.compare()?));
        }
        Ok(left)
    }

    fn compare(&mut self) -> Result<Expr, Message> {
        let left = self.path()?;
        for op in ["!=", "<=", ">=", "=", "<", ">"] {
            if self.accept(op) {
                return Ok(Expr::Compare(Box::new(left), op, Box::new(self.path()?)));
            }
        }
        for (word, op) in [("eq", "="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")] {
            if self.word(word) {
                return Ok(Expr::Compare(Box::new(left), op, Box::new(self.path()?)));
            }
        }
        Ok(left)
    }

    fn path(&mut self) -> Result<Expr, Message> {
        self.blanks();
        let mut steps = Vec::new();
        let from = match self.primary()? {
            Some(primary) => {
                let conditions = self.conditions()?;
                let primary = match conditions.is_empty() {
                    true => primary,
                    false => Expr::Filtered(Box::new(primary), conditions),
                };
                self.blanks();
                if !self.rest().starts_with('/') {
                    return Ok(primary);
                }
                Some(Box::new(primary))
            }
            None => {
                self.blanks();
                if !self.rest().starts_with('/') {
                    steps.push(self.step(Axis::Near)?);
                } else if self.rest() == "/" {
                    self.at += 1;
                    return Ok(Expr::Steps(None, Vec::new()));
                }
                None
            }
        };
        loop {
            if self.accept("//") {
                steps.push(self.step(Axis::Deep)?);
            } else if self.accept("/") {
                steps.push(self.step(Axis::Near)?);
            } else {
                return Ok(Expr::Steps(from, steps));
            }
        }
    }

    /// A literal, something in parentheses, or a call; `None` for a step.
    fn primary(&mut self) -> Result<Option<Expr>, Message> {
        let rest = self.rest();
        match rest.chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.list()?;
                self.expect(")")?;
                Ok(Some(inner))
            }
            Some(quote @ ('"' | '\'')) => {
                let end = rest[1..].find(quote).ok_or_else(|| self.error())?;
                self.at += end + 2;
                Ok(Some(Expr::Literal(rest[1..=end].to_owned())))
            }
            Some(digit) if digit.is_ascii_digit() || digit == '-' => {
                let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(rest.len());
                let number = rest[..length].parse().map_err(|_| self.error())?;
                self.at += length;
                Ok(Some(Expr::Number(number)))
            }
            Some(start) if start.is_alphabetic() => self.call(),
            _ => Ok(None),
        }
    }

    fn call(&mut self) -> Result<Option<Expr>, Message> {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        let name = &rest[..length];
        let is_test = NODE_TESTS.contains(&name) || name.contains("::");
        if !rest[length..].trim_start().starts_with('(') || is_test {
            return Ok(None);
        }
        self.at += length;
        self.expect("(")?;
        let mut arguments = Vec::new();
        if !self.accept(")") {
            loop {
                arguments.push(self.or()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        if matches!(name, "sql:variable" | "sql:column") {
            self.variables += 1;
            return Ok(Some(Expr::Variable(self.variables - 1)));
        }
        let name = name.strip_prefix("fn:").unwrap_or(name);
        if is_function(name, arguments.len())? {
            Ok(Some(Expr::Call(name.to_owned(), arguments)))
        } else {
            Err(self.error())
        }
    }

    fn step(&mut self, axis: Axis) -> Result<Step, Message> {
        self.blanks();
        let (axis, test) = if self.accept("..") {
            self.goes_up = true;
            (Axis::Parent, Test::Node)
        } else if self.accept(".") {
            (axis, Test::Itself)
        } else if self.accept("@") {
            (axis, Test::Attribute(self.name()?))
        } else {
            self.step_along(axis)?
        };
        Ok(Step { axis, test, conditions: self.conditions()? })
    }

    /// A step with an axis, or a name or test alone.
    fn step_along(&mut self, axis: Axis) -> Result<(Axis, Test), Message> {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        let said = rest[..length].split_once("::").map(|(said, _)| said);
        self.at += said.map_or(0, |said| said.len() + 2);
        Ok(match said {
            None | Some("child") => (axis, self.child_test()?),
            Some("attribute") => (axis, Test::Attribute(self.name()?)),
            // `//` already goes down to everything.
            Some("descendant") if axis == Axis::Deep => (axis, self.child_test()?),
            Some("descendant") => (Axis::Descendant, self.child_test()?),
            Some("descendant-or-self") if axis == Axis::Near => (Axis::DescendantOrSelf, self.child_test()?),
            Some("self") if axis == Axis::Near => match self.child_test()? {
                Test::Child(name) => (axis, Test::Named(name)),
                Test::Node => (axis, Test::Itself),
                _ => return Err(self.error()),
            },
            Some("parent") if axis == Axis::Near => {
                self.goes_up = true;
                (Axis::Parent, self.child_test()?)
            }
            Some(_) => return Err(self.error()),
        })
    }

    fn child_test(&mut self) -> Result<Test, Message> {
        let name = self.name()?;
        match name.as_str() {
            "text" | "node" if self.accept("(") => {
                self.expect(")")?;
                Ok(if name == "text" { Test::Text } else { Test::Node })
            }
            _ => Ok(Test::Child(name)),
        }
    }

    fn conditions(&mut self) -> Result<Vec<Expr>, Message> {
        let mut conditions = Vec::new();
        while self.accept("[") {
            conditions.push(self.or()?);
            self.expect("]")?;
        }
        Ok(conditions)
    }

    fn name(&mut self) -> Result<String, Message> {
        self.blanks();
        if self.accept("*:") {
            return self.name();
        }
        if self.accept("*") {
            return Ok("*".to_owned());
        }
        let rest = self.rest();
        let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.error());
        }
        self.at += length;
        let name = &rest[..length];
        if let Some((prefix, _)) = name.split_once(':') {
            self.prefixes.push(prefix.to_owned());
        }
        let is_any = name.ends_with(':') && self.accept("*");
        Ok(if is_any { format!("{name}*") } else { name.to_owned() })
    }
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.')
}
