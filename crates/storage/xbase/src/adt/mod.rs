//! Tables of the Advantage Database Server: `.adt` files, whose long values are in `.adm` files.
//!
//! ```text
//!   | header 400 | descriptor 200 | descriptor 200 | ... | record 1 | record 2 | ... |
//!                                                         flag link field field ...
//! ```
//! An ADT has the plan of a DBF: a header that counts the records, descriptors, and records of fixed length. So there is one
//! reader and one writer for both ([`crate::dbf::Dbf`], [`crate::writer`]); [`RecordLayout`] names what differs, and this
//! module contains what only Advantage's tables have: the header ([`Header`]), the descriptors ([`Field`]) and the types with
//! their ways to store NULL ([`Type`]).
//!
//! | | DBF | ADT |
//! |---|---|---|
//! | prefix of a record | 1 byte: blank, or `*` for deleted | 5 bytes: flags (bit 0: deleted), next reusable record |
//! | NULL | a bit of `_NullFlags`, or a blank | a special value of each type |
//! | deleted records | stay, can be recalled | are linked in a list of reusable records |
//! | counters | in the descriptors | in the header |
//! | end of the file | 0x1A | the last record |
//!
//! The page `docs/formats/adt.md` lists the bytes and how certain each of them is. Limits: encrypted records are read as NULL
//! and reported, and never written; tables of other versions (AES) are refused.

mod check;
mod create;
mod fields;
mod header;
mod layout;
mod reuse;
mod types;

pub(crate) use check::check;
pub use create::{field_declared, field_of_type};
pub(crate) use create::{field_of_column, field_of_kind, header as new_header, type_of};
pub use fields::{Field, parse_fields, record_fields};
pub use header::{
    AUTO_INCREMENT_AT, FIELD_LENGTH, FIRST_FIELD_AT, FIXED_LENGTH, Header, ROW_VERSION_AT, SIGNATURE, VERSION_BYTE,
    is_signature,
};
pub(crate) use layout::KEPT_MARK;
pub use layout::RecordLayout;
pub(crate) use reuse::{Place as ReusePlace, ReuseList};
pub use types::Type;
