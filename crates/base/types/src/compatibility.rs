//! Constructs of a dialect that another system supports and Mainstay does not, or supports differently.
//!
//! Each dialect's syntax crate has one table of [`Construct`]s and a function that finds them in a text. `mainstay
//! assess` reports those it finds, and the pages "Not supported" are written from the same tables, so that the two
//! cannot disagree. A row has an example: a test of the dialect looks for the row in it.

use std::borrow::Cow;

/// The support of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Support {
    /// It works as documented by the other system.
    Supported,
    /// It is read and has no effect; results are the same without it.
    Ignored,
    /// It works, and may take longer than there.
    ReviewPerformance,
    /// It works, and may give another result than there.
    ReviewSemantics,
    /// It is refused with an error.
    NotSupported,
}

impl Support {
    /// All classes, the gravest first.
    pub const ALL: [Support; 5] = [
        Support::NotSupported,
        Support::ReviewSemantics,
        Support::ReviewPerformance,
        Support::Ignored,
        Support::Supported,
    ];

    /// The name in JSON and on the pages: `not supported`.
    pub const fn name(self) -> &'static str {
        match self {
            Support::Supported => "supported",
            Support::Ignored => "ignored",
            Support::ReviewPerformance => "review performance",
            Support::ReviewSemantics => "review semantics",
            Support::NotSupported => "not supported",
        }
    }

    /// True if a person has something to decide or to change.
    pub const fn needs_review(self) -> bool {
        !matches!(self, Support::Supported | Support::Ignored)
    }
}

/// A row of a dialect's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Construct {
    /// A stable key for programs that read the report: `linked-server`.
    pub id: &'static str,
    /// The construct as the manual of the other system calls it.
    pub name: &'static str,
    /// The support of it here.
    pub support: Support,
    /// The behaviour in a sentence.
    pub behaviour: &'static str,
    /// The change to make, or what to look at; empty where there is nothing to do.
    pub advice: &'static str,
    /// A text in which the construct is found; empty where none can be given.
    pub example: &'static str,
}

/// A use of a construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The construct.
    pub construct: &'static Construct,
    /// The name or message that distinguishes uses of one construct: a function's name, a parser's message. May be empty.
    pub subject: Cow<'static, str>,
    /// The number of the error that the dialect gives; `None` where there is no error.
    pub code: Option<i32>,
    /// The line in the text, from 1.
    pub line: u32,
    /// The number of the statement among those that [`Assessed::statements`] counts, from 0. `None` for a text that could
    /// not be read, and for a file.
    pub statement: Option<u64>,
}

impl Occurrence {
    /// A use without an error.
    pub fn new(construct: &'static Construct, subject: impl Into<Cow<'static, str>>, line: u32) -> Occurrence {
        Occurrence { construct, subject: subject.into(), code: None, line, statement: None }
    }
}

/// The occurrences in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assessed {
    /// Statements that could be read, those within others included.
    pub statements: u64,
    /// The uses of constructs of the table, by their lines.
    pub occurrences: Vec<Occurrence>,
}

/// Defines the rows of a dialect's table as statics, and `CONSTRUCTS`, the list of them in this order.
#[macro_export]
macro_rules! constructs {
    ($($row:ident $id:literal $support:ident: $name:literal, $behaviour:literal, $advice:literal, $example:literal;)*) => {
        $(
            pub(crate) static $row: $crate::compatibility::Construct = $crate::compatibility::Construct {
                id: $id,
                name: $name,
                support: $crate::compatibility::Support::$support,
                behaviour: $behaviour,
                advice: $advice,
                example: $example,
            };
        )*
        /// The table, in the order of the page.
        pub static CONSTRUCTS: &[&$crate::compatibility::Construct] = &[$(&$row),*];
    };
}
