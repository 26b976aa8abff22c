//! The `mainstay` binary; everything is in the library beside it.

use std::process::ExitCode;

/// Batches are allocated and freed by the million; mimalloc does it without asking the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mainstay_cli::run()
}
