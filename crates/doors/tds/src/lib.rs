//! The protocol of SQL Server's clients (TDS 7.1 to 7.4, and 8.0 inside TLS): packets, tokens and values, without input
//! or output.
//!
//! ```text
//!   bytes of a client                                                       bytes for a client
//!      |                                                                          ^
//!   Framer      packets             packet                          PacketWriter  |  packet_writer
//!   Assembler   whole messages        |                                Answer ----+  answer: tokens
//!      |                              v                                   ^
//!   PreLogin, Login, Batch, Call, TransactionRequest, BulkReader          |
//!      |          one module each; types: type_info, values: value_read   |  columns: column, values: value_write
//!      v                                                                  |
//!   a session of the server ------------------------------------------> its results        (not here: the server's door)
//! ```
//!
//! Types are those of the protocol ([`DataType`]); a session declares its columns and parameters by name
//! ([`DataType::of`]).
//!
//! The rules are those of the published protocol, [MS-TDS]; sections are named where they are implemented. Messages of
//! real clients are recorded in `tests/recorded`.
//!
//! Nothing that a client sends can panic or take memory without bound: counts are not trusted before the bytes that
//! they announce have arrived. The worst multiple is that of a table as a parameter with one column of NULLs, whose
//! rows are two bytes on the wire and some eighty in memory. The client's side is in [`client`].

mod answer;
mod batch;
mod bulk;
pub mod client;
mod collation;
mod column;
mod data_type;
mod done;
mod error;
mod login;
mod packet;
mod packet_writer;
mod prelogin;
mod reader;
mod rpc;
mod source;
mod table_value;
mod token_stream;
mod transaction;
mod type_info;
mod value_read;
mod value_write;
pub mod variant;
mod version;

pub use answer::Answer;
pub use batch::{Batch, Headers};
pub use bulk::{BulkEvent, BulkReader, NextRow};
pub use collation::Collation;
pub use column::Column;
pub use data_type::{DataType, Length};
pub use done::{Command, Done, DoneKind, Environment};
pub use error::{ValueError, Wire, WireError};
pub use login::{Feature, LONGEST_LOGIN, Login, Password};
pub use mainstay_character_sets::CodePage;
pub use packet::{
    Assembler, DEFAULT_PACKET, Framer, HEADER_BYTES, LARGEST_PACKET, Packet, PacketKind, PacketStatus, Reset,
    SMALLEST_PACKET, WholeMessage,
};
pub use packet_writer::{Mark, PacketWriter};
pub use prelogin::{Encryption, LONGEST_PRELOGIN, PreLogin};
pub use rpc::{Call, MOST_PARAMETERS, NUMBERED, Parameter, ParameterValue};
pub use source::ColumnSource;
pub use table_value::TableValue;
pub use transaction::{Begin, Isolation, TransactionRequest};
pub use version::Version;
