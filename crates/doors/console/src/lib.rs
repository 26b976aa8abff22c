//! The browser door.
