//! Named windows, and windows that refine them.
//!
//! ```text
//!   OVER (w ORDER BY x) ... WINDOW w AS (PARTITION BY y)      OVER (PARTITION BY y ORDER BY x)
//! ```
//!
//! The planner copies a definition for `OVER w` only, and ignores the name in `OVER (w ...)` and in `WINDOW v AS (w
//! ...)`. So every reference is replaced by its definition before the planner sees the statement.
//!
//! Rules (ISO 9075-2, 7.15; PostgreSQL's manual, 4.2.8): a window that names another one copies its PARTITION BY, and its ORDER
//! BY where it has none of its own. It cannot have a PARTITION BY, nor an ORDER BY beside the one that it copies, nor name a
//! window with a frame; `OVER w`, without parentheses, is the window with its frame. A definition refers to those before it.
//!
//! A subquery does not see the windows of the query around it.

use crate::parse::text::Text;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, NamedWindowDefinition, NamedWindowExpr, OrderByKind, Query, Select, SetExpr, Statement, VisitorMut,
    WindowSpec, WindowType,
};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// The statement without names of windows.
///
/// Errors: `Syntax` for an unknown name, one that is defined twice, and a refinement that is not possible.
pub(crate) fn replaced(mut statement: Statement, text: &Text) -> Result<Statement> {
    match statement.walk_mut(&mut Queries { text }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(statement),
    }
}

struct Queries<'t> {
    text: &'t Text,
}

impl Queries<'_> {
    /// The definitions of a SELECT, which it has no more.
    fn definitions(&self, select: &mut Select) -> Result<Definitions<'_>> {
        let mut definitions = Definitions { text: self.text, windows: Vec::new(), depth: 0 };
        for NamedWindowDefinition(name, window) in std::mem::take(&mut select.named_window) {
            if definitions.find(&name).is_some() {
                return Err(error(self.text, &name, format!("the window {name} is defined twice")));
            }
            let window = match window {
                NamedWindowExpr::NamedWindow(other) => definitions.named(&other)?.clone(),
                NamedWindowExpr::WindowSpec(window) => definitions.refined(window)?,
            };
            definitions.windows.push((name, window));
        }
        Ok(definitions)
    }
}

impl VisitorMut for Queries<'_> {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        let SetExpr::Select(select) = query.body.as_mut() else { return ControlFlow::Continue(()) };
        let mut definitions = match self.definitions(select) {
            Ok(definitions) => definitions,
            Err(error) => return ControlFlow::Break(error),
        };
        if let Some(OrderByKind::Expressions(terms)) = query.order_by.as_mut().map(|order| &mut order.kind) {
            for term in terms {
                term.expr.walk_mut(&mut definitions)?;
            }
        }
        definitions.put_into(select)
    }

    /// A SELECT that is part of a UNION, too.
    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        match self.definitions(select) {
            Ok(mut definitions) => definitions.put_into(select),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

/// The windows of a SELECT that have names, with nothing left in them that refers to another one.
struct Definitions<'t> {
    text: &'t Text,
    windows: Vec<(Ident, WindowSpec)>,
    /// The depth of subqueries.
    depth: usize,
}

impl Definitions<'_> {
    fn find(&self, name: &Ident) -> Option<&WindowSpec> {
        self.windows.iter().find(|(known, _)| known.value == name.value).map(|(_, window)| window)
    }

    fn named(&self, name: &Ident) -> Result<&WindowSpec> {
        let unknown = || error(self.text, name, format!("there is no window {name}"));
        self.find(name).ok_or_else(|| unknown().hint(format!("define it behind FROM: WINDOW {name} AS (...)")))
    }

    /// A window with what it copies of the one that it names.
    fn refined(&self, mut window: WindowSpec) -> Result<WindowSpec> {
        let Some(name) = window.window_name.take() else { return Ok(window) };
        let base = self.named(&name)?;
        let refused = |what: &str| Err(error(self.text, &name, format!("{what} of the window {name}")));
        if !window.partition_by.is_empty() {
            return refused("PARTITION BY cannot replace that");
        }
        if !window.order_by.is_empty() && !base.order_by.is_empty() {
            return refused("ORDER BY cannot replace that");
        }
        if base.window_frame.is_some() {
            let message = format!("the window {name} has a frame, and cannot be refined");
            let hint = format!("write OVER {name}, without parentheses, for the window as it is");
            return Err(error(self.text, &name, message).hint(hint));
        }
        window.partition_by.clone_from(&base.partition_by);
        if window.order_by.is_empty() {
            window.order_by.clone_from(&base.order_by);
        }
        Ok(window)
    }

    fn put_into(&mut self, select: &mut Select) -> ControlFlow<Error> {
        select.projection.walk_mut(self)?;
        select.qualify.walk_mut(self)?;
        select.distinct.walk_mut(self)
    }
}

impl VisitorMut for Definitions<'_> {
    type Break = Error;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        let Expr::Function(call) = expr else { return ControlFlow::Continue(()) };
        if self.depth > 0 {
            return ControlFlow::Continue(());
        }
        let window = match call.over.take() {
            None => return ControlFlow::Continue(()),
            Some(WindowType::NamedWindow(name)) => self.named(&name).cloned(),
            Some(WindowType::WindowSpec(window)) => self.refined(window),
        };
        match window {
            Ok(window) => call.over = Some(WindowType::WindowSpec(window)),
            Err(error) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    }
}

fn error(text: &Text, name: &Ident, message: String) -> Error {
    let error = Error::new(Code::Syntax, message).about(&name.value);
    let start = name.span.start;
    match start.line {
        0 => error,
        line => {
            let (start, end) = text.span_at(line, start.column);
            error.span(start, end)
        }
    }
}
