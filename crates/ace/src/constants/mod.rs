//! The constants of the interface: one table, from which the header takes its `#define`s too.
//!
//! Names and numbers are those of Harbour's `ads.ch` and `rddads`, and of X#'s declarations of the same calls.

/// A constant as the header shows it.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: i64,
}

macro_rules! constants {
    ($($name:ident = $value:expr;)*) => {
        $(
            #[allow(missing_docs, reason = "the name is all that there is to say")]
            #[allow(clippy::cast_sign_loss, reason = "C compares the same bits")]
            pub const $name: u32 = ($value as i64) as u32;
        )*

        /// All of them, in the order of the header.
        pub(super) const ALL: &[Constant] = &[$(Constant { name: stringify!($name), value: $value as i64 },)*];
    };
}

mod collations;
mod dictionary;
mod errors;
mod management;
mod options;

#[allow(unused_imports, reason = "a C program may want any of them")]
pub use {collations::*, dictionary::*, errors::*, management::*, options::*};

/// The constants by the heading that the header gives them.
pub const GROUPS: &[(&str, &[Constant])] = &[
    ("Options, types and limits", options::ALL),
    ("Error codes", errors::ALL),
    ("Data dictionaries", dictionary::ALL),
    ("Management", management::ALL),
    ("Character sets", collations::ALL),
];

/// The name of an error code, without its `AE_`, in lower case and words: `invalid handle` for 5018.
pub fn error_words(code: u32) -> Option<String> {
    let known = errors::ALL.iter().find(|constant| constant.value == i64::from(code))?;
    Some(known.name.trim_start_matches("AE_").to_ascii_lowercase().replace('_', " "))
}
