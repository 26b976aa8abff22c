//! Directives of the session: search rules, handlers, edits of the program, classes.

use super::{Expr, IoOption, Name, Parameter, Target};

/// The forms of SETESC.
#[derive(Clone, Debug)]
pub enum SetEsc {
    /// A subroutine of the program; line 0 is none.
    Target(Target),
    /// A program to CALL.
    Program(Expr),
    /// ON, OFF.
    Keys(bool),
    /// ENABLE, DISABLE: later SETESC with a target have an effect, or none.
    Enable(bool),
    /// READ: the variable for the program's name.
    Read(Expr),
}

/// The forms of PREFIX, ENABLE and DISABLE.
#[derive(Clone, Debug)]
pub enum Prefix {
    /// PREFIX, PREFIX(n): the entry, and its locations.
    Entry(Option<Expr>, Option<Expr>),
    /// PREFIX PROGRAM.
    Program(Option<Expr>),
    /// PREFIX FILE: a keyed file of names.
    File(Option<Expr>),
    /// PREFIX DIRECTORY: a virtual folder, and the folder that it stands for.
    Folder(Expr, Expr),
    /// ENABLE n, DISABLE n.
    Enable(Expr, bool),
}

/// The forms of SYSTEM_JRNL that are about transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journal {
    /// BEGIN.
    Begin,
    /// BEGIN AUTO.
    BeginAuto,
    /// AUTO ON.
    AutoOn,
    /// AUTO OFF.
    AutoOff,
    /// SAVE: commit.
    Save,
    /// RESTORE: roll back.
    Restore,
}

/// The forms of MESSAGE_LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageLibrary {
    /// The list of files is this one.
    Set,
    /// ADD: a file before the others.
    Add,
    /// DROP: a file less.
    Drop,
    /// POP: without the first file.
    Pop,
}

/// SETDAY, SETTIME, SETDEV, TRANSLATE, DEF and MNEMONIC.
#[derive(Clone, Debug)]
pub enum Setting {
    /// SETDAY: the session's date; without one that of the system.
    Day(Option<Expr>),
    /// SETTIME: the session's time in hours; without one that of the system.
    Time(Option<Expr>),
    /// SETDEV TSK( ): an entry of the task table.
    Task(Expr),
    /// TRANSLATE: the variable, the table, and the offset or the character to replace.
    Translate(Box<(Expr, Expr, Option<Expr>)>),
    /// SETDEV (channel) SEP=.
    Separator(Expr, Expr),
    /// SETDEV (channel) IOL=.
    List(Expr, super::ListRef),
    /// DEF of a table, a system variable or a message.
    Define(Define),
    /// MNEMONIC: the channel, the name, the sequence, and the columns and lines of the screen.
    Mnemonic(Option<Expr>, Expr, Expr, Option<Box<(Expr, Expr)>>),
}

/// A table, variable or message that DEF defines for the session; functions and classes have statements of their own.
#[derive(Clone, Debug)]
pub enum Define {
    /// `DEF UCS(table$)`: CHR, CVS, DTE, LCS or UCS.
    Table(String, Expr),
    /// `DEF CTL=value`: CTL, ERR, HWD, LFA, LFO, LPG, NAR or NID.
    Variable(String, Expr),
    /// `DEF MSG(number)="text"`; DELETE has no text.
    Message(Expr, Option<Expr>),
}

/// Directives for the console, which EXECUTE can run as well.
#[derive(Clone, Debug)]
pub enum Console {
    /// LOAD.
    Load(Option<Expr>),
    /// SAVE.
    Save(Option<Expr>),
    /// DELETE: the first and the last line; without any, all.
    Delete(Option<Target>, Option<Target>),
    /// MERGE: a channel, or the name of a file.
    Merge(Expr, Vec<IoOption>),
    /// RENUMBER: the first new number, the step, the range.
    Renumber(Option<Expr>, Option<Expr>, Option<Target>, Option<Target>),
    /// EDIT of a line.
    Edit(Target, Vec<EditStep>),
    /// DUMP: the channel, and the level; `None` for all of them.
    Dump(Option<Expr>, Option<Option<Expr>>),
    /// START: the memory, and a program.
    Start(Option<Expr>, Option<Expr>, Vec<IoOption>),
    /// SETTRACE: the channel.
    Trace(Option<Expr>),
    /// ENDTRACE.
    EndTrace,
}

/// A step of EDIT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditStep {
    /// `C[text]`: copies up to the text, and the text.
    Copy(Vec<u8>),
    /// `D[text]`: leaves out up to the text, and the text.
    Delete(Vec<u8>),
    /// `R[text]`: the text in place of as many bytes.
    Replace(Vec<u8>),
    /// `[text]`: the text.
    Add(Vec<u8>),
}

/// ADD INDEX and DROP INDEX.
#[derive(Clone, Debug)]
pub struct Index {
    /// The key to add, or the number or name of the one to drop.
    pub key: super::FileArgument,
    /// ADD.
    pub adds: bool,
    /// A channel, or a file's name.
    pub file: Expr,
    /// ERR=.
    pub options: Vec<IoOption>,
}

/// DEF CLASS.
#[derive(Clone, Debug)]
pub struct DefClass {
    /// The name.
    pub name: Expr,
    /// UNIQUE: there is one object of the class.
    pub unique: bool,
    /// ACCEPT PROPERTIES, ACCEPT UNDEFINED.
    pub accepts: (bool, bool),
    /// CREATE: the label in place of ON_CREATE, and REQUIRED.
    pub create: Option<(String, bool)>,
    /// DELETE: the label in place of ON_DELETE, and REQUIRED.
    pub delete: Option<(String, bool)>,
}

/// A declaration inside of DEF CLASS.
#[derive(Clone, Debug)]
pub enum Member {
    /// PROPERTY and LOCAL: names.
    Properties(Vec<Property>),
    /// FUNCTION.
    Function {
        /// The name; `$` makes it a string.
        name: Name,
        /// Parameters; `None` for `(*)`.
        parameters: Option<Vec<Parameter>>,
        /// The label of its logic; `None` if the logic follows.
        label: Option<String>,
        /// LOCAL.
        local: bool,
    },
    /// FUNCTION END.
    FunctionEnd,
    /// LIKE: names of classes.
    Like(Vec<Expr>),
}

/// A property of a class.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name.
    pub name: Name,
    /// An array: its bounds.
    pub bounds: Vec<(Option<Expr>, Expr)>,
    /// OBJECT: the property is an object, which loses a reference with this one.
    pub is_object: bool,
    /// LOCAL: for the methods of the class only.
    pub local: bool,
    /// `=expression`: the value.
    pub value: Option<Expr>,
    /// GET.
    pub get: Option<Access>,
    /// SET.
    pub set: Option<Access>,
}

/// GET or SET of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// A label of the class's program.
    Label(String),
    /// ERR: refused.
    Refused,
}
