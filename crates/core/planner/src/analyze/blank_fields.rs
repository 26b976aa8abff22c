//! Blank fields, for dialects that read them as FALSE and as 0.
//!
//! A logical field of a DBF contains T, F or a blank, and a numeric one its digits or blanks. The core reads a blank as
//! NULL; Advantage has no NULL in such tables, and its filters, indexes and calls read a blank as FALSE and as 0. So in
//! statements of that dialect a table becomes a query over itself, and its conditions, columns and changes agree with
//! the rest of the dialect:
//!
//! ```text
//!   FROM t            SELECT name, filled(paid) AS paid, filled(due) AS due FROM t
//!   paid              paid AND paid IS NOT NULL              the condition of the scan, so that indexes serve it
//!   due > 5           due > 5 AND due IS NOT NULL
//!   due < 5           due < 5 OR due IS NULL
//!   due IS NULL       due IS NULL OR due = 0                 first half: rows of an outer join without a partner
//! ```
//! Tables of Visual FoxPro also have NULLs, and IS NULL finds only these. Sources: the help pages "Null Field Values"
//! of the SQL engine, and that of `EMPTY`, "List of DBF Empty Values".

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::rewrite::schema_of;
use crate::tree::search::any_expression_of_plan;
use datafusion::arrow::array::Array;
use datafusion::arrow::compute::is_not_null;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::catalog::ViewSource;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, ExprSchema, Result, ScalarValue, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, Operator, ReturnFieldArgs, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, TableSource, Volatility, lit,
};
use mainstay_columnar::{Comparison, Predicate};
use mainstay_types::Value;
use std::sync::{Arc, LazyLock};

/// Metadata of a column of numbers or truths whose NULL is a blank: `none` in a file without NULLs, `own` in one that has them
/// besides.
pub(crate) const BLANK_COLUMN: &str = "mainstay.blank";

/// Metadata of a column of [`filled`] numbers, of which IS NULL asks whether they are 0.
const FILLED_COLUMN: &str = "mainstay.filled";

/// Returns true if a column's NULL is a blank.
pub(crate) fn may_be_blank(field: &Field) -> bool {
    field.metadata().contains_key(BLANK_COLUMN)
}

/// The table with its blank fields as FALSE and 0; the same if it has no such fields.
pub(crate) fn filled(name: &str, source: Arc<dyn TableSource>) -> Result<Arc<dyn TableSource>> {
    if !source.schema().fields().iter().any(|field| may_be_blank(field)) {
        return Ok(source);
    }
    let table = LogicalPlanBuilder::scan(name, source, None)?;
    let columns: Vec<Expr> = table
        .schema()
        .iter()
        .map(|(table, field)| {
            let column = Expr::Column(Column::from((table, field)));
            if !may_be_blank(field) {
                return column;
            }
            Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(&FILLED), vec![column])).alias(field.name())
        })
        .collect();
    Ok(Arc::new(ViewSource::new(table.project(columns)?.build()?)))
}

/// The plan with IS NULL of filled columns as the question for 0 that it is.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !any_expression_of_plan(&plan, |expr| asked_for_null(expr).is_some()) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        let schema = schema_of(&node);
        if !schema.fields().iter().any(|field| field.metadata().contains_key(FILLED_COLUMN)) {
            return Ok(Transformed::no(node));
        }
        crate::tree::rewrite::node(node, |expr, schema| expr.map_up(|expr| Ok(asked_for_zero(expr, schema))))
    })
    .data()
}

/// The column of which it is asked whether it is NULL.
fn asked_for_null(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::IsNull(inner) | Expr::IsNotNull(inner) => inner.try_as_col(),
        _ => None,
    }
}

fn asked_for_zero(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let is_filled = |column: &Column| {
        schema.field_from_column(column).is_ok_and(|field| field.metadata().contains_key(FILLED_COLUMN))
    };
    let Some(column) = asked_for_null(&expr).filter(|column| is_filled(column)).cloned() else {
        return Transformed::no(expr);
    };
    let is_negated = matches!(expr, Expr::IsNotNull(_));
    let (with, compared) = if is_negated { (Operator::And, Operator::NotEq) } else { (Operator::Or, Operator::Eq) };
    let zero = Box::new(lit(0i64));
    let is_zero = Expr::BinaryExpr(BinaryExpr::new(Box::new(Expr::Column(column)), compared, zero));
    Transformed::yes(Expr::BinaryExpr(BinaryExpr::new(Box::new(expr), with, Box::new(is_zero))))
}

/// The column that [`filled`] has made a number of, through casts.
pub(crate) fn filled_column(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Cast(cast) => filled_column(&cast.expr),
        Expr::ScalarFunction(call) if call.func.inner().downcast_ref::<Filled>().is_some() => call.args.first(),
        _ => None,
    }
}

/// A comparison of a column with a constant, for which a NULL is 0: never neither true nor false, so that it may be negated.
pub(crate) fn of_filled(predicate: Predicate) -> Option<Predicate> {
    let (column, holds) = match &predicate {
        // Unknown whatever the row is.
        Predicate::Compare { value: Value::Null, .. } => return Some(predicate),
        Predicate::Compare { column, op, value } => (*column, zero_is(*op, value)?),
        Predicate::In { column, values, negated: false } => {
            let known: Option<Vec<bool>> = values.iter().map(|value| zero_is(Comparison::Equal, value)).collect();
            (*column, known?.contains(&true))
        }
        _ => return None,
    };
    let null = Predicate::Null { column, negated: !holds };
    Some(match holds {
        true => Predicate::Or(vec![predicate, null]),
        false => Predicate::And(vec![predicate, null]),
    })
}

/// Returns true if 0 compares so with a number, or FALSE with a truth; `None` for what is neither.
fn zero_is(op: Comparison, value: &Value) -> Option<bool> {
    let order = match value {
        Value::Integer(value) => 0.cmp(value),
        Value::Decimal(value) => 0.cmp(&value.unscaled),
        Value::Float(value) => 0.0.partial_cmp(value)?,
        Value::Boolean(value) => false.cmp(value),
        _ => return None,
    };
    Some(op.holds(order))
}

/// The value in the place of a blank.
fn filling(data_type: &DataType) -> Result<ScalarValue> {
    match data_type {
        DataType::Boolean => Ok(ScalarValue::from(false)),
        number => ScalarValue::new_zero(number),
    }
}

static FILLED: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Arc::new(ScalarUDF::from(Filled { signature: Signature::any(1, Volatility::Immutable) })));

/// Numbers with 0 in the place of NULL, truths with FALSE. What is known of their fields goes on with the values, and not with an
/// alias: rules that put a projection together again make its columns of its expressions.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Filled {
    signature: Signature,
}

impl ScalarUDFImpl for Filled {
    fn name(&self) -> &str {
        "filled"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        match args.arg_fields {
            [value] => {
                let mut metadata = value.metadata().clone();
                let nulls = metadata.remove(BLANK_COLUMN);
                if nulls.is_some_and(|nulls| nulls == "none") && value.data_type() != &DataType::Boolean {
                    metadata.insert(FILLED_COLUMN.to_owned(), String::new());
                }
                Ok(Arc::new(Field::clone(value).with_nullable(false).with_metadata(metadata)))
            }
            fields => internal_err!("filled takes a column and not {}", fields.len()),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.into_iter().next() {
            Some(ColumnarValue::Array(values)) if values.null_count() > 0 => {
                let zero = filling(values.data_type())?.to_scalar()?;
                Ok(ColumnarValue::Array(zip(&is_not_null(&values)?, &values, &zero)?))
            }
            Some(ColumnarValue::Scalar(value)) if value.is_null() => {
                Ok(ColumnarValue::Scalar(filling(&value.data_type())?))
            }
            Some(value) => Ok(value),
            None => internal_err!("filled takes a column"),
        }
    }
}
