//! Errors of programs: a number of the dialect, its text, and details.
//!
//! Numbers and their titles are those of the manual's list of messages, because programs show and compare them (MSG); details
//! are our own. A [`Fault`] travels up to the
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
        Err(_) if code >= 256 => "Operating System Error",
        Err(_) => "No message",
    }
}

/// Numbers and titles, by number (the manual's appendix "Error Codes and Messages").
const TEXTS: &[(u16, &str)] = &[
    (0, "Record/file busy"),
    (1, "Logical END-OF-RECORD reached"),
    (2, "END-OF-FILE on read or File full on write"),
    (3, "Input/Output error on file"),
    (4, "Device not ready"),
    (5, "Data error on device or file"),
    (6, "Directory error"),
    (7, "Access out of file boundaries"),
    (8, "Data write error"),
    (10, "Illegal pathname specified"),
    (11, "Record not found or Duplicate key on write"),
    (12, "File does not exist (or already exists)"),
    (13, "File access mode invalid"),
    (14, "Invalid I/O request for file state"),
    (15, "Operating system command failed"),
    (16, "File/Disc is full"),
    (17, "Invalid file type or contents"),
    (18, "Program not loaded/Invalid program format"),
    (19, "Program size too large"),
    (20, "Syntax error"),
    (21, "Statement number is invalid"),
    (22, "Invalid compound statement"),
    (23, "Missing/Invalid variable"),
    (24, "Attempt to duplicate a function name"),
    (25, "Invalid call to user function (Non-existent or recursive)"),
    (26, "Variable type invalid"),
    (27, "Unexpected or incorrect WEND, RETURN or NEXT"),
    (28, "No corresponding FOR for NEXT"),
    (29, "Invalid Mnemonic or position specification"),
    (30, "Statement too complex -- cannot compile"),
    (31, "Memory limits reached -- Increase '-SZ' option"),
    (32, "Invalid or redundant Input/Output option"),
    (33, "Insufficient memory available in system -- try later"),
    (34, "Directive not allowed from COMMAND mode"),
    (35, "Invalid date/time specified"),
    (36, "ENTER parameters don't match those of the CALL"),
    (37, "Directive can only execute in subprogram"),
    (38, "Directive cannot be used within CALLed program"),
    (39, "Invalid record definition"),
    (40, "Divide check or numeric overflow"),
    (41, "Invalid integer encountered (range error or non-integer)"),
    (42, "Subscript out of range/Invalid subscript"),
    (43, "Format mask invalid"),
    (44, "Invalid step value"),
    (45, "Referenced statement invalid"),
    (46, "Length of string invalid"),
    (47, "Substring reference out of string"),
    (48, "Invalid input -- Try again"),
    (49, "Internal program format error"),
    (51, "Invalid VFU/key load"),
    (52, "Program is password protected"),
    (53, "Invalid password"),
    (54, "Unable to Load Error Handler"),
    (55, "Cannot locate statement label"),
    (56, "Duplicate statement label"),
    (57, "No such window defined"),
    (58, "Line(s) in GOSUB/FOR/WHILE stack"),
    (59, "Invalid directive in function/object definition"),
    (60, "Invalid control argument value"),
    (61, "Authorization failure"),
    (62, "Not a development system"),
    (63, "Not activated for this software package"),
    (64, "No valid LEX table loaded"),
    (65, "Window element does not exist or already exists"),
    (66, "Program size > 64K -- may not run on all environments"),
    (67, "Invalid Try/Catch/Finally structure or transfer"),
    (68, "RPC (Remote Process Call) name not found"),
    (69, "No Journalization file open"),
    (70, "EDIT command syntax error"),
    (71, "String not found"),
    (72, "Replacement string will not fit"),
    (73, "No current string defined"),
    (74, "RENUMBER rejected -- Line numbers too large"),
    (75, "Invalid Hex string"),
    (76, "LINE_SWITCH failure - Terminal cannot be switched"),
    (77, "Edit generates no line number"),
    (78, "Invalid MSK specification"),
    (79, "Invalid FORMAT specification"),
    (80, "Invalid key definition, number or name"),
    (81, "Invalid IOLIST specification"),
    (82, "File must be 'LOCKED' before being 'PURGED'"),
    (83, "Invalid statement number range"),
    (84, "No DICTIONARY exists on OPENed file"),
    (85, "Program does not support line numbers"),
    (86, "Transmission error to device"),
    (87, "MENUBAR definition invalid"),
    (88, "Invalid/unknown property name"),
    (89, "File access denied -- I/O operation pending"),
    (90, "Unable to locate Object class definition"),
    (91, "Class/Object in use"),
    (92, "Invalid CLASS definition"),
    (93, "Already defined within class definition"),
    (94, "Loop in Class inheritance found"),
    (95, "Bad Object Identifier"),
    (97, "Version conflict - function not supported"),
    (98, "Feature not yet implemented"),
    (99, "Feature not supported"),
    (100, "No driver for terminal type or library missing"),
    (105, "Keyed file error (Short key block)"),
    (106, "Keyed file error (Bad key block hdr)"),
    (107, "Keyed file error (Wrong key block addr)"),
    (108, "Keyed file error (Record length invalid)"),
    (109, "Keyed file error (Deleted record chain bad)"),
    (110, "Keyed file error (No EOF flag found)"),
    (111, "Keyed file error (Record data unreadable)"),
    (112, "Keyed file error (Record key size invalid)"),
    (113, "Keyed file error (Variable record offset bad)"),
    (114, "Keyed file error (Physical record address bad)"),
    (115, "File I/O Verification Error"),
    (116, "Invalid field descriptor byte"),
    (117, "Invalid segment number"),
    (118, "Keyed file error"),
    (119, "Maximum record count hit for demo/educational license"),
    (120, "Internal system logic error"),
    (121, "Invalid program format"),
    (123, "The following statement labels cannot be located"),
    (124, "The following statement labels occur more than once"),
    (125, "Memory Parity error"),
    (126, "Forced termination - No valid activation file"),
    (127, "Break key depressed"),
];
