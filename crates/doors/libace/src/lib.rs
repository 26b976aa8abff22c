//! `libace.so` as it is shipped: the calls of `mainstay-ace`, with the SQL of `mainstay-ads-runtime` behind them.
//!
//! The calls are in a crate of their own so that they are built and tested without the SQL engine. Here both are linked
//! into one library: `libmainstay_ace.so` when it is built, to be installed as `libace.so`, which is also the name that it
//! has inside.
//!
//! A C program says nothing to a library before its first call, so the SQL is installed when the library is loaded.

use mainstay_ads_runtime as sql;

// What the library exports is in that crate.
extern crate ace;

extern "C" fn loaded() {
    // A program that has installed an engine of its own keeps it.
    let _ = sql::install();
}

/// What the loader calls when it has loaded the library.
// SAFETY: the section holds addresses of functions of this signature, which the loader calls once each.
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;
