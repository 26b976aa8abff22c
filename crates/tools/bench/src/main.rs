//! `mainstay-bench`, the program that `mainstay bench` starts; everything is in the library beside it.

use mainstay_bench::Counting;
use std::process::ExitCode;

/// As in the `mainstay` command, since what is measured must be what is shipped; it counts when it is asked to.
#[global_allocator]
static ALLOCATOR: Counting<mimalloc::MiMalloc> = Counting(mimalloc::MiMalloc);

fn main() -> ExitCode {
    mainstay_bench::run(std::env::args_os().skip(1).collect())
}
