//! Branches and loops.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

impl Parser {
    /// The directives of a statement. `nested` ones end before ELSE, END_IF and `}`.
    pub(super) fn directives(&mut self, nested: bool) -> Parsed<Vec<Directive>> {
        let mut out = Vec::new();
        let mut pending_end = 0;
        loop {
            while self.accept(";") {}
            let place = self.place();
            match self.peek().clone() {
                Token::End => break,
                Token::Remark(text) => {
                    self.next();
                    out.push(Directive { place, kind: Kind::Remark(text, false) });
                    break;
                }
                Token::Symbol("}") if nested => break,
                Token::Symbol("}") => {
                    self.next();
                    pending_end += usize::from(self.block_close(place, &mut out)?);
                    continue;
                }
                Token::Word(word, None, false) if matches!(word.as_str(), "ELSE" | "END_IF" | "FI") => {
                    if nested {
                        break;
                    }
                    return self.fail_at(22, place, format!("{word} without IF in this statement"), "");
                }
                _ => {}
            }
            let mut kind = self.deeper(|parser| parser.directive(place))?;
            if takes_on_err(&kind) && self.is_word("ON") && self.is_word_ahead(1, "ERR") {
                kind = self.deeper(|parser| on_err(parser, Directive { place, kind }))?;
            }
            let opens = matches!(kind, Kind::Open { .. });
            out.push(Directive { place, kind });
            while opens && self.is(",") && self.is_ahead(1, "(") {
                self.next();
                let place = self.place();
                let kind = self.open()?;
                out.push(Directive { place, kind });
            }
            // REM may stand without a semicolon before it (manual, `directives/via.md`).
            let done =
                self.is_word("REM") || matches!(self.peek(), Token::End | Token::Remark(_) | Token::Symbol(";" | "}"));
            if !done && !self.at_end() && !matches!(out.last().map(|last| &last.kind), Some(Kind::BlockIf(_))) {
                return self
                    .fail(format!("unexpected {} behind the directive", self.found()), "separate directives with ;");
            }
        }
        let place = self.place();
        out.extend((0..pending_end).map(|_| Directive { place, kind: Kind::BlockEnd }));
        Ok(out)
    }

    /// Behind a `}` of a block that began in another statement. True if the statement's end closes an ELSE without `{`.
    fn block_close(&mut self, place: Place, out: &mut Vec<Directive>) -> Parsed<bool> {
        let mut ends_with_statement = false;
        if self.accept_word("ELSE") {
            out.push(Directive { place, kind: Kind::BlockElse });
            ends_with_statement = !self.accept("{");
        } else {
            let _ = self.accept_word("END_IF") || self.accept_word("FI");
            out.push(Directive { place, kind: Kind::BlockEnd });
        }
        Ok(ends_with_statement)
    }

    /// IF behind its word.
    pub(super) fn if_(&mut self) -> Parsed<Kind> {
        let condition = self.expression()?;
        // A directive may follow without THEN (manual, `directives/end_def.md`).
        let begins_directive = match self.peek() {
            Token::Word(word, None, false) => {
                !matches!(word.as_str(), "THEN" | "ELSE")
                    && (crate::words::is_directive_word(word) || self.is_ahead(1, "="))
            }
            Token::Word(..) => true,
            _ => false,
        };
        if !begins_directive {
            self.expect_word("THEN", "behind the condition of IF")?;
        }
        if self.is("{") && !self.closes_here() {
            self.next();
            return Ok(Kind::BlockIf(condition));
        }
        let then = self.branch_body()?;
        let semicolon = self.is(";");
        while self.is(";")
            && (self.is_word_ahead(1, "ELSE") || self.is_word_ahead(1, "END_IF") || self.is_word_ahead(1, "FI"))
        {
            self.next();
        }
        let mut otherwise = Vec::new();
        if self.accept_word("ELSE") {
            if self.is("{") && !self.closes_here() {
                return self.fail_at(
                    22,
                    self.place(),
                    "ELSE { must be closed in its statement",
                    "open the block at THEN, too",
                );
            }
            otherwise = self.branch_body()?;
        }
        let _ = semicolon;
        let closed = self.accept_word("END_IF") || self.accept_word("FI");
        Ok(Kind::If { condition, then, otherwise, closed })
    }

    /// The `}` of the `{` here is in this statement.
    fn closes_here(&self) -> bool {
        let (mut depth, mut ahead) = (0i32, 0);
        loop {
            match self.ahead(ahead) {
                Token::Symbol("{") => depth += 1,
                Token::Symbol("}") => depth -= 1,
                Token::End => return false,
                _ => {}
            }
            if depth == 0 {
                return true;
            }
            ahead += 1;
        }
    }

    fn branch_body(&mut self) -> Parsed<Vec<Directive>> {
        if self.accept("{") {
            let body = self.directives(true)?;
            self.expect("}", "at the end of the block")?;
            return Ok(body);
        }
        let place = self.place();
        if let Token::Number(_) = self.peek() {
            return Ok(vec![Directive { place, kind: Kind::Goto(self.branch()?) }]);
        }
        self.directives(true)
    }

    pub(super) fn for_(&mut self) -> Parsed<Kind> {
        let local = self.accept_word("LOCAL");
        let start = self.at;
        let variable = self.sum()?;
        if self.accept("=") {
            if !super::expression::is_target(&variable) {
                return self.fail_at(23, variable.place, "FOR needs a variable", "");
            }
            let first = self.expression()?;
            self.expect_word("TO", "in FOR")?;
            let last = self.expression()?;
            let step = if self.accept_word("STEP") { Some(self.expression()?) } else { None };
            return Ok(Kind::For(Box::new(For::Range { variable, first, last, step, local })));
        }
        if self.accept_word("FROM") {
            return Ok(Kind::For(Box::new(For::Parts(variable, self.expression()?))));
        }
        if self.accept_word("INDEX") {
            let place = self.place();
            return match self.expression()?.kind {
                ExprKind::Range(name, None) => Ok(Kind::For(Box::new(For::Index(variable, name)))),
                _ => self.fail_at(23, place, "FOR .. INDEX needs an array", "write it as A{ALL}"),
            };
        }
        self.at = start;
        Ok(Kind::For(Box::new(For::Count(self.expression()?))))
    }

    fn gosub(&mut self) -> Parsed<Kind> {
        let to = self.branch()?;
        let values = if self.accept_word("WITH") { self.with_values()? } else { Vec::new() };
        Ok(Kind::Gosub(to, values))
    }

    /// Assignments behind WITH.
    pub(super) fn with_values(&mut self) -> Parsed<Vec<Assignment>> {
        let mut values = Vec::new();
        loop {
            let target = self.target()?;
            if !self.is("=") {
                return self.fail(format!("expected \"=\" in WITH, found {}", self.found()), "as in WITH A=1");
            }
            values.push(self.assignment(target)?);
            if !self.accept(",") {
                return Ok(values);
            }
        }
    }

    pub(super) fn on(&mut self) -> Parsed<Kind> {
        let place = self.place();
        if self.is_word("EVENT") || self.is_word("PROCESS") {
            return self.fail_at(99, place, "directive ON EVENT is not supported", "");
        }
        let value = self.expression()?;
        let gosub = match self.next() {
            Token::Word(word, None, false) if word == "GOTO" => false,
            Token::Word(word, None, false) if word == "GOSUB" => true,
            _ => return self.fail_at(20, place, "expected GOTO or GOSUB in ON", "as in ON N GOTO 0100,0200"),
        };
        let mut targets = vec![self.branch()?];
        while self.accept(",") {
            targets.push(self.branch()?);
        }
        Ok(Kind::On { value, gosub, targets })
    }

    pub(super) fn case(&mut self) -> Parsed<Kind> {
        let mut values = Vec::new();
        loop {
            let relation = super::expression::comparison(self.peek());
            if relation.is_some() {
                self.next();
            }
            let first = self.expression()?;
            let last = if self.accept_word("TO") { Some(self.expression()?) } else { None };
            values.push(CaseValue { first, last, relation });
            if !self.accept(",") {
                return Ok(Kind::Case(values));
            }
        }
    }

    pub(super) fn assignments(&mut self) -> Parsed<Kind> {
        if self.is("++") || self.is("--") {
            let up = self.is("++");
            self.next();
            return Ok(Kind::Step(self.target()?, up));
        }
        let mut assignments = Vec::new();
        loop {
            let target = self.target()?;
            if self.is("++") || self.is("--") {
                let op = if self.is("++") { Binary::Add } else { Binary::Subtract };
                self.next();
                let one = Expr { place: target.place, kind: ExprKind::Number("1".to_owned()) };
                assignments.push(Assignment { target, op: Some(op), value: one });
            } else {
                assignments.push(self.assignment(target)?);
            }
            if !self.accept(",") {
                break;
            }
        }
        Ok(match assignments.as_slice() {
            [Assignment { target, op: Some(op), value: Expr { kind: ExprKind::Number(one), place } }]
                if one == "1" && *place == target.place =>
            {
                Kind::Step(target.clone(), *op == Binary::Add)
            }
            _ => Kind::Let(assignments),
        })
    }

    fn assignment(&mut self, target: Expr) -> Parsed<Assignment> {
        let op = match self.peek() {
            Token::Symbol("=") => None,
            Token::Symbol("+=") => Some(Binary::Add),
            Token::Symbol("-=") => Some(Binary::Subtract),
            Token::Symbol("*=") => Some(Binary::Multiply),
            Token::Symbol("/=") => Some(Binary::Divide),
            Token::Symbol("^=") => Some(Binary::Power),
            Token::Symbol("|=") => Some(Binary::Remainder),
            _ => return self.fail(format!("expected \"=\" behind a variable, found {}", self.found()), ""),
        };
        self.next();
        Ok(Assignment { target, op, value: self.expression()? })
    }

    /// LOCAL, with values or without.
    pub(super) fn local(&mut self) -> Parsed<Kind> {
        let (mut assignments, mut names) = (Vec::new(), Vec::new());
        loop {
            let target = self.target()?;
            // Of a property of a class.
            self.accept_word("OBJECT");
            match self.is("=") {
                true => assignments.push(self.assignment(target)?),
                false => names.push(target),
            }
            if !self.accept(",") {
                return Ok(Kind::Local(assignments, names));
            }
        }
    }
}

/// GOTO and GOSUB behind their word. `LNO(label$)` gives a line when the program runs.
pub(super) fn goto(parser: &mut Parser, gosub: bool) -> Parsed<Kind> {
    if parser.is_word("LNO") && parser.is_ahead(1, "(") {
        return Ok(Kind::GotoLine(parser.expression()?, gosub));
    }
    if gosub { parser.gosub() } else { Ok(Kind::Goto(parser.branch()?)) }
}

/// `ON ERR directives`, `ON ERR { directives }` behind GOSUB or the beginning of a loop (manual, `directives/on_err.md`).
fn on_err(parser: &mut Parser, head: Directive) -> Parsed<Kind> {
    parser.at += 2;
    let braces = parser.accept("{");
    let body = parser.directives(true)?;
    if braces {
        parser.expect("}", "at the end of ON ERR")?;
    }
    Ok(Kind::OnErr(Box::new(head), body, braces))
}

/// Directives that may have ON ERR behind them.
fn takes_on_err(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Gosub(..) | Kind::GotoLine(_, true) | Kind::For(_) | Kind::While(_) | Kind::Repeat | Kind::Select(_)
    )
}
