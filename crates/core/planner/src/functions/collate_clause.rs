//! `expression COLLATE name`: the collation of a text, given in the statement.
//!
//! ```text
//!   name COLLATE ci_ai = 'x'   --here-->  "collate:ci_ai"(name) = 'x'   --collate-->  ci_ai_key(name) = ci_ai_key('x')
//!   code COLLATE binary = 'x'  (of a column under ci_ai)                              "collate:binary"(code) = 'x'
//! ```
//!
//! The planner has no COLLATE, so it becomes a call of an identity function, before the planner sees the statement.
//! Comparisons, groups and orders of such a call use the sort keys of that collation, whatever the collations of
//! columns (see [`collate`](crate::analyze::collate)); two calls with different collations are an error (ISO 9075-2,
//! 9.15). The call's field has the collation, so subqueries pass it on as that of a column. With COLLATE binary on a
//! column of another collation the bytes are compared behind the call, which excludes the column's index.

use crate::carried_error::to_datafusion;
use crate::fields::COLLATED_COLUMN;
use crate::parse::walk::WalkMut;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, internal_err, plan_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::sql::sqlparser::ast::{self, VisitMut, VisitorMut};
use mainstay_types::{Code, Collation, Error};
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

/// How the functions' names begin.
const PREFIX: &str = "collate:";

static MADE: LazyLock<[Arc<ScalarUDF>; 4]> = LazyLock::new(|| {
    use Collation::{Binary, CaseAccentInsensitive, CaseInsensitive, CaseSensitive};
    [Binary, CaseAccentInsensitive, CaseInsensitive, CaseSensitive].map(|collation| {
        let (name, signature) =
            (format!("{PREFIX}{}", collation.name()), Signature::user_defined(Volatility::Immutable));
        Arc::new(ScalarUDF::from(Clause { name, collation, signature }))
    })
});

/// The statement, or the expression, with calls for its COLLATE.
///
/// Errors: `InvalidValue` for a collation that does not exist.
pub(crate) fn as_calls<T: VisitMut>(mut of: T) -> mainstay_types::Result<T> {
    match of.walk_mut(&mut Clauses) {
        ControlFlow::Continue(()) => Ok(of),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Clauses;

impl VisitorMut for Clauses {
    type Break = Error;

    fn post_visit_expr(&mut self, expr: &mut ast::Expr) -> ControlFlow<Error> {
        let ast::Expr::Collate { expr: inner, collation } = expr else { return ControlFlow::Continue(()) };
        let collation = match crate::types::sql_types::collation(&collation.to_string()) {
            Ok(collation) => collation,
            Err(error) => return ControlFlow::Break(error),
        };
        let inner = std::mem::replace(inner.as_mut(), ast::Expr::Value(ast::Value::Null.into()));
        let name = ast::Ident::with_quote('"', format!("{PREFIX}{}", collation.name()));
        *expr = crate::parse::tree::call(name, vec![inner]);
        ControlFlow::Continue(())
    }
}

/// The function of this name.
pub(crate) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    MADE.iter().find(|function| function.name() == name).cloned()
}

/// The collation that a call says, and the text.
pub(crate) fn said(expr: &Expr) -> Option<(Collation, &Expr)> {
    let Expr::ScalarFunction(call) = expr else { return None };
    let clause = call.func.inner().downcast_ref::<Clause>()?;
    call.args.first().map(|text| (clause.collation, text))
}

/// An expression without the calls that it begins with.
pub(crate) fn without(expr: Expr) -> Expr {
    let mut inner = &expr;
    while let Some((_, text)) = said(inner) {
        inner = text;
    }
    inner.clone()
}

/// A text whose bytes count, though it is under a collation.
pub(crate) fn by_bytes(expr: Expr) -> Expr {
    let [binary, ..] = &*MADE;
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(binary), vec![expr]))
}

/// The error of two collations that are said of texts which meet.
pub(crate) fn conflict(one: Collation, other: Collation) -> datafusion::common::DataFusionError {
    let message = format!("texts are compared by {} and by {} at once", one.name(), other.name());
    to_datafusion(Error::new(Code::CollationMismatch, message).hint("say one COLLATE for both"))
}

/// A call that gives its argument.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Clause {
    name: String,
    collation: Collation,
    signature: Signature,
}

impl ScalarUDFImpl for Clause {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [text] if text.is_string() => Ok(types.to_vec()),
            [DataType::Null] => Ok(vec![DataType::Utf8View]),
            [other] => plan_err!("COLLATE of a value of the type {other}, which is no text"),
            _ => plan_err!("COLLATE is of one text"),
        }
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("COLLATE without the field of its text")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let [text] = args.arg_fields else { return plan_err!("COLLATE is of one text") };
        let mut metadata = text.metadata().clone();
        metadata.insert(COLLATED_COLUMN.to_owned(), self.collation.name().to_owned());
        Ok(Arc::new(text.as_ref().clone().with_metadata(metadata)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.into_iter().next() {
            Some(text) => Ok(text),
            None => internal_err!("COLLATE of nothing"),
        }
    }
}
