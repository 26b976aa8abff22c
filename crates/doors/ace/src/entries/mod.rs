//! The entries of the library: one table of names, parameters and implementations.
//!
//! The macro makes of each line the exported C function and a row of [`all`], from which the header (`header.rs`) and
//! the page of supported entries (`compat.rs`) are written. An entry with `= function` is implemented by that function;
//! one without returns "not supported" and logs it.
//!
//! ```text
//!   AdsGotoTop(object: Handle) = moves::top;          exported, done
//!   AdsGetLastError(code: Out<u32>) => errors::last;  the same, and leaves the last error as it is
//!   AdsMergeAOF(table: Handle);                       exported, answers AE_NOT_IMPLEMENTED
//! ```

use crate::border::Argument;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The group it is listed under.
    pub group: &'static str,
    /// Its exported name.
    pub name: &'static str,
    /// The names of its parameters, each with its C type.
    pub parameters: &'static [(&'static str, &'static str)],
    /// True if the entry is implemented.
    pub done: bool,
}

macro_rules! entries {
    ("dictionary"; $($entries:tt)*) => {
        $crate::entries::entries! { @group "dictionary"; $($entries)* }
        $crate::entries::calls! { $($entries)* }
    };
    ($group:literal; $($entries:tt)*) => {
        $crate::entries::entries! { @group $group; $($entries)* }
    };
    (@group $group:tt; $($name:ident($($parameter:ident: $kind:ty),* $(,)?) $(= $work:path)? $(=> $query:path)?;)*) => {
        /// The group's rows, by name.
        pub const ENTRIES: &[$crate::entries::Entry] = &[$($crate::entries::Entry {
            group: $group,
            name: stringify!($name),
            parameters: &[$((stringify!($parameter), <$kind as $crate::entries::Argument>::C)),*],
            done: entries!(@done $($work)? $($query)?),
        }),*];

        $(
            // SAFETY: no other symbol of this library has the name, and C programs expect it to be theirs to call.
            #[unsafe(no_mangle)]
            #[allow(missing_docs, reason = "the manual of the interface says what it does")]
            #[allow(non_snake_case, reason = "the name is the interface's")]
            #[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
            pub extern "C" fn $name($($parameter: $kind),*) -> u32 {
                entries!(@run $group $name ($($parameter),*) $(= $work)? $(=> $query)?)
            }
        )*
    };
    (@done) => { false };
    (@done $work:path) => { true };
    (@run $group:tt $name:ident ($($parameter:ident),*)) => {{
        $(let _ = $parameter;)*
        $crate::failure::absent(stringify!($name))
    }};
    (@run "dictionary" $name:ident ($($parameter:ident),*) = $work:path) => {
        $crate::failure::call(stringify!($name), || {
            // A dictionary of a server is asked there.
            let arguments = [$($crate::far_dictionary::Argument::from($parameter)),*];
            match $crate::far_dictionary::forward(stringify!($name), &arguments)? {
                true => Ok(()),
                false => $work($($parameter),*),
            }
        })
    };
    (@run $group:tt $name:ident ($($parameter:ident),*) = $work:path) => {
        $crate::failure::call(stringify!($name), || $work($($parameter),*))
    };
    (@run $group:tt $name:ident ($($parameter:ident),*) => $query:path) => {
        $crate::failure::query(stringify!($name), || $query($($parameter),*))
    };
}

/// Makes of the same lines what runs one of them by its name, with arguments that came over the wire.
macro_rules! calls {
    ($($name:ident($($parameter:ident: $kind:ty),* $(,)?) $(= $work:path)?;)*) => {
        /// Runs a call by its name; nothing for one that is not done, or not of a connection.
        pub fn run(name: &str, held: &mut $crate::border::Held) -> Option<$crate::failure::Result<()>> {
            match name {
                $( stringify!($name) => $crate::entries::calls!(@run held ($($parameter: $kind),*) $(= $work)?), )*
                _ => None,
            }
        }
    };
    (@run $held:ident ($($parameter:ident: $kind:ty),*)) => { None };
    (@run $held:ident ($($parameter:ident: $kind:ty),*) = $work:path) => {
        Some((|| {
            $( let $parameter = <$kind as $crate::border::Taken>::take($held)?; )*
            $work($($parameter),*)
        })())
    };
}

pub(crate) use {calls, entries};

mod connections;
mod dictionary;
mod encryption;
mod expressions;
mod fields;
mod filters;
mod indexes;
mod locks;
mod management;
mod memos;
mod navigation;
mod records;
mod settings;
mod statements;
mod tables;
mod text_search;
mod transactions;

/// The groups in the order of a program's life: it connects, opens, moves, reads, writes.
pub const GROUPS: &[(&str, &[Entry])] = &[
    ("Settings, errors and handles", settings::ENTRIES),
    ("Connections and files", connections::ENTRIES),
    ("Tables", tables::ENTRIES),
    ("Moving", navigation::ENTRIES),
    ("Fields", fields::ENTRIES),
    ("Memos and long values", memos::ENTRIES),
    ("Records", records::ENTRIES),
    ("Locks", locks::ENTRIES),
    ("Indexes, seeks, scopes and relations", indexes::ENTRIES),
    ("Filters", filters::ENTRIES),
    ("Expressions and conversions", expressions::ENTRIES),
    ("Transactions", transactions::ENTRIES),
    ("SQL", statements::ENTRIES),
    ("Management", management::ENTRIES),
    ("Encryption", encryption::ENTRIES),
    ("Full text search", text_search::ENTRIES),
    ("Data dictionaries", dictionary::ENTRIES),
];

pub use dictionary::run as run_of_dictionary;

/// Every entry.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    GROUPS.iter().flat_map(|(_, entries)| entries.iter())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let mut seen = HashSet::new();
        for entry in super::all() {
            assert!(seen.insert(entry.name), "{} is there twice", entry.name);
        }
        assert!(seen.len() > 500);
    }
}
