//! Compiled programs: operations over numbered variables, with typed expressions.
//!
//! **Why not the machine of T-SQL.** The crate `program` compiles routines whose slots have one type and one owner. A
//! program of this language shares its variables with whatever it PERFORMs, with text that it EXECUTEs and with names
//! that it makes at run time (VIN, VIA); passes arrays by reference; keeps the decimals of a number as PRECISION says at
//! the moment of the assignment, in a statement that the next program may change; and leaves loops whose ends are found
//! on a stack at run time (a NEXT may stand anywhere, EXITTO and POP drop entries). The form of `program` has none of
//! these: its arrays belong to a routine, its decimals have a fixed scale, its loops are nested. So this language has
//! operations of its own.
//!
//! ```text
//!   tree --compile--> Program   ops        one for each directive, in order; branches are indexes of ops
//!                               symbols    names by storage; Link maps them to the slots of a level
//!                               lists      IOLISTs and the lists of READ and WRITE
//! ```
//!
//! Types are known from names, so expressions are two trees, [`NumberExpr`] and [`TextExpr`], and nothing is checked
//! at run time. A number that is whole adds and compares as a machine word (`number`). A list is bound to slots when
//! its program is linked to a level, once.

mod class;
mod expression;
mod operand;
mod operation;
mod session;

pub use class::*;
pub use expression::*;
pub use operand::*;
pub use operation::*;
pub use session::*;

use mainstay_basic_syntax::tree::{self, Name};
use std::collections::HashMap;
use std::rc::Rc;

/// An index into [`Program::ops`].
pub type Pc = u32;
/// A number of a name in the symbols of its program, by storage.
pub type Symbol = u32;
/// The number of a list in its program.
pub type ListId = u32;

/// A compiled program.
#[derive(Debug, Default)]
pub struct Program {
    /// The name that it was loaded by.
    pub name: String,
    /// Operations.
    pub ops: Vec<Op>,
    /// The line of each operation, as an index of `lines`.
    pub op_lines: Vec<u32>,
    /// Lines by number.
    pub lines: Vec<CodeLine>,
    /// Labels, with the index of their line.
    pub labels: HashMap<String, u32>,
    /// Names by storage.
    pub symbols: Symbols,
    /// Lists.
    pub lists: Vec<Rc<List>>,
    /// Lists of IOLIST lines, by line index.
    pub iolists: HashMap<u32, ListId>,
    /// DATA in program order, with the index of its line.
    pub data: Vec<(u32, Expr)>,
    /// Translation tables, by line index.
    pub tables: HashMap<u32, TextExpr>,
    /// Functions of DEF FN.
    pub functions: HashMap<String, Rc<UserFunction>>,
    /// Classes of DEF CLASS.
    pub classes: Vec<Rc<ClassCode>>,
    /// Strings that a DIM may make composite ones.
    pub composites: Vec<tree::Name>,
    /// Strings of `DIM A$:text`.
    pub templates: Vec<tree::Name>,
    /// Bytes of the text that it was made of.
    pub source_bytes: usize,
    /// The tree, for LIST and PGM( ).
    pub tree: tree::Program,
    /// Errors found while compiling; the parser's are in the tree.
    pub diagnostics: Vec<tree::Diagnostic>,
}

/// A line of a compiled program.
#[derive(Clone, Copy, Debug)]
pub struct CodeLine {
    /// Its number.
    pub number: u32,
    /// Its first operation.
    pub start: Pc,
}

/// Names by storage.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Numbers.
    pub numbers: Vec<Name>,
    /// Strings.
    pub texts: Vec<Name>,
    /// Arrays of numbers.
    pub number_arrays: Vec<Name>,
    /// Arrays of strings.
    pub text_arrays: Vec<Name>,
}

impl Symbols {
    /// How many names there are.
    pub fn count(&self) -> usize {
        self.numbers.len() + self.texts.len() + self.number_arrays.len() + self.text_arrays.len()
    }
}

/// A function of the program.
#[derive(Debug)]
pub struct UserFunction {
    /// Its parameters.
    pub parameters: Vec<(VariableRef, bool)>,
    /// The value of a function of one line.
    pub value: Option<Expr>,
    /// The first operation of a function of several lines.
    pub body: Pc,
    /// It returns a string.
    pub is_text: bool,
}

/// A scalar variable or a whole array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableRef {
    /// A number; true truncates what is assigned (`N%`).
    Number(Symbol, bool),
    /// A string.
    Text(Symbol),
    /// An array of numbers.
    Numbers(Symbol),
    /// An array of strings.
    Texts(Symbol),
}
