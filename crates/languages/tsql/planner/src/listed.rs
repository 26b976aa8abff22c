//! IN with a long list, which is passed as one text ([`mainstay_tsql_types::listed`]) and becomes a list of literals
//! here.

use super::typed::{By, Typed, literal};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::Expr;
use mainstay_tsql_types::{DataType, Operation};
use mainstay_types::Value;
use std::sync::Arc;

/// The operation over its values, for one whose values are one text; any other as it is.
pub(super) fn expanded(operation: Arc<Operation>, args: &mut Vec<Typed>) -> Result<Arc<Operation>> {
    let Operation::Listed(of) = operation.as_ref() else { return Ok(operation) };
    let Some(list) = args.get(1).and_then(|packed| values(&packed.expr, *of)) else {
        return internal_err!("a list that is no text of values");
    };
    args.truncate(1);
    args.extend(list);
    Ok(Arc::new(Operation::In))
}

fn values(packed: &Expr, data_type: DataType) -> Option<Vec<Typed>> {
    let Expr::Literal(ScalarValue::Utf8(Some(packed)), _) = packed else { return None };
    let of = |value: Value| {
        let value = match (value, data_type) {
            (Value::Integer(number), DataType::Int) => ScalarValue::Int32(Some(i32::try_from(number).ok()?)),
            (Value::Text(text), _) => literal(&ScalarValue::Utf8(Some(text)), data_type).ok()?,
            _ => return None,
        };
        Some(Typed { expr: Expr::Literal(value, None), data_type: Some(data_type), by: By::DEFAULT })
    };
    mainstay_tsql_types::listed::unpack(packed, data_type)?.into_iter().map(of).collect()
}
