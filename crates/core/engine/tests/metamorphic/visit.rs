//! Walks over the nodes of a statement, inner nodes first, with leave to change them.

use crate::tree::{Body, Expr, Over, Query, Select, Source};

/// A node of a statement.
pub enum Node<'t> {
    Query(&'t mut Query),
    Select(&'t mut Select),
    Source(&'t mut Source),
    Expr(&'t mut Expr),
}

pub type Visitor<'v> = dyn FnMut(Node<'_>) + 'v;

pub fn query(query: &mut Query, visitor: &mut Visitor<'_>) {
    for (_, shared) in &mut query.with {
        self::query(shared, visitor);
    }
    match &mut query.body {
        Body::Select(inner) => select(inner, visitor),
        Body::Set { left, right, .. } => {
            self::query(left, visitor);
            self::query(right, visitor);
        }
    }
    visitor(Node::Query(query));
}

fn select(select: &mut Select, visitor: &mut Visitor<'_>) {
    for from in &mut select.from {
        source(from, visitor);
    }
    let specs = select
        .windows
        .iter_mut()
        .flat_map(|(_, spec)| spec.partition.iter_mut().chain(spec.order.iter_mut().map(|(expr, _)| expr)));
    let items = select.items.iter_mut().map(|item| &mut item.expr);
    let all = items.chain(&mut select.filter).chain(&mut select.groups).chain(&mut select.having).chain(specs);
    for each in all {
        expr(each, visitor);
    }
    visitor(Node::Select(select));
}

fn source(from: &mut Source, visitor: &mut Visitor<'_>) {
    match from {
        Source::Table { .. } => {}
        Source::Derived { query, .. } => self::query(query, visitor),
        Source::Join { left, right, on, .. } => {
            source(left, visitor);
            source(right, visitor);
            if let Some(on) = on {
                expr(on, visitor);
            }
        }
    }
    visitor(Node::Source(from));
}

pub fn expr(node: &mut Expr, visitor: &mut Visitor<'_>) {
    match node {
        Expr::Column { .. } | Expr::Literal { .. } => {}
        Expr::Form { args, .. } => args.iter_mut().for_each(|arg| expr(arg, visitor)),
        Expr::Subquery { args, query, .. } => {
            args.iter_mut().for_each(|arg| expr(arg, visitor));
            self::query(query, visitor);
        }
        Expr::Window { args, over, .. } => {
            args.iter_mut().for_each(|arg| expr(arg, visitor));
            if let Over::Own(spec) = over {
                spec.partition.iter_mut().for_each(|key| expr(key, visitor));
                spec.order.iter_mut().for_each(|(key, _)| expr(key, visitor));
            }
        }
    }
    visitor(Node::Expr(node));
}
