//! Functions of the session's [`Context`](crate::Context): the current time, and names.

use super::Function;
use super::binding::Call;
use crate::moment::datetime;
use crate::types::{DataType, Length};
use mainstay_types::Value;

/// A function without arguments that the context answers.
macro_rules! of_context {
    ($name:literal, $result:expr, $answer:expr) => {
        Function::new($name, (0, 0), |_| Ok($result), |call, _| Ok($answer(call))).per_statement()
    };
}

/// The type of a name.
const NAME: DataType = DataType::NVarChar(Length::Limited(128));

fn name(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn now(call: &Call<'_>) -> Value {
    datetime::round(call.context.now()).map_or(Value::Null, Value::Timestamp)
}

fn now_utc(call: &Call<'_>) -> Value {
    datetime::round(call.context.now_utc).map_or(Value::Null, Value::Timestamp)
}

fn now_with_offset(call: &Call<'_>) -> Value {
    Value::TimestampWithOffset { utc: call.context.now_utc, offset_minutes: call.context.offset_minutes }
}

pub(super) const FUNCTIONS: &[Function] = &[
    of_context!("GETDATE", DataType::DateTime, now),
    of_context!("CURRENT_TIMESTAMP", DataType::DateTime, now),
    of_context!("GETUTCDATE", DataType::DateTime, now_utc),
    of_context!("SYSDATETIME", DataType::DateTime2(7), |call: &Call<'_>| Value::Timestamp(call.context.now())),
    of_context!("SYSUTCDATETIME", DataType::DateTime2(7), |call: &Call<'_>| Value::Timestamp(call.context.now_utc)),
    of_context!("SYSDATETIMEOFFSET", DataType::DateTimeOffset(7), now_with_offset),
    of_context!("CURRENT_DATE", DataType::Date, |call: &Call<'_>| Value::Date(call.context.now().date())),
    of_context!("USER_NAME", NAME, |call: &Call<'_>| name(call.context.user)),
    of_context!("USER", NAME, |call: &Call<'_>| name(call.context.user)),
    of_context!("CURRENT_USER", NAME, |call: &Call<'_>| name(call.context.user)),
    of_context!("SESSION_USER", NAME, |call: &Call<'_>| name(call.context.user)),
    of_context!("SUSER_SNAME", NAME, |call: &Call<'_>| name(call.context.login)),
    of_context!("SUSER_NAME", NAME, |call: &Call<'_>| name(call.context.login)),
    of_context!("SYSTEM_USER", NAME, |call: &Call<'_>| name(call.context.login)),
    of_context!("ORIGINAL_LOGIN", NAME, |call: &Call<'_>| name(call.context.login)),
    of_context!("DB_NAME", NAME, |call: &Call<'_>| name(call.context.database)),
    of_context!("HOST_NAME", NAME, |call: &Call<'_>| name(call.context.host)),
    of_context!("APP_NAME", NAME, |call: &Call<'_>| name(call.context.application)),
];
