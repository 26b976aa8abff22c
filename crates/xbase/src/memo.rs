//! memo
