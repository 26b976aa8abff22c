//! The numbers of the ACE interface: one table, from which its C header takes the `#define`s, too.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of Harbour's `ads.ch`, and those that its `rddads` depends on without defining them.
    const HARBOUR: &[(&str, i64)] = &[
        ("ADS_NTX", 1),
        ("ADS_CDX", 2),
        ("ADS_ADT", 3),
        ("ADS_VFP", 4),
        ("ADS_OPTIMIZED_FULL", 1),
        ("ADS_OPTIMIZED_PART", 2),
        ("ADS_OPTIMIZED_NONE", 3),
        ("ADS_RESOLVE_IMMEDIATE", 1),
        ("ADS_RESOLVE_DYNAMIC", 2),
        ("ADS_AOF_ADD_RECORD", 1),
        ("ADS_AOF_REMOVE_RECORD", 2),
        ("ADS_AOF_TOGGLE_RECORD", 3),
        ("ADS_TOP", 1),
        ("ADS_BOTTOM", 2),
        ("ADS_RESPECTFILTERS", 1),
        ("ADS_IGNOREFILTERS", 2),
        ("ADS_RESPECTSCOPES", 3),
        ("ADS_REFRESHCOUNT", 4),
        ("ADS_LOCAL_SERVER", 1),
        ("ADS_REMOTE_SERVER", 2),
        ("ADS_AIS_SERVER", 4),
        ("ADS_ANSI", 1),
        ("ADS_OEM", 2),
        ("ADS_MGMT_LOCAL_SERVER", 3),
        ("ADS_MGMT_LINUX_SERVER", 6),
        ("ADS_CONNECTION", 1),
        ("ADS_TABLE", 2),
        ("ADS_INDEX_ORDER", 3),
        ("ADS_STATEMENT", 4),
        ("ADS_CURSOR", 5),
        ("ADS_DATABASE_CONNECTION", 6),
        ("ADS_SYS_ADMIN_CONNECTION", 7),
        ("ADS_FTS_INDEX_ORDER", 8),
        ("AE_NO_CONNECTION", 5036),
        ("ADS_DD_TABLE_OBJECT", 1),
        ("ADS_DD_USER_OBJECT", 8),
        ("ADS_DD_LINK_OBJECT", 12),
        ("ADS_DD_DEFAULT_TABLE_PATH", 100),
        ("ADS_DD_VERSION_MINOR", 112),
        ("ADS_DD_TABLE_PERMISSION_LEVEL", 216),
        ("ADS_DD_FIELD_DECIMAL", 308),
        ("ADS_DD_INDEX_KEY_TYPE", 405),
        ("ADS_DD_RI_CASCADE_ERROR", 508),
        ("ADS_DD_PROC_INVOKE_OPTION", 804),
        ("ADS_DD_LINK_USERNAME", 1302),
        ("AE_INSUFFICIENT_BUFFER", 5005),
        ("AE_INVALID_RECORD_NUMBER", 5022),
        ("AE_LOCK_FAILED", 5035),
        ("AE_RECORD_NOT_LOCKED", 5062),
        ("AE_TABLE_NOT_SHARED", 5064),
        ("AE_INDEX_ALREADY_OPEN", 5065),
        ("AE_NO_CURRENT_RECORD", 5068),
        ("AE_DATA_TRUNCATED", 5071),
        ("AE_TABLE_NOT_LOCKED", 5087),
    ];

    #[test]
    fn numbers_are_those_that_programs_are_compiled_with() {
        for (name, value) in HARBOUR {
            let found = GROUPS.iter().flat_map(|(_, all)| all.iter()).find(|constant| constant.name == *name);
            assert_eq!(found.map(|constant| constant.value), Some(*value), "{name}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> =
            GROUPS.iter().flat_map(|(_, all)| all.iter()).map(|constant| constant.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
