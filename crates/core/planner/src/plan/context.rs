//! The context of one statement for DataFusion's SQL planner: tables, functions, options.

use crate::catalog::Visibility;
use crate::catalog::{Catalog, DEFAULT_SCHEMAS, Relation};
use crate::leaves::relation::TableRelation;
use crate::parse::text::Text;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::{CteWorkTable, ViewSource};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Result, TableReference, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner, RelationPlanner, TypePlanner};
use datafusion::logical_expr::{
    AggregateUDF, Expr, HigherOrderUDF, LogicalPlanBuilder, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::sql::planner::{ParserOptions, SqlToRel};
use std::sync::{Arc, LazyLock};

/// The tables of a catalog and the functions of a session, for the planning of one statement.
#[derive(Clone, Copy)]
pub(crate) struct StatementContext<'a> {
    pub(crate) state: &'a SessionState,
    pub(crate) catalog: &'a dyn Catalog,
    /// True if the statement names `_recno` or `_deleted`, and so sees them as columns.
    pub(crate) hidden_columns: bool,
    pub(crate) visibility: Visibility,
    /// True if tables take over what they can do themselves; see `Settings::fuse`.
    pub(crate) fuse: bool,
    /// How many views this statement is inside of.
    pub(crate) view_depth: usize,
}

/// How deep views may be made of views.
const VIEW_DEPTH: usize = 32;

/// The planners of functions in FROM.
static RELATIONS: LazyLock<[Arc<dyn RelationPlanner>; 1]> =
    LazyLock::new(|| [Arc::new(crate::functions::sources::SourcePlanner)]);

impl StatementContext<'_> {
    /// A view as what its query says.
    fn view(&self, name: &str, query: &str, columns: &[String]) -> Result<Arc<dyn TableSource>> {
        if self.view_depth >= VIEW_DEPTH {
            return plan_err!("the view {name} is made of views that nest too deep");
        }
        let text = Text::new(query).map_err(crate::carried_error::to_datafusion)?;
        let statement = text.parse().map_err(crate::carried_error::to_datafusion)?;
        crate::bounds::check_statement(&statement).map_err(crate::carried_error::to_datafusion)?;
        let statement = match text.mentions("using") || text.mentions("natural") {
            true => crate::names::using::written_out(statement, self.catalog)
                .map_err(crate::carried_error::to_datafusion)?,
            false => statement,
        };
        let (hidden_columns, visibility) = crate::plan::planner::seen_by(&text, self.hidden_columns, self.visibility);
        let own_columns = match hidden_columns {
            true => crate::names::wildcard::hidden_of_view(&statement, columns, self.catalog),
            false => Ok(Vec::new()),
        };
        let own_columns = own_columns.map_err(crate::carried_error::to_datafusion)?;
        let statement = match hidden_columns {
            true => {
                crate::names::wildcard::expand(statement, self.catalog).map_err(crate::carried_error::to_datafusion)?
            }
            false => statement,
        };
        let statement = crate::names::wildcard::with_columns(statement, &own_columns);
        let statement = crate::reduce::reduced(&text, statement).map_err(crate::carried_error::to_datafusion)?;
        let statement = crate::names::colliding_names::marked(statement);
        let inner = StatementContext { view_depth: self.view_depth + 1, hidden_columns, visibility, ..*self };
        let options = ParserOptions::from(&self.state.config_options().sql_parser);
        let planner = SqlToRel::new_with_options(&inner, options);
        let plan = crate::names::outer_names::planned(statement, |statement| {
            let plan = planner.sql_statement_to_plan(statement)?;
            crate::bounds::check(&plan).map(|()| plan)
        })?;
        let mut plan = crate::names::colliding_names::unmarked(plan)?;
        if !columns.is_empty() {
            let fields = plan.schema().columns();
            let columns: Vec<&String> = columns.iter().chain(&own_columns).collect();
            if fields.len() != columns.len() {
                return plan_err!("the view {name} names {} columns and its query has {}", columns.len(), fields.len());
            }
            let renamed = fields.into_iter().zip(columns).map(|(field, name)| Expr::Column(field).alias(name.as_str()));
            plan = LogicalPlanBuilder::from(plan).project(renamed)?.build()?;
        }
        Ok(Arc::new(ViewSource::new(plan)))
    }
}

impl ContextProvider for StatementContext<'_> {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        let key = match name.schema() {
            Some(schema) if !DEFAULT_SCHEMAS.contains(&schema) => format!("{schema}.{}", name.table()),
            _ => name.table().to_owned(),
        };
        let relation = match self.view_depth {
            0 => self.catalog.relation(&key),
            _ => self.catalog.shared_relation(&key),
        };
        match relation.map_err(crate::carried_error::to_datafusion)? {
            Some(Relation::Table(table)) => {
                let relation =
                    TableRelation::new(table, self.hidden_columns, self.visibility, self.fuse).collated(self.catalog);
                let source = provider_as_source(Arc::new(relation));
                match self.catalog.reading().fills_blanks {
                    true => crate::analyze::blank_fields::filled(name.table(), source),
                    false => Ok(source),
                }
            }
            Some(Relation::Foreign(provider)) => {
                Ok(provider_as_source(crate::leaves::parquet::collated(provider, self.catalog)))
            }
            // Views of views of views are planned within each other: every few of them get a stack of their own.
            Some(Relation::View { query, columns }) if self.view_depth % 4 == 3 => {
                crate::execute::deep_stack::on_deep_stack(|| Ok(self.view(&key, &query, &columns)))
                    .map_err(crate::carried_error::to_datafusion)?
            }
            Some(Relation::View { query, columns }) => self.view(&key, &query, &columns),
            None => plan_err!("table '{name}' not found"),
        }
    }

    fn get_table_function_source(&self, name: &str, _: Vec<Expr>) -> Result<Arc<dyn TableSource>> {
        Err(crate::error::unknown_rowset(name))
    }

    fn create_cte_work_table(&self, name: &str, schema: SchemaRef) -> Result<Arc<dyn TableSource>> {
        Ok(provider_as_source(Arc::new(CteWorkTable::new(name, schema))))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        self.state.expr_planners()
    }

    fn get_type_planner(&self) -> Option<Arc<dyn TypePlanner>> {
        Some(Arc::new(crate::types::ticks::MomentPlanner))
    }

    fn get_relation_planners(&self) -> &[Arc<dyn RelationPlanner>] {
        RELATIONS.as_slice()
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        if let Some((dialect, name)) = crate::dialect::with_prefix(name) {
            return dialect.function(name, &|| self.catalog.functions());
        }
        if let Some(function) = crate::dialect::user_function(name, || self.catalog.functions()) {
            return Some(function);
        }
        if let Some(function) =
            crate::functions::collate_clause::function(name).or_else(|| crate::names::colliding_names::function(name))
        {
            return Some(function);
        }
        // PostgreSQL's names for them.
        let name = match name {
            "gen_random_uuid" => "uuid",
            "ceiling" => "ceil",
            "transaction_timestamp" | "statement_timestamp" | "clock_timestamp" => "now",
            name => name,
        };
        if let Some(function) = crate::functions::function(name).or_else(|| crate::types::ceil_floor::function(name)) {
            return Some(function);
        }
        let known = self.state.scalar_functions().get(name).cloned();
        let known = known
            .map(crate::types::ticks::wrapped)
            .map(crate::functions::result_sizes::wrapped)
            .map(crate::functions::joined::wrapped);
        known.or_else(|| crate::functions::sequences::function(name, self.catalog.sequences()))
    }

    fn get_higher_order_meta(&self, _: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        match crate::dialect::with_prefix(name) {
            Some((dialect, name)) => dialect.aggregate(name),
            None if name == crate::types::sum::SUM.name() => Some(Arc::clone(&crate::types::sum::SUM)),
            None if name == crate::functions::string_agg::NAME => {
                Some(Arc::clone(&crate::functions::string_agg::STRING_AGG))
            }
            None if name == crate::functions::regression::NAME => Some(Arc::clone(&crate::functions::regression::R2)),
            None if name == "avg" || name == "mean" => Some(Arc::clone(&crate::types::quotient::AVG)),
            None => {
                let name = match name {
                    "every" => "bool_and",
                    "variance" => "var_samp",
                    name => name,
                };
                let known = crate::functions::ordered_sets::function(name);
                known.or_else(|| self.state.aggregate_functions().get(name).cloned())
            }
        }
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.state.window_functions().get(name).cloned().map(crate::functions::rank::signed)
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        self.state.scalar_functions().keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.state.aggregate_functions().keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.state.window_functions().keys().cloned().collect()
    }
}
