//! Loops and branches of routines.

use super::Parser;
use crate::error::Parse;
use crate::lexer::Kind;
use crate::tree::{Expr, Foreach, Leave, Loop, LoopKind, Name, QueryBody, Range, RowSource, SplKind};

impl Parser<'_> {
    /// A statement of the flow of control; `None` for another one.
    pub(super) fn flow(&mut self) -> Parse<Option<SplKind>> {
        if self.accept("< <") {
            let label = self.name()?;
            self.expect("> >")?;
            return Ok(Some(match self.looping()? {
                Some(found) => SplKind::Loop(Some(label), Box::new(found)),
                None => SplKind::Label(label),
            }));
        }
        if let Some(found) = self.looping()? {
            return Ok(Some(SplKind::Loop(None, Box::new(found))));
        }
        Ok(match self.accept_any(&["IF", "CASE", "EXIT", "CONTINUE", "GOTO"]) {
            Some("IF") => Some(self.conditional()?),
            Some("CASE") => Some(self.choice()?),
            Some("GOTO") => Some(SplKind::Goto(self.name()?)),
            Some(word) => Some(SplKind::Leave(self.leave(word == "CONTINUE")?)),
            None => None,
        })
    }

    fn looping(&mut self) -> Parse<Option<Loop>> {
        Ok(Some(match self.accept_any(&["FOREACH", "FOR", "WHILE", "LOOP"]) {
            Some("FOREACH") => self.foreach()?,
            Some("FOR") => self.counting()?,
            Some("WHILE") => {
                let condition = self.expression()?;
                let has_loop = self.accept("LOOP");
                let body = self.block()?;
                self.end_of_loop(if has_loop { "LOOP" } else { "WHILE" })?;
                Loop::While(condition, body)
            }
            Some(_) => {
                let body = self.block()?;
                self.end_of_loop("LOOP")?;
                Loop::Endless(body)
            }
            None => return Ok(None),
        }))
    }

    /// `END FOR label`.
    fn end_of_loop(&mut self, word: &str) -> Parse<()> {
        self.expect("END")?;
        self.expect(word)?;
        if self.kind() == Kind::Word && self.is(1, ";") {
            self.name()?;
        }
        Ok(())
    }

    /// `FOR i = 1 TO 9`, `FOR i IN (1 TO 9, 11)`.
    fn counting(&mut self) -> Parse<Loop> {
        let parenthesis = self.accept("(");
        let variable = self.name()?;
        let ranges = match self.accept("=") {
            true => vec![self.range()?],
            false => {
                self.expect("IN (")?;
                let ranges = self.list(Self::range)?;
                self.expect(")")?;
                ranges
            }
        };
        if parenthesis {
            self.expect(")")?;
        }
        let has_loop = self.accept("LOOP");
        let body = self.block()?;
        self.end_of_loop(if has_loop { "LOOP" } else { "FOR" })?;
        Ok(Loop::For(variable, ranges, body))
    }

    fn range(&mut self) -> Parse<Range> {
        let first = self.value()?;
        let last = if self.accept("TO") { Some(self.value()?) } else { None };
        let step = if last.is_some() && self.accept("STEP") { Some(self.value()?) } else { None };
        Ok(Range { first, last, step })
    }

    fn foreach(&mut self) -> Parse<Loop> {
        let mut cursor: Option<Name> = None;
        self.accept("WITH HOLD");
        if !self.sees("SELECT") && !self.sees("EXECUTE") && !self.sees("WITH") {
            cursor = Some(self.name()?);
            self.accept("WITH HOLD");
            self.expect("FOR")?;
        }
        let (source, variables) = match self.sees("EXECUTE") {
            true => {
                let call = self.execute()?;
                let variables = if self.accept("INTO") { self.list(Self::name)? } else { Vec::new() };
                (RowSource::Call(call), variables)
            }
            false => {
                self.targets = None;
                let query = self.query()?;
                let variables = self.targets.take().ok_or_else(|| self.unexpected())?;
                (RowSource::Query(Box::new(query)), variables)
            }
        };
        self.accept(";");
        let body = self.block()?;
        self.end_of_loop("FOREACH")?;
        Ok(Loop::Foreach(Foreach { cursor, source, variables, body }))
    }

    fn conditional(&mut self) -> Parse<SplKind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.expression()?;
            self.expect("THEN")?;
            branches.push((condition, self.block()?));
            if !self.accept("ELIF") {
                break;
            }
        }
        let otherwise = if self.accept("ELSE") { Some(self.block()?) } else { None };
        self.expect("END IF")?;
        Ok(SplKind::If(branches, otherwise))
    }

    fn choice(&mut self) -> Parse<SplKind> {
        let value: Expr = self.expression()?;
        let mut branches = Vec::new();
        while self.accept("WHEN") {
            let when = self.expression()?;
            self.expect("THEN")?;
            branches.push((when, self.block()?));
        }
        let otherwise = if self.accept("ELSE") { Some(self.block()?) } else { None };
        self.expect("END CASE")?;
        match branches.is_empty() {
            true => Err(self.unexpected()),
            false => Ok(SplKind::Case(value, branches, otherwise)),
        }
    }

    /// `EXIT FOR`, `CONTINUE outer`, `EXIT LOOP outer WHEN a = 1`.
    fn leave(&mut self, continues: bool) -> Parse<Leave> {
        let kinds = ["FOREACH", "FOR", "WHILE", "LOOP"];
        let kind = self.accept_any(&kinds).map(|word| match word {
            "FOREACH" => LoopKind::Foreach,
            "FOR" => LoopKind::For,
            "WHILE" => LoopKind::While,
            _ => LoopKind::Loop,
        });
        let is_label = self.kind() == Kind::Word && (self.is(1, ";") || self.is(1, "WHEN")) && !self.sees("END");
        let label = if is_label && !self.sees("WHEN") { Some(self.name()?) } else { None };
        let condition = if self.accept("WHEN") { Some(self.expression()?) } else { None };
        Ok(Leave { continues, kind, label, condition })
    }
}

/// True for a query with INTO TEMP.
pub(super) fn has_temporary_target(body: &QueryBody) -> bool {
    match body {
        QueryBody::Select(select) => select.into.is_some(),
        QueryBody::Set(left, ..) => has_temporary_target(left),
    }
}
