//! Directives that open, make and select from files.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

impl Parser {
    pub(super) fn open(&mut self) -> Parsed<Kind> {
        let place = self.place();
        let mut mode = OpenMode::Shared;
        while let Token::Word(word, None, false) = self.peek().clone() {
            mode = match word.as_str() {
                "INPUT" => OpenMode::Input,
                "LOCK" => OpenMode::Lock,
                "PURGE" => OpenMode::Purge,
                "LOAD" => OpenMode::Load,
                "CREATE" => OpenMode::Create,
                _ => return self.fail_at(99, place, format!("directive OPEN {word} is not supported"), ""),
            };
            self.next();
        }
        let (channel, options) = self.channel()?;
        let Some(channel) = channel else {
            return self.fail_at(32, place, "OPEN needs a channel", "as in OPEN (1)\"NAME\"");
        };
        let name = self.expression()?;
        let mut options = options;
        // `OPEN (1)"A",(2)"B"` opens both (manual, `directives/list_box.md`).
        while !(self.is(",") && self.is_ahead(1, "(")) && self.accept(",") {
            match self.option()? {
                Some(option) => options.push(option),
                None => return self.fail("expected an option behind the name", ""),
            }
        }
        Ok(Kind::Open { mode, channel, options, name })
    }

    /// SERIAL, KEYED and others behind their word.
    pub(super) fn file(&mut self, verb: FileVerb) -> Parsed<Kind> {
        let (mut arguments, mut options) = (Vec::new(), Vec::new());
        let mut first = true;
        while !self.at_end() {
            if !std::mem::take(&mut first) {
                // RENAME A$ TO B$ is RENAME A$,B$.
                if !(self.accept(",") || verb == FileVerb::Rename && self.accept_word("TO")) {
                    return self.fail(format!("expected \",\", found {}", self.found()), "");
                }
            }
            if let Some(option) = self.option()? {
                options.push(option);
            } else if self.is("[") {
                arguments.push(self.key_definition()?);
            } else if self.is(",") {
                arguments.push(FileArgument::Star);
            } else if self.is("*") {
                self.next();
                arguments.push(FileArgument::Star);
            } else {
                arguments.push(FileArgument::Value(self.expression()?));
            }
        }
        Ok(Kind::File { verb, arguments, options })
    }

    /// `["name":1:2:8:"attributes"]+[..]`.
    pub(super) fn key_definition(&mut self) -> Parsed<FileArgument> {
        let (mut segments, mut name) = (Vec::new(), None);
        loop {
            self.expect("[", "before a key")?;
            let mut parts = vec![self.key_part()?];
            while self.accept(":") {
                parts.push(self.key_part()?);
            }
            self.expect("]", "behind a key")?;
            if parts.len() > 3 && segments.is_empty() && matches!(parts[0].kind, ExprKind::Text(_)) {
                name = Some(parts.remove(0));
            }
            segments.push(KeySegment { parts });
            if !self.accept("+") {
                return Ok(FileArgument::Key(segments, name));
            }
        }
    }

    /// A number, or KEY for the external key, which is field -1.
    fn key_part(&mut self) -> Parsed<Expr> {
        let place = self.place();
        if self.accept_word("KEY") {
            let one = Expr { place, kind: ExprKind::Number("1".to_owned()) };
            return Ok(Expr { place, kind: ExprKind::Unary(Unary::Minus, Box::new(one)) });
        }
        self.sum()
    }

    pub(super) fn select(&mut self) -> Parsed<Kind> {
        Ok(Kind::Select(Box::new(self.selection()?)))
    }

    fn selection(&mut self) -> Parsed<Select> {
        let mut mode = SelectMode::Fields;
        if self.is_word("RECORD") && !self.is_ahead(1, ",") {
            self.next();
            mode = SelectMode::Record;
        } else if self.is_word("KEY") && !self.is_ahead(1, ",") {
            self.next();
            mode = SelectMode::Key;
        }
        let (mut items, mut prefix) = (Vec::new(), None);
        while !self.is_word("FROM") {
            let place = self.place();
            if let Some(option) = self.option_named(&["REC"])? {
                prefix = Some(option);
            } else if self.accept("*") {
                items.push(Item::Skip(place));
            } else {
                items.push(self.item()?);
            }
            if !self.accept(",") && !self.is_word("FROM") {
                return self.fail(format!("expected FROM in SELECT, found {}", self.found()), "");
            }
        }
        self.next();
        if self.is_word("TABLE") {
            return self.fail_at(99, self.place(), "SELECT FROM TABLE is not supported", "name the file");
        }
        let mut select = Select {
            mode,
            items,
            source: self.expression()?,
            options: prefix.into_iter().collect(),
            begin: None,
            end: None,
            condition: None,
            joins: Vec::new(),
        };
        self.select_clauses(&mut select)?;
        Ok(select)
    }

    fn option_named(&mut self, names: &[&str]) -> Parsed<Option<IoOption>> {
        match names.iter().any(|name| self.is_word(name)) {
            true => self.option(),
            false => Ok(None),
        }
    }

    fn select_clauses(&mut self, select: &mut Select) -> Parsed<()> {
        loop {
            self.accept(",");
            if self.is_word("END") && !self.is_ahead(1, "=") {
                self.next();
                select.end = Some(self.key_values()?);
            } else if self.accept_word("BEGIN") {
                select.begin = Some(self.key_values()?);
            } else if self.accept_word("STATIC") {
                continue;
            } else if self.accept_word("WHERE") {
                select.condition = Some(self.expression()?);
            } else if self.accept_word("WITH") {
                let required = self.accept_word("REQUIRED");
                self.expect_word("SELECT", "behind WITH")?;
                let mut inner = self.deeper(Parser::selection)?;
                // A chain of joins is one list.
                let further = std::mem::take(&mut inner.joins);
                select.joins.push(Join { required, select: inner });
                select.joins.extend(further);
                return Ok(());
            } else if let Some(option) = self.option()? {
                select.options.push(option);
            } else {
                return Ok(());
            }
        }
    }

    fn key_values(&mut self) -> Parsed<Vec<Expr>> {
        let mut values = vec![self.expression()?];
        while self.accept(":") {
            values.push(self.expression()?);
        }
        Ok(values)
    }

    pub(super) fn dim(&mut self) -> Parsed<Vec<Dimension>> {
        let mut out = Vec::new();
        loop {
            out.push(self.dimension()?);
            if !self.accept(",") {
                return Ok(out);
            }
        }
    }

    fn dimension(&mut self) -> Parsed<Dimension> {
        let place = self.place();
        let Token::Word(word, suffix, global) = self.next() else {
            return self.fail_at(23, place, "DIM needs a variable", "as in DIM A[10]");
        };
        let kind = match suffix {
            Some('$') => NameKind::Text,
            Some(_) => NameKind::Whole,
            None => NameKind::Number,
        };
        let name = Name { text: word, kind, global };
        if kind == NameKind::Text && self.accept("::") {
            return Ok(Dimension::Structure(name, self.expression()?, true));
        }
        if kind == NameKind::Text && self.accept(":") {
            if self.is_word("IOL") && self.is_ahead(1, "=") {
                self.at += 2;
                return Ok(Dimension::Composite(name, self.list_reference()?));
            }
            return Ok(Dimension::Structure(name, self.expression()?, false));
        }
        if kind == NameKind::Text && self.accept("(") {
            let length = self.expression()?;
            let fill = if self.accept(",") { Some(self.expression()?) } else { None };
            self.expect(")", "behind DIM")?;
            return Ok(Dimension::Fill(name, length, fill));
        }
        if self.is(",") || self.at_end() {
            return Ok(Dimension::Forget(name));
        }
        let close = if self.is("[") { "]" } else { ")" };
        if !self.accept("[") && !self.accept("(") {
            return self.fail(format!("expected bounds in DIM, found {}", self.found()), "as in DIM A[1:10]");
        }
        if self.accept("*") {
            self.expect(close, "behind DIM")?;
            return Ok(Dimension::Dynamic(name));
        }
        let mut bounds = Vec::new();
        loop {
            let first = self.expression()?;
            bounds.push(if self.accept(":") { (Some(first), self.expression()?) } else { (None, first) });
            if !self.accept(",") {
                break;
            }
        }
        self.expect(close, "behind DIM")?;
        if bounds.len() > 3 {
            return self.fail_at(42, place, "an array has one to three dimensions", "");
        }
        if kind == NameKind::Text && self.accept("(") {
            let length = self.expression()?;
            let fill = if self.accept(",") { Some(self.expression()?) } else { None };
            self.expect(")", "behind DIM")?;
            return Ok(Dimension::FilledArray(name, bounds, length, fill));
        }
        Ok(Dimension::Array(name, bounds))
    }
}
