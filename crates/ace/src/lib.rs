//! The library of the Advantage Client Engine's calls, for programs that are linked with it.
