//! The planning context of a statement: settings, functions and rules.

use crate::physical_planner::{NodePlanner, Planning};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{DFSchema, Result, plan_datafusion_err};
use datafusion_execution::config::SessionConfig;
use datafusion_execution::runtime_env::RuntimeEnv;
use datafusion_expr::execution_props::ExecutionProps;
use datafusion_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion_expr::planner::ExprPlanner;
use datafusion_expr::registry::FunctionRegistry;
use datafusion_expr::simplify::SimplifyContext;
use datafusion_expr::{AggregateUDF, Expr, HigherOrderUDF, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion_optimizer::simplify_expressions::ExprSimplifier;
use datafusion_optimizer::{Analyzer, AnalyzerRule, Optimizer, OptimizerConfig, OptimizerRule};
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_optimizer::PhysicalOptimizerRule;
use datafusion_physical_plan::ExecutionPlan;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, LazyLock};

/// DataFusion's functions, by their names and other names.
struct Functions {
    scalar: HashMap<String, Arc<ScalarUDF>>,
    aggregate: HashMap<String, Arc<AggregateUDF>>,
    window: HashMap<String, Arc<WindowUDF>>,
}

/// The same for all sessions.
static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| Functions {
    scalar: named(datafusion_functions::all_default_functions(), ScalarUDF::name, ScalarUDF::aliases),
    aggregate: named(
        datafusion_functions_aggregate::all_default_aggregate_functions(),
        AggregateUDF::name,
        AggregateUDF::aliases,
    ),
    window: named(datafusion_functions_window::all_default_window_functions(), WindowUDF::name, WindowUDF::aliases),
});

fn named<F>(all: Vec<Arc<F>>, name: fn(&F) -> &str, aliases: fn(&F) -> &[String]) -> HashMap<String, Arc<F>> {
    let names = |function: Arc<F>| -> Vec<(String, Arc<F>)> {
        let all = aliases(&function).iter().cloned().chain([name(&function).to_owned()]);
        all.map(|name| (name, Arc::clone(&function))).collect()
    };
    all.into_iter().flat_map(names).collect()
}

/// The planners of the expressions that DataFusion's grammar leaves to functions.
pub fn default_expr_planners() -> Vec<Arc<dyn ExprPlanner>> {
    vec![
        Arc::new(datafusion_functions::core::planner::CoreFunctionPlanner::default()),
        Arc::new(datafusion_functions::datetime::planner::DatetimeFunctionPlanner),
        Arc::new(datafusion_functions::unicode::planner::UnicodeFunctionPlanner),
        Arc::new(datafusion_functions_aggregate::planner::AggregateFunctionPlanner),
        Arc::new(datafusion_functions_window::planner::WindowFunctionPlanner),
    ]
}

/// The rules of a session, in their order, and what plans the nodes that are not DataFusion's.
pub struct SessionRules {
    /// The planners of expressions.
    pub expr_planners: Vec<Arc<dyn ExprPlanner>>,
    /// Rules that settle types and names.
    pub analyzer: Vec<Arc<dyn AnalyzerRule + Send + Sync>>,
    /// Rules over the logical plan.
    pub optimizer: Vec<Arc<dyn OptimizerRule + Send + Sync>>,
    /// Rules over the operators.
    pub physical: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
    /// The planner of our nodes.
    pub nodes: Option<Arc<dyn NodePlanner>>,
    /// Called for every operator that is made: its error ends the planning.
    pub ended: fn() -> Result<()>,
}

/// The planning context of a statement. Copies share its contents.
#[derive(Clone)]
pub struct SessionState {
    config: SessionConfig,
    runtime_env: Arc<RuntimeEnv>,
    expr_planners: Arc<[Arc<dyn ExprPlanner>]>,
    analyzer: Arc<Analyzer>,
    optimizer: Arc<Optimizer>,
    physical: Arc<[Arc<dyn PhysicalOptimizerRule + Send + Sync>]>,
    nodes: Option<Arc<dyn NodePlanner>>,
    ended: fn() -> Result<()>,
    props: ExecutionProps,
}

impl SessionState {
    /// A session with these settings and rules.
    pub fn new(config: SessionConfig, runtime_env: Arc<RuntimeEnv>, rules: SessionRules) -> SessionState {
        let mut props = ExecutionProps::new();
        props.config_options = Some(Arc::clone(config.options()));
        SessionState {
            config,
            runtime_env,
            expr_planners: rules.expr_planners.into(),
            analyzer: Arc::new(Analyzer::with_rules(rules.analyzer)),
            optimizer: Arc::new(Optimizer::with_rules(rules.optimizer)),
            physical: rules.physical.into(),
            nodes: rules.nodes,
            ended: rules.ended,
            props,
        }
    }

    /// The settings.
    pub fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// The settings by their names.
    pub fn config_options(&self) -> &Arc<ConfigOptions> {
        self.config.options()
    }

    /// Memory, temporary files and stores.
    pub fn runtime_env(&self) -> &Arc<RuntimeEnv> {
        &self.runtime_env
    }

    /// The planners of expressions.
    pub fn expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &self.expr_planners
    }

    /// The rules that settle types and names.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// The rules over the logical plan.
    pub fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// The rules over the operators.
    pub fn physical_optimizers(&self) -> &[Arc<dyn PhysicalOptimizerRule + Send + Sync>] {
        &self.physical
    }

    /// The planner of nodes that are not DataFusion's.
    pub fn nodes(&self) -> Option<&dyn NodePlanner> {
        self.nodes.as_deref()
    }

    /// True if the statement that is planned is to end.
    ///
    /// Errors: the reason.
    pub fn check_ended(&self) -> Result<()> {
        (self.ended)()
    }

    /// The properties of the statement that expressions read.
    pub fn execution_props(&self) -> &ExecutionProps {
        &self.props
    }

    /// Functions of values, by name.
    pub fn scalar_functions(&self) -> &'static HashMap<String, Arc<ScalarUDF>> {
        &FUNCTIONS.scalar
    }

    /// Aggregates, by name.
    pub fn aggregate_functions(&self) -> &'static HashMap<String, Arc<AggregateUDF>> {
        &FUNCTIONS.aggregate
    }

    /// Functions of windows, by name.
    pub fn window_functions(&self) -> &'static HashMap<String, Arc<WindowUDF>> {
        &FUNCTIONS.window
    }

    /// The plan with its types settled, optimized.
    pub fn optimize(&self, plan: &LogicalPlan) -> Result<LogicalPlan> {
        let analyzed = self.analyzer.execute_and_check(plan.clone(), self.config_options(), |_, _| {})?;
        self.optimizer.optimize(analyzed, self, |_, _| {})
    }

    /// An expression over these columns, as it is evaluated; operands of different types are brought to one.
    pub fn create_physical_expr(&self, expr: Expr, columns: &DFSchema) -> Result<Arc<dyn PhysicalExpr>> {
        let context = SimplifyContext::builder().with_schema(Arc::new(columns.clone()));
        let context = context.with_config_options(Arc::clone(self.config_options())).build();
        let expr = ExprSimplifier::new(context).coerce(expr, columns)?;
        let context = PhysicalPlanningContext::default();
        Planning { session: self, context: &context }.expression(&expr, columns)
    }

    /// The operators of an optimized plan.
    pub fn create_physical_plan(&self, plan: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>> {
        crate::physical_planner::create_physical_plan(plan, self)
    }
}

impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionState")
    }
}

impl OptimizerConfig for SessionState {
    fn query_execution_start_time(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        self.props.query_execution_start_time
    }

    fn alias_generator(&self) -> &Arc<datafusion_common::alias::AliasGenerator> {
        &self.props.alias_generator
    }

    fn options(&self) -> Arc<ConfigOptions> {
        Arc::clone(self.config.options())
    }

    fn function_registry(&self) -> Option<&dyn FunctionRegistry> {
        Some(self)
    }
}

impl FunctionRegistry for SessionState {
    fn udfs(&self) -> HashSet<String> {
        FUNCTIONS.scalar.keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> HashSet<String> {
        HashSet::new()
    }

    fn udafs(&self) -> HashSet<String> {
        FUNCTIONS.aggregate.keys().cloned().collect()
    }

    fn udwfs(&self) -> HashSet<String> {
        FUNCTIONS.window.keys().cloned().collect()
    }

    fn udf(&self, name: &str) -> Result<Arc<ScalarUDF>> {
        FUNCTIONS.scalar.get(name).cloned().ok_or_else(|| plan_datafusion_err!("there is no function {name}"))
    }

    fn higher_order_function(&self, name: &str) -> Result<Arc<HigherOrderUDF>> {
        Err(plan_datafusion_err!("there is no function {name}"))
    }

    fn udaf(&self, name: &str) -> Result<Arc<AggregateUDF>> {
        FUNCTIONS.aggregate.get(name).cloned().ok_or_else(|| plan_datafusion_err!("there is no aggregate {name}"))
    }

    fn udwf(&self, name: &str) -> Result<Arc<WindowUDF>> {
        FUNCTIONS.window.get(name).cloned().ok_or_else(|| plan_datafusion_err!("there is no window function {name}"))
    }

    fn expr_planners(&self) -> Vec<Arc<dyn ExprPlanner>> {
        self.expr_planners.to_vec()
    }
}
