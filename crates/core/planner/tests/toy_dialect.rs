//! A dialect of two functions and a type, written with the public interface alone: all that a language needs to take part
//! in planning.

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF};
use mainstay_columnar::values::{data_type_of, value_at};
use mainstay_planner::dialect::{
    DeclaredType, Dialect, DialectFunction, PlanTree, SessionFunctions, Stage, Tree, downcast, register, row_by_row,
    scalar_function,
};
use mainstay_planner::tools;
use mainstay_planner::{Catalog, Planner, Relation, RunOptions, Settings, Visibility, effects_of};
use mainstay_types::{Collation, SqlType, Value, ValueRef};
use std::sync::Arc;

#[derive(Debug)]
struct Toy;

/// `twice(n)` becomes `n + n`; `shout(text)` and `dice()` run row by row.
#[derive(Debug)]
enum ToyFunction {
    Twice,
    Shout,
    Dice,
}

impl DialectFunction for ToyFunction {
    fn name(&self) -> &str {
        match self {
            ToyFunction::Twice => "toy:twice",
            ToyFunction::Shout => "toy:shout",
            ToyFunction::Dice => "toy:dice",
        }
    }

    fn is_volatile(&self) -> bool {
        matches!(self, ToyFunction::Dice)
    }

    fn field(&self, arguments: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<FieldRef> {
        match (self, arguments) {
            (ToyFunction::Twice, [argument]) => Ok(Arc::clone(argument)),
            (ToyFunction::Shout, [_]) => {
                let text = SqlType::VarChar { length: None, collation: Collation::Binary };
                Ok(Arc::new(Field::new(self.name(), data_type_of(text), true)))
            }
            (ToyFunction::Dice, []) => Ok(Arc::new(Field::new(self.name(), DataType::Int64, true))),
            _ => exec_err!("{} of {} arguments", self.name(), arguments.len()),
        }
    }

    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let data_type = arguments.return_field.data_type();
        row_by_row(&arguments, (self.name(), self.is_volatile()), data_type, &mut |values| match (self, values) {
            (ToyFunction::Shout, [ValueRef::Text(text)]) => Ok(Value::Text(format!("{}!", text.to_uppercase()))),
            (ToyFunction::Dice, []) => Ok(Value::Integer(4)),
            _ => exec_err!("{} is lowered", self.name()),
        })
    }
}

impl Dialect for Toy {
    fn prefix(&self) -> &'static str {
        "toy:"
    }

    fn stage(&self) -> Stage {
        Stage::Operators
    }

    fn function(&self, name: &str, _: SessionFunctions<'_>) -> Option<Arc<ScalarUDF>> {
        Some(scalar_function(match name {
            "twice" => ToyFunction::Twice,
            "shout" => ToyFunction::Shout,
            "dice" => ToyFunction::Dice,
            _ => return None,
        }))
    }

    fn declared_type(&self, name: &str) -> Option<DeclaredType> {
        (name == "count").then(|| DeclaredType { sql_type: SqlType::BigInt, name: "toy count".to_owned() })
    }

    fn lower(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        if !tools::any_expression_of_plan(&plan, is_twice) {
            return Ok(plan);
        }
        let sum = |expr: Expr| match expr {
            Expr::ScalarFunction(mut call) if downcast::<ToyFunction>(&call.func).is_some_and(is_sum) => {
                let Some(number) = call.args.pop() else { return exec_err!("twice of nothing") };
                Ok(Transformed::yes(number.clone() + number))
            }
            other => Ok(Transformed::no(other)),
        };
        plan.map_up_with_subqueries(|node| tools::rewritten_node(node, |expr, _| expr.map_up(sum))).data()
    }
}

fn is_sum(function: &ToyFunction) -> bool {
    matches!(function, ToyFunction::Twice)
}

fn is_twice(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if downcast::<ToyFunction>(&call.func).is_some_and(is_sum))
}

struct Nothing;

impl Catalog for Nothing {
    fn relation(&self, _: &str) -> mainstay_types::Result<Option<Relation>> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn version(&self) -> u64 {
        1
    }
}

fn planner() -> Planner {
    register(&Toy);
    let settings = Settings { memory_limit_bytes: 10_000_000, threads: 1, fuse: true, disabled_rules: Vec::new() };
    Planner::new(&settings).unwrap()
}

/// The rows of a query, with its values as text.
fn rows(planner: &Planner, sql: &str) -> Vec<String> {
    let planned = planner.plan(sql, &Nothing, Visibility::Live).unwrap();
    let batches = planner.run(&planned, RunOptions::default()).unwrap().collect().unwrap();
    let mut rows = Vec::new();
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| {
                let value = value_at(column.as_ref(), row).unwrap();
                match value {
                    Value::Integer(number) => number.to_string(),
                    Value::Text(text) => text,
                    other => format!("{other:?}"),
                }
            });
            rows.push(values.collect::<Vec<_>>().join(" "));
        }
    }
    rows
}

#[test]
fn functions_are_found_by_their_prefix_and_run() {
    let planner = planner();
    let sql = "SELECT \"toy:twice\"(n) AS a, \"toy:shout\"(w) AS b FROM (VALUES (21, 'hey'), (4, 'no')) AS t(n, w) ORDER BY n";
    assert_eq!(rows(&planner, sql), ["8 NO!", "42 HEY!"]);
    let unknown = planner.plan("SELECT \"toy:thrice\"(1)", &Nothing, Visibility::Live);
    let Err(error) = unknown else { panic!("there is no such function") };
    assert!(error.to_string().contains("toy:thrice"), "{error}");
}

#[test]
fn lowered_functions_are_gone_from_the_plan() {
    let planner = planner();
    let sql = "SELECT \"toy:twice\"(n) AS a, \"toy:shout\"(w) AS b FROM (VALUES (21, 'hey'), (4, 'no')) AS t(n, w)";
    let plan = planner.explain(&planner.plan(sql, &Nothing, Visibility::Live).unwrap()).unwrap();
    assert!(plan.contains("toy:shout") && !plan.contains("toy:twice"), "{plan}");
}

#[test]
fn types_are_declared_by_their_prefix() {
    register(&Toy);
    let statement = mainstay_planner::Statement::parse("CREATE TABLE t (n \"toy:count\", m \"toy:unknown\")");
    assert!(statement.is_err(), "{statement:?}");
    let statement = mainstay_planner::Statement::parse("CREATE TABLE t (n \"toy:count\")").unwrap();
    let mainstay_planner::Statement::CreateTable(create) = statement else { panic!("{statement:?}") };
    assert_eq!(
        (create.columns[0].sql_type, create.columns[0].declared.as_deref()),
        (SqlType::BigInt, Some("toy count"))
    );
}

#[test]
fn defaults_with_volatile_functions_are_of_each_row() {
    register(&Toy);
    assert!(effects_of("\"toy:dice\"() + 1").is_of_each_row);
    assert!(!effects_of("\"toy:twice\"(1)").is_of_each_row && !effects_of("'\"toy:dice\"()'").is_of_each_row);
}
