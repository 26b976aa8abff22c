//! The tree of a program: lines of directives, directives of expressions, each with its place in the source.
//!
//! The tree keeps to the source: names are upper case, literals are bytes, nothing is resolved. Loops are not nested
//! because the language does not nest them: NEXT, WEND and UNTIL find their beginnings at run time. Only IF contains
//! directives, because THEN and ELSE end where their statement ends.

mod expression;
mod session;
mod verb;
pub mod visit;

pub use expression::*;
pub use session::*;
pub use verb::*;

/// A place in the source text; both numbers begin at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The physical line of the file.
    pub line: u32,
    /// The byte in that line.
    pub column: u32,
}

/// An error or a remark of the parser about one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The error number of the language: 20 for syntax, 99 for an unsupported item.
    pub code: u16,
    /// Where it is.
    pub place: Place,
    /// The number of the statement's line.
    pub number: u32,
    /// The message, without number and place.
    pub message: String,
    /// A hint for the reader; may be empty.
    pub hint: String,
}

/// The error number of an item that is not supported.
const NOT_SUPPORTED: u16 = 99;

impl Diagnostic {
    /// The item of the language that is not supported, if the error is about one: `directive PROCESS`.
    pub fn item(&self) -> Option<&str> {
        let item = self.message.strip_suffix(" is not supported").or(self.message.strip_suffix(" are not supported"));
        item.filter(|_| self.code == NOT_SUPPORTED)
    }
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its lines, by ascending number.
    pub lines: Vec<Line>,
    /// Everything that the parser found wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The source had line numbers of its own.
    pub numbered: bool,
}

/// A statement: a line number, perhaps a label, and directives.
#[derive(Clone, Debug)]
pub struct Line {
    /// 1 to 64999; assigned in tens if the source has none.
    pub number: u32,
    /// Where it begins.
    pub place: Place,
    /// `NAME:` at its beginning, upper case.
    pub label: Option<String>,
    /// Bytes of its text.
    pub bytes: u32,
    /// Its directives.
    pub directives: Vec<Directive>,
}

/// One directive.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Where it begins.
    pub place: Place,
    /// Its meaning.
    pub kind: Kind,
}

/// A target of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A line number; the next higher line if it does not exist. 0 is "none" for SETERR.
    Line(u32),
    /// A label, upper case.
    Label(String),
    /// `*NEXT` and the others.
    Logical(Logical),
}

/// The built-in targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logical {
    /// `*NEXT`: the next statement.
    Next,
    /// `*SAME`: this statement again.
    Same,
    /// `*PROCEED`: the next directive.
    Proceed,
    /// `*BREAK`.
    Break,
    /// `*CONTINUE`.
    Continue,
    /// `*RETURN`.
    Return,
    /// `*RETRY`.
    Retry,
    /// `*END`.
    End,
    /// `*ESCAPE`.
    Escape,
}

/// A name with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// Upper case, without the suffix.
    pub text: String,
    /// The suffix.
    pub kind: NameKind,
    /// `%NAME`: shared by the whole session.
    pub global: bool,
}

/// The suffix of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// No suffix: a number.
    Number,
    /// `%`: a whole number.
    Whole,
    /// `$`: a string.
    Text,
}

/// A SELECT loop.
#[derive(Clone, Debug)]
pub struct Select {
    /// RECORD, KEY, or the fields.
    pub mode: SelectMode,
    /// The variables.
    pub items: Vec<Item>,
    /// A name or a channel.
    pub source: Expr,
    /// `KNO=` and others.
    pub options: Vec<IoOption>,
    /// The first key.
    pub begin: Option<Vec<Expr>>,
    /// The last key.
    pub end: Option<Vec<Expr>>,
    /// The condition.
    pub condition: Option<Expr>,
    /// WITH: SELECTs whose records are joined to those of this one.
    pub joins: Vec<Join>,
}

/// `WITH [REQUIRED] SELECT` of a SELECT.
#[derive(Clone, Debug)]
pub struct Join {
    /// REQUIRED: records without a partner are left out.
    pub required: bool,
    /// The records to join; without joins of its own.
    pub select: Select,
}

/// The part of a record that a SELECT reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectMode {
    /// Its fields.
    Fields,
    /// All of it.
    Record,
    /// Its key.
    Key,
}

/// An assignment of VIA.
#[derive(Clone, Debug)]
pub struct Via {
    /// The composite or structured string whose variable is named.
    pub string: Option<Expr>,
    /// The name of the variable.
    pub name: Expr,
    /// Its value.
    pub value: Expr,
}

/// A definition of one dimension, or of a string.
#[derive(Clone, Debug)]
pub enum Dimension {
    /// An array: the bounds of each dimension; no lower bound is 0.
    Array(Name, Vec<(Option<Expr>, Expr)>),
    /// An array of filled strings: `A$[10](6,"0")`.
    FilledArray(Name, Vec<(Option<Expr>, Expr)>, Expr, Option<Expr>),
    /// `A[*]`.
    Dynamic(Name),
    /// `A$(length, fill)`.
    Fill(Name, Expr, Option<Expr>),
    /// `A` alone: the array and its keywords are forgotten.
    Forget(Name),
    /// `A$:IOL=..`: a composite string.
    Composite(Name, ListRef),
    /// `A$::text`: a structured string; `A$:text`, false, is one whose elements are `A.NAME$`, or a composite string.
    Structure(Name, Expr, bool),
}

/// A FOR, which is always in a box.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum For {
    /// `FOR v=a TO b STEP s`.
    Range {
        /// The variable.
        variable: Expr,
        /// The first value.
        first: Expr,
        /// The last value.
        last: Expr,
        /// The step.
        step: Option<Expr>,
        /// The variable is restored behind the loop.
        local: bool,
    },
    /// `FOR n`: as many turns as the value says.
    Count(Expr),
    /// `FOR v$ FROM text`: the parts of a delimited string.
    Parts(Expr, Expr),
    /// `FOR v INDEX a{ALL}`.
    Index(Expr, Name),
}

/// A parameter of ENTER or DEF FN.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The variable or array; `None` for `*`.
    pub target: Option<Expr>,
    /// `IOL=`: the variables of a list, in place of one.
    pub list: Option<ListRef>,
    /// A default.
    pub default: Option<Expr>,
    /// In parentheses: changes are not given back.
    pub read_only: bool,
    /// LOCAL.
    pub local: bool,
}

/// A control directive: `LIST_BOX LOAD 10,0,L$`.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// `LIST_BOX`, `BUTTON` and others; `SET_FOCUS`, `ENABLE CONTROL`, `DISABLE CONTROL`, `MENU_BAR`, `POPUP_MENU`, `PREINPUT`.
    pub class: String,
    /// `LOAD`, `FIND`, `READ`, ...; empty for a definition.
    pub action: String,
    /// `*` before the identifier.
    pub global: bool,
    /// Arguments, the identifier first; `None` for `*`.
    pub arguments: Vec<Option<Expr>>,
    /// The number behind `:` of each argument.
    pub subs: Vec<Option<Expr>>,
    /// The contents behind `=`.
    pub contents: Option<Expr>,
    /// `FNT=`, `OPT=` and others.
    pub options: Vec<IoOption>,
}

/// Kinds of directives.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A remark, with what stands behind `!` or REM.
    Remark(Vec<u8>, bool),
    /// LET.
    Let(Vec<Assignment>),
    /// `N++`, `--N`: the variable and whether it counts up.
    Step(Expr, bool),
    /// An expression as a statement.
    Evaluate(Expr),
    /// IF.
    If {
        /// The condition.
        condition: Expr,
        /// THEN.
        then: Vec<Directive>,
        /// ELSE.
        otherwise: Vec<Directive>,
        /// END_IF closes it.
        closed: bool,
    },
    /// `IF .. THEN {` whose `}` is in a later statement.
    BlockIf(Expr),
    /// `} ELSE {` of such an IF.
    BlockElse,
    /// `}` of such an IF.
    BlockEnd,
    /// GOTO.
    Goto(Target),
    /// GOSUB; the variables of WITH have their values until its RETURN.
    Gosub(Target, Vec<Assignment>),
    /// GOTO LNO( ), or GOSUB if true: the line that an expression gives.
    GotoLine(Expr, bool),
    /// A GOSUB or the beginning of a loop with ON ERR: the directives that run for an error inside of it, and their braces.
    OnErr(Box<Directive>, Vec<Directive>, bool),
    /// ON n GOTO or GOSUB.
    On {
        /// The selector.
        value: Expr,
        /// GOSUB.
        gosub: bool,
        /// The targets for 0 and below, 1, 2 and so on.
        targets: Vec<Target>,
    },
    /// RETURN, perhaps with a value.
    Return(Option<Expr>),
    /// FOR.
    For(Box<For>),
    /// NEXT.
    Next(Option<Expr>),
    /// WHILE.
    While(Expr),
    /// WEND.
    Wend,
    /// REPEAT.
    Repeat,
    /// UNTIL.
    Until(Expr),
    /// SWITCH.
    Switch(Expr),
    /// CASE: values, or ranges.
    Case(Vec<CaseValue>),
    /// DEFAULT.
    Default,
    /// END SWITCH.
    EndSwitch,
    /// TRY.
    Try,
    /// CATCH.
    Catch,
    /// FINALLY.
    Finally,
    /// END_TRY.
    EndTry,
    /// BREAK.
    Break,
    /// CONTINUE.
    Continue,
    /// EXITTO.
    Exitto(Target),
    /// POP; with `*` everything.
    Pop(bool),
    /// LIST: the channel, the first and the last line.
    List(Option<Expr>, Option<Target>, Option<Target>),
    /// SETERR.
    SetErr(Target),
    /// SETERR with a program, ERROR_HANDLER; without a program there is none any more.
    ErrorProgram(Option<Expr>, Vec<IoOption>),
    /// ERROR_HANDLER READ.
    ErrorProgramRead(Expr),
    /// SETESC.
    SetEsc(SetEsc),
    /// RETRY.
    Retry,
    /// A directive with a channel.
    Io(Box<Io>),
    /// OPEN.
    Open {
        /// The form.
        mode: OpenMode,
        /// The channel.
        channel: Expr,
        /// Options.
        options: Vec<IoOption>,
        /// The name.
        name: Expr,
    },
    /// A directive that names a file.
    File {
        /// The verb.
        verb: FileVerb,
        /// Arguments with the masks of key definitions.
        arguments: Vec<FileArgument>,
        /// Options.
        options: Vec<IoOption>,
    },
    /// SELECT.
    Select(Box<Select>),
    /// NEXT RECORD.
    NextRecord,
    /// DATA.
    Data(Vec<Expr>),
    /// READ DATA from DATA lines.
    ReadData(Vec<Item>, Vec<IoOption>),
    /// READ DATA FROM text TO items.
    ReadDataFrom(Expr, Vec<Item>, Vec<IoOption>),
    /// RESTORE.
    Restore(Option<Target>),
    /// IOLIST.
    Iolist(Vec<Item>),
    /// TABLE: the bytes of a translation table.
    Table(Expr),
    /// DIM.
    Dim(Vec<Dimension>),
    /// REDIM.
    Redim(Vec<Dimension>),
    /// CALL.
    Call {
        /// The program.
        program: Expr,
        /// Arguments.
        arguments: Vec<Item>,
        /// ERR=.
        options: Vec<IoOption>,
        /// WITH: values of variables of the program.
        with: Vec<Assignment>,
    },
    /// PERFORM.
    Perform(Expr, Vec<IoOption>),
    /// RUN.
    Run(Option<Expr>, Vec<IoOption>),
    /// ENTER.
    Enter(Vec<Parameter>, Vec<IoOption>),
    /// EXIT with an error number.
    Exit(Option<Expr>),
    /// EXECUTE.
    Execute(Expr, Vec<IoOption>),
    /// DEF FN.
    DefFn {
        /// The name.
        name: Name,
        /// Parameters.
        parameters: Vec<Parameter>,
        /// The value of a function of one line.
        value: Option<Expr>,
    },
    /// END DEF.
    EndDef,
    /// LOCAL.
    Local(Vec<Assignment>, Vec<Expr>),
    /// PRECISION.
    Precision(Expr),
    /// FLOATINGPOINT.
    FloatingPoint,
    /// ROUND ON or OFF.
    Round(bool),
    /// RANDOMIZE.
    Randomize(Option<Expr>),
    /// WAIT.
    Wait(Expr),
    /// BEGIN; with `*` the session's variables as well.
    Begin(bool),
    /// CLEAR; without names everything.
    Clear(Vec<Expr>),
    /// CLEAR *, CLEAR EXCEPT: all variables but these; true for the global ones, too.
    ClearExcept(bool, Vec<Expr>),
    /// RESET.
    Reset,
    /// END.
    End,
    /// STOP.
    Stop,
    /// ESCAPE, with an error number or without.
    Escape(Option<Expr>),
    /// ESCAPE ON, ESCAPE OFF.
    EscapeMode(bool),
    /// RELEASE, QUIT, BYE: ends the session with a status.
    Release(Option<Expr>),
    /// SET_PARAM: names with values; `-'XX'` is 0.
    SetParam(Vec<(String, Option<Expr>)>),
    /// PREFIX.
    Prefix(Prefix),
    /// MESSAGE_LIB.
    MessageLibrary(MessageLibrary, Option<Expr>, Vec<IoOption>),
    /// SYSTEM_JRNL.
    Journal(Journal, Vec<IoOption>),
    /// A directive that edits the program or shows its state.
    Console(Box<Console>),
    /// ADD INDEX, DROP INDEX.
    Index(Box<Index>),
    /// CWDIR.
    Folder(Expr, Vec<IoOption>),
    /// SETFID: the channel and the name.
    SetFid(Option<Expr>, Expr),
    /// SETDAY and others.
    Setting(Box<Setting>),
    /// INVOKE: a command of the operating system.
    Invoke(Expr, Vec<IoOption>),
    /// DIM LOAD: an array from JSON text.
    DimLoad(Name, Expr),
    /// DEF CLASS.
    DefClass(Box<DefClass>),
    /// A member of a class.
    Member(Box<Member>),
    /// DROP OBJECT, DELETE OBJECT.
    DropObject(Expr, Vec<IoOption>),
    /// DROP CLASS.
    DropClass(Expr, Vec<IoOption>),
    /// DAY_FORMAT.
    DayFormat(Expr),
    /// A control.
    Control(Box<Control>),
    /// MSGBOX: text, title, options, and the variable for the answer.
    MsgBox(Vec<Expr>, Option<Expr>),
    /// VIA name$=value.
    Via(Vec<Via>),
    /// DROP of a program, ADDR and ENDTRACE, which have no effect here: the text.
    NoEffect(Vec<u8>),
    /// A statement that could not be parsed: the number of its error, and its text behind the label.
    Invalid(u16, Vec<u8>),
}

/// A value of CASE.
#[derive(Clone, Debug)]
pub struct CaseValue {
    /// The value, or the first one of a range.
    pub first: Expr,
    /// The last one of a range.
    pub last: Option<Expr>,
    /// `CASE >5`: the comparison.
    pub relation: Option<Binary>,
}

/// An argument of a [`Kind::File`]: key definitions are `[1:2:8]`.
#[derive(Clone, Debug)]
pub enum FileArgument {
    /// A value.
    Value(Expr),
    /// The segments of a key, each with field, offset, length, and attributes; the name of the key.
    Key(Vec<KeySegment>, Option<Expr>),
    /// `*`.
    Star,
}

/// A segment of a key definition.
#[derive(Clone, Debug)]
pub struct KeySegment {
    /// `field`, `offset`, `length`, then attributes; as many as written.
    pub parts: Vec<Expr>,
}
