//! The planner: from the text of a statement to an executable plan, with the plan cache.

use crate::analyze::field_metadata::only_of_tables;
use crate::catalog::Visibility;
use crate::catalog::{Catalog, FIRST_PRIVATE, FileReading};
use crate::error::{Names, from_datafusion};
use crate::execute::deep_stack::{DEEP_STACK_BYTES, deep_if, note_deep_thread};
use crate::execute::memory::{HeldMemory, Pool};
use crate::execute::run::{Answer, RunOptions};
use crate::execute::spilled::Files;
use crate::fields::FIELD_COLUMN;
use crate::fields::ORIGINAL_NAME;
use crate::leaves::direct_reads::Direct;
use crate::names::shown_names::named_schema;
use crate::optimize::disabled_rules::DisabledRules;
use crate::optimize::rows::Short;
use crate::optimize::{Optimizers, Physical, Rules};
use crate::parse::literals::{self, Lifted};
use crate::parse::text::Text;
use crate::plan::context::StatementContext;
use crate::plan::planned::{Built, Planned, tables_of};
use crate::plan::start::{Again, How, TaskTemplate};
use datafusion::arrow::datatypes::{FieldRef, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{DFSchema, DataFusionError, ParamValues, plan_err};
use datafusion::config::SqlParserOptions;
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::execution::disk_manager::DiskManagerBuilder;
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::displayable;
use datafusion::sql::planner::{ParserOptions, PlannerContext, SqlToRel};
use datafusion::sql::sqlparser::ast::Statement;
use mainstay_types::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The columns that tables have and do not show, unless they are named.
const HIDDEN_NAMES: [&str; 4] = ["_recno", "_deleted", "_rowid", "_position"];

/// How many statements a cache holds before it starts afresh.
const CACHED_STATEMENTS: usize = 1_000;

/// How many catalogs of single sessions have a cache, before all of those start afresh, and how many statements each holds.
const PRIVATE_CACHES: usize = 64;
const CACHED_PRIVATELY: usize = 100;

/// Longer texts are planned every time, so that the plans of a few monsters do not fill the memory.
const CACHED_TEXT_BYTES: usize = 16_384;

/// The limits of a planner's statements.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes that the operators of all running statements may hold together; beyond it they spill to
    /// temporary files, or fail where they cannot.
    pub memory_limit_bytes: usize,
    /// Threads for one statement over a large table.
    pub threads: usize,
    /// True if tables of ours answer conditions and fused plans with the vector kernels and indexes, and
    /// statements that differ in their literals share a plan. Without it every statement is planned by itself
    /// and runs on the general executor alone: slower, and with the same answer. It is there to compare the two.
    pub fuse: bool,
    /// Optimizer rules that are left out, of [`OPTIONAL_RULES`](crate::OPTIONAL_RULES): for diagnosis.
    pub disabled_rules: Vec<String>,
}

/// Plans statements, keeps their plans, and runs them.
pub struct Planner {
    optimizers: Arc<Optimizers>,
    fuse: bool,
    threads: usize,
    task: Arc<TaskTemplate>,
    runtime: tokio::runtime::Runtime,
    cache: Mutex<Cache>,
    /// Plans of catalogs that only one session has, by their versions.
    private: Mutex<HashMap<u64, Cache>>,
}

#[derive(Default)]
struct Cache {
    catalog_version: u64,
    /// By the rows that they see, and how fields of files are read.
    plans: HashMap<(Visibility, FileReading), Plans>,
}

/// The plans of statements that see the same rows.
#[derive(Default)]
struct Plans {
    /// By the exact text.
    ready: HashMap<String, Arc<Planned>>,
    /// By the text without its literals: optimized, with parameters. `None` for a shape that was seen once:
    /// most statements never come again with other values, and are planned fastest as they are.
    shapes: HashMap<String, Option<Arc<LogicalPlan>>>,
}

impl Cache {
    fn plans(&mut self, seen: (Visibility, FileReading)) -> &mut Plans {
        self.plans.entry(seen).or_default()
    }

    fn len(&self) -> usize {
        self.plans.values().map(|plans| plans.ready.len() + plans.shapes.len()).sum()
    }
}

/// The purpose that a query is planned for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Its rows are the answer.
    Answer,
    /// Its rows are those of a statement, which may name hidden columns.
    Rows { hidden_columns: bool },
}

/// An optimized logical plan.
struct Logical {
    plan: LogicalPlan,
    /// True if the time of day or a sequence is part of it.
    is_momentary: bool,
}

impl Planner {
    /// A planner with its own worker threads.
    pub fn new(settings: &Settings) -> Result<Planner> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            // One more: a worker that is free keeps the time, by which the others are stopped.
            .worker_threads(settings.threads.max(1) + 1)
            .thread_name("mainstay-worker")
            // Operators call each other as deep as the plan is.
            .thread_stack_size(DEEP_STACK_BYTES)
            .on_thread_start(note_deep_thread)
            .enable_time()
            .build()?;
        let runtime_env = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(Pool::new(settings.memory_limit_bytes)))
            .with_disk_manager_builder(DiskManagerBuilder::default().with_temp_file_factory(Arc::new(Files::new())))
            // The catalog notices files that come and go; a list that is kept would hide them.
            .with_object_list_cache_limit(0)
            .build_arc()
            .map_err(|error| from_datafusion(error, None, None))?;
        let disabled = DisabledRules::new(&settings.disabled_rules)?;
        let rules = Rules { fuse: settings.fuse, disabled };
        let optimizers = Arc::new(Optimizers::new(settings.threads.max(1), &rules, &runtime_env));
        let task = Arc::new(TaskTemplate { config: optimizers.session().config().clone(), runtime_env });
        let (fuse, threads) = (settings.fuse, settings.threads.max(1));
        Ok(Planner { optimizers, fuse, threads, task, runtime, cache: Mutex::default(), private: Mutex::default() })
    }

    /// The plan of a statement: from the cache by its text, from the cache by its shape, or made now.
    pub fn plan(&self, source: &str, catalog: &dyn Catalog, visibility: Visibility) -> Result<Arc<Planned>> {
        let version = catalog.version();
        let seen = (visibility, catalog.reading());
        if let Some(planned) = self.cached(version, |cache| cache.plans(seen).ready.get(source).cloned())
            && is_current(&planned, catalog, version)?
        {
            return Ok(planned);
        }
        let version = catalog.version();
        let text = Text::new(source)?;
        text.check_length()?;
        let plan = || self.plan_for(&text, text.parse()?, catalog, visibility, Purpose::Answer);
        let planned = Arc::new(deep_if(text.needs_deep_stack(), plan)?);
        // Reading the catalog may have found new files; what was planned belongs to the version before.
        if source.len() <= CACHED_TEXT_BYTES && !planned.is_momentary {
            let ready = Arc::clone(&planned);
            self.cached(version, |cache| cache.plans(seen).ready.insert(source.to_owned(), ready));
        }
        Ok(planned)
    }

    /// The plan of a query whose text has come before, if that is all there is to look at: the catalog has this version,
    /// and no file is part of the plan.
    pub fn ready(&self, source: &str, version: u64, seen: (Visibility, FileReading)) -> Option<Arc<Planned>> {
        let planned = self.cached(version, |cache| cache.plans(seen).ready.get(source).cloned())?;
        planned.foreign.is_empty().then_some(planned)
    }

    /// DataFusion's session state, for opening tables that it reads by itself.
    pub(crate) fn state(&self) -> &SessionState {
        self.optimizers.session()
    }

    /// The memory pool of running statements.
    pub(crate) fn memory_pool(&self) -> &Arc<dyn MemoryPool> {
        &self.task.runtime_env.memory_pool
    }

    /// Memory for what is called so, of which nothing is held yet.
    pub fn held_memory(&self, what: &str) -> HeldMemory {
        HeldMemory::new(what, self.memory_pool())
    }

    /// Starts a statement.
    pub fn run(&self, planned: &Planned, options: RunOptions) -> Result<Answer> {
        let built = self.built(planned)?;
        if let Some(direct) = &built.direct
            && let Some(answer) = direct.run(&options)?
        {
            return Ok(answer);
        }
        let (how, runtime) = (How::of(built, self.threads), self.runtime.handle());
        let again = Again::of((&self.task, &self.optimizers), planned, (built, how), &options, runtime);
        let (stream, run) = self.task.start((&built.plan, how), &planned.tables, options, runtime)?;
        Ok(Answer::streaming(Arc::clone(&planned.schema), stream, runtime.clone(), (run, again)))
    }

    /// Reads all rows of a table that DataFusion reads by itself.
    pub fn run_scan(&self, provider: Arc<dyn TableProvider>) -> Result<Answer> {
        let failed = |error| from_datafusion(error, None, None);
        let scan = LogicalPlanBuilder::scan("table", provider_as_source(provider), None)
            .and_then(LogicalPlanBuilder::build)
            .map_err(failed)?;
        let plan = self.state().create_physical_plan(&scan).map_err(failed)?;
        let schema = plan.schema();
        let built = Built { plan, direct: None, stateful: true, large: true, levels: 1, logical: None };
        self.run(&Planned::of_built(built, schema), RunOptions::default())
    }

    /// The plan of the batch executor as text, one operator a line.
    pub fn explain(&self, planned: &Planned) -> Result<String> {
        let plan = displayable(self.built(planned)?.plan.as_ref()).indent(false).to_string();
        Ok(crate::parse::marks::unmarked(&plan).into_owned())
    }

    /// The plan of the batch executor, made now if that was not needed before.
    pub(crate) fn built<'p>(&self, planned: &'p Planned) -> Result<&'p Built> {
        if let Some(built) = planned.built.get() {
            return Ok(built);
        }
        let missing = || Error::new(Code::Internal, "a statement without a plan");
        let logical = planned.logical.as_ref().ok_or_else(missing)?;
        let build = || self.build(logical, Some(&planned.schema)).map_err(|error| from_datafusion(error, None, None));
        let made = build()?;
        Ok(planned.built.get_or_init(|| made.0))
    }

    fn cached<T>(&self, version: u64, work: impl FnOnce(&mut Cache) -> T) -> T {
        if version >= FIRST_PRIVATE {
            let mut private = self.private.lock().unwrap_or_else(PoisonError::into_inner);
            if !private.contains_key(&version) && private.len() >= PRIVATE_CACHES {
                private.clear();
            }
            let cache = private.entry(version).or_default();
            if cache.len() >= CACHED_PRIVATELY {
                *cache = Cache::default();
            }
            return work(cache);
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.catalog_version != version || cache.len() >= CACHED_STATEMENTS {
            *cache = Cache { catalog_version: version, ..Cache::default() };
        }
        work(&mut cache)
    }

    /// The context that a statement is planned in. With `hidden_columns` it may name them though the text does not.
    fn statement_context<'c>(
        &'c self,
        text: &Text,
        catalog: &'c dyn Catalog,
        visibility: Visibility,
        hidden_columns: bool,
    ) -> StatementContext<'c> {
        let (hidden_columns, visibility) = seen_by(text, hidden_columns, visibility);
        StatementContext { state: self.state(), catalog, hidden_columns, visibility, fuse: self.fuse, view_depth: 0 }
    }

    /// Plans a query whose rows the batch executor gives to a statement. With `hidden_columns` it may name them though the
    /// text does not.
    pub(crate) fn plan_statement(
        &self,
        text: &Text,
        statement: Statement,
        catalog: &dyn Catalog,
        visibility: Visibility,
        hidden_columns: bool,
    ) -> Result<Planned> {
        let plan = || self.plan_for(text, statement, catalog, visibility, Purpose::Rows { hidden_columns });
        deep_if(text.needs_deep_stack(), plan)
    }

    fn plan_for(
        &self,
        text: &Text,
        statement: Statement,
        catalog: &dyn Catalog,
        visibility: Visibility,
        purpose: Purpose,
    ) -> Result<Planned> {
        let hidden_columns = purpose == Purpose::Rows { hidden_columns: true };
        let context = self.statement_context(text, catalog, visibility, hidden_columns);
        let seen = (context.visibility, catalog.reading());
        let explained = |error| {
            let names = Names { tables: catalog.names(), functions: functions() };
            from_datafusion(error, Some(text), Some(&names))
        };
        let statement = prepared(text, statement, &context)?;
        if self.fuse
            && let Statement::Query(query) = &statement
            && let Some((leaf, table)) = crate::plan::lookup::plan(query, text, &context)
        {
            return Ok(Planned::of_leaf(leaf, table, text));
        }
        let statement = with_own_names(statement);
        if self.fuse
            && let Some(lifted) = literals::lift(&statement)
            && self.was_seen(&lifted.shape, catalog.version(), seen)
            && let Ok(logical) = self.plan_lifted(lifted, &context, seen)
            && let Ok(planned) = self.planned(logical, text, purpose == Purpose::Answer)
        {
            return Ok(planned);
        }
        let Logical { plan, is_momentary } = self.logical(statement, Vec::new(), &context).map_err(explained)?;
        let may_be_short = purpose == Purpose::Answer && !is_momentary;
        Ok(Planned { is_momentary, ..self.planned(plan, text, may_be_short).map_err(explained)? })
    }

    fn planned(&self, logical: LogicalPlan, text: &Text, may_be_short: bool) -> Result<Planned, DataFusionError> {
        if may_be_short
            && self.fuse
            && !text.mentions("_deleted")
            && let Some(short) = Short::of(&logical, text).filter(Short::is_for_texts)
        {
            return Ok(Planned::of_short(short, logical));
        }
        let (built, schema) = self.build(&logical, None)?;
        let schema = only_of_tables(named_schema(&declared(&schema, logical.schema()), text), &logical);
        let built = Built { direct: Direct::of(&built.plan, &schema), ..built };
        let (tables, foreign) = tables_of(&logical);
        Ok(Planned { tables, foreign, ..Planned::of_built(built, schema) })
    }

    /// The optimized logical plan of a query with parameters, for the row executor; `None` where planning it says
    /// something else than a plan that can be used again.
    pub(crate) fn logical_of_short(
        &self,
        text: &Text,
        statement: Statement,
        catalog: &dyn Catalog,
        visibility: Visibility,
        hidden_columns: bool,
    ) -> Option<LogicalPlan> {
        if !self.fuse {
            return None;
        }
        let context = self.statement_context(text, catalog, visibility, hidden_columns);
        let plan = || {
            let statement = with_own_names(prepared(text, statement, &context)?);
            self.logical(statement, Vec::new(), &context).map_err(|error| from_datafusion(error, None, None))
        };
        let logical = deep_if(text.needs_deep_stack(), plan).ok()?;
        (!logical.is_momentary).then_some(logical.plan)
    }

    /// Returns true if a statement of this shape has come before; remembers that one has.
    fn was_seen(&self, shape: &str, version: u64, seen_rows: (Visibility, FileReading)) -> bool {
        self.cached(version, |cache| {
            let shapes = &mut cache.plans(seen_rows).shapes;
            let seen = shapes.contains_key(shape);
            if !seen && shape.len() <= CACHED_TEXT_BYTES {
                shapes.insert(shape.to_owned(), None);
            }
            seen
        })
    }

    /// Plans the shape of a statement, or takes its plan from the cache, and binds the values.
    fn plan_lifted(
        &self,
        lifted: Lifted,
        context: &StatementContext<'_>,
        seen: (Visibility, FileReading),
    ) -> Result<LogicalPlan, DataFusionError> {
        let version = context.catalog.version();
        let key = lifted.shape.clone();
        let fields = lifted.fields();
        let values = ParamValues::from(lifted.values);
        let known = self.cached(version, |cache| cache.plans(seen).shapes.get(&key).cloned().flatten());
        let shape = match known {
            Some(shape) => shape,
            None => {
                let Logical { plan, is_momentary } = self.logical(lifted.statement, fields, context)?;
                if is_momentary || crate::lateral::is_in(&plan) {
                    return plan_err!("it serves one statement only");
                }
                let shape = Arc::new(plan);
                if key.len() <= CACHED_TEXT_BYTES {
                    self.cached(version, |cache| cache.plans(seen).shapes.insert(key, Some(Arc::clone(&shape))));
                }
                shape
            }
        };
        let bound = shape.as_ref().clone().replace_params_with_values(&values)?;
        crate::functions::result_sizes::planning(|| crate::tree::fold::fold(bound, self.state()))
    }

    /// The optimized logical plan of a query.
    fn logical(
        &self,
        statement: Statement,
        parameters: Vec<Option<FieldRef>>,
        context: &StatementContext<'_>,
    ) -> Result<Logical, DataFusionError> {
        let options = &self.state().config_options().sql_parser;
        let planner = SqlToRel::new_with_options(context, parser_options(options));
        let plan = crate::names::outer_names::planned(statement, |statement| {
            let mut context = PlannerContext::new().with_prepare_param_data_types(parameters.clone());
            let plan = planner.sql_statement_to_plan_with_context(statement, &mut context)?;
            crate::bounds::check(&plan).map(|()| plan)
        })?;
        let plan = crate::names::colliding_names::unmarked(plan)?;
        let dated = crate::types::current_time::with_the_time_in_plan(plan)?;
        let is_momentary = dated.transformed
            || crate::functions::sequences::are_in_plan(&dated.data)
            || crate::dialect::calls_user_functions(&dated.data);
        let optimized = crate::functions::result_sizes::planning(|| self.optimizers.logical(&dated.data))?;
        let plan = crate::analyze::field_metadata::of_no_rows(optimized, &dated.data)?;
        Ok(Logical { plan, is_momentary })
    }

    /// The plan of the batch executor with its columns; ready for reads without a stream where the names of the columns are
    /// known.
    fn build(&self, logical: &LogicalPlan, named: Option<&SchemaRef>) -> Result<(Built, SchemaRef), DataFusionError> {
        let built = crate::functions::result_sizes::planning(|| self.optimizers.physical(logical));
        let Physical { plan, stateful, large, levels } =
            built.map_err(|error| crate::leaves::parquet::of_plan(error, logical))?;
        let schema = plan.schema();
        let direct = named.and_then(|named| Direct::of(&plan, named));
        let logical = stateful.then(|| logical.clone());
        Ok((Built { plan, direct, stateful, large, levels, logical }, schema))
    }
}

/// True if a text names hidden columns, and the rows that it sees then.
pub(crate) fn seen_by(text: &Text, hidden_columns: bool, visibility: Visibility) -> (bool, Visibility) {
    let hidden_columns = hidden_columns || HIDDEN_NAMES.iter().any(|name| text.mentions(name));
    (hidden_columns, if text.mentions("_deleted") { Visibility::All } else { visibility })
}

/// The query in the grammar that the planner knows.
fn prepared(text: &Text, statement: Statement, context: &StatementContext<'_>) -> Result<Statement> {
    if !matches!(statement, Statement::Query(_)) {
        return Err(unsupported(&statement));
    }
    crate::bounds::check_statement(&statement)?;
    let statement = crate::names::schema_names::told_apart(statement);
    let statement = match text.mentions("using") || text.mentions("natural") {
        true => crate::names::using::written_out(statement, context.catalog)?,
        false => statement,
    };
    let statement = match context.hidden_columns {
        true => crate::names::wildcard::expand(statement, context.catalog)?,
        false => statement,
    };
    refuse_what_would_be_left_out(&statement, text)?;
    crate::reduce::reduced(text, statement)
}

/// The query with a name of its own for each column that the planner makes of it.
fn with_own_names(statement: Statement) -> Statement {
    crate::reduce::exists::as_counts(crate::names::colliding_names::marked(crate::names::duplicate_columns::rename(
        statement,
    )))
}

/// Returns true if the files that are part of the plan are still as they were. Naming a table makes the catalog look
/// at its files; if they have changed, its version has too.
fn is_current(planned: &Planned, catalog: &dyn Catalog, version: u64) -> Result<bool> {
    for name in &planned.foreign {
        catalog.relation(name)?;
    }
    Ok(catalog.version() == version)
}

/// Refuses what the planner would not say a word about and leave out.
fn refuse_what_would_be_left_out(statement: &Statement, text: &Text) -> Result<()> {
    if text.mentions("for") && crate::plan::statement::locks_rows(statement) {
        return Err(crate::error::unsupported("FOR UPDATE inside of another query"));
    }
    if text.mentions("ilike") {
        crate::names::wildcard::refuse_patterns(statement)?;
    }
    match text.mentions("tablesample") {
        true => Err(crate::error::unsupported("TABLESAMPLE")),
        false => Ok(()),
    }
}

/// The names of the functions that statements can call.
pub fn functions() -> Vec<String> {
    let scalar = datafusion::functions::all_default_functions();
    let mut names: Vec<String> = scalar.iter().map(|function| function.name().to_owned()).collect();
    names.extend(crate::functions::names().map(str::to_owned));
    names.extend(crate::functions::ordered_sets::NAMES.map(str::to_owned));
    let aggregate = datafusion::functions_aggregate::all_default_aggregate_functions();
    names.extend(aggregate.iter().map(|function| function.name().to_owned()));
    let window = datafusion::functions_window::all_default_window_functions();
    names.extend(window.iter().map(|function| function.name().to_owned()));
    names.sort_unstable();
    names.dedup();
    names
}

/// The columns of the batch executor's plan with the types and the spelling that the logical plan declares: its operators
/// forget what another name for a column declares, so that a UNION would have the type of its last query, and those that
/// read files of DataFusion's formats know the names of the files only.
fn declared(schema: &SchemaRef, logical: &DFSchema) -> SchemaRef {
    if schema.fields().len() != logical.fields().len() {
        return Arc::clone(schema);
    }
    let told = |(field, of_logical): (&FieldRef, &FieldRef)| {
        let mut metadata = field.metadata().clone();
        for key in [crate::fields::DECLARED, ORIGINAL_NAME, FIELD_COLUMN] {
            if let Some(declared) = of_logical.metadata().get(key) {
                metadata.insert(key.to_owned(), declared.clone());
            }
        }
        match metadata == *field.metadata() {
            true => Arc::clone(field),
            false => Arc::new(field.as_ref().clone().with_metadata(metadata)),
        }
    };
    Arc::new(Schema::new(schema.fields().iter().zip(logical.fields()).map(told).collect::<Vec<FieldRef>>()))
}

fn parser_options(options: &SqlParserOptions) -> ParserOptions {
    ParserOptions::from(options)
}

fn unsupported(statement: &Statement) -> Error {
    let text = statement.to_string();
    let verb = text.split_whitespace().next().unwrap_or_default().to_uppercase();
    Error::new(Code::Unsupported, format!("{verb} is not a query, and only queries can be here"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Relation;

    struct Nothing;

    impl Catalog for Nothing {
        fn relation(&self, _: &str) -> Result<Option<Relation>> {
            Ok(None)
        }

        fn names(&self) -> Vec<String> {
            Vec::new()
        }

        fn version(&self) -> u64 {
            1
        }
    }

    #[test]
    fn the_cache_stays_bounded() {
        let planner = Planner::new(&Settings {
            memory_limit_bytes: 1_000_000,
            threads: 1,
            fuse: true,
            disabled_rules: Vec::new(),
        })
        .unwrap();
        let cached = || planner.cache.lock().unwrap().len();
        for i in 0..CACHED_STATEMENTS + 1 {
            let statement = format!("SELECT 1 AS c{i}, q.x FROM (SELECT 1 AS x) q WHERE q.x = {i}");
            planner.plan(&statement, &Nothing, Visibility::Live).unwrap();
            // One statement adds a text and a shape.
            assert!((1..=CACHED_STATEMENTS + 1).contains(&cached()), "{}", cached());
        }
        planner.plan("SELECT 2", &Nothing, Visibility::Live).unwrap();
        let before = cached();
        let long = format!("SELECT '{}' AS x", "x".repeat(CACHED_TEXT_BYTES));
        planner.plan(&long, &Nothing, Visibility::Live).unwrap();
        assert_eq!(cached(), before);
    }
}
