//! Replaces T-SQL's functions by plain expressions where the core has an equivalent one.
//!
//! The pass works from the leaves up: when it visits a node, the plans below it are plain and their columns have their
//! types in their metadata. Inside of an expression the type is passed up beside the expression ([`Typed`]), since
//! plain expressions have none.

use super::function::{Function, bound, failed, function_of};
use super::moment_types::is_shorter_moment;
use super::settings::{settings_of, settings_of_expression};
use super::typed::{By, Strength, Typed, constant, convert, given, literal_value, lossless, typed};
use super::{aggregate, choose, guid, listed, padded, types, union, variant};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, ExprSchema, Result};
use datafusion::logical_expr::expr::{Alias, Case, FieldMetadata, InList, Like, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, lit};
use mainstay_planner::dialect::{DECLARED, PlanTree, Tree, downcast};
use mainstay_planner::tools::{self, collation_fold, collation_key, exact_timestamp, offset_key, schema_of};
use mainstay_tsql_types::operators::{BinaryOperator, ComparisonOperator};
use mainstay_tsql_types::{Bound, CodePage, ConvertKind, DataType, Operation, Settings};
use mainstay_types::{Collation, Value};
use std::sync::Arc;

/// The plan without functions of T-SQL that have a plain form, and with both parts of each recursion described alike, if
/// it is one of T-SQL. UUIDs of other plans have T-SQL's order, too, where a column was declared in T-SQL.
pub(super) fn in_plan(plan: LogicalPlan, is_transact: bool) -> Result<LogicalPlan> {
    let plan = match is_transact {
        true => without_functions(plan)?,
        false => union::with_converted_recursions(plan)?,
    };
    guid::ordered_by_keys(plan, is_transact)
}

fn without_functions(plan: LogicalPlan) -> Result<LogicalPlan> {
    let settings = settings_of(&plan);
    plan.map_up_with_subqueries(|node| {
        let lowered = match node {
            LogicalPlan::RecursiveQuery(node) => union::lowered_recursion(node, settings)?,
            node => lowered_node(node, settings)?,
        };
        lowered.recompute_schema().map(Transformed::yes)
    })
    .data()
}

/// An expression over rows of this schema without functions of T-SQL that have a plain form. Its metadata have its type.
pub(super) fn in_expression(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    if !has_function(&expr) {
        return Ok(expr);
    }
    // The planner's rules would make the same CASE of it: COALESCE itself is never run.
    let without_coalesce = |expr: Expr| match expr {
        Expr::ScalarFunction(mut call) if call.name() == "coalesce" && !call.args.is_empty() => {
            let Some(last) = call.args.pop() else { return Ok(Transformed::no(Expr::ScalarFunction(call))) };
            let branch = |value: Expr| (Box::new(value.clone().is_not_null()), Box::new(value));
            let branches: Vec<_> = call.args.into_iter().map(branch).collect();
            Ok(Transformed::yes(match branches.is_empty() {
                true => last,
                false => Expr::Case(Case::new(None, branches, Some(Box::new(last)))),
            }))
        }
        other => Ok(Transformed::no(other)),
    };
    let settings = settings_of_expression(&expr).unwrap_or_default();
    let lowered = Lowerer { schema, settings }.named(expr)?.map_up(without_coalesce).data()?;
    guid::in_expression(lowered, schema).data()
}

/// Returns true if an expression calls a function of T-SQL.
pub(super) fn has_function(expr: &Expr) -> bool {
    expr.has(|expr| Ok(is_function(expr))).unwrap_or(false)
}

pub(super) fn is_function(expr: &Expr) -> bool {
    match expr {
        Expr::ScalarFunction(call) => function_of(call).is_some(),
        Expr::AggregateFunction(call) => aggregate::is_ours(&call.func),
        Expr::WindowFunction(call) => aggregate::is_window(call),
        _ => false,
    }
}

fn lowered_node(node: LogicalPlan, settings: Settings) -> Result<LogicalPlan> {
    let schema = schema_of(&node);
    let lowerer = Lowerer { schema: &schema, settings };
    match node {
        LogicalPlan::Aggregate(node) => aggregate::lowered(node, &lowerer),
        LogicalPlan::Window(node) => aggregate::lowered_window(node, &lowerer),
        LogicalPlan::Projection(mut node) => {
            node.expr = node.expr.into_iter().map(|expr| lowerer.named(expr)).collect::<Result<_>>()?;
            Ok(LogicalPlan::Projection(node))
        }
        LogicalPlan::Union(node) => union::lowered(node, settings),
        LogicalPlan::Join(node) if union::is_set_operation(&node) => union::lowered_set_operation(node, settings),
        node => node.map_each_expression(|expr| Ok(Transformed::yes(lowerer.lower(expr)?.expr))).data(),
    }
}

/// Lowers expressions over rows of this schema.
pub(super) struct Lowerer<'s> {
    pub(super) schema: &'s DFSchema,
    /// The options under which they mean what they mean.
    pub(super) settings: Settings,
}

impl Lowerer<'_> {
    /// The expression under the name that it had, with its type in its metadata.
    pub(super) fn named(&self, expr: Expr) -> Result<Expr> {
        if matches!(expr, Expr::Column(_)) {
            return Ok(expr);
        }
        let (relation, name) = expr.qualified_name();
        let typed = self.lower(expr)?;
        let metadata = typed.data_type.map(|data_type| types::metadata_collated(data_type, typed.by.collation));
        let metadata = metadata.map(FieldMetadata::from);
        Ok(typed.expr.unalias().alias_qualified_with_metadata(relation, name, metadata))
    }

    /// The expression without functions that have a plain form.
    pub(super) fn lower(&self, expr: Expr) -> Result<Typed> {
        match expr {
            Expr::ScalarFunction(call) if function_of(&call).is_some() => {
                let ScalarFunction { func, args } = call;
                let args = args.into_iter().map(|arg| self.lower(arg)).collect::<Result<Vec<_>>>()?;
                match downcast::<Function>(&func) {
                    Some(function) => self.call(function, args),
                    None => datafusion::common::internal_err!("a function of T-SQL that is none"),
                }
            }
            Expr::Alias(alias) => {
                let inner = self.lower(*alias.expr)?;
                let expr = Expr::Alias(Alias { expr: Box::new(inner.expr), ..alias });
                Ok(Typed { expr, ..inner })
            }
            Expr::Case(case) => self.case(case),
            other if !has_function(&other) => Ok(self.plain(other)),
            other => {
                let lowered = other.map_children(|child| Ok(Transformed::yes(self.lower(child)?.expr))).data()?;
                Ok(self.plain(lowered))
            }
        }
    }

    /// An expression of the core, with the type that its field tells.
    fn plain(&self, expr: Expr) -> Typed {
        let is_condition = matches!(
            &expr,
            Expr::BinaryExpr(BinaryExpr { op: Operator::And | Operator::Or, .. })
                | Expr::Not(_)
                | Expr::IsNull(_)
                | Expr::IsNotNull(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
        );
        let field = expr.to_field(self.schema).map(|(_, field)| field);
        let data_type = match &field {
            Ok(field) if !is_condition => types::declared_type(field),
            _ => None,
        };
        let column = match &expr {
            Expr::Column(column) => self.schema.field_from_column(column).ok(),
            Expr::OuterReferenceColumn(field, _) => Some(field),
            _ => None,
        };
        let by = match column.filter(|field| field.data_type().is_string()) {
            Some(field) => {
                let collation = tools::collation_of_field(field).unwrap_or(Collation::Binary);
                match field.metadata().contains_key(DECLARED) {
                    true => By { collation, strength: Strength::Column, ..By::DEFAULT },
                    false => By { collation, ..By::OF_FILE },
                }
            }
            None => By::DEFAULT,
        };
        let expr = match (&field, data_type) {
            (Ok(field), Some(_)) => exact_timestamp(expr.clone(), field.data_type()).unwrap_or(expr),
            _ => expr,
        };
        Typed { expr, data_type, by }
    }

    fn call(&self, function: &Function, mut args: Vec<Typed>) -> Result<Typed> {
        let operation = Arc::clone(&function.operation);
        if let (Operation::Typed(data_type), 1) = (operation.as_ref(), args.len()) {
            return typed(args.remove(0), *data_type);
        }
        if let (Operation::Given(data_type), 1) = (operation.as_ref(), args.len()) {
            return Ok(given(typed(args.remove(0), *data_type)?));
        }
        if let (Operation::Collate(name), 1) = (operation.as_ref(), args.len()) {
            let collation = mainstay_tsql_types::collation::by_name(name).unwrap_or_default();
            let page = mainstay_tsql_types::collation::code_page(name);
            let arg = args.remove(0);
            let Typed { expr, data_type, .. } = match arg.data_type {
                Some(from) => convert(arg, from.in_page(page), self.settings)?,
                None => arg,
            };
            let known = operation.bind(&[data_type], &[None]).map_err(failed)?;
            // The function stays around it, for what orders and groups by it.
            let expr = Expr::ScalarFunction(ScalarFunction::new_udf(bound(function, known), vec![expr]));
            return Ok(Typed { expr, data_type, by: By { collation, strength: Strength::Explicit, page } });
        }
        let operation = listed::expanded(operation, &mut args)?;
        let operation = match cast_in_page(&operation, &args) {
            Some(cast) => Arc::new(cast),
            None => operation,
        };
        let given: Vec<Option<DataType>> = args.iter().map(|arg| arg.data_type).collect();
        let constants: Vec<Option<Value>> = args.iter().map(|arg| constant(&arg.expr)).collect();
        let by = By::of(&args);
        super::collations::check(&operation, &args)?;
        let known = operation.bind_collated(&given, &constants, by.said()).map_err(failed)?;
        if let Some(expr) = self.plain_form(&operation, &known, &args, by)? {
            return Ok(Typed { expr, data_type: known.result, by });
        }
        let data_type = known.result;
        let args = args.into_iter().map(|arg| arg.expr).collect();
        let expr = Expr::ScalarFunction(ScalarFunction::new_udf(bound(function, known), args));
        Ok(Typed { expr, data_type, by })
    }

    /// The core's expression for an operation, where it has one with the same meaning.
    fn plain_form(&self, operation: &Operation, known: &Bound, args: &[Typed], by: By) -> Result<Option<Expr>> {
        Ok(match operation {
            Operation::Compare(op) => match args {
                [
                    Typed { expr: left, data_type: Some(of_left), .. },
                    Typed { expr: right, data_type: Some(of_right), .. },
                ] if padded::is_bytes(*of_left) && padded::is_bytes(*of_right) => {
                    let (left, right) = ((left.clone(), *of_left), (right.clone(), *of_right));
                    Some(padded::comparison(left, comparison(*op), right)?)
                }
                [left, right] => {
                    let (left, right) = (self.compared(left, known, by)?, self.compared(right, known, by)?);
                    Some(Expr::BinaryExpr(BinaryExpr {
                        left: Box::new(left),
                        op: comparison(*op),
                        right: Box::new(right),
                    }))
                }
                _ => None,
            },
            Operation::In if args.iter().all(|arg| arg.data_type.is_some_and(padded::is_bytes)) => {
                let sides = args.iter().filter_map(|arg| Some((arg.expr.clone(), arg.data_type?))).collect();
                Some(padded::is_in(sides)?)
            }
            Operation::In => {
                let mut sides = args.iter().map(|arg| self.compared(arg, known, by));
                let Some(first) = sides.next() else { return Ok(None) };
                let (expr, list) = (Box::new(first?), sides.collect::<Result<Vec<_>>>()?);
                Some(Expr::InList(InList { expr, list, negated: false }))
            }
            Operation::Like => simple_like(args, by),
            Operation::Convert(..) | Operation::Assign(..) => match args {
                [arg] => lossless(arg, known.result),
                _ => None,
            },
            Operation::Coalesce | Operation::IsNull => {
                let Some(result) = known.result else { return Ok(None) };
                let args = args.iter().map(|arg| convert(arg.clone(), result, self.settings));
                let args = args.collect::<Result<Vec<_>>>()?;
                let args = args.into_iter().map(|arg| arg.expr).collect();
                Some(datafusion::functions::core::expr_fn::coalesce(args))
            }
            Operation::Function(function, _) if function.name == "CHOOSE" => {
                choose::as_case(known, args, self.settings)?
            }
            Operation::Binary(op) => match (known.result, args, arithmetic(*op)) {
                // An overflow is an error of the core.
                _ if self.settings.forgives_arithmetic() => None,
                (Some(result), [left, right], Some(op)) if is_plain_number(result) => {
                    let side = |side: &Typed| convert(side.clone(), result, self.settings);
                    let (left, right) = (side(left)?.expr, side(right)?.expr);
                    Some(Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) }))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// A side of a comparison: of the type that both sides are brought to, by its key if it is text.
    fn compared(&self, side: &Typed, known: &Bound, by: By) -> Result<Expr> {
        let Some(common) = known.common else { return Ok(side.expr.clone()) };
        let is_text = |data_type: Option<DataType>| data_type.is_none_or(DataType::is_text);
        let are_bytes = padded::is_bytes(common) && side.data_type.is_some_and(padded::is_bytes);
        let converted = match common.is_text() && is_text(side.data_type) {
            // Lengths do not matter to a comparison.
            true => without_collate(side.expr.clone()),
            false if are_bytes => side.expr.clone(),
            // Nor does how many digits a moment has.
            false if side.data_type.is_some_and(|from| is_shorter_moment(from, common)) => side.expr.clone(),
            false => convert(side.clone(), common, self.settings)?.expr,
        };
        match common {
            DataType::DateTimeOffset(_) => return offset_key(converted),
            DataType::SqlVariant => return variant::key(converted),
            common if padded::is_bytes(common) => return tools::padded_key(converted),
            _ => {}
        }
        let is_keyed = common.is_text() && by != By::OF_FILE;
        Ok(if is_keyed { collation_key(converted, by.collation) } else { converted })
    }

    fn case(&self, case: Case) -> Result<Typed> {
        let whens = case.when_then_expr.into_iter().map(|(when, then)| Ok((self.lower(*when)?, self.lower(*then)?)));
        let branches = whens.collect::<Result<Vec<(Typed, Typed)>>>()?;
        let otherwise = case.else_expr.map(|expr| self.lower(*expr)).transpose()?;
        let results = branches.iter().map(|(_, then)| then).chain(&otherwise);
        let result =
            mainstay_tsql_types::types::of_all(results.clone().map(|typed| typed.data_type)).map_err(failed)?;
        let by = By::of(results.clone());
        let to = |typed: Typed| -> Result<Box<Expr>> {
            Ok(Box::new(match result {
                Some(result) => convert(typed, result, self.settings)?.expr,
                None => typed.expr,
            }))
        };
        let base = case.expr.map(|expr| self.lower(*expr)).transpose()?.map(|typed| Box::new(typed.expr));
        let when_then = branches.into_iter().map(|(when, then)| Ok((Box::new(when.expr), to(then)?)));
        let when_then = when_then.collect::<Result<Vec<_>>>()?;
        let expr = Expr::Case(Case::new(base, when_then, otherwise.map(to).transpose()?));
        Ok(Typed { expr, data_type: result, by })
    }
}

/// A CAST of a text to VARCHAR, which keeps the code page that the text has or that its COLLATE says; `None` where that is
/// the default's.
fn cast_in_page(operation: &Operation, args: &[Typed]) -> Option<Operation> {
    let (Operation::Convert(kind @ (ConvertKind::Explicit | ConvertKind::Try), to), Some(arg)) =
        (operation, args.first())
    else {
        return None;
    };
    let from = arg.data_type.filter(|from| from.is_text())?;
    let page = from.code_page().unwrap_or(arg.by.page);
    let is_said = to.code_page() == Some(CodePage::DEFAULT) && page != CodePage::DEFAULT;
    is_said.then(|| Operation::Convert(*kind, to.in_page(page)))
}

/// The types whose arithmetic is that of the core: overflow and division by zero are errors there, too.
fn is_plain_number(data_type: DataType) -> bool {
    matches!(data_type, DataType::Int | DataType::BigInt | DataType::SmallInt | DataType::Float | DataType::Real)
}

/// The operand of a COLLATE.
fn without_collate(expr: Expr) -> Expr {
    match expr {
        Expr::ScalarFunction(mut call) if collate_of(&call).is_some() && call.args.len() == 1 => {
            call.args.pop().unwrap_or_else(|| Expr::ScalarFunction(call.clone()))
        }
        other => other,
    }
}

/// The collation that a call of COLLATE gives its argument.
fn collate_of(call: &ScalarFunction) -> Option<Collation> {
    match function_of(call)?.operation.as_ref() {
        Operation::Collate(name) => mainstay_tsql_types::collation::by_name(name),
        _ => None,
    }
}

/// LIKE with a literal pattern that has no sets of characters.
fn simple_like(args: &[Typed], by: By) -> Option<Expr> {
    let [value, pattern] = args else { return None };
    let Some(Value::Text(text)) = literal_value(&pattern.expr) else { return None };
    let is_simple = !text.contains(['[', '\\']) && !text.ends_with(' ');
    let is_text = value.data_type.is_some_and(DataType::is_text);
    if !is_simple || !is_text || matches!(value.data_type, Some(DataType::Char(..) | DataType::NChar(_))) {
        return None;
    }
    let fold = |expr: Expr| Box::new(collation_fold(without_collate(expr), by.collation));
    let (expr, pattern) = (fold(value.expr.clone()), fold(lit(text)));
    Some(Expr::Like(Like { negated: false, expr, pattern, escape_char: None, case_insensitive: false }))
}

fn comparison(op: ComparisonOperator) -> Operator {
    match op {
        ComparisonOperator::Equal => Operator::Eq,
        ComparisonOperator::NotEqual => Operator::NotEq,
        ComparisonOperator::Less => Operator::Lt,
        ComparisonOperator::LessOrEqual => Operator::LtEq,
        ComparisonOperator::Greater => Operator::Gt,
        ComparisonOperator::GreaterOrEqual => Operator::GtEq,
    }
}

fn arithmetic(op: BinaryOperator) -> Option<Operator> {
    Some(match op {
        BinaryOperator::Add => Operator::Plus,
        BinaryOperator::Subtract => Operator::Minus,
        BinaryOperator::Multiply => Operator::Multiply,
        BinaryOperator::Divide => Operator::Divide,
        BinaryOperator::Modulo => Operator::Modulo,
        _ => return None,
    })
}
