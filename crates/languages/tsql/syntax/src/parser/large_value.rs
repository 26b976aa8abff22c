//! READTEXT, WRITETEXT and UPDATETEXT: values of TEXT, NTEXT and IMAGE by their pointers.
//!
//! Their operands stand beside each other without commas, so that each is a variable or a constant, not an expression.

use super::Parser;
use crate::error::Parse;
use crate::tree::{Expr, LargeValue, LargeValueData, LargeValueWork, Literal, LoggedAs, StatementKind};
use mainstay_syntax::TokenKind;

impl Parser<'_> {
    /// The statement that begins with this word.
    pub(super) fn large_value(&mut self, word: &str) -> Parse<StatementKind> {
        self.expect(word)?;
        let bulk = word != "READTEXT" && self.accept("BULK");
        let column = self.object_name()?;
        let pointer = self.large_value_operand()?;
        let work = match word {
            "READTEXT" => {
                let (from, size) = (self.large_value_operand()?, self.large_value_operand()?);
                LargeValueWork::Read(from, size, self.accept("HOLDLOCK"))
            }
            "WRITETEXT" => {
                let logged = LoggedAs { bulk, with_log: self.accept("WITH LOG") };
                LargeValueWork::Write(logged, self.large_value_operand()?)
            }
            _ => {
                let (from, length) = (self.large_value_operand()?, self.large_value_operand()?);
                let logged = LoggedAs { bulk, with_log: self.accept("WITH LOG") };
                LargeValueWork::Update(logged, from, length, self.large_value_data()?)
            }
        };
        Ok(StatementKind::LargeValue(Box::new(LargeValue { column, pointer, work })))
    }

    /// The data that UPDATETEXT inserts, if any.
    fn large_value_data(&mut self) -> Parse<Option<LargeValueData>> {
        if self.is_name(0) && self.is(1, ".") {
            let column = self.object_name()?;
            return Ok(Some(LargeValueData::Column(column, self.large_value_operand()?)));
        }
        let is_constant = matches!(
            self.kind(),
            TokenKind::Variable | TokenKind::String | TokenKind::NationalString | TokenKind::Binary
        );
        match is_constant || self.sees("NULL") {
            true => Ok(Some(LargeValueData::Value(self.large_value_operand()?))),
            false => Ok(None),
        }
    }

    fn large_value_operand(&mut self) -> Parse<Expr> {
        if self.accept("NULL") {
            return Ok(Expr::Literal(Literal::Null));
        }
        if self.kind() == TokenKind::Variable { self.postfixed() } else { self.signed_literal() }
    }
}
