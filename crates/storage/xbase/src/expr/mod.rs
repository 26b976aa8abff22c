//! xBase expressions, the language of index keys and FOR conditions.
//!
//! An index stores the text of its key expression and the keys that the program computed from it. The
//! index can be used only if the text is understood exactly: one wrong byte, and a search misses
//! records. So this module computes what Clipper, Harbour and FoxPro compute, byte for byte, and refuses at compile
//! time everything uncertain: an unknown function, a variable of the program, a result that depends on a setting or on
//! the clock.
//!
//! ```text
//!   text --lexer--> tokens --parser--> tree (spans) --compile--> program --machine--> value
//!                                       |                |
//!                                       canonical(),     result_type(), fields(), parts()
//!                                       to_sql()
//! ```
//!
//! A text is parsed once ([`Expression`]), compiled against the fields of a table ([`Compiled`]), and
//! evaluated over the bytes of each record with memory that the caller keeps ([`Scratch`]).
//! `docs/xbase-expressions.md` lists the functions and the differences between dialects.
//!
//! Limits: texts of [`MAX_LENGTH`] bytes, 100 levels, and 64 KiB of text made while evaluating (64 MiB where memos are
//! read). Texts
//! order by their bytes: an index with a collation has to translate its keys itself.

mod calendar;
mod catalog;
mod compile;
mod condition;
mod field;
mod lexer;
mod machine;
mod moment;
mod number;
mod numeric;
mod parser;
mod search;
mod shape;
mod sql;
mod term;
mod text;
mod tree;
mod types;
mod typing;

pub use condition::{Condition, Constant, Relation};
pub use machine::Scratch;
pub use moment::{Moment, at_moment};
pub use search::{Search, Searched};
pub use shape::{KeyPart, KeySource};
pub use term::Subject;
pub use types::{CaseTable, Context, Dialect, Kind, Memos, ResultType};

use catalog::Builtin;
use compile::Compiler;
use machine::{MAX_TEXT, Machine, Op, Program, Slot};
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeSet;
use tree::{Node, NodeKind};

/// The longest text that is parsed. Index files hold at most 510 bytes.
pub const MAX_LENGTH: usize = 8192;

fn syntax(span: (usize, usize), message: impl Into<String>) -> Error {
    Error::new(Code::Syntax, message).span(span.0, span.1)
}

fn unsupported(span: (usize, usize), message: impl Into<String>) -> Error {
    Error::new(Code::Unsupported, message).span(span.0, span.1)
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    root: Node,
}

impl Expression {
    /// Parses a text. Bytes outside ASCII may stand in literals only, and are kept as they are.
    ///
    /// Errors: `Syntax`, `Unsupported` and `Ambiguous`, with the place in the text.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Expression> {
        let text = text.as_ref();
        // Files pad the text with zeros or blanks.
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        if end > MAX_LENGTH {
            return Err(unsupported((MAX_LENGTH, end), format!("the expression is over {MAX_LENGTH} bytes long")));
        }
        let tokens = lexer::tokens(&text[..end])?;
        Ok(Expression { root: parser::parse(&tokens)? })
    }

    /// The text in one spelling: upper case, without blanks and needless parentheses, with full function
    /// names. Two keys with the same canonical text are the same key. Bytes outside ASCII in a literal
    /// that is not UTF-8 appear as the characters of those numbers. What it prints parses to the same text again,
    /// unless `.NOT.` after other operators needs parentheses that take it over the 100 levels.
    pub fn canonical(&self) -> String {
        String::from_utf8(self.canonical_bytes())
            .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
    }

    /// The same in the bytes that literals have.
    pub fn canonical_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.root.write_canonical(&mut out);
        out
    }

    /// The aliases in front of fields, upper case, without FIELD. An index does not say which name its
    /// table had, so a field with an alias is taken for the table's own if it has one of that name;
    /// a caller that knows of related tables can check.
    pub fn aliases(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        collect_aliases(&self.root, &mut found);
        found
    }

    /// Returns true if this is `.NOT. DELETED()`, in any spelling.
    pub fn is_not_deleted(&self) -> bool {
        shape::is_not_deleted(&self.root)
    }

    /// Checks every type and makes a program.
    ///
    /// Errors: `UnknownColumn`, `UnknownFunction`, `TypeMismatch` and `Unsupported`, with the place in the
    /// text and, where something is near, a hint.
    pub fn compile(&self, context: &Context<'_>) -> Result<Compiled> {
        let mut compiler = Compiler::new(context);
        let typed = compiler.lower(&self.root)?;
        let (length, max_length, decimals) = match typed.kind {
            Kind::Character => (typed.text.exact(), typed.text.max.min(MAX_TEXT), None),
            Kind::Numeric => {
                let printed = typed.form.map(|form| form.printed());
                (printed, printed.unwrap_or(20), typed.form.map(|form| form.decimals))
            }
            Kind::Date | Kind::Timestamp => (Some(8), 8, None),
            Kind::Logical => (Some(1), 1, None),
        };
        let result = ResultType { kind: typed.kind, length, max_length, decimals };
        let (program, fields) = (compiler.program, compiler.fields);
        let record_length = program.fields.iter().map(|field| field.end()).max().unwrap_or(0).max(1);
        let passes_null = passes_null(&program.ops);
        Ok(Compiled { program, fields, result, record_length, passes_null, parts: shape::parts(context, &self.root)? })
    }
}

fn collect_aliases<'n>(node: &'n Node, found: &mut BTreeSet<&'n str>) {
    match &node.kind {
        NodeKind::Name { alias: Some(alias), .. } => {
            found.insert(alias);
        }
        NodeKind::Unary(_, operand) => collect_aliases(operand, found),
        NodeKind::Binary(_, left, right) => {
            collect_aliases(left, found);
            collect_aliases(right, found);
        }
        NodeKind::Call { arguments, .. } => {
            arguments.iter().for_each(|argument| collect_aliases(argument, found));
        }
        _ => {}
    }
}

/// Returns true if an operation depends on the set of letters.
fn asks_for_letters(op: &Op) -> bool {
    let Op::Call(builtin, _) = op else { return false };
    matches!(
        builtin,
        Builtin::Upper | Builtin::Lower | Builtin::Transform | Builtin::IsAlpha | Builtin::IsUpper | Builtin::IsLower
    )
}

/// Returns true if a NULL that is read is the result's, or decides an IIF(), whatever else is read.
fn passes_null(ops: &[Op]) -> bool {
    ops.iter().all(|op| match op {
        Op::Push(_) | Op::Field(_) | Op::Memo(..) | Op::Negate | Op::Not | Op::Binary(_) => true,
        Op::HoldNull | Op::JumpUnlessTrue { .. } => true,
        // Behind what an IIF() has chosen.
        Op::Jump(_) => true,
        Op::Call(builtin, _) => {
            !matches!(builtin, Builtin::Empty | Builtin::Between | Builtin::InList | Builtin::Max | Builtin::Min)
        }
        Op::JumpIfFalse(_) | Op::JumpKeeping(..) | Op::IsNull(_) => false,
    })
}

/// A value of an expression. A text borrows from the record, the program or the scratch memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExprValue<'v> {
    /// Bytes of text, in the table's code page.
    Character(&'v [u8]),
    /// A number. Integers beyond 2^53 are rounded.
    Number(f64),
    /// A Julian day, 0 for the blank date, which orders first.
    Date(i32),
    /// A Julian day and milliseconds; 0 and 0 for none.
    Timestamp {
        /// The day.
        day: i32,
        /// Milliseconds since it began.
        ms: i32,
    },
    /// True or false.
    Logical(bool),
    /// A field is NULL and makes the whole expression NULL. Only with [`Dialect::FoxPro`]: Clipper and
    /// Harbour read NULL as the field's empty value.
    Null,
}

/// An expression that can be evaluated over the records of one table.
#[derive(Clone, Debug)]
pub struct Compiled {
    program: Program,
    fields: Vec<usize>,
    result: ResultType,
    record_length: usize,
    passes_null: bool,
    parts: Vec<KeyPart>,
}

impl Compiled {
    /// The type and length of the result.
    pub fn result_type(&self) -> ResultType {
        self.result
    }

    /// The fields that are read, as numbers in the `fields` of the context, in order of appearance.
    pub fn fields(&self) -> &[usize] {
        &self.fields
    }

    /// Those of the fields that are memos, in the order in which they are read.
    pub fn memos(&self) -> impl Iterator<Item = usize> {
        self.program.ops.iter().filter_map(|op| if let Op::Memo(_, field) = op { Some(*field) } else { None })
    }

    /// Returns true if the result can depend on [`Context::case`].
    pub fn depends_on_letters(&self) -> bool {
        self.program.ops.iter().any(asks_for_letters)
    }

    /// The parts that the result is joined from; one part if it is not joined.
    pub fn parts(&self) -> &[KeyPart] {
        &self.parts
    }

    /// The value for a record: its bytes from the deletion flag on, and its number.
    ///
    /// Errors: `Damaged` if the record is shorter than its fields; `DivisionByZero`, `InvalidValue` and
    /// `Unsupported` if the dialect has no known result for this record's data.
    pub fn evaluate<'a>(&'a self, scratch: &'a mut Scratch, record: &'a [u8], recno: u32) -> Result<ExprValue<'a>> {
        self.evaluate_with(scratch, record, recno, &[])
    }

    /// The same with memos at hand, by the numbers of their fields in the `fields` of the context.
    ///
    /// Errors: also `Unsupported` for a memo that is neither given nor in a file of the context.
    pub fn evaluate_with<'a>(
        &'a self,
        scratch: &'a mut Scratch,
        record: &'a [u8],
        recno: u32,
        given: &'a [(usize, Vec<u8>)],
    ) -> Result<ExprValue<'a>> {
        if record.len() < self.record_length {
            return Err(
                Error::new(Code::Damaged, "the record is shorter than its fields").at(format!("record {recno}"))
            );
        }
        let mut machine = Machine { program: &self.program, record, recno, scratch, null: false, given };
        let slot = machine.run().map_err(|error| error.at(format!("record {recno}")))?;
        if machine.null {
            if self.passes_null {
                return Ok(ExprValue::Null);
            }
            let error = Error::new(Code::Unsupported, "a field of the condition is NULL");
            return Err(error.at(format!("record {recno}")));
        }
        Ok(match slot {
            Slot::Text(text) => {
                let all = match text.origin {
                    machine::Origin::Record => record,
                    machine::Origin::Constant => &self.program.constants,
                    machine::Origin::Scratch => &machine.scratch.text,
                };
                ExprValue::Character(all.get(text.start..text.start + text.length).unwrap_or_default())
            }
            Slot::Number(number) => ExprValue::Number(number.as_f64()),
            Slot::Date(day) => ExprValue::Date(day),
            Slot::Timestamp(day, ms) => ExprValue::Timestamp { day, ms },
            Slot::Logical(value) => ExprValue::Logical(value),
        })
    }
}
