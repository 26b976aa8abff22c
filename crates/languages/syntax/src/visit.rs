//! Visits the nodes of a tree, outermost first: queries, sources, expressions, data types, changes.
//!
//! Statements are a language's own, and so are their visitors, which call these. Phrases are not entered: the visitor of a
//! node reads its phrases. Queries and changes have an end, so that a visitor can stack what holds within them.

use crate::tree::*;

/// A node that is visited.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "each is named for its node")]
pub enum Node<'t> {
    Query(&'t Query),
    Select(&'t Select),
    Source(&'t Source),
    Expression(&'t Expr),
    Change(&'t Change),
    Target(&'t Target),
    DataType(&'t DataType),
    /// The end of the query or change that began last and has not ended yet.
    End,
}

/// Takes each node.
pub type Look<'t, 'l> = dyn FnMut(Node<'t>) + 'l;

/// Visits a query and everything in it.
pub fn query<'t>(query: &'t Query, look: &mut Look<'t, '_>) {
    look(Node::Query(query));
    with(&query.with, look);
    query_body(&query.body, look);
    expressions(query.order.iter().map(|item| &item.value), look);
    expressions(query.offset.iter().chain(&query.fetch), look);
    look(Node::End);
}

fn query_body<'t>(body: &'t QueryBody, look: &mut Look<'t, '_>) {
    match body {
        QueryBody::Select(found) => select(found, look),
        QueryBody::Set(left, _, _, right) => {
            query_body(left, look);
            query_body(right, look);
        }
    }
}

fn select<'t>(select: &'t Select, look: &mut Look<'t, '_>) {
    look(Node::Select(select));
    top(&select.top, look);
    select_items(&select.items, look);
    sources(&select.from, look);
    expressions(select.condition.iter().chain(&select.having), look);
    if let Some(group) = &select.group {
        group.items.iter().for_each(|item| grouping(item, look));
    }
    select.windows.iter().for_each(|(_, found)| window(found, look));
}

fn select_items<'t>(items: &'t [SelectItem], look: &mut Look<'t, '_>) {
    for item in items {
        match item {
            SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => expression(value, look),
            SelectItem::Star(_) => {}
        }
    }
}

fn grouping<'t>(item: &'t Grouping, look: &mut Look<'t, '_>) {
    match item {
        Grouping::Value(value) => expression(value, look),
        Grouping::Tuple(values) => expressions(values, look),
        Grouping::Rollup(items) | Grouping::Cube(items) | Grouping::Sets(items) => {
            items.iter().for_each(|item| grouping(item, look));
        }
    }
}

fn sources<'t>(list: &'t [Source], look: &mut Look<'t, '_>) {
    list.iter().for_each(|found| source(found, look));
}

/// Visits a source of rows and everything in it.
pub fn source<'t>(source: &'t Source, look: &mut Look<'t, '_>) {
    look(Node::Source(source));
    match source {
        Source::Query(found, _) => query(found, look),
        Source::Values(rows, _) => expressions(rows.iter().flatten(), look),
        Source::Change(found, _) => change(found, look),
        Source::Function(call, columns, _) => {
            expression(call, look);
            columns.iter().for_each(|column| look(Node::DataType(&column.data_type)));
        }
        Source::FunctionLike(call, ..) => expression(call, look),
        Source::Join(join) => {
            self::source(&join.left, look);
            self::source(&join.right, look);
            expressions(&join.condition, look);
        }
        Source::Apply(left, _, right) => {
            self::source(left, look);
            self::source(right, look);
        }
        Source::Pivot(pivot) => {
            self::source(&pivot.source, look);
            expression(&pivot.aggregate, look);
        }
        Source::Unpivot(unpivot) => self::source(&unpivot.source, look),
        Source::Nested(inner) | Source::OdbcJoin(inner) => self::source(inner, look),
        Source::Table(_) | Source::Variable(..) | Source::OpenRowset(..) => {}
    }
}

fn expressions<'t>(values: impl IntoIterator<Item = &'t Expr>, look: &mut Look<'t, '_>) {
    values.into_iter().for_each(|value| expression(value, look));
}

/// Visits an expression and everything in it.
pub fn expression<'t>(value: &'t Expr, look: &mut Look<'t, '_>) {
    look(Node::Expression(value));
    match value {
        Expr::Unary(_, inner) | Expr::Collate(inner, _) => expression(inner, look),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => {
            expression(left, look);
            expression(right, look);
        }
        Expr::And(parts) | Expr::Or(parts) => expressions(parts, look),
        Expr::Quantified(left, _, _, found) => {
            expression(left, look);
            query(found, look);
        }
        Expr::Exists(found) | Expr::Subquery(found) => query(found, look),
        Expr::Test(tested, _, test) => {
            expression(tested, look);
            self::test(test, look);
        }
        Expr::Case(case) => {
            expressions(case.operand.iter().chain(&case.otherwise), look);
            expressions(case.branches.iter().flat_map(|(when, then)| [when, then]), look);
        }
        Expr::Cast(cast) => {
            look(Node::DataType(&cast.data_type));
            expression(&cast.value, look);
            expressions(&cast.style, look);
        }
        Expr::Call(found) => call(found, look),
        Expr::Method(inner, _, arguments) => {
            expression(inner, look);
            expressions(arguments.iter().flatten(), look);
        }
        Expr::TypeMethod(_, _, arguments) => expressions(arguments.iter().flatten(), look),
        Expr::NextValue(_, order) => expressions(order.iter().flatten().map(|item| &item.value), look),
        Expr::Literal(_)
        | Expr::Column(_)
        | Expr::Variable(_)
        | Expr::Star(_)
        | Expr::Default
        | Expr::Niladic(_)
        | Expr::FullText(_)
        | Expr::OdbcLiteral(..)
        | Expr::CurrentOf(_) => {}
    }
}

fn test<'t>(test: &'t Test, look: &mut Look<'t, '_>) {
    match test {
        Test::Null => {}
        Test::DistinctFrom(other) => expression(other, look),
        Test::Between(low, high) => {
            expression(low, look);
            expression(high, look);
        }
        Test::InList(items) => expressions(items, look),
        Test::InQuery(found) => query(found, look),
        Test::Like(pattern, escape) => {
            expression(pattern, look);
            expressions(escape.as_deref(), look);
        }
    }
}

fn call<'t>(call: &'t Call, look: &mut Look<'t, '_>) {
    for argument in &call.arguments {
        match argument {
            Argument::Value(value) | Argument::Trim(_, None, value) => expression(value, look),
            Argument::KeyValue(key, value) | Argument::Trim(_, Some(key), value) => {
                expression(key, look);
                expression(value, look);
            }
        }
    }
    expressions(call.within_group.iter().map(|item| &item.value), look);
    if let Some(Over::Window(found)) = &call.over {
        window(found, look);
    }
}

fn window<'t>(window: &'t Window, look: &mut Look<'t, '_>) {
    expressions(&window.partition, look);
    expressions(window.order.iter().map(|item| &item.value), look);
}

/// Visits a change of rows and everything in it.
pub fn change<'t>(change: &'t Change, look: &mut Look<'t, '_>) {
    look(Node::Change(change));
    match change {
        Change::Insert(insert) => {
            with(&insert.with, look);
            top(&insert.top, look);
            target(&insert.target, look);
            outputs(&insert.outputs, look);
            match &insert.rows {
                InsertRows::Values(rows) => expressions(rows.iter().flatten(), look),
                InsertRows::Query(found) => query(found, look),
                InsertRows::Execute(found) => execute(found, look),
                InsertRows::Default => {}
            }
        }
        Change::Update(update) => {
            with(&update.with, look);
            top(&update.top, look);
            target(&update.target, look);
            set_items(&update.items, look);
            outputs(&update.outputs, look);
            sources(&update.from, look);
            expressions(&update.condition, look);
        }
        Change::Delete(delete) => {
            with(&delete.with, look);
            top(&delete.top, look);
            target(&delete.target, look);
            outputs(&delete.outputs, look);
            sources(&delete.from, look);
            expressions(&delete.condition, look);
        }
        Change::Merge(merge) => self::merge(merge, look),
    }
    look(Node::End);
}

fn target<'t>(target: &'t Target, look: &mut Look<'t, '_>) {
    look(Node::Target(target));
    if let Target::Remote(remote) = target {
        source(remote, look);
    }
}

fn merge<'t>(merge: &'t Merge, look: &mut Look<'t, '_>) {
    with(&merge.with, look);
    top(&merge.top, look);
    target(&merge.target, look);
    source(&merge.source, look);
    expression(&merge.condition, look);
    for branch in &merge.branches {
        expressions(&branch.condition, look);
        match &branch.action {
            MergeAction::Update(items) => set_items(items, look),
            MergeAction::Insert(_, values) => expressions(values.iter().flatten(), look),
            MergeAction::Delete => {}
        }
    }
    outputs(&merge.outputs, look);
}

fn set_items<'t>(items: &'t [SetItem], look: &mut Look<'t, '_>) {
    for item in items {
        match item {
            SetItem::Column(_, _, value) | SetItem::Variable(_, _, value) | SetItem::Both(_, _, _, value) => {
                expression(value, look);
            }
            SetItem::Method(_, _, arguments) => expressions(arguments, look),
        }
    }
}

fn outputs<'t>(outputs: &'t [Output], look: &mut Look<'t, '_>) {
    outputs.iter().for_each(|output| select_items(&output.items, look));
}

/// Visits the text and the arguments of an EXEC.
pub fn execute<'t>(execute: &'t Execute, look: &mut Look<'t, '_>) {
    let arguments = match &execute.module {
        ExecuteModule::Procedure(_, _, arguments) | ExecuteModule::Variable(_, arguments) => arguments,
        ExecuteModule::Text(text, arguments, ..) => {
            expression(text, look);
            arguments
        }
    };
    arguments.iter().for_each(|argument| expression(&argument.value, look));
}

fn with<'t>(with: &'t With, look: &mut Look<'t, '_>) {
    with.tables.iter().for_each(|table| query(&table.query, look));
}

fn top<'t>(top: &'t Option<Top>, look: &mut Look<'t, '_>) {
    expressions(top.as_ref().map(|top| &top.count), look);
}
