//! Numbers with an exponent, which are approximate (ISO 9075-2, 5.3): `1e15` is the nearest DOUBLE.
//!
//! The planner would read them as decimals of many digits, some of them wrong.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    CastKind, DataType, ExactNumberInfo, Expr, Value, ValueWithSpan, VisitMut, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement, or the expression, with casts of texts to DOUBLE in the place of such numbers.
pub(crate) fn as_doubles<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Numbers);
    of
}

struct Numbers;

impl VisitorMut for Numbers {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Value(ValueWithSpan { value: Value::Number(text, _), .. }) = expr
            && text.contains(['e', 'E'])
            && !text.starts_with("0x")
        {
            *expr = Expr::Cast {
                kind: CastKind::Cast,
                expr: Box::new(Expr::Value(Value::SingleQuotedString(std::mem::take(text)).into())),
                data_type: DataType::Double(ExactNumberInfo::None),
                array: false,
                format: None,
            };
        }
        ControlFlow::Continue(())
    }
}
