//! The browser door: Business BASIC programs on a page that the server itself serves.
//!
//! ```text
//!   page  -- GET /programs/, POST /programs/api/... --> server: guard, sessions, programs
//!         == WebSocket /programs/socket ==============> socket: wire, Face of the program's screen
//!                                                        |
//!   Programs::run(name, user, ScreenHandle)  <-----  a thread for each program
//! ```
//!
//! The screen model is `mainstay-screen`; this crate carries its frames and events and knows no language: the caller gives
//! users and programs through the traits [`Users`] and [`Programs`]. docs/console.md has the protocol, the rules and the limits.
//!
//! **Libraries.** A program blocks its thread while it waits for the user, so that a thread for each connection is the natural
//! form, and an asynchronous server (axum with tokio, hyper and tower, some forty crates) would only add a second kind of
//! waiting. HTTP is read by `httparse` 1.10, the parser of hyper, and WebSockets by `tungstenite` 0.30, which axum uses
//! underneath as well; without its handshake, which needs a second HTTP library, it brings `bytes`, `log`, `rand` and
//! `thiserror` alone. The handshake is a hash and four headers. 100 idle programs cost 300 sleeping threads.
//!
//! **TLS** is a proxy's: the door listens on the loopback address, or behind a proxy that is named by the setting.

mod assets;
mod config;
mod guard;
mod http;
mod printed;
mod programs;
mod server;
mod sessions;
mod socket;
pub mod wire;

pub use config::Config;
pub use programs::{Entry, Programs, Users};
pub use server::{Door, Log};
