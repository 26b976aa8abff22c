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

use crate::fault::Outcome;
use crate::machine::Machine;
use crate::number::Number;
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

/// An expression of either type.
#[derive(Debug)]
pub enum Expr {
    /// A number.
    Number(NumberExpr),
    /// A string.
    Text(TextExpr),
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison holds for this order.
    #[inline]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// An expression that gives a number.
#[derive(Debug)]
pub enum NumberExpr {
    /// A literal.
    Constant(Number),
    /// A variable.
    Variable(Symbol),
    /// An element of an array.
    Element(Symbol, Box<[NumberExpr]>),
    /// `a + b`
    Add(Box<(NumberExpr, NumberExpr)>),
    /// `a - b`
    Subtract(Box<(NumberExpr, NumberExpr)>),
    /// `a * b`
    Multiply(Box<(NumberExpr, NumberExpr)>),
    /// `a / b`, rounded as the quotient rule says.
    Divide(Box<(NumberExpr, NumberExpr)>),
    /// `a | b`
    Remainder(Box<(NumberExpr, NumberExpr)>),
    /// `a ^ b`
    Power(Box<(NumberExpr, NumberExpr)>),
    /// `-a`
    Negate(Box<NumberExpr>),
    /// A comparison of numbers.
    Compare(Comparison, Box<(NumberExpr, NumberExpr)>),
    /// A comparison of strings.
    CompareText(Comparison, Box<(TextExpr, TextExpr)>),
    /// `a LIKE b`
    Like(Box<(TextExpr, TextExpr)>),
    /// `a AND b`, without evaluating `b` if `a` is false.
    And(Box<(NumberExpr, NumberExpr)>),
    /// `a OR b`
    Or(Box<(NumberExpr, NumberExpr)>),
    /// `NOT a`
    Not(Box<NumberExpr>),
    /// A string as a condition: true unless it is empty or blank.
    Truth(Box<TextExpr>),
    /// A system function or variable.
    Call(Box<Call>, NumberFunction),
    /// A function of the program.
    User(Box<UserCall>),
}

/// An expression that gives a string.
#[derive(Debug)]
pub enum TextExpr {
    /// A literal.
    Constant(Box<[u8]>),
    /// A variable.
    Variable(Symbol),
    /// An element of an array.
    Element(Symbol, Box<[NumberExpr]>),
    /// Parts one after the other.
    Concatenate(Box<[TextExpr]>),
    /// A sub-string.
    Substring(Box<Substring>),
    /// A system function or variable.
    Call(Box<Call>, TextFunction),
    /// A function of the program.
    User(Box<UserCall>),
    /// A mnemonic with its arguments.
    Mnemonic(Box<str>, Box<[Expr]>),
    /// A position.
    Position(Box<[NumberExpr]>),
}

/// A sub-string.
#[derive(Debug)]
pub struct Substring {
    /// The string.
    pub base: TextExpr,
    /// The first byte, from 1.
    pub position: NumberExpr,
    /// How many bytes; to the end if there is none.
    pub length: Option<NumberExpr>,
}

/// A function of the system that gives a number.
pub type NumberFunction = fn(&mut Machine, &Call) -> Outcome<Number>;
/// A function of the system that appends a string.
pub type TextFunction = fn(&mut Machine, &Call, &mut Vec<u8>) -> Outcome<()>;

/// A call of a system function.
#[derive(Debug)]
pub struct Call {
    /// Its name.
    pub name: &'static str,
    /// Arguments.
    pub arguments: Vec<Argument>,
    /// Options.
    pub options: Options,
    /// The relation of POS.
    pub relation: &'static str,
    /// Keywords before the arguments.
    pub words: Vec<String>,
}

/// An argument of a system function.
#[derive(Debug)]
pub struct Argument {
    /// `*` or `^`.
    pub prefix: Option<char>,
    /// The value; `None` for `*` alone.
    pub value: Option<Expr>,
    /// A mask.
    pub mask: Option<TextExpr>,
    /// The variable or array, if the argument is nothing else.
    pub variable: Option<VariableRef>,
}

/// A call of a function of the program.
#[derive(Debug)]
pub struct UserCall {
    /// Its name, with `$`.
    pub name: String,
    /// Arguments.
    pub arguments: Vec<Expr>,
}

/// Where a branch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// An operation of the program.
    Pc(Pc),
    /// A line of the program, by index; behind the last one the program ends.
    Line(u32),
    /// A line of the program that EXECUTEd this one.
    OuterLine(u32),
    /// No such label or line: this error when it is taken.
    Missing(u16),
    /// As BREAK.
    Break,
    /// As CONTINUE.
    Continue,
    /// As RETURN.
    Return,
    /// As RETRY.
    Retry,
    /// As END.
    End,
    /// As ESCAPE.
    Escape,
}

/// Branches that an operation takes for errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// ERR=
    pub error: Option<Destination>,
    /// END=
    pub end: Option<Destination>,
    /// DOM=
    pub missing: Option<Destination>,
    /// BSY=
    pub busy: Option<Destination>,
}

impl Branches {
    /// The branch for an error.
    pub fn of(&self, code: u16) -> Option<Destination> {
        let specific = match code {
            0 => self.busy,
            2 => self.end,
            11 => self.missing,
            _ => None,
        };
        specific.or(self.error)
    }
}

/// Options of I/O directives and functions.
#[derive(Debug, Default)]
pub struct Options {
    /// Branches.
    pub branches: Branches,
    /// KEY=, its segments.
    pub key: Vec<TextExpr>,
    /// KNO=
    pub key_number: Option<KeyNumber>,
    /// IND=
    pub index: Option<NumberExpr>,
    /// RNO=
    pub record: Option<NumberExpr>,
    /// DIR=
    pub direction: Option<NumberExpr>,
    /// SIZ=
    pub size: Option<NumberExpr>,
    /// LEN=
    pub length: Option<NumberExpr>,
    /// TIM=
    pub time: Option<NumberExpr>,
    /// RTY=
    pub retries: Option<NumberExpr>,
    /// BSZ=
    pub block: Option<NumberExpr>,
    /// ISZ=
    pub binary: Option<NumberExpr>,
    /// SEP=
    pub separator: Option<TextExpr>,
    /// OPT=
    pub text: Option<TextExpr>,
    /// TBL=: the index of the table's line.
    pub table: Option<u32>,
    /// IOL=
    pub list: Option<ListSource>,
    /// Others, by name: those of controls.
    pub others: Vec<(String, Expr)>,
}

/// KNO=
#[derive(Debug)]
pub enum KeyNumber {
    /// A number or a name.
    Value(Expr),
    /// `*`
    Physical,
}

/// Where a list is found.
#[derive(Debug)]
pub enum ListSource {
    /// In the program.
    Id(ListId),
    /// Text that names it, from IOL( ) or CPL( ).
    Text(TextExpr),
    /// Nowhere: this error.
    Missing(u16),
    /// In the file.
    Embedded,
}

/// A list of variables or values.
#[derive(Debug, Default)]
pub struct List {
    /// Items.
    pub items: Vec<ListItem>,
    /// Nothing but scalar variables and skips, without formats: it can be bound to slots.
    pub is_plain: bool,
    /// Its text, for IOL( ).
    pub text: Vec<u8>,
}

/// An item of a list.
#[derive(Debug)]
pub enum ListItem {
    /// Nothing.
    Skip,
    /// A list in the list.
    List(ListSource),
    /// A value, with the target if it can be assigned to.
    Value(Box<ListValue>),
}

/// A value of a list.
#[derive(Debug)]
pub struct ListValue {
    /// The value.
    pub value: Expr,
    /// The variable to assign to.
    pub target: Option<Target>,
    /// A mask.
    pub mask: Option<TextExpr>,
    /// Formats.
    pub formats: Vec<ListFormat>,
    /// Branches of INPUT; `None` is the branch of invalid input.
    pub branches: Vec<(Option<Expr>, Destination)>,
}

/// A format of a list item.
#[derive(Debug)]
pub struct ListFormat {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expr>,
}

/// Something that can be assigned to.
#[derive(Debug)]
pub enum Target {
    /// A number; true truncates.
    Number(Symbol, bool),
    /// A string.
    Text(Symbol),
    /// An element of an array of numbers; no subscripts append.
    NumberElement(Symbol, Box<[NumberExpr]>, bool),
    /// An element of an array of strings.
    TextElement(Symbol, Box<[NumberExpr]>),
    /// A part of a string.
    Part(Box<Target>, Box<NumberExpr>, Option<Box<NumberExpr>>),
    /// A range of an array; without bounds all of it.
    NumberRange(Symbol, Option<Box<(NumberExpr, NumberExpr)>>),
    /// A range of an array of strings.
    TextRange(Symbol, Option<Box<(NumberExpr, NumberExpr)>>),
}

/// Operations: one for each directive, and those that IF and loops need.
#[derive(Debug)]
pub enum Op {
    /// `N = expression`
    SetNumber(Symbol, bool, NumberExpr),
    /// `N$ = expression`
    SetText(Symbol, TextExpr),
    /// `N$ = N$ + expression`
    AppendText(Symbol, TextExpr),
    /// Any other assignment.
    Set(Box<Target>, Box<Expr>),
    /// An assignment of one array or range to another.
    SetRange(Box<Target>, VariableRef, Option<Box<(NumberExpr, NumberExpr)>>),
    /// `N++`
    Step(Symbol, i8),
    /// To an operation.
    Jump(Pc),
    /// To an operation if the condition is false.
    JumpUnless(NumberExpr, Pc),
    /// GOTO.
    Goto(Destination),
    /// GOSUB.
    Gosub(Destination),
    /// ON .. GOTO, ON .. GOSUB.
    On(Box<NumberExpr>, bool, Box<[Destination]>),
    /// RETURN.
    Return(Option<Box<Expr>>),
    /// FOR.
    For(Box<ForRange>),
    /// FOR of a count, with the operation behind its NEXT.
    ForCount(Box<NumberExpr>, Pc),
    /// FOR over parts of a string.
    ForParts(Box<(Target, TextExpr)>, Pc),
    /// FOR over the subscripts of an array.
    ForIndex(Box<Target>, VariableRef, Pc),
    /// NEXT.
    Next(Option<VariableRef>),
    /// WHILE, with the operation behind its WEND.
    While(Box<NumberExpr>, Pc),
    /// WEND.
    Wend,
    /// REPEAT, with the operation behind its UNTIL.
    Repeat(Pc),
    /// UNTIL.
    Until(Box<NumberExpr>),
    /// SWITCH.
    Switch(Box<SwitchCode>),
    /// END SWITCH.
    EndSwitch,
    /// TRY, with its CATCH, FINALLY and END_TRY.
    Try {
        /// The operation behind CATCH.
        catch: Option<Pc>,
        /// The operation behind FINALLY.
        finally: Option<Pc>,
        /// The operation of END_TRY.
        end: Pc,
    },
    /// The end of a TRY's body or CATCH: to FINALLY or END_TRY.
    LeaveTry(Pc),
    /// END_TRY: raises what is still pending.
    EndTry,
    /// BREAK.
    Break,
    /// CONTINUE.
    Continue,
    /// EXITTO.
    Exitto(Destination),
    /// POP.
    Pop,
    /// SETERR.
    SetErr(Option<Destination>),
    /// RETRY.
    Retry,
    /// PRINT.
    Print(Box<IoCode>),
    /// INPUT, OBTAIN.
    Input(Box<IoCode>),
    /// READ and the other verbs of records.
    Io(Box<IoCode>),
    /// CLOSE; without channels all.
    Close(Box<[NumberExpr]>, Branches),
    /// OPEN.
    Open(Box<OpenCode>),
    /// Directives that name a file.
    File(Box<FileCode>),
    /// SELECT.
    Select(Box<SelectCode>),
    /// NEXT RECORD.
    NextRecord,
    /// READ DATA.
    ReadData(ListId, Branches),
    /// READ DATA FROM.
    ReadDataFrom(Box<(TextExpr, Options)>, ListId),
    /// RESTORE: the index of the line from which DATA are read.
    Restore(u32),
    /// DIM and REDIM.
    Dim(Box<[DimCode]>, bool),
    /// CALL.
    Call(Box<CallCode>),
    /// PERFORM.
    Perform(Box<TextExpr>, Branches),
    /// RUN.
    Run(Option<Box<TextExpr>>, Branches),
    /// ENTER.
    Enter(Box<[EnterCode]>, Branches),
    /// EXIT.
    Exit(Option<Box<NumberExpr>>),
    /// EXECUTE.
    Execute(Box<TextExpr>, Branches),
    /// LOCAL.
    Local(Box<[VariableRef]>),
    /// PRECISION.
    Precision(Box<NumberExpr>),
    /// ROUND.
    Round(bool),
    /// RANDOMIZE.
    Randomize(Option<Box<NumberExpr>>),
    /// WAIT.
    Wait(Box<NumberExpr>),
    /// BEGIN; true with `*`.
    Begin(bool),
    /// CLEAR; without names all.
    Clear(Box<[VariableRef]>),
    /// RESET.
    Reset,
    /// END and STOP.
    End,
    /// ESCAPE.
    Escape,
    /// RELEASE.
    Release(Option<Box<NumberExpr>>),
    /// SET_PARAM.
    SetParam(Box<[(String, Option<Expr>)]>),
    /// PREFIX.
    Prefix(Option<Box<NumberExpr>>, Option<Box<TextExpr>>),
    /// DAY_FORMAT.
    DayFormat(Box<TextExpr>),
    /// CWDIR.
    ChangeDirectory,
    /// A control.
    Control(Box<ControlCode>),
    /// MSGBOX.
    MsgBox(Box<[Expr]>, Option<Box<Target>>),
    /// VIA.
    Via(Box<(TextExpr, Expr)>),
    /// An error: a statement that cannot run.
    Raise(u16, Box<str>),
}

/// FOR with a range.
#[derive(Debug)]
pub struct ForRange {
    /// The variable.
    pub variable: VariableRef,
    /// The first value.
    pub first: NumberExpr,
    /// The last value.
    pub last: NumberExpr,
    /// The step.
    pub step: Option<NumberExpr>,
    /// The variable is restored behind the loop.
    pub local: bool,
    /// Behind NEXT.
    pub exit: Pc,
}

/// A SWITCH with its cases.
#[derive(Debug)]
pub struct SwitchCode {
    /// The value.
    pub value: Expr,
    /// Values or ranges, with the operation behind the CASE.
    pub cases: Vec<(Expr, Option<Expr>, Pc)>,
    /// The operation behind DEFAULT, or END SWITCH.
    pub default: Pc,
    /// END SWITCH.
    pub end: Pc,
}

/// An I/O directive.
#[derive(Debug)]
pub struct IoCode {
    /// The verb.
    pub verb: tree::Verb,
    /// The channel; `None` is 0.
    pub channel: Option<Expr>,
    /// Options.
    pub options: Options,
    /// The list; `None` if there is none in the directive.
    pub list: Option<ListId>,
    /// The list ends with a comma.
    pub open_end: bool,
}

/// OPEN.
#[derive(Debug)]
pub struct OpenCode {
    /// The form.
    pub mode: tree::OpenMode,
    /// The channel.
    pub channel: NumberExpr,
    /// Options.
    pub options: Options,
    /// The name.
    pub name: TextExpr,
}

/// A directive that names a file.
#[derive(Debug)]
pub struct FileCode {
    /// The verb.
    pub verb: tree::FileVerb,
    /// Arguments.
    pub arguments: Vec<FileArgument>,
    /// Options.
    pub options: Options,
}

/// An argument of a [`FileCode`].
#[derive(Debug)]
pub enum FileArgument {
    /// A value.
    Value(Expr),
    /// Segments of a key, and its name.
    Key(Vec<Vec<Expr>>, Option<Expr>),
    /// Nothing.
    Star,
}

/// SELECT.
#[derive(Debug)]
pub struct SelectCode {
    /// What is read.
    pub mode: tree::SelectMode,
    /// The variables.
    pub list: ListId,
    /// A channel or a name.
    pub source: Expr,
    /// Options.
    pub options: Options,
    /// BEGIN.
    pub begin: Option<Vec<TextExpr>>,
    /// END.
    pub end: Option<Vec<TextExpr>>,
    /// WHERE.
    pub condition: Option<NumberExpr>,
    /// Behind NEXT RECORD.
    pub exit: Pc,
}

/// An item of DIM.
#[derive(Debug)]
pub enum DimCode {
    /// An array.
    Array(VariableRef, Vec<(Option<NumberExpr>, NumberExpr)>),
    /// A dynamic array.
    Dynamic(VariableRef),
    /// A filled string.
    Fill(Symbol, NumberExpr, Option<TextExpr>),
}

/// CALL.
#[derive(Debug)]
pub struct CallCode {
    /// The program.
    pub program: TextExpr,
    /// Arguments, each with its variable if it is by reference.
    pub arguments: Vec<CallArgument>,
    /// Branches.
    pub branches: Branches,
}

/// An argument of CALL.
#[derive(Debug)]
pub enum CallArgument {
    /// By value.
    Value(Expr),
    /// A variable or array, by reference.
    Variable(VariableRef),
    /// A copy of an array.
    ArrayCopy(VariableRef),
    /// The variables of a list.
    List(ListSource),
}

/// A parameter of ENTER.
#[derive(Debug)]
pub struct EnterCode {
    /// The variable; `None` for `*`.
    pub variable: Option<VariableRef>,
    /// A default.
    pub default: Option<Expr>,
    /// Changes are not given back.
    pub read_only: bool,
}

/// A control directive.
#[derive(Debug)]
pub struct ControlCode {
    /// `LIST_BOX` and others.
    pub class: String,
    /// `LOAD` and others; empty for a definition.
    pub action: String,
    /// Arguments; `None` for `*`.
    pub arguments: Vec<Option<Expr>>,
    /// Targets of READ and FIND, by argument.
    pub targets: Vec<Option<Target>>,
    /// Options.
    pub options: Options,
}
