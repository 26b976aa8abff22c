//! A session: one connection of a client, its state, its options, its names and plans, and its results on their way to
//! the client.

pub(crate) mod announcements;
pub(crate) mod calls;
pub(crate) mod capture;
pub(crate) mod client_names;
pub(crate) mod collecting_sink;
pub(crate) mod compiled_texts;
pub(crate) mod connection;
pub(crate) mod console;
pub(crate) mod describe;
pub(crate) mod door;
pub(crate) mod instance;
pub(crate) mod options;
pub(crate) mod plan_dependencies;
pub(crate) mod prepared;
pub(crate) mod scope;
pub(crate) mod sent_rows;
pub(crate) mod state;
pub(crate) mod undeclared_parameters;
pub(crate) mod unexecuted;
pub(crate) mod watch;

pub(crate) use announcements::{
    Announced, Begun, Request, begin_module, end_module, has_plan, run_measured, tell, timed_text,
};
pub(crate) use client_names::object_name;
pub use connection::Session;
pub(crate) use connection::{Inner, Stopper, now, refuse, refuse_call, report};
