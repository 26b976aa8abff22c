//! DataFusion, as much of it as Mainstay links: its crates under the names that its umbrella crate gives them.
//!
//! The umbrella crate itself, its catalogues and its readers of CSV, JSON and Arrow files are a quarter of the whole
//! build and not needed by statements (docs/building.md). The parts that statements do need are here:
//!
//! ```text
//!   SessionState       the rules, functions and settings by which a statement is planned
//!   TableProvider      a table that gives an operator which reads it
//!   physical_planner   from an optimized logical plan to operators
//! ```
//!
//! Planning is synchronous: it is a calculation, so there is no `async` in it.
//!
//! The crates, and the behaviour of the two parts that are written here, are those of DataFusion 55.

pub mod catalog;
mod grouping;
mod join;
pub mod physical_planner;
mod session;

pub use arrow;
pub use datafusion_common as common;
pub use datafusion_common::config;
pub use datafusion_expr as logical_expr;
pub use datafusion_functions as functions;
pub use datafusion_functions_aggregate as functions_aggregate;
pub use datafusion_functions_window as functions_window;
pub use datafusion_optimizer as optimizer;
pub use datafusion_physical_expr as physical_expr;
pub use datafusion_physical_optimizer as physical_optimizer;
pub use datafusion_physical_plan as physical_plan;
pub use datafusion_sql as sql;
pub use object_store;
pub use parquet;

/// The execution environment of plans, and the configuration of planning.
pub mod execution {
    pub use crate::session::{SessionRules, SessionState, default_expr_planners};
    pub use datafusion_execution::*;

    /// Settings of a session.
    pub mod context {
        pub use datafusion_execution::config::SessionConfig;
    }
}

/// Files as tables.
pub mod datasource {
    pub use crate::catalog::{provider_as_source, source_as_provider};
    pub use datafusion_datasource::*;

    /// The reading of files.
    pub mod physical_plan {
        pub use datafusion_datasource::file_scan_config::{FileScanConfig, FileScanConfigBuilder};
        pub use datafusion_datasource_parquet::source::ParquetSource;
    }

    /// The formats of files.
    pub mod file_format {
        pub use datafusion_datasource_parquet as parquet;
    }

    /// Files of a table.
    pub mod listing {
        pub use datafusion_datasource::PartitionedFile;
    }
}
