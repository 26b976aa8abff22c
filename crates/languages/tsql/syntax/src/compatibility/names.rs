//! Names that the assessed scripts define, and those of the system.

use crate::tree::{CreateType, FunctionKind, ObjectName, Statement, StatementKind};
use std::collections::HashSet;
use std::sync::OnceLock;

/// The system's views, functions of rows and procedures, one a line: `view sys.tables`. A test of the runtime writes the list
/// and compares it.
pub const SYSTEM_OBJECTS: &str = include_str!("system_objects.txt");

/// True if the system has an object of this kind (`view`, `function`, `procedure`) and name (in lower case).
pub(super) fn is_of_system(kind: &str, name: &str) -> bool {
    static LINES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    LINES.get_or_init(|| SYSTEM_OBJECTS.lines().collect()).contains(format!("{kind} {name}").as_str())
}

/// The objects that scripts define, by the last part of their names in lower case.
#[derive(Clone, Debug, Default)]
pub struct Names {
    routines: HashSet<String>,
    scalar_functions: HashSet<String>,
    types: HashSet<String>,
    views: HashSet<String>,
    tables: HashSet<String>,
}

fn key(name: &ObjectName) -> String {
    name.last().to_lowercase()
}

impl Names {
    /// Adds what a batch defines.
    pub fn add(&mut self, statements: &[Statement]) {
        for statement in statements {
            crate::visit::statement(statement, &mut |node| {
                if let crate::visit::Node::Statement(statement) = node {
                    self.add_one(&statement.kind);
                }
            });
        }
    }

    fn add_one(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Procedure(procedure) => drop(self.routines.insert(key(&procedure.name))),
            StatementKind::Function(function) => {
                if matches!(function.returns, FunctionKind::Scalar(..)) {
                    self.scalar_functions.insert(key(&function.name));
                }
                self.routines.insert(key(&function.name));
            }
            StatementKind::View(view) => drop(self.views.insert(key(&view.name))),
            StatementKind::CreateTable(table) => drop(self.tables.insert(key(&table.name))),
            StatementKind::CreateSynonym(name, _) => {
                self.routines.insert(key(name));
                self.tables.insert(key(name));
            }
            StatementKind::CreateType(create) => {
                let (CreateType::Alias(name, ..) | CreateType::Table(name, ..) | CreateType::External(name, _)) =
                    create.as_ref();
                self.types.insert(key(name));
            }
            _ => {}
        }
    }

    pub(super) fn is_routine(&self, name: &ObjectName) -> bool {
        self.routines.contains(&key(name))
    }

    pub(super) fn is_scalar_function(&self, name: &ObjectName) -> bool {
        self.scalar_functions.contains(&key(name))
    }

    pub(super) fn is_type(&self, name: &ObjectName) -> bool {
        self.types.contains(&key(name))
    }

    pub(super) fn is_view(&self, name: &ObjectName) -> bool {
        self.views.contains(&key(name))
    }

    pub(super) fn is_table(&self, name: &ObjectName) -> bool {
        self.tables.contains(&key(name))
    }
}
