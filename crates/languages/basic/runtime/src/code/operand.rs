//! Options, lists, and the operands of operations.

use super::*;
use mainstay_basic_syntax::tree;

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
    /// REC=: the prefix of the names of a list.
    pub prefix: Option<RecordPrefix>,
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

/// A limit of an input.
#[derive(Debug)]
pub enum InputLimit {
    /// The least and the greatest length of a string.
    Length(NumberExpr, Option<NumberExpr>),
    /// The greatest number; a negative one is the least as well.
    Range(NumberExpr),
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
    /// The limit of an input.
    pub limit: Option<InputLimit>,
}

/// A format of a list item.
#[derive(Debug)]
pub struct ListFormat {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// `SIZ=`.
    pub size: Option<NumberExpr>,
    /// `SEP=`.
    pub separator: Option<TextExpr>,
}

/// Something that can be assigned to.
#[derive(Debug)]
pub enum Target {
    /// A number; true truncates.
    Number(Symbol, bool),
    /// A string.
    Text(Symbol),
    /// A string that DIM may make a composite one.
    Composite(Symbol),
    /// An element of an array of numbers; no subscripts append.
    NumberElement(Symbol, Box<[NumberExpr]>, bool),
    /// An element of an array of strings.
    TextElement(Symbol, Box<[NumberExpr]>),
    /// An element of an array of numbers by its keyword.
    NumberKeyed(Symbol, Box<TextExpr>),
    /// An element of an array of strings by its keyword.
    TextKeyed(Symbol, Box<TextExpr>),
    /// A property of an object.
    Member(Box<MemberUse>),
    /// An element of a structured string.
    Field(Box<FieldUse>),
    /// A part of a string.
    Part(Box<Target>, Box<NumberExpr>, Option<Box<NumberExpr>>),
    /// A range of an array; without bounds all of it.
    NumberRange(Symbol, Option<Box<(NumberExpr, NumberExpr)>>),
    /// A range of an array of strings.
    TextRange(Symbol, Option<Box<(NumberExpr, NumberExpr)>>),
}

/// An element of a structured string.
#[derive(Debug)]
pub struct FieldUse {
    /// The strings that may have the element, each with its name there: `A.B.C` is `B.C` of `A$` or `C` of `A.B$`. The first one with
    /// a structure has it.
    pub strings: Box<[(Symbol, Box<str>)]>,
    /// Its fraction is cut: `X::N%`.
    pub is_whole: bool,
    /// Subscripts.
    pub indexes: Box<[NumberExpr]>,
    /// The string in place of subscripts, which only an array can have.
    pub keyword: Option<TextExpr>,
    /// The variable or array `A.NAME$`, which is meant when none of the strings has a structure.
    pub plain: Option<PlainUse>,
}

/// The variable that a name with a dot is without a structure.
#[derive(Clone, Copy, Debug)]
pub enum PlainUse {
    /// A variable, or the array whose element it is.
    Variable(VariableRef),
    /// A string that DIM may make a composite one.
    Composite(Symbol),
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

/// A value of CASE.
#[derive(Debug)]
pub struct CaseCode {
    /// The value, or the first one of a range.
    pub first: Expr,
    /// The last one of a range.
    pub last: Option<Expr>,
    /// How the value of SWITCH compares to it.
    pub relation: Comparison,
    /// The first operation of the case.
    pub target: Pc,
}

/// A SWITCH with its cases.
#[derive(Debug)]
pub struct SwitchCode {
    /// The value.
    pub value: Expr,
    /// Values or ranges, with the operation behind the CASE.
    pub cases: Vec<CaseCode>,
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
    /// The value that is read.
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
    /// WITH.
    pub joins: Vec<JoinCode>,
    /// Behind NEXT RECORD.
    pub exit: Pc,
}

/// `WITH [REQUIRED] SELECT`.
#[derive(Debug)]
pub struct JoinCode {
    /// REQUIRED.
    pub required: bool,
    /// The records to join.
    pub select: SelectCode,
}

/// The prefix of REC=.
#[derive(Debug)]
pub enum RecordPrefix {
    /// The name of a variable.
    Name(String),
    /// `VIS(text)`: a name at run time.
    Text(TextExpr),
}

/// An item of DIM.
#[derive(Debug)]
pub enum DimCode {
    /// An array.
    Array(VariableRef, Vec<(Option<NumberExpr>, NumberExpr)>),
    /// An array of filled strings.
    FilledArray(VariableRef, Vec<(Option<NumberExpr>, NumberExpr)>, NumberExpr, Option<TextExpr>),
    /// A dynamic array.
    Dynamic(VariableRef),
    /// An array that is no array any more.
    Forget(VariableRef),
    /// A composite string of the variables of a list.
    Composite(Symbol, ListId),
    /// A structured string; false for one that may be a composite string.
    Structure(Symbol, TextExpr, bool),
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
    /// WITH: values for variables of the program, by name.
    pub with: Vec<(tree::Name, Expr)>,
}

/// An argument of CALL.
#[derive(Debug)]
pub enum CallArgument {
    /// By value.
    Value(Expr),
    /// A variable or array, by reference.
    Variable(VariableRef),
    /// An element of a structured string, by value; the variable of this name, by reference, when there is no structure.
    Element(Expr),
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
    /// `LIST_BOX` and others; `SET_FOCUS`, `ENABLE CONTROL`, `DISABLE CONTROL`, `MENU_BAR`, `POPUP_MENU`, `PREINPUT`.
    pub class: String,
    /// `LOAD` and others; empty for a definition.
    pub action: String,
    /// `*` before the number: it belongs to no window.
    pub global: bool,
    /// Arguments, the contents of a control last; `None` for `*` and for arrays, which are among the targets.
    pub arguments: Vec<Option<Expr>>,
    /// The numbers behind `:` of arguments, if there are any.
    pub subs: Vec<Option<NumberExpr>>,
    /// Targets of READ and FIND, by argument.
    pub targets: Vec<Option<Target>>,
    /// Options.
    pub options: Options,
}
