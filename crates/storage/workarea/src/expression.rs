//! Expressions over the current record.

use crate::area::Area;
use crate::test::{Test, check_logical};
use crate::value::{FieldValue, ValueKind};
use crate::words::Texts;
use mainstay_types::Result;
use mainstay_xbase::dbf::FieldKind;
use mainstay_xbase::expr::{Compiled, Context, ExprValue, Expression, Memos};
use mainstay_xbase::keys::Letters;
use mainstay_xbase::memo::Memo;
use std::sync::Arc;

/// The number of compiled expressions in the cache.
const KEPT: usize = 32;

/// Expressions that were compiled before.
#[derive(Debug, Default)]
pub(crate) struct Compilations {
    kept: Vec<(String, bool, Compiled)>,
}

impl Area {
    /// An expression of a program. Its literals are compared with what is in the file, so they are in the table's code page;
    /// those of searches for words are characters.
    pub(crate) fn parse(&self, text: &str) -> Result<Expression> {
        let expression = Expression::parse(text)?;
        if text.is_ascii() || expression.searches() {
            return Ok(expression);
        }
        Expression::parse(self.literal_bytes(text))
    }

    /// The context of expressions over the current record; the caller supplies its memos. Text that is not ASCII must
    /// be in the table's code page. Capitals are those of the table's programs.
    pub(crate) fn context(&self) -> Context<'_> {
        let case = Letters::of_table(&self.dbf).table(&self.dbf);
        Context { exact: self.exact, case, memos: Memos::Given, ..Context::new(self.fields()) }
    }

    /// The context of a condition over any record. A remote table has no memos here.
    pub(crate) fn context_of(&self, condition: &str) -> Result<Context<'_>> {
        let memo = if self.memos_in(condition).is_empty() { None } else { self.shared_memo()? };
        Ok(Context { memos: memo.map_or(Memos::Given, Memos::In), ..self.context() })
    }

    /// The memo file, opened once more to be kept with a condition.
    pub(crate) fn shared_memo(&self) -> Result<Option<Arc<Memo>>> {
        match &self.memo {
            Some(memo) if !self.is_detached => {
                let file = self.fs.open(memo.path())?;
                Ok(Some(Arc::new(Memo::open(file, self.dbf.header().version)?)))
            }
            _ => Ok(None),
        }
    }

    /// The memo fields that the text of an expression may name: those that it does, and maybe others.
    pub fn memos_in(&self, text: &str) -> Vec<usize> {
        let text = text.to_ascii_uppercase();
        let is_memo = |kind| matches!(kind, FieldKind::Memo | FieldKind::MemoBinary);
        let fields = self.fields().iter().enumerate();
        let named = fields.filter(|(_, field)| is_memo(field.kind) && text.contains(&field.name.to_ascii_uppercase()));
        named.map(|(number, _)| number).collect()
    }

    /// The memos of the current record that an expression reads, those that are not written yet among them.
    fn memos_for(&mut self, at: usize) -> Result<Vec<(usize, Vec<u8>)>> {
        let Some((_, _, compiled)) = self.compilations.kept.get(at) else { return Ok(Vec::new()) };
        let fields: Vec<usize> = compiled.memos().collect();
        let mut given = Vec::with_capacity(fields.len());
        for field in fields {
            match self.get(field)? {
                FieldValue::Text(text) | FieldValue::Bytes(text) => given.push((field, text)),
                _ => given.push((field, Vec::new())),
            }
        }
        Ok(given)
    }

    /// Makes sure that an expression is compiled, and says where it is kept.
    fn compiled(&mut self, text: &str) -> Result<usize> {
        let known = self.compilations.kept.iter().position(|(kept, exact, _)| kept == text && *exact == self.exact);
        if let Some(known) = known {
            return Ok(known);
        }
        let compiled = self.parse(text)?.compile(&self.context())?;
        if self.compilations.kept.len() >= KEPT {
            self.compilations.kept.remove(0);
        }
        self.compilations.kept.push((text.to_owned(), self.exact, compiled));
        Ok(self.compilations.kept.len() - 1)
    }

    /// The type that an expression yields; an error says what is wrong with it, and where.
    pub fn check_expression(&self, text: &str) -> Result<ValueKind> {
        let expression = self.parse(text)?;
        if expression.searches() {
            // The existing indexes are checked when the condition is set.
            Test::with_searches(&expression, &self.context(), &Texts::to_check(&self.dbf))?;
            return Ok(ValueKind::Logical);
        }
        let compiled = expression.compile(&self.context())?;
        Ok(ValueKind::of(compiled.result_type().kind))
    }

    /// The value of an expression for the current record.
    pub fn evaluate(&mut self, text: &str) -> Result<FieldValue> {
        if may_search(text) && Expression::parse(text)?.searches() {
            return self.evaluate_search(text).map(FieldValue::Logical);
        }
        let at = self.compiled(text)?;
        self.load()?;
        let memos = self.memos_for(at)?;
        let Area { compilations, scratch, row, recno, .. } = self;
        let Some((_, _, compiled)) = compilations.kept.get(at) else { return Ok(FieldValue::Null) };
        Ok(compiled.evaluate_with(scratch, &row.bytes, *recno, &memos)?.into())
    }

    /// Returns true if a condition is true for the current record.
    pub fn evaluate_logical(&mut self, text: &str) -> Result<bool> {
        if may_search(text) && Expression::parse(text)?.searches() {
            return self.evaluate_search(text);
        }
        let at = self.compiled(text)?;
        self.load()?;
        let memos = self.memos_for(at)?;
        let Area { compilations, scratch, row, recno, .. } = self;
        let Some((_, _, compiled)) = compilations.kept.get(at) else { return Ok(false) };
        check_logical(compiled)?;
        Ok(compiled.evaluate_with(scratch, &row.bytes, *recno, &memos)? == ExprValue::Logical(true))
    }

    fn evaluate_search(&mut self, text: &str) -> Result<bool> {
        let test = self.kept_test(text)?;
        self.load()?;
        test.passes(&mut self.scratch, self.recno, &self.row.bytes)
    }
}

/// Returns true if a text may be a condition with a search: most are not, and are not parsed twice.
fn may_search(text: &str) -> bool {
    text.as_bytes().windows(8).any(|window| window.eq_ignore_ascii_case(b"contains"))
}
