//! Expressions without a separate form in the row executor: functions of text, numbers and dates, LIKE, casts.
//!
//! ```text
//!   upper(name), a || b, name LIKE 'M%'      Mainstay's function, on the values themselves           about 50 ns
//!   any other expression over one row        DataFusion's own expression, over vectors of one row    about 1 us
//! ```
//!
//! The second way gives the results of the batch executor, since it is the same code; a block with such an expression
//! reads fewer rows before it passes the statement on. An expression that fails is evaluated again by the batch
//! executor, which reports the error.

use super::{Scope, is_comparable};
use crate::tree::nodes::Tree;
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, ExprSchema, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Like, Operator, Volatility};
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use mainstay_columnar::values::{OFFSET, array_of, value_at};
use mainstay_row_executor::{Block, Called, Expression, Function};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use std::sync::Arc;

/// How many columns such an expression may look at.
const MAX_LEAVES: usize = 16;

impl Scope<'_> {
    /// An expression as a call.
    pub(super) fn called(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        if let Some((function, arguments)) = own(expr, self.schema) {
            let arguments = arguments.into_iter().map(|argument| self.expression(argument, block));
            let arguments = arguments.collect::<Option<_>>()?;
            return Some(Expression::Call { function: Called(function), arguments });
        }
        let (vectors, leaves) = self.vectors(expr)?;
        let arguments = leaves.iter().map(|leaf| self.expression(leaf, block)).collect::<Option<_>>()?;
        block.is_slow = true;
        Some(Expression::Call { function: Called(Arc::new(vectors)), arguments })
    }

    /// The expression over vectors of one row, and what is in these.
    fn vectors(&self, expr: &Expr) -> Option<(Vectors, Vec<Expr>)> {
        if matches!(expr, Expr::Column(_) | Expr::Placeholder(_) | Expr::Alias(_)) {
            return None;
        }
        // The closure does not fail.
        if expr.has(|expr| Ok(looks_beyond(expr))).unwrap_or(true) || !passes(&expr.get_type(self.schema).ok()?) {
            return None;
        }
        let (mut leaves, mut fields): (Vec<Expr>, Vec<Field>) = (Vec::new(), Vec::new());
        let over_leaves = expr.clone().map_up(|expr| {
            let field = match &expr {
                Expr::Column(column) => self.schema.field_from_column(column)?.as_ref().clone(),
                Expr::Placeholder(placeholder) => match &placeholder.field {
                    Some(field) => field.as_ref().clone(),
                    None => Field::new("", DataType::Null, true),
                },
                _ => return Ok(Transformed::no(expr)),
            };
            let place = leaves.iter().position(|leaf| *leaf == expr).unwrap_or_else(|| {
                let name = format!("leaf_{}", leaves.len());
                fields.push(field.with_name(name).with_nullable(true));
                leaves.push(expr);
                leaves.len() - 1
            });
            Ok(Transformed::yes(Expr::Column(Column::new_unqualified(format!("leaf_{place}")))))
        });
        let over_leaves = over_leaves.data().ok()?;
        if leaves.is_empty() || leaves.len() > MAX_LEAVES || !fields.iter().all(|field| passes(field.data_type())) {
            return None;
        }
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let named = DFSchema::try_from(Arc::clone(&schema)).ok()?;
        let (properties, context) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        let expr = create_physical_expr(&over_leaves, &named, &properties, &context).ok()?;
        Some((Vectors { expr, schema }, leaves))
    }
}

/// Returns true if values of a type go to vectors and come back as they are.
fn passes(data_type: &DataType) -> bool {
    let is_value = is_comparable(data_type) || *data_type == OFFSET || matches!(data_type, DataType::Interval(_));
    is_value && array_of(data_type, &[]).data_type() == data_type
}

/// Returns true if an expression needs more than its row, or is another one each time.
fn looks_beyond(expr: &Expr) -> bool {
    match expr {
        Expr::ScalarFunction(call) => call.func.signature().volatility != Volatility::Immutable,
        Expr::Column(_) | Expr::Placeholder(_) | Expr::Literal(..) | Expr::Alias(_) => false,
        Expr::BinaryExpr(_) | Expr::Like(_) | Expr::Not(_) | Expr::Negative(_) | Expr::Cast(_) | Expr::Case(_) => false,
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::IsTrue(_) | Expr::IsFalse(_) | Expr::IsUnknown(_) => false,
        Expr::IsNotTrue(_) | Expr::IsNotFalse(_) | Expr::IsNotUnknown(_) | Expr::Between(_) | Expr::InList(_) => false,
        _ => true,
    }
}

/// An expression of DataFusion's over vectors of one row.
#[derive(Debug)]
struct Vectors {
    expr: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
}

impl Function for Vectors {
    fn call(&self, arguments: &[ValueRef<'_>]) -> Result<Value> {
        let fields = self.schema.fields().iter().zip(arguments);
        let columns = fields.map(|(field, value)| array_of(field.data_type(), &[*value])).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        // Whatever it is, the batch executor will say it again.
        let failed = |error: String| Error::new(Code::InvalidValue, error);
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| failed(error.to_string()))?;
        let result = self.expr.evaluate(&batch).and_then(|result| result.into_array(1));
        value_at(result.map_err(|error| failed(error.to_string()))?.as_ref(), 0)
    }
}

/// A function of ours, and its arguments.
fn own<'e>(expr: &'e Expr, schema: &DFSchema) -> Option<(Arc<dyn Function>, Vec<&'e Expr>)> {
    let is_text = |expr: &Expr| expr.get_type(schema).is_ok_and(|data_type| data_type.is_string());
    let of_text = |of: OfTexts, arguments: &'e [Expr]| -> Option<(Arc<dyn Function>, Vec<&'e Expr>)> {
        arguments.iter().all(is_text).then(|| (Arc::new(of) as Arc<dyn Function>, arguments.iter().collect()))
    };
    match expr {
        Expr::ScalarFunction(call) => match (call.name(), call.args.len()) {
            ("upper", 1) => of_text(OfTexts::Upper, &call.args),
            ("lower", 1) => of_text(OfTexts::Lower, &call.args),
            ("character_length", 1) => of_text(OfTexts::Length, &call.args),
            ("btrim", 1) => of_text(OfTexts::Trim, &call.args),
            ("ltrim", 1) => of_text(OfTexts::TrimStart, &call.args),
            ("replace", 3) => of_text(OfTexts::Replace, &call.args),
            _ => None,
        },
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right }) if is_text(left) && is_text(right) => {
            Some((Arc::new(OfTexts::Concatenate), vec![left.as_ref(), right.as_ref()]))
        }
        Expr::Like(Like { negated, expr, pattern, escape_char: None | Some('\\'), case_insensitive: false })
            if is_text(expr) =>
        {
            let Expr::Literal(pattern, _) = pattern.as_ref() else { return None };
            let (ScalarValue::Utf8(Some(pattern))
            | ScalarValue::Utf8View(Some(pattern))
            | ScalarValue::LargeUtf8(Some(pattern))) = pattern
            else {
                return None;
            };
            Some((Arc::new(Matches { pattern: Pattern::new(pattern), negated: *negated }), vec![expr.as_ref()]))
        }
        _ => None,
    }
}

/// Functions that give NULL for NULL, and otherwise need nothing but their texts.
#[derive(Clone, Copy, Debug)]
enum OfTexts {
    Upper,
    Lower,
    Length,
    Trim,
    TrimStart,
    Replace,
    Concatenate,
}

/// Longer results are the batch executor's, which counts them.
const LONGEST: usize = 1 << 20;

impl OfTexts {
    /// Leaves long results to the batch executor.
    ///
    /// Errors: `OutOfMemory`.
    fn check_length(&self, text: &str, second: &str, third: &str) -> Result<()> {
        let bytes = match self {
            OfTexts::Replace if third.len() > second.len() && !second.is_empty() => {
                text.len().saturating_add(text.matches(second).count().saturating_mul(third.len()))
            }
            OfTexts::Concatenate => text.len().saturating_add(second.len()),
            _ => return Ok(()),
        };
        match bytes > LONGEST {
            true => Err(crate::functions::result_sizes::too_long("a text", bytes as u64, LONGEST as u64)),
            false => Ok(()),
        }
    }
}

impl Function for OfTexts {
    fn call(&self, arguments: &[ValueRef<'_>]) -> Result<Value> {
        let mut texts = [""; 3];
        for (slot, argument) in texts.iter_mut().zip(arguments) {
            let ValueRef::Text(text) = argument else { return Ok(Value::Null) };
            *slot = text;
        }
        let [text, second, third] = texts;
        self.check_length(text, second, third)?;
        Ok(Value::Text(match self {
            OfTexts::Length => return Ok(Value::Integer(text.chars().count() as i64)),
            OfTexts::Upper => text.to_uppercase(),
            OfTexts::Lower => text.to_lowercase(),
            OfTexts::Trim => text.trim_matches(' ').to_owned(),
            OfTexts::TrimStart => text.trim_start_matches(' ').to_owned(),
            // There is no empty text to be found, as DataFusion and PostgreSQL have it.
            OfTexts::Replace if second.is_empty() => text.to_owned(),
            OfTexts::Replace => text.replace(second, third),
            OfTexts::Concatenate => [text, second].concat(),
        }))
    }
}

/// LIKE with a pattern that is known.
#[derive(Debug)]
struct Matches {
    pattern: Pattern,
    negated: bool,
}

impl Function for Matches {
    fn call(&self, arguments: &[ValueRef<'_>]) -> Result<Value> {
        Ok(match arguments {
            [ValueRef::Text(text)] => Value::Boolean(self.pattern.matches(text) != self.negated),
            _ => Value::Null,
        })
    }
}

/// A pattern in its parts.
#[derive(Debug)]
struct Pattern(Vec<Part>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Character(char),
    /// `_`
    AnyOne,
    /// `%`
    AnyNumber,
}

impl Pattern {
    fn new(text: &str) -> Pattern {
        let mut parts = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            parts.push(match character {
                // A backslash at the end stands for itself.
                '\\' => Part::Character(characters.next().unwrap_or('\\')),
                '_' => Part::AnyOne,
                '%' if parts.last() == Some(&Part::AnyNumber) => continue,
                '%' => Part::AnyNumber,
                other => Part::Character(other),
            });
        }
        Pattern(parts)
    }

    /// Goes on from the last `%` when something does not fit: time grows with the product of the lengths at most.
    fn matches(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut place = 0;
        let mut again: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let part = self.0.get(place).copied();
            if part == Some(Part::AnyNumber) {
                place += 1;
                again = Some((place, rest.clone()));
                continue;
            }
            let mut ahead = rest.clone();
            let fits = match (part, ahead.next()) {
                (None, None) => return true,
                (Some(Part::AnyOne), Some(_)) => true,
                (Some(Part::Character(wanted)), Some(character)) => wanted == character,
                _ => false,
            };
            if fits {
                (place, rest) = (place + 1, ahead);
                continue;
            }
            let Some((after, from)) = &mut again else { return false };
            if from.next().is_none() {
                return false;
            }
            (place, rest) = (*after, from.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::StringArray;
    use datafusion::arrow::compute::kernels::comparison::like;

    #[test]
    fn patterns_match_as_the_vector_kernel_has_it() {
        let texts = ["", "a", "ab", "abc", "aXbc", "a%b", "a_b", "a\\b", "ÄÖ", "äb", "aaab", "abab", "%", "\\", "a\nb"];
        let patterns = [
            "", "%", "_", "a%", "%b", "%b%", "a_c", "a%c", "a\\%b", "a\\_b", "a\\\\b", "a\\b", "%\\", "__", "_%_",
            "%a%b%", "%%b", "a%b%c", "Ä_", "%ab", "a\\", "\\%",
        ];
        for pattern in patterns {
            let wanted = like(&StringArray::from(texts.to_vec()), &StringArray::new_scalar(pattern)).unwrap();
            for (place, text) in texts.iter().enumerate() {
                let found = Pattern::new(pattern).matches(text);
                assert_eq!(found, wanted.value(place), "{text:?} LIKE {pattern:?}");
            }
        }
    }
}
