//! Prints docs/COMPAT-basic.md: `compat > docs/COMPAT-basic.md`.

fn main() {
    print!("{}", mainstay_basic_syntax::inventory::page());
}
