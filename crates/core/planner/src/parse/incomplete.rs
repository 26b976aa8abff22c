//! Incomplete statements that the parser accepts, refused here.
//!
//! ```text
//!   DELETE customers                      FROM is missing
//!   SELECT FROM customers                 the list is missing; within EXISTS it is allowed, as in PostgreSQL
//!   SELECT id, FROM customers             a column behind the comma
//!   SELECT ... FROM a JOIN b              ON, USING or NATURAL; without it the join is a cross join
//! ```

use crate::parse::text::Text;
use crate::parse::walk::Walk;
use datafusion::sql::sqlparser::ast::{
    Delete, Expr, FromTable, JoinConstraint, JoinOperator, Select, SetExpr, Spanned, Statement, TableFactor,
    TableWithJoins, UpdateTableFromKind, Visitor,
};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Span, Token};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// The words that end a list of what is selected.
const ENDS: [Keyword; 8] = [
    Keyword::FROM,
    Keyword::WHERE,
    Keyword::GROUP,
    Keyword::HAVING,
    Keyword::ORDER,
    Keyword::UNION,
    Keyword::EXCEPT,
    Keyword::INTERSECT,
];

/// Refuses a list of what is selected that ends in a comma: of it the tree says nothing.
pub(crate) fn refuse_commas(text: &Text) -> Result<()> {
    let ends = |token: &Token| ENDS.iter().any(|keyword| is_keyword(token, *keyword));
    // By open parenthesis, whether this is such a list.
    let mut lists = vec![false];
    let set = |lists: &mut Vec<bool>, is_list: bool| lists.last_mut().into_iter().for_each(|last| *last = is_list);
    let mut rest = text.significant().into_iter().peekable();
    while let Some(token) = rest.next() {
        let is_list = lists.last().is_some_and(|is_list| *is_list);
        match &token.token {
            Token::LParen | Token::LBracket => lists.push(false),
            Token::RParen | Token::RBracket if lists.len() > 1 => drop(lists.pop()),
            Token::SemiColon => set(&mut lists, false),
            Token::Comma if is_list => {
                let what = match rest.peek().map(|next| &next.token) {
                    Some(next) if ends(next) => next.to_string().to_uppercase(),
                    Some(Token::RParen) => ")".to_owned(),
                    None | Some(Token::SemiColon) => "the end".to_owned(),
                    Some(_) => continue,
                };
                let (start, end) = text.span_at(token.span.start.line, token.span.start.column);
                let message = format!("a comma, and nothing between it and {what}");
                return Err(Error::new(Code::Syntax, message).span(start, end));
            }
            word if is_keyword(word, Keyword::SELECT) => set(&mut lists, true),
            // IS DISTINCT FROM is in the list.
            word if is_list && is_keyword(word, Keyword::DISTINCT) => {
                rest.next_if(|next| is_keyword(&next.token, Keyword::FROM));
            }
            word if ends(word) => set(&mut lists, false),
            _ => {}
        }
    }
    Ok(())
}

/// Refuses what else is missing.
pub(crate) fn refuse(statement: &Statement, text: &Text) -> Result<()> {
    let ControlFlow::Break((message, span)) = statement.walk(&mut Missing::default()) else { return Ok(()) };
    let error = Error::new(Code::Syntax, message);
    Err(match span.start.line {
        0 => error,
        line => {
            let (start, end) = text.span_at(line, span.start.column);
            error.span(start, end)
        }
    })
}

fn is_keyword(token: &Token, keyword: Keyword) -> bool {
    matches!(token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none())
}

/// Looks for the first thing that is missing, and says where.
#[derive(Default)]
struct Missing {
    /// The next SELECT is that of an EXISTS.
    is_in_exists: bool,
}

type Found = ControlFlow<(String, Span)>;

impl Visitor for Missing {
    type Break = (String, Span);

    fn pre_visit_statement(&mut self, statement: &Statement) -> Found {
        match statement {
            Statement::Delete(Delete { from, using, .. }) => {
                let tables = match from {
                    FromTable::WithFromKeyword(tables) => tables,
                    FromTable::WithoutKeyword(tables) => {
                        let span = tables.first().map_or(Span::empty(), |table| table.relation.span());
                        return ControlFlow::Break(("DELETE is without FROM".to_owned(), span));
                    }
                };
                tables.iter().chain(using.iter().flatten()).try_for_each(joins)
            }
            Statement::Update(update) => {
                joins(&update.table)?;
                match &update.from {
                    Some(UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables)) => {
                        tables.iter().try_for_each(joins)
                    }
                    None => ControlFlow::Continue(()),
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Found {
        if let Expr::Exists { subquery, .. } = expr {
            self.is_in_exists = matches!(subquery.body.as_ref(), SetExpr::Select(_));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> Found {
        let is_in_exists = std::mem::take(&mut self.is_in_exists);
        if select.projection.is_empty() && !is_in_exists {
            let message = "SELECT is without anything to select: name columns, or * for all of them";
            return ControlFlow::Break((message.to_owned(), select.select_token.0.span));
        }
        select.from.iter().try_for_each(joins)
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Found {
        match factor {
            TableFactor::NestedJoin { table_with_joins, .. } => joins(table_with_joins),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Looks for a join without a condition.
fn joins(table: &TableWithJoins) -> Found {
    let is_without = |operator: &JoinOperator| {
        use JoinOperator::*;
        match operator {
            Join(condition)
            | Inner(condition)
            | Left(condition)
            | LeftOuter(condition)
            | Right(condition)
            | RightOuter(condition)
            | FullOuter(condition)
            | Semi(condition)
            | LeftSemi(condition)
            | RightSemi(condition)
            | Anti(condition)
            | LeftAnti(condition)
            | RightAnti(condition) => {
                matches!(condition, JoinConstraint::None)
            }
            _ => false,
        }
    };
    match table.joins.iter().find(|join| is_without(&join.join_operator)) {
        Some(join) => {
            let message = "JOIN is without ON or USING; CROSS JOIN joins all rows with all";
            ControlFlow::Break((message.to_owned(), join.relation.span()))
        }
        None => ControlFlow::Continue(()),
    }
}
