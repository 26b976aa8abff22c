//! Directives of the session: search rules, handlers, edits of the program.

use super::*;
use mainstay_basic_syntax::tree::{self, EditStep};

/// Directives that are rare: one operation has them all.
#[derive(Debug)]
pub enum SessionCode {
    /// SETERR with a program, ERROR_HANDLER.
    ErrorProgram(Option<TextExpr>, Branches),
    /// ERROR_HANDLER READ.
    ErrorProgramRead(Target),
    /// SETESC with a subroutine.
    EscapeTarget(Option<Destination>),
    /// SETESC with a program.
    EscapeProgram(TextExpr),
    /// SETESC ON, OFF.
    EscapeKeys(bool),
    /// SETESC ENABLE, DISABLE.
    EscapeEnable(bool),
    /// SETESC READ.
    EscapeRead(Target),
    /// PREFIX, PREFIX(n).
    Prefix(Option<NumberExpr>, Option<TextExpr>),
    /// PREFIX PROGRAM.
    PrefixProgram(Option<TextExpr>),
    /// PREFIX FILE.
    PrefixFile(Option<TextExpr>),
    /// PREFIX DIRECTORY.
    PrefixFolder(TextExpr, TextExpr),
    /// ENABLE, DISABLE.
    PrefixEnable(NumberExpr, bool),
    /// MESSAGE_LIB.
    MessageLibrary(tree::MessageLibrary, Option<TextExpr>, Branches),
    /// SYSTEM_JRNL.
    Journal(tree::Journal, Branches),
    /// CWDIR.
    Folder(TextExpr, Branches),
    /// SETFID.
    SetFid(Option<NumberExpr>, TextExpr),
    /// SETDAY.
    Day(Option<TextExpr>),
    /// SETTIME.
    Time(Option<NumberExpr>),
    /// SETDEV TSK( ).
    Task(TextExpr),
    /// TRANSLATE: the variable, its value, the table, and the offset or the character to replace.
    Translate(Target, TextExpr, TextExpr, Option<Expr>),
    /// SETDEV (channel) SEP=.
    Separator(NumberExpr, TextExpr),
    /// SETDEV (channel) IOL=.
    ChannelList(NumberExpr, ListSource),
    /// DEF of a table: CHR, CVS, DTE, LCS or UCS.
    DefineTable(String, TextExpr),
    /// DEF of a system variable.
    DefineVariable(String, Expr),
    /// DEF MSG; without a text the message is forgotten.
    DefineMessage(Expr, Option<TextExpr>),
    /// MNEMONIC: the channel, the name and the sequence.
    Mnemonic(Option<NumberExpr>, TextExpr, TextExpr),
    /// INVOKE.
    Invoke(TextExpr, Branches),
    /// DIM LOAD.
    DimLoad(VariableRef, TextExpr),
    /// ADD INDEX, DROP INDEX.
    Index {
        /// The key to add, or the number or name of the one to drop.
        key: FileArgument,
        /// ADD.
        adds: bool,
        /// A channel or a name.
        file: Expr,
        /// ERR=.
        branches: Branches,
    },
    /// Directives of the console.
    Console(ConsoleCode),
    /// DROP OBJECT, DELETE OBJECT.
    DropObject(NumberExpr, Branches),
    /// DROP CLASS.
    DropClass(TextExpr, Branches),
}

impl SessionCode {
    /// The branches for its errors.
    pub fn branches(&self) -> Option<Branches> {
        match self {
            SessionCode::ErrorProgram(_, branches)
            | SessionCode::MessageLibrary(_, _, branches)
            | SessionCode::Journal(_, branches)
            | SessionCode::Folder(_, branches)
            | SessionCode::Invoke(_, branches)
            | SessionCode::Index { branches, .. }
            | SessionCode::DropObject(_, branches)
            | SessionCode::DropClass(_, branches)
            | SessionCode::Console(ConsoleCode::Start(_, _, branches) | ConsoleCode::Merge(_, branches)) => {
                Some(*branches)
            }
            _ => None,
        }
    }
}

/// Directives that edit the program or show its state.
#[derive(Debug)]
pub enum ConsoleCode {
    /// LOAD.
    Load(Option<TextExpr>),
    /// SAVE.
    Save(Option<TextExpr>),
    /// DELETE.
    Delete(Option<tree::Target>, Option<tree::Target>),
    /// MERGE: a channel or a name.
    Merge(Expr, Branches),
    /// RENUMBER.
    Renumber(Option<NumberExpr>, Option<NumberExpr>, Option<tree::Target>, Option<tree::Target>),
    /// EDIT.
    Edit(tree::Target, Vec<EditStep>),
    /// DUMP.
    Dump(Option<NumberExpr>, Option<Option<NumberExpr>>),
    /// START.
    Start(Option<NumberExpr>, Option<TextExpr>, Branches),
    /// SETTRACE.
    Trace(Option<NumberExpr>),
    /// ENDTRACE.
    EndTrace,
}
