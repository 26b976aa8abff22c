//! Plans before and after: the order of tables, and the columns, which stay.

use super::*;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Spans;
use datafusion::logical_expr::logical_plan::builder::LogicalTableSource;
use datafusion::logical_expr::{Subquery, col, in_subquery, lit};

/// Each table has a key and a reference to the table before it; `line` is large, `kind` has ten rows.
const TABLES: Tables = Tables {
    rows: |source| match source.schema().field(0).name().as_str() {
        "line_key" => 6_000_000,
        "part_key" => 200_000,
        _ => 10,
    },
    distinct: |source, column| match source.schema().field(column).name().as_str() {
        "part_key" | "line_part" => Some(200_000),
        "kind_key" | "part_kind" => Some(10),
        _ => None,
    },
};

fn scan(table: &str, columns: [&str; 2]) -> LogicalPlanBuilder {
    let fields: Vec<Field> = columns.iter().map(|name| Field::new(*name, DataType::Int64, true)).collect();
    let source = Arc::new(LogicalTableSource::new(Arc::new(Schema::new(fields))));
    LogicalPlanBuilder::scan(table, source, None).unwrap()
}

fn line() -> LogicalPlanBuilder {
    scan("line", ["line_key", "line_part"])
}

fn part() -> LogicalPlanBuilder {
    scan("part", ["part_key", "part_kind"])
}

fn kind() -> LogicalPlanBuilder {
    scan("kind", ["kind_key", "kind_name"])
}

fn all_tables() -> LogicalPlanBuilder {
    let parts = line().cross_join(part().build().unwrap()).unwrap();
    parts.cross_join(kind().build().unwrap()).unwrap()
}

fn links() -> Expr {
    col("line_part").eq(col("part_key")).and(col("part_kind").eq(col("kind_key")))
}

/// The tables of a plan from left to right.
fn tables(plan: &LogicalPlan) -> Vec<String> {
    let mut names = Vec::new();
    plan.apply(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            names.push(scan.table_name.to_string());
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .unwrap();
    names
}

#[test]
fn a_filtered_table_comes_first_and_columns_stay() {
    let plan = all_tables().filter(links().and(col("kind_name").eq(lit(1)))).unwrap().build().unwrap();
    let ordered = reordered(plan.clone(), &TABLES).unwrap();
    assert_eq!(tables(&ordered), ["kind", "part", "line"]);
    assert_eq!(ordered.schema().field_names(), plan.schema().field_names());
}

#[test]
fn joins_with_conditions_are_reordered_too() {
    let parts =
        line().join_on(part().build().unwrap(), JoinType::Inner, [col("line_part").eq(col("part_key"))]).unwrap();
    let kinds = kind().filter(col("kind_name").eq(lit(1))).unwrap().build().unwrap();
    let plan = parts.join_on(kinds, JoinType::Inner, [col("part_kind").eq(col("kind_key"))]).unwrap().build().unwrap();
    assert_eq!(tables(&reordered(plan, &TABLES).unwrap()), ["kind", "part", "line"]);
}

#[test]
fn an_order_without_a_gain_and_outer_joins_stay() {
    let best = kind().cross_join(part().build().unwrap()).unwrap().cross_join(line().build().unwrap()).unwrap();
    let best = best.filter(links().and(col("kind_name").eq(lit(1)))).unwrap().build().unwrap();
    assert_eq!(reordered(best.clone(), &TABLES).unwrap(), best);
    let outer =
        line().join_on(part().build().unwrap(), JoinType::Left, [col("line_part").eq(col("part_key"))]).unwrap();
    let condition = col("part_kind").eq(col("kind_key"));
    let outer = outer.join_on(kind().build().unwrap(), JoinType::Left, [condition]).unwrap().build().unwrap();
    assert_eq!(reordered(outer.clone(), &TABLES).unwrap(), outer);
}

#[test]
fn joins_of_a_correlated_subquery_stay() {
    let outer = Expr::OuterReferenceColumn(
        Arc::new(Field::new("name", DataType::Int64, true)),
        Column::new(Some("outside"), "name"),
    );
    let plan = all_tables().filter(links().and(col("kind_name").eq(outer))).unwrap().build().unwrap();
    assert_eq!(reordered(plan.clone(), &TABLES).unwrap(), plan);
}

/// A side of a LATERAL join that refers to a column of the row at its left.
fn side_about(table: &str, column: &str) -> LogicalPlan {
    let field = Arc::new(Field::new(column, DataType::Int64, true));
    let outer = Expr::OuterReferenceColumn(field, Column::new(Some(table), column));
    let rows = scan("key", ["key", "other"]).filter(col("key").eq(outer.clone())).unwrap().build().unwrap();
    let subquery = Subquery { subquery: Arc::new(rows), outer_ref_columns: vec![outer], spans: Spans::new() };
    LogicalPlanBuilder::from(LogicalPlan::Subquery(subquery)).alias("side").unwrap().build().unwrap()
}

/// All tables, joined by ON, with the large table first.
fn joined_tables() -> LogicalPlanBuilder {
    let parts =
        line().join_on(part().build().unwrap(), JoinType::Inner, [col("line_part").eq(col("part_key"))]).unwrap();
    let kinds = kind().filter(col("kind_name").eq(lit(1))).unwrap().build().unwrap();
    parts.join_on(kinds, JoinType::Inner, [col("part_kind").eq(col("kind_key"))]).unwrap()
}

#[test]
fn a_lateral_side_stays_beside_the_row_that_it_refers_to() {
    let plan = joined_tables().cross_join(side_about("line", "line_key")).unwrap();
    let plan = plan.filter(col("line_key").gt(lit(1))).unwrap().build().unwrap();
    let ordered = reordered(plan.clone(), &TABLES).unwrap();
    assert_eq!(tables(&ordered), ["kind", "part", "line", "key"], "the tables at its left are reordered");
    assert_eq!(ordered.schema().field_names(), plan.schema().field_names());
    let LogicalPlan::Filter(filter) = &ordered else { panic!("{ordered}") };
    let LogicalPlan::Join(join) = filter.input.as_ref() else { panic!("{ordered}") };
    assert!(references::is_lateral(join).unwrap());

    let first = line().cross_join(side_about("line", "line_key")).unwrap().cross_join(part().build().unwrap()).unwrap();
    let plan = first.cross_join(kind().build().unwrap()).unwrap();
    let plan = plan.filter(links().and(col("kind_name").eq(lit(1)))).unwrap().build().unwrap();
    let ordered = reordered(plan, &TABLES).unwrap();
    assert_eq!(tables(&ordered), ["kind", "part", "line", "key"], "they are moved together");
}

#[test]
fn a_lateral_side_without_a_subquery_node_stays_too() {
    let LogicalPlan::SubqueryAlias(alias) = side_about("line", "line_key") else { panic!() };
    let LogicalPlan::Subquery(side) = alias.input.as_ref() else { panic!() };
    let columns = LogicalPlanBuilder::from(side.subquery.as_ref().clone()).project([col("other")]).unwrap();
    let plan = joined_tables().cross_join(columns.build().unwrap()).unwrap().build().unwrap();
    assert_eq!(tables(&reordered(plan, &TABLES).unwrap()), ["kind", "part", "line", "key"]);
}

#[test]
fn inputs_of_a_lateral_side_stay() {
    let field = Arc::new(Field::new("line_key", DataType::Int64, true));
    let outer = Expr::OuterReferenceColumn(field, Column::new(Some("outside"), "line_key"));
    let parts = part().filter(col("part_key").eq(outer)).unwrap().build().unwrap();
    let parts = line().join_on(parts, JoinType::Inner, [col("line_part").eq(col("part_key"))]).unwrap();
    let kinds = kind().filter(col("kind_name").eq(lit(1))).unwrap().build().unwrap();
    let plan = parts.join_on(kinds, JoinType::Inner, [col("part_kind").eq(col("kind_key"))]).unwrap().build().unwrap();
    assert_eq!(reordered(plan.clone(), &TABLES).unwrap(), plan);
}

#[test]
fn inputs_without_known_links_keep_their_order() {
    let plan = all_tables().cross_join(side_about("line", "line_key")).unwrap();
    let plan = plan.filter(links().and(col("kind_name").eq(lit(1)))).unwrap().build().unwrap();
    assert_eq!(reordered(plan.clone(), &TABLES).unwrap(), plan);
}

#[test]
fn small_tables_keep_the_order_of_the_statement() {
    let small = Tables { rows: |_| 1_000, ..TABLES };
    let plan = all_tables().filter(links().and(col("kind_name").eq(lit(1)))).unwrap().build().unwrap();
    assert_eq!(reordered(plan.clone(), &small).unwrap(), plan);
}

#[test]
fn a_membership_test_goes_to_its_table() {
    let keys = scan("key", ["key", "other"]).project([col("key")]).unwrap().build().unwrap();
    let test = in_subquery(col("line_key"), Arc::new(keys));
    let plan = all_tables().filter(links().and(test)).unwrap().build().unwrap();
    let ordered = reordered(plan, &TABLES).unwrap();
    let mut is_above_table = false;
    ordered
        .apply(|node| {
            if let LogicalPlan::Filter(filter) = node {
                let is_test = matches!(filter.predicate, Expr::InSubquery(_));
                is_above_table |= is_test && matches!(*filter.input, LogicalPlan::TableScan(_));
            }
            Ok(TreeNodeRecursion::Continue)
        })
        .unwrap();
    assert!(is_above_table, "{ordered}");
}
