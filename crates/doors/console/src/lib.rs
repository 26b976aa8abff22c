//! The browser door: Business BASIC programs on a page that the server itself serves.
//!
//! ```text
//!   page  -- GET /programs/, POST /programs/api/... --> pages: guard, sessions, programs
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
//! **Listening**, TLS, limits of connections, metrics and the log are those of the server, which gives each connection as a
//! [`Client`]; [`Console::serve`] serves it.

mod assets;
mod client;
mod config;
mod guard;
mod http;
mod pages;
mod printed;
mod programs;
mod sessions;
mod socket;
pub mod wire;

pub use client::Client;
pub use config::Config;
pub use pages::Console;
pub use programs::{Entry, Programs, Users};
