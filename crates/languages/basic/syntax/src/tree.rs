//! The tree of a program: lines of directives, directives of expressions, each with its place in the source.
//!
//! The tree keeps to the source: names are upper case, literals are bytes, nothing is resolved. Loops are not nested
//! because the language does not nest them: NEXT, WEND and UNTIL find their beginnings at run time. Only IF contains
//! directives, because THEN and ELSE end where their statement ends.

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

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where it begins.
    pub place: Place,
    /// Its form.
    pub kind: ExprKind,
}

/// Forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number as written.
    Number(String),
    /// A quoted string.
    Text(Vec<u8>),
    /// A hex string, `$0A$`.
    Hex(Vec<u8>),
    /// A variable.
    Variable(Name),
    /// An element of an array.
    Element(Name, Vec<Expr>),
    /// The next element of a dynamic array, `A[*]`.
    Append(Name),
    /// All or a range of an array: `A{ALL}`, `A{1:5}`.
    Range(Name, Option<(Box<Expr>, Box<Expr>)>),
    /// A sub-string: position, and length.
    Substring(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// A system variable, upper case.
    System(String),
    /// A call of a system function.
    Call(Call),
    /// A call of a function of the program, `FNX$(..)`.
    User(Name, Vec<Expr>),
    /// A mnemonic, `'CS'`, with its arguments.
    Mnemonic(String, Vec<Expr>),
    /// `@(column, line, ..)`.
    At(Vec<Expr>),
    /// `-x`, `+x`, `NOT x`.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A parenthesised expression, which is never a variable that a CALL may change.
    Group(Box<Expr>),
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `NOT`
    Not,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`: sum, or concatenation.
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `|`: the remainder.
    Remainder,
    /// `^` or `**`
    Power,
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
    /// `LIKE`
    Like,
    /// `AND`
    And,
    /// `OR`
    Or,
}

/// A call of a system function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function's name, upper case.
    pub name: String,
    /// Positional arguments.
    pub arguments: Vec<Argument>,
    /// `ERR=`, `KEY=` and others.
    pub options: Vec<IoOption>,
    /// The relation of POS: `=`, `<`, `>`, `<>`, `:`, `^` and combinations.
    pub relation: Option<&'static str>,
    /// A keyword before the arguments: `READ` in `DIM(READ NUM(A))`, `FILE`, `INPUT`.
    pub words: Vec<String>,
}

/// An argument of a system function.
#[derive(Clone, Debug)]
pub struct Argument {
    /// `*` or `^` before the value, or `*` alone.
    pub prefix: Option<char>,
    /// The value; `None` for `*` alone.
    pub value: Option<Expr>,
    /// A mask behind a colon.
    pub mask: Option<Expr>,
}

/// An option of an I/O directive or function.
#[derive(Clone, Debug)]
pub struct IoOption {
    /// Its name without `=`, upper case.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Its value.
    pub value: OptionValue,
}

/// The value of an [`IoOption`].
#[derive(Clone, Debug)]
pub enum OptionValue {
    /// A branch.
    Target(Target),
    /// A value.
    Value(Expr),
    /// Segments of a key, separated by colons.
    Segments(Vec<Expr>),
    /// `*`.
    Star,
    /// A list.
    List(ListRef),
    /// An option without a value.
    Flag,
}

/// A reference to an IOLIST.
#[derive(Clone, Debug)]
pub enum ListRef {
    /// By line or label.
    Target(Target),
    /// Compiled text in a string.
    Text(Expr),
    /// `*`: the dictionary in the file.
    Embedded,
}

/// An item of a list of variables or values.
#[derive(Clone, Debug)]
pub enum Item {
    /// A value or a variable.
    Value(ValueItem),
    /// The items of an IOLIST.
    List(ListRef, Place),
    /// `*`: skips a field.
    Skip(Place),
}

/// A value or variable of a list, with its formats.
#[derive(Clone, Debug)]
pub struct ValueItem {
    /// The value or variable.
    pub value: Expr,
    /// A mask behind a colon.
    pub mask: Option<Expr>,
    /// Formats and validations in brackets: `[chr(30)]`, `[max(7)]`.
    pub formats: Vec<Format>,
    /// Branches of INPUT: values and the target for them; `LEN=1,10`, numeric ranges.
    pub branches: Vec<(Expr, Target)>,
}

/// A format of an IOLIST item.
#[derive(Clone, Debug)]
pub struct Format {
    /// `CHR`, `NUM`, `STR`, `BIN`, `DEC`, `LEN`, `MAX`, `MIN`, `TBL` and others, upper case.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expr>,
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable, element or sub-string.
    pub target: Expr,
    /// How the value is combined with the old one; `None` for `=`.
    pub op: Option<Binary>,
    /// The value.
    pub value: Expr,
}

/// An I/O directive with a channel, options and a list.
#[derive(Clone, Debug)]
pub struct Io {
    /// The verb.
    pub verb: Verb,
    /// The channel in parentheses: a number, or a file's name.
    pub channel: Option<Expr>,
    /// Options.
    pub options: Vec<IoOption>,
    /// The list.
    pub items: Vec<Item>,
    /// The list ends with a comma (PRINT).
    pub open_end: bool,
}

/// Verbs with the common form of I/O directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// READ
    Read,
    /// READ RECORD
    ReadRecord,
    /// FIND
    Find,
    /// FIND RECORD
    FindRecord,
    /// EXTRACT
    Extract,
    /// EXTRACT RECORD
    ExtractRecord,
    /// EXTRACT RELEASE
    ExtractRelease,
    /// WRITE
    Write,
    /// WRITE RECORD
    WriteRecord,
    /// INSERT
    Insert,
    /// INSERT RECORD
    InsertRecord,
    /// UPDATE
    Update,
    /// UPDATE RECORD
    UpdateRecord,
    /// REMOVE
    Remove,
    /// PRINT
    Print,
    /// INPUT
    Input,
    /// INPUT EDIT
    InputEdit,
    /// OBTAIN
    Obtain,
    /// CLOSE
    Close,
    /// LOCK
    Lock,
    /// UNLOCK
    Unlock,
    /// PURGE
    Purge,
    /// FLUSH
    Flush,
}

/// The form of an OPEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// OPEN
    Shared,
    /// OPEN INPUT
    Input,
    /// OPEN LOCK
    Lock,
    /// OPEN PURGE
    Purge,
    /// OPEN LOAD
    Load,
    /// OPEN CREATE
    Create,
}

/// A directive that makes or changes a file by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileVerb {
    /// SERIAL
    Serial,
    /// INDEXED
    Indexed,
    /// DIRECT
    Direct,
    /// KEYED
    Keyed,
    /// SORT
    Sort,
    /// ERASE
    Erase,
    /// RENAME
    Rename,
    /// REFILE
    Refile,
    /// DIRECTORY
    Directory,
    /// PROGRAM
    Program,
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

/// A definition of one dimension, or of a string.
#[derive(Clone, Debug)]
pub enum Dimension {
    /// An array: the bounds of each dimension; no lower bound is 0.
    Array(Name, Vec<(Option<Expr>, Expr)>),
    /// `A[*]`.
    Dynamic(Name),
    /// `A$(length, fill)`.
    Fill(Name, Expr, Option<Expr>),
    /// `A$:IOL=..`: a composite string.
    Composite(Name, ListRef),
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
    /// A default.
    pub default: Option<Expr>,
    /// In parentheses: changes are not given back.
    pub read_only: bool,
    /// LOCAL.
    pub local: bool,
}

/// A control directive: `LIST_BOX LOAD 10,0,L$`.
#[derive(Clone, Debug)]
pub struct Control {
    /// `LIST_BOX`, `BUTTON` and others.
    pub class: String,
    /// `LOAD`, `FIND`, `READ`, ...; empty for a definition.
    pub action: String,
    /// Arguments, the identifier first; `None` for `*`.
    pub arguments: Vec<Option<Expr>>,
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
    /// GOSUB.
    Gosub(Target),
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
    Case(Vec<(Expr, Option<Expr>)>),
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
    /// POP.
    Pop,
    /// SETERR.
    SetErr(Target),
    /// SETESC: 0, ON, OFF or a target, which no key reaches yet.
    SetEsc(Option<Target>),
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
    /// RESET.
    Reset,
    /// END.
    End,
    /// STOP.
    Stop,
    /// ESCAPE.
    Escape,
    /// RELEASE, QUIT, BYE: ends the session with a status.
    Release(Option<Expr>),
    /// SET_PARAM: names with values; `-'XX'` is 0.
    SetParam(Vec<(String, Option<Expr>)>),
    /// PREFIX: a number of an entry, and the rules.
    Prefix(Option<Expr>, Option<Expr>),
    /// DAY_FORMAT.
    DayFormat(Expr),
    /// A control.
    Control(Box<Control>),
    /// MSGBOX: text, title, options, and the variable for the answer.
    MsgBox(Vec<Expr>, Option<Expr>),
    /// VIA name$=value.
    Via(Expr, Expr),
    /// DROP of a program, ADDR and ENDTRACE, which have no effect here: the text.
    NoEffect(Vec<u8>),
    /// CWDIR.
    ChangeDirectory(Expr),
    /// A statement that could not be parsed: the number of its error, and its text behind the label.
    Invalid(u16, Vec<u8>),
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
