//! Errors of programs: a number of the dialect, its text, and details.
//!
//! Numbers are those of the manual's list of messages; the texts are our own words. A [`Fault`] travels up to the
//! statement that failed, where ERR=, SETERR or TRY may take it.

use std::fmt;

/// An error of a running program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number that ERR returns.
    pub code: u16,
    /// Names, places and limits; may be empty.
    pub detail: String,
    /// The branch that an option of a function has already chosen.
    pub(crate) branch: Option<crate::code::Destination>,
    /// No handler takes it any more: the session ends.
    pub(crate) is_final: bool,
    /// It is the break key, which SETESC takes.
    pub(crate) is_break: bool,
    /// ESCAPE, a breakpoint or a step: the program goes on with the next operation.
    pub(crate) is_stop: bool,
}

/// The result of anything that a program does.
pub type Outcome<T> = Result<T, Box<Fault>>;

impl Fault {
    /// An error without details.
    pub fn new(code: u16) -> Box<Fault> {
        Fault::with(code, String::new())
    }

    /// An error with details.
    pub fn with(code: u16, detail: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { code, detail: detail.into(), branch: None, is_final: false, is_break: false, is_stop: false })
    }
}

/// An error as a `Result`.
pub(crate) fn fail<T>(code: u16, detail: impl Into<String>) -> Outcome<T> {
    Err(Fault::with(code, detail))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error #{}: {}", self.code, message(self.code))?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

/// The text of an error number.
pub fn message(code: u16) -> &'static str {
    match TEXTS.binary_search_by_key(&code, |(code, _)| *code) {
        Ok(index) => TEXTS[index].1,
        Err(_) if code >= 256 => "Error of the operating system",
        Err(_) => "Unknown error",
    }
}

/// Numbers and texts, by number.
const TEXTS: &[(u16, &str)] = &[
    (0, "Record or file is busy"),
    (1, "Record is too long"),
    (2, "End of file"),
    (3, "Input/output error"),
    (4, "Device is not ready"),
    (5, "Data error"),
    (6, "Lock was lost"),
    (7, "Record index is beyond the file"),
    (8, "Write error"),
    (10, "Path name is not valid"),
    (11, "Key is missing or exists already"),
    (12, "File does not exist, or exists already"),
    (13, "File does not allow this access"),
    (14, "Channel is not open, or is in use"),
    (15, "Command of the operating system failed"),
    (16, "Disk is full"),
    (17, "File has the wrong type"),
    (18, "File is not a program"),
    (19, "Program is too large"),
    (20, "Syntax error"),
    (21, "Line number is not valid"),
    (22, "Directive cannot stand here"),
    (23, "Variable is missing or not valid"),
    (24, "Function is defined twice"),
    (25, "Function is not defined, or nested too deeply"),
    (26, "Variable has the wrong type"),
    (27, "RETURN, WEND or NEXT without its beginning"),
    (28, "NEXT without FOR"),
    (29, "Mnemonic or position is not valid"),
    (30, "Statement is too complex"),
    (31, "Memory limit is exceeded"),
    (32, "Input/output option is not valid"),
    (33, "Out of memory"),
    (34, "Directive is not allowed here"),
    (35, "Date or time is not valid"),
    (36, "Arguments of CALL and ENTER differ"),
    (37, "Directive is allowed in a called program only"),
    (38, "Directive is not allowed in a called program"),
    (39, "Record definition is not valid"),
    (40, "Division by zero, or number out of range"),
    (41, "Integer is not valid"),
    (42, "Subscript is out of range"),
    (43, "Format mask is not valid, or too short"),
    (44, "Step of FOR is zero"),
    (45, "Statement reference is not valid"),
    (46, "Length of string is not valid"),
    (47, "Sub-string is out of range"),
    (48, "Input is not valid"),
    (51, "Table of keys is not valid"),
    (52, "Program is protected"),
    (53, "Password is not valid"),
    (54, "Error handler cannot be loaded"),
    (55, "Label does not exist"),
    (56, "Label exists twice"),
    (57, "Window does not exist"),
    (60, "Argument of a control is not valid"),
    (65, "Element of a window is missing or exists already"),
    (67, "TRY is not structured correctly"),
    (70, "EDIT is not valid"),
    (71, "Text is not in the line"),
    (74, "Line numbers would be too large"),
    (75, "Hex string is not valid"),
    (78, "Pattern is not valid"),
    (80, "Key definition, number or name is not valid"),
    (81, "IOLIST is not valid"),
    (82, "File must be locked"),
    (83, "Range of lines is not valid"),
    (84, "Dictionary does not exist"),
    (85, "Program has no line numbers"),
    (88, "Property does not exist"),
    (90, "Class does not exist"),
    (91, "Class or object is in use"),
    (92, "Class definition is not valid"),
    (93, "Name is defined already in the class"),
    (94, "Class inherits from itself"),
    (95, "Object does not exist"),
    (99, "Not supported"),
    (106, "Header of a file is damaged"),
    (118, "Keyed file is damaged"),
    (120, "Internal error"),
    (127, "Program was interrupted"),
];
