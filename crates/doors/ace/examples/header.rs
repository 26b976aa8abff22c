//! Prints the C header of the library: `cargo run -p mainstay-ace --example header > crates/doors/ace/include/ace.h`.

extern crate mainstay_ace as ace;

fn main() {
    print!("{}", ace::header::text());
}
