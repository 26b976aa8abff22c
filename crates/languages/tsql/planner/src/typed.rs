//! Expressions with their types in SQL Server and their collations, and conversions between them.
//!
//! Plain expressions of the core have no such type, so it is passed up beside the expression while a statement is
//! lowered ([`lower`](super::lower)).

use super::function::{Function, bound, failed};
use super::moment_types::finer_moment;
use super::types;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::{DFSchema, Result, ScalarValue, internal_err};
use datafusion::logical_expr::expr::{FieldMetadata, Placeholder, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable, cast};
use mainstay_columnar::values::{array_of, data_type_of, value_at};
use mainstay_planner::dialect::downcast;
use mainstay_planner::tools::{self, reads_timestamp};
use mainstay_tsql_types::{CodePage, DataType, Settings};
use mainstay_types::{Collation, Value, ValueRef};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Marks a literal that stands for a parameter, in its metadata.
const GIVEN: &str = "mainstay.given";

/// An expression with its type in SQL Server.
#[derive(Clone)]
pub(super) struct Typed {
    pub(super) expr: Expr,
    /// `None` for NULL, for conditions, and for what SQL Server has no type for.
    pub(super) data_type: Option<DataType>,
    /// How its text compares.
    pub(super) by: By,
}

/// A collation with what says it: the strongest of several counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct By {
    pub(super) collation: Collation,
    pub(super) strength: Strength,
    /// The code page that a COLLATE says: what a cast of NVARCHAR to VARCHAR takes.
    pub(super) page: CodePage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Nothing.
    Default,
    /// The column that it is of.
    Column,
    /// The column of a file, where blanks at the end may count.
    File,
    /// COLLATE.
    Explicit,
}

impl By {
    /// As literals and variables compare.
    pub(super) const DEFAULT: By = By {
        collation: mainstay_tsql_types::collation::COMPARISON,
        strength: Strength::Default,
        page: CodePage::DEFAULT,
    };

    /// As columns of files compare: by their bytes.
    pub(super) const OF_FILE: By =
        By { collation: Collation::Binary, strength: Strength::File, page: CodePage::DEFAULT };

    /// The collation of several texts. Of two columns that differ it is the one that compares bytes, or the first.
    pub(super) fn of<'t>(all: impl IntoIterator<Item = &'t Typed>) -> By {
        all.into_iter().map(|typed| typed.by).fold(By::DEFAULT, |best, by| match by.strength.cmp(&best.strength) {
            Ordering::Greater => by,
            Ordering::Equal if by.collation == Collation::Binary => by,
            _ => best,
        })
    }

    /// The collation that functions are given; `None` if nothing names one.
    pub(super) fn said(self) -> Option<Collation> {
        (self.strength != Strength::Default).then_some(self.collation)
    }
}

/// A literal or parameter as one of this type; anything else as the core's cast to it.
pub(super) fn typed(arg: Typed, data_type: DataType) -> Result<Typed> {
    let arrow = data_type_of(types::sql_type(data_type));
    // A text that is read as a timestamp has one of T-SQL's own types.
    let expr = match arg.expr {
        Expr::Cast(read) if data_type.is_moment() && reads_timestamp(&read) => *read.expr,
        other => other,
    };
    let expr = match expr {
        Expr::Placeholder(placeholder) => {
            let field = Arc::new(types::field("", data_type));
            Expr::Placeholder(Placeholder { field: Some(field), ..placeholder })
        }
        Expr::Literal(value, _) => Expr::Literal(literal(&value, data_type)?, None),
        other if other.get_type(&DFSchema::empty()).is_ok_and(|own| own == arrow) => other,
        other => cast(other, arrow),
    };
    Ok(Typed { expr, data_type: Some(data_type), by: By::DEFAULT })
}

/// A parameter, whose place a literal may have taken by now: it is marked, so that its value does not count.
pub(super) fn given(arg: Typed) -> Typed {
    let expr = match arg.expr {
        Expr::Literal(value, _) => {
            let mark = BTreeMap::from([(GIVEN.to_owned(), String::new())]);
            Expr::Literal(value, Some(FieldMetadata::from(mark)))
        }
        other => other,
    };
    Typed { expr, ..arg }
}

/// A literal of the core as a value of this type.
pub(super) fn literal(value: &ScalarValue, data_type: DataType) -> Result<ScalarValue> {
    let array = value.to_array()?;
    let value = value_at(array.as_ref(), 0).map_err(tools::failed)?;
    let sql_type = types::sql_type(data_type);
    let value = mainstay_types::convert(value.as_ref(), sql_type).map_err(tools::failed)?;
    scalar(value.as_ref(), &data_type_of(sql_type))
}

fn scalar(value: ValueRef<'_>, data_type: &ArrowType) -> Result<ScalarValue> {
    ScalarValue::try_from_array(&array_of(data_type, &[value]), 0)
}

/// The value of a literal that was written as one.
pub(super) fn constant(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Literal(_, Some(metadata)) if metadata.inner().contains_key(GIVEN) => None,
        other => literal_value(other),
    }
}

/// The value of a literal, whatever it stands for.
pub(super) fn literal_value(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Literal(value, _) => value_at(value.to_array().ok()?.as_ref(), 0).ok(),
        _ => None,
    }
}

/// An expression brought to a type by T-SQL's implicit conversion, under these options.
pub(super) fn convert(arg: Typed, to: DataType, settings: Settings) -> Result<Typed> {
    let Some(from) = arg.data_type else {
        let expr = match arg.expr {
            Expr::Literal(value, metadata) if value.is_null() => {
                let null = ScalarValue::try_from(&data_type_of(types::sql_type(to)))?;
                Expr::Literal(null, metadata)
            }
            other @ Expr::Column(_) => cast(other, data_type_of(types::sql_type(to))),
            other => other,
        };
        return Ok(Typed { expr, data_type: Some(to), by: arg.by });
    };
    if from == to {
        return Ok(arg);
    }
    if let Some(expr) = lossless(&arg, Some(to)) {
        return Ok(Typed { expr, data_type: Some(to), by: arg.by });
    }
    let name = format!("{}cast:{to}", settings.mark());
    let udf = super::function::function(&name);
    let Some(function) = udf.as_deref().and_then(downcast::<Function>) else {
        return internal_err!("no conversion to {to}");
    };
    let known = function.operation.bind(&[Some(from)], &[constant(&arg.expr)]).map_err(failed)?;
    let expr = Expr::ScalarFunction(ScalarFunction::new_udf(bound(function, known), vec![arg.expr]));
    Ok(Typed { expr, data_type: Some(to), by: arg.by })
}

/// A conversion that cannot fail or lose anything, as the core's cast.
pub(super) fn lossless(arg: &Typed, to: Option<DataType>) -> Option<Expr> {
    use DataType::*;
    let (from, to) = (arg.data_type?, to?);
    let rank = |data_type| match data_type {
        TinyInt => Some(1),
        SmallInt => Some(2),
        Int => Some(3),
        BigInt => Some(4),
        _ => None,
    };
    let is_wider = match (rank(from), rank(to)) {
        (Some(from), Some(to)) => from <= to,
        _ if to == Float => from == Real || rank(from).is_some_and(|rank| rank < 4),
        _ => types::has_room(from, to),
    };
    let is_longer = from.is_text() && to.is_text() && !matches!(from, Char(..) | NChar(_)) && !matches!(to, Char(..) | NChar(_))
        && match (from.limit(), to.limit()) {
            (_, None) => true,
            (Some(from), Some(to)) => from <= to,
            (None, Some(_)) => false,
        }
        // Characters that VARCHAR cannot hold are replaced in the conversion.
        && (to.is_national() || from.code_page() == to.code_page());
    if from == to || is_longer {
        return Some(arg.expr.clone());
    }
    if from.is_moment() {
        return finer_moment(&arg.expr, from, to);
    }
    let (old, new) = (data_type_of(types::sql_type(from)), data_type_of(types::sql_type(to)));
    match is_wider {
        true if old == new => Some(arg.expr.clone()),
        true => Some(cast(arg.expr.clone(), new)),
        false => None,
    }
}

/// A call of one of T-SQL's functions over what is typed already.
pub(super) fn call(name: &str, args: Vec<Typed>) -> Result<Typed> {
    let udf = super::function::function(name);
    let Some(function) = udf.as_deref().and_then(downcast::<Function>) else {
        return internal_err!("no function {name}");
    };
    let given: Vec<Option<DataType>> = args.iter().map(|arg| arg.data_type).collect();
    let by = By::of(&args);
    let known = function.operation.bind_collated(&given, &vec![None; given.len()], by.said()).map_err(failed)?;
    let data_type = known.result;
    let args = args.into_iter().map(|arg| arg.expr).collect();
    let expr = Expr::ScalarFunction(ScalarFunction::new_udf(bound(function, known), args));
    Ok(Typed { expr, data_type, by })
}
