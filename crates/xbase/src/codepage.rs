//! codepage
