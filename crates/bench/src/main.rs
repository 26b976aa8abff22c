//! `mainstay-bench`, the program that `mainstay bench` starts; everything is in the library beside it.

use std::process::ExitCode;

/// As in the `mainstay` command, since what is measured must be what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mainstay_bench::run(std::env::args_os().skip(1).collect())
}
