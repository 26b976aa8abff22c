//! Corrections of DataFusion 55.2, one file each. An entry is removed when the linked version has the fix.
//!
//! No upstream issue is on record for an entry without a number; filing it is the next step. Tests are files of
//! `crates/core/engine/tests`, records of which fail without the correction.
//!
//! | module | wrong in DataFusion | issue | tests |
//! |---|---|---|---|
//! | `aggregate_filters` | arguments of an aggregate are computed for rows that its FILTER leaves out | - | `sqllogic/guarded_subqueries.slt` |
//! | `circular_equivalences` | an equality `abs(x) = x` makes the search for an order endless | - | `sqllogic/windows.slt` |
//! | `columnless_orders` | a top-n operator cannot hold rows without columns | - | `sqllogic/order_by.slt` |
//! | `duplicate_field_names` | a filter moves to the wrong one of two columns of one name | - | `sqllogic/upstream.slt` |
//! | `duplicate_sort_keys` | a key that stands twice in an aggregate's order ends the process | - | `sqllogic/upstream.slt` |
//! | `tree::expression_names` | names of deep calls are written out at every level, in quadratic time | - | the module's own |
//! | `filter_pushdown` | a constant filter moves below groups that give a row of no rows | - | `sqllogic/upstream.slt` |
//! | `functional_dependencies` | a key of one side of a join is taken for a key of the groups above it | - | `sqllogic/determined.slt` |
//! | `grouping_set_properties` | constants and orders of rows are claimed of their grouping sets | - | `sqllogic/groups.slt` |
//! | `in_lists` | items of IN lists are compared as written, and NULL in them is lost | - | `sqllogic/lists.slt` |
//! | `nested_subqueries` | each level of nested IN subqueries is checked again from every level around it | - | `sqllogic/upstream.slt` |
//! | `null_equal_joins` | keys of IS NOT DISTINCT FROM and of equalities are mixed in one join | - | `sqllogic/null_keys.slt` |
//! | `outer_join_properties` | constants of one side are claimed of the rows of an outer join | - | `sqllogic/outer_rows.slt` |
//! | `projection_pushdown` | expressions that can fail move below filters | - | `sqllogic/queries.slt` |
//! | `scalar_subqueries` | a scalar subquery of a NOT NULL column is taken for NOT NULL without a row | - | `sqllogic/single_values.slt` |
//! | `sort_pushdown` | a sort moves below a limit, and changes its rows | - | `sqllogic/limits.slt` |
//! | `union_equivalences` | equal columns of the branches are used for an order of the union | - | `sqllogic/union_orders.slt` |
//! | `window_frames` | RANGE frames need distances that the default frame does not use | - | `sqllogic/windows.slt` |
//!
//! `statistics_barrier` is the node that several of them put into a plan. Waiting repartitioned plans that spill
//! (DataFusion's issue 24883) are avoided by a setting in `optimize`: one batch a spill file.

pub(crate) mod aggregate_filters;
pub(crate) mod circular_equivalences;
pub(crate) mod columnless_orders;
pub(crate) mod duplicate_field_names;
pub(crate) mod duplicate_sort_keys;
pub(crate) mod filter_pushdown;
pub(crate) mod functional_dependencies;
pub(crate) mod grouping_set_properties;
pub(crate) mod in_lists;
pub(crate) mod nested_subqueries;
pub(crate) mod null_equal_joins;
pub(crate) mod outer_join_properties;
pub(crate) mod projection_pushdown;
pub(crate) mod scalar_subqueries;
pub(crate) mod sort_pushdown;
pub(crate) mod statistics_barrier;
pub(crate) mod union_equivalences;
pub(crate) mod window_frames;
