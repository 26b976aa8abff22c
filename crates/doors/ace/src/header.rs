//! The C header, written from the tables of constants, structures and entries.
//!
//! `cargo run -p mainstay-ace --example header` prints it; a test compares it with `include/ace.h`.

use std::fmt::Write;

use crate::constants;
use crate::entries::{self, Entry};
use crate::structures;

/// The text before the tables: the types, and the macros that programs expect.
const BEGIN: &str = r#"/*
 * The calls of the Advantage Client Engine, as Mainstay's libace has them.
 * Written by `cargo run -p mainstay-ace --example header`. Change the tables in crates/doors/ace/src and those of the
 * constants in crates/storage/data-dictionary/src, not this file.
 */

#ifndef MAINSTAY_ACE_H
#define MAINSTAY_ACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t  UNSIGNED8;
typedef int8_t   SIGNED8;
typedef uint16_t UNSIGNED16;
typedef int16_t  SIGNED16;
typedef uint32_t UNSIGNED32;
typedef int32_t  SIGNED32;
typedef uint64_t UNSIGNED64;
typedef int64_t  SIGNED64;

#if !defined( _WIN32 )
   #define VOID void
   typedef double DOUBLE;
#endif

/* A handle of any kind: a connection, a table, an index order, a statement. 0 is none. */
typedef uintptr_t ADSHANDLE;

/* A unit of UTF-16. */
#if !defined( WCHAR ) && !defined( _WIN32 )
   typedef uint16_t ACE_WCHAR;
   #define WCHAR ACE_WCHAR
#endif

#if defined( _WIN32 ) && !defined( _WIN64 )
   #define ENTRYPOINT __stdcall
#else
   #define ENTRYPOINT
#endif
#if !defined( WINAPI )
   #define WINAPI ENTRYPOINT
#endif

/* A field's number, from 1, where a field's name is a parameter. */
#define ADSFIELD( n ) ( ( UNSIGNED8 * )( uintptr_t )( n ) )

/* Functions of the program's: told how far a long operation is, in percent; anything but 0 stops it. */
typedef UNSIGNED32 ( WINAPI * ADSCALLBACK )( UNSIGNED16 usPercentDone, UNSIGNED32 ulCallbackID );
typedef UNSIGNED32 ( WINAPI * ADSCALLBACK101 )( UNSIGNED16 usPercentDone, SIGNED64 qCallbackID );
typedef UNSIGNED32 ( WINAPI * ADSPROGRESSCALLBACK )( UNSIGNED16 usPercentDone );
"#;

/// The text after the tables.
const END: &str = r"
#ifdef __cplusplus
}
#endif

#endif /* MAINSTAY_ACE_H */
";

/// The whole header.
pub fn text() -> String {
    let mut text = String::from(BEGIN);
    for (heading, all) in constants::GROUPS {
        let _ = writeln!(text, "\n/* {heading} */");
        for constant in *all {
            let value = match constant.value {
                value if value < 0 => format!("( {value} )"),
                value if value >= 0x1000 && !constant.name.starts_with("AE_") => format!("0x{value:X}"),
                value => value.to_string(),
            };
            let _ = writeln!(text, "#define {:<41} {value}", constant.name);
        }
    }
    text.push_str("\n#define ADS_ROOT_DD_ALIAS                         \"__rootdd\"\n");
    text.push_str(&structures::declarations());
    for (heading, all) in entries::GROUPS {
        let _ = writeln!(text, "\n/* {heading} */");
        all.iter().for_each(|entry| declare(&mut text, entry));
    }
    text.push_str(END);
    text
}

/// One function's declaration.
fn declare(text: &mut String, entry: &Entry) {
    let parameters: Vec<String> =
        entry.parameters.iter().map(|(name, kind)| format!("{kind}{}", camel(name))).collect();
    let list = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let _ = writeln!(text, "UNSIGNED32 ENTRYPOINT {}( {list} );", entry.name);
}

/// A parameter's name as C programs of the field write them. C++ has taken a few.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for (at, word) in name.split('_').enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if at > 0 => out.extend(first.to_uppercase()),
            Some(first) => out.push(first),
            None => {}
        }
        out.extend(letters);
    }
    out
}
