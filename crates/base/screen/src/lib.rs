//! The screen of Business BASIC programs.
//!
//! Programs of ProvideX and PxPlus draw on a text plane with windows, read fields with an editor, and use controls: list boxes,
//! buttons and others. This crate is the one model of all that, for two faces: a terminal and a browser. It performs no input
//! or output: a face takes [`frame::Frame`]s, which hold what has changed, and gives [`event::Event`]s.
//!
//! ```text
//!   runtime -- print, LIST_BOX LOAD, INPUT --> session::ScreenHandle
//!                                                     |
//!                  text (windows, cells)    controls (lists, buttons)    input (queue, field)
//!                                                     |
//!   face  <-- frames -- session::Face -- events -->
//! ```
//!
//! The model is the truth: cells, lists and fields live here, so that a browser that reconnects gets the same screen and
//! `MSE` can wait for the face. Rules come from the PxPlus manual; the pages are named where they are applied.
//!
//! **Limits.** One character takes one column. Graphics, fonts and pictures are accepted and not drawn. A list takes at most
//! 256 MB, a tree 1,048,576 elements, a screen 4,096 controls and 256 windows.

pub mod cell;
pub mod characters;
pub mod controls;
pub mod document;
pub mod error;
pub mod event;
pub mod field;
pub mod frame;
mod handle;
mod input;
pub mod menu;
mod message_box;
pub mod mnemonic;
pub mod mse;
pub mod panels;
pub mod plane;
pub mod screen;
pub mod session;
pub mod text;
pub mod window;

pub use error::{Result, ScreenError};
pub use input::InputResult;
pub use screen::{Screen, Verb};
