//! `libace.so` as it is shipped: the calls of `mainstay-ace`, with the SQL of `mainstay-ads-runtime` behind them.
//!
//! The calls are in a separate crate so that they are built and tested without the SQL engine. Here both are linked
//! into one library, `libace.so`, which is also its SONAME. The library of that crate alone is called
//! `libmainstay_ace.so`, so that it is not linked by mistake.
//!
//! A C program makes no initializing call, so the SQL engine is installed when the library is loaded.

use mainstay_ace::backend::install_sql;
use mainstay_ace::procedures::LibraryCalls;
use mainstay_ads_runtime::Engine;
use std::sync::Arc;

extern "C" fn loaded() {
    // Views of a folder may be those of T-SQL.
    mainstay_tsql_planner::register();
    mainstay_informix_planner::register();
    // Views of a folder may show the fields of keyed files, whose records have rules.
    mainstay_basic_database::register();
    // A program that has installed an engine of its own keeps it.
    let _ = install_sql(Arc::new(Engine::default().with_calls(Arc::new(LibraryCalls))));
}

/// The loader calls this function when it has loaded the library.
// SAFETY: the section holds addresses of functions of this signature, which the loader calls once each.
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;
