//! Prints the page of supported entries: `cargo run -p mainstay-ace --example compat > docs/COMPAT-ace.md`.

extern crate mainstay_ace as ace;

use std::path::Path;

fn main() -> mainstay_types::Result<()> {
    print!("{}", ace::compat::text(&ace::compat::programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c"))?));
    Ok(())
}
