//! SQLI, the protocol of Informix clients, without input or output.
//!
//! ```text
//!   login        one PDU each way, with a header: ConnectRequest, ConnectReply
//!   request      messages of the client:  Request::decode (server), Request::encode (client)
//!   reply        messages of the server:  Reply::encode (server), Reply::decode (client)
//!   describe     columns and parameters of a statement
//!   row, bind    values of rows and of parameters
//!   decimal, moment   the base-100 digits of DECIMAL, DATETIME and INTERVAL
//!   protocol     the masks that both sides agree on, and how each bit changes the bytes
//! ```
//!
//! After the login a connection is a stream of messages `[tag][body]` without lengths: only the tag tells how long a body is.
//! So a decoder needs to know every message, and reports [`Incomplete`](Decoded::Incomplete) when the bytes end inside one.
//! All integers are big-endian. Texts are in the client's codeset, see [`Codeset`].
//!
//! No input makes a decoder panic, read beyond its bytes or allocate more than in proportion to them.

mod bind;
mod codes;
mod codeset;
mod decimal;
mod describe;
mod error;
mod fast_path;
mod login;
mod moment;
mod protocol;
mod reader;
mod reply;
mod request;
mod routine;
mod row;
mod writer;

pub use bind::Parameter;
pub use codes::{Flags, SMART_LOB_BYTES, SimpleLob, StatementType, TypeCode, tag};
pub use codeset::Codeset;
pub use decimal::{decimal_text, decode_decimal, encode_decimal, encode_decimal_text};
pub use describe::{Description, Field, TypeDescription};
pub use error::WireError;
pub use fast_path::{LobAccess, RoutineValue};
pub use login::{ConnectReply, ConnectRequest, LONGEST_LOGIN, Outcome, login_length};
pub use moment::{Qualifier, Unit, decode_datetime, decode_interval, encode_datetime, encode_interval};
pub use protocol::{Context, Features, Mask};
pub use reader::Decoded;
pub use reply::{Failure, Reply};
pub use request::{Fetch, Keys, LobStep, Request, ReturnType, ScrollHow};
pub use routine::{RoutineParameter, RoutineTypes, routine_value};
pub use row::{Form, read_value, write_value};
