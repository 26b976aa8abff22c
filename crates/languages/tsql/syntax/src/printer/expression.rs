//! Expressions, with parentheses where precedence alone would give another tree.

use super::Printer;
use crate::tree::*;

// Binding powers of nodes, from the loosest.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const ADDITIVE: u8 = 5;
const MULTIPLICATIVE: u8 = 6;
const BIT_NOT: u8 = 7;
const POSTFIX: u8 = 8;
const PRIMARY: u8 = 9;

fn tightness(expr: &Expr) -> u8 {
    use BinaryOperator::*;
    match expr {
        Expr::Or(_) => OR,
        Expr::And(_) => AND,
        Expr::Unary(UnaryOperator::Not, _) => NOT,
        Expr::Unary(UnaryOperator::BitNot, _) => BIT_NOT,
        // A sign takes whole products: inside of one it needs parentheses.
        Expr::Unary(..) => ADDITIVE,
        Expr::Binary(_, Multiply | Divide | Modulo, _) => MULTIPLICATIVE,
        Expr::Binary(_, operator, _) if operator.is_comparison() => COMPARISON,
        Expr::Binary(..) => ADDITIVE,
        Expr::Quantified(..) | Expr::Test(..) => COMPARISON,
        Expr::Collate(..) | Expr::AtTimeZone(..) => POSTFIX,
        _ => PRIMARY,
    }
}

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Column(name) => self.object(name),
            Expr::Variable(name) => self.put(&name.text),
            Expr::Star(None) => self.put("*"),
            Expr::Star(Some(name)) => {
                self.object(name);
                self.put(".");
                self.put("*");
            }
            Expr::Default => self.put("DEFAULT"),
            Expr::Niladic(word) => self.put(word),
            Expr::Unary(operator, operand) => self.unary(*operator, operand),
            Expr::Binary(left, operator, right) => {
                let own = tightness(expr);
                self.at_least(if own == COMPARISON { ADDITIVE } else { own }, left);
                self.put(operator.text());
                self.at_least(own + 1, right);
            }
            Expr::And(conditions) => self.chain("AND", NOT, conditions),
            Expr::Or(conditions) => self.chain("OR", AND, conditions),
            Expr::Quantified(left, operator, quantifier, query) => {
                self.at_least(ADDITIVE, left);
                self.put(operator.text());
                self.put(if *quantifier == Quantifier::All { "ALL" } else { "ANY" });
                self.subquery(query);
            }
            Expr::Test(value, negated, test) => {
                self.at_least(ADDITIVE, value);
                self.test(*negated, test);
            }
            Expr::Exists(query) => {
                self.put("EXISTS");
                self.subquery(query);
            }
            Expr::Subquery(query) => self.subquery(query),
            Expr::Case(case) => self.case(case),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Collate(value, collation) => {
                self.at_least(POSTFIX, value);
                self.put("COLLATE");
                self.word(collation);
            }
            Expr::AtTimeZone(value, zone) => {
                self.at_least(POSTFIX, value);
                self.put("AT TIME ZONE");
                self.at_least(PRIMARY, zone);
            }
            _ => self.function(expr),
        }
    }

    /// Expressions that look like functions.
    fn function(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) => self.call(call),
            Expr::Method(value, name, arguments) => {
                let needs_parentheses = matches!(**value, Expr::Column(_) | Expr::Literal(_) | Expr::Niladic(_));
                self.at_least(if needs_parentheses { PRIMARY + 1 } else { POSTFIX }, value);
                self.put(".");
                self.name(name);
                self.call_arguments(arguments.as_deref());
            }
            Expr::TypeMethod(data_type, name, arguments) => {
                self.object(data_type);
                self.put("::");
                self.word(name);
                self.call_arguments(arguments.as_deref());
            }
            Expr::NextValue(sequence, order) => {
                self.put("NEXT VALUE FOR");
                self.object(sequence);
                if let Some(order) = order {
                    self.put("OVER (");
                    self.order(order);
                    self.put(")");
                }
            }
            Expr::FullText(search) => self.full_text(search),
            Expr::OdbcLiteral(word, text) => {
                self.put("{");
                self.word(word);
                self.quoted("", text);
                self.put("}");
            }
            Expr::CurrentOf(cursor) => {
                self.put("CURRENT OF");
                self.cursor_name(cursor);
            }
            _ => {}
        }
    }

    fn call_arguments(&mut self, arguments: Option<&[Expr]>) {
        if let Some(arguments) = arguments {
            self.open();
            self.list(arguments, Self::expr);
            self.put(")");
        }
    }

    /// A node in a place where only what binds so tight needs no parentheses.
    fn at_least(&mut self, least: u8, expr: &Expr) {
        let needed = tightness(expr) < least;
        self.put_if(needed, "(");
        self.expr(expr);
        self.put_if(needed, ")");
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expr) {
        match operator {
            UnaryOperator::Not => {
                self.put("NOT");
                self.at_least(NOT, operand);
            }
            UnaryOperator::BitNot => {
                self.put("~");
                self.at_least(BIT_NOT, operand);
            }
            UnaryOperator::Minus | UnaryOperator::Plus => {
                self.put(if operator == UnaryOperator::Minus { "-" } else { "+" });
                // Close to a number, as it is written; two signs need room, or they are a comment.
                if matches!(operand, Expr::Literal(_) | Expr::Variable(_)) {
                    let at = self.out.len();
                    self.expr(operand);
                    if self.out[at..].starts_with(' ') {
                        self.out.remove(at);
                    }
                } else {
                    let is_sign = matches!(operand, Expr::Unary(UnaryOperator::Minus | UnaryOperator::Plus, _));
                    self.at_least(if is_sign { ADDITIVE } else { MULTIPLICATIVE }, operand);
                }
            }
        }
    }

    fn chain(&mut self, word: &str, least: u8, conditions: &[Expr]) {
        for (index, condition) in conditions.iter().enumerate() {
            self.put_if(index > 0, word);
            self.at_least(least, condition);
        }
    }

    fn test(&mut self, negated: bool, test: &Test) {
        let not = if negated { "NOT " } else { "" };
        match test {
            Test::Null => self.put(&format!("IS {not}NULL")),
            Test::DistinctFrom(other) => {
                self.put(&format!("IS {not}DISTINCT FROM"));
                self.at_least(ADDITIVE, other);
            }
            Test::Between(low, high) => {
                self.put(&format!("{not}BETWEEN"));
                self.at_least(ADDITIVE, low);
                self.put("AND");
                self.at_least(ADDITIVE, high);
            }
            Test::InList(values) => {
                self.put(&format!("{not}IN"));
                self.parens(values, Self::expr);
            }
            Test::InQuery(query) => {
                self.put(&format!("{not}IN"));
                self.subquery(query);
            }
            Test::Like(pattern, escape) => {
                self.put(&format!("{not}LIKE"));
                self.at_least(ADDITIVE, pattern);
                if let Some(escape) = escape {
                    self.put("ESCAPE");
                    self.at_least(ADDITIVE, escape);
                }
            }
        }
    }

    fn subquery(&mut self, query: &Query) {
        self.put("(");
        self.query(query);
        self.put(")");
    }

    fn case(&mut self, case: &Case) {
        self.put("CASE");
        if let Some(operand) = &case.operand {
            self.expr(operand);
        }
        for (when, then) in &case.branches {
            self.put("WHEN");
            self.expr(when);
            self.put("THEN");
            self.expr(then);
        }
        self.optional("ELSE", case.otherwise.as_ref());
        self.put("END");
    }

    fn cast(&mut self, cast: &Cast) {
        let (word, is_convert) = match cast.kind {
            CastKind::Cast => ("CAST", false),
            CastKind::TryCast => ("TRY_CAST", false),
            CastKind::Parse => ("PARSE", false),
            CastKind::TryParse => ("TRY_PARSE", false),
            CastKind::Convert => ("CONVERT", true),
            CastKind::TryConvert => ("TRY_CONVERT", true),
        };
        self.put(word);
        self.open();
        if is_convert {
            self.data_type(&cast.data_type);
            self.put(",");
            self.expr(&cast.value);
            self.optional(",", cast.style.as_ref());
        } else {
            self.expr(&cast.value);
            self.put("AS");
            self.data_type(&cast.data_type);
            self.optional("USING", cast.style.as_ref());
        }
        self.put(")");
    }

    fn call(&mut self, call: &Call) {
        if call.name.parts.is_empty() {
            self.put("");
        } else {
            self.object(&call.name);
        }
        match call.name.parts.is_empty() {
            true => self.put("("),
            false => self.open(),
        }
        self.set_quantifier(call.quantifier);
        self.list(&call.arguments, Self::argument);
        match call.json_nulls {
            Some(true) => self.put("NULL ON NULL"),
            Some(false) => self.put("ABSENT ON NULL"),
            None => {}
        }
        self.put(")");
        if !call.within_group.is_empty() {
            self.put("WITHIN GROUP (");
            self.order(&call.within_group);
            self.put(")");
        }
        match call.ignore_nulls {
            Some(true) => self.put("IGNORE NULLS"),
            Some(false) => self.put("RESPECT NULLS"),
            None => {}
        }
        match &call.over {
            Some(Over::Name(name)) => {
                self.put("OVER");
                self.name(name);
            }
            Some(Over::Window(window)) => {
                self.put("OVER");
                self.window(window);
            }
            None => {}
        }
    }

    fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Value(value) => self.expr(value),
            // CONTAINSTABLE's LANGUAGE has no colon.
            Argument::KeyValue(key, value) => {
                self.expr(key);
                let is_language = matches!(key, Expr::Column(name) if name.is("LANGUAGE"));
                self.put_if(!is_language, ":");
                self.expr(value);
            }
            Argument::Trim(side, characters, text) => {
                if let Some(side) = side {
                    self.word(side);
                }
                if let Some(characters) = characters {
                    self.expr(characters);
                }
                self.put("FROM");
                self.expr(text);
            }
        }
    }

    pub(super) fn set_quantifier(&mut self, quantifier: Option<SetQuantifier>) {
        match quantifier {
            Some(SetQuantifier::Distinct) => self.put("DISTINCT"),
            Some(SetQuantifier::All) => self.put("ALL"),
            None => {}
        }
    }

    pub(super) fn window(&mut self, window: &Window) {
        self.put("(");
        if let Some(base) = &window.base {
            self.name(base);
        }
        if !window.partition.is_empty() {
            self.put("PARTITION BY");
            self.list(&window.partition, Self::expr);
        }
        self.order(&window.order);
        if let Some(frame) = &window.frame {
            self.put(if frame.range { "RANGE" } else { "ROWS" });
            self.put_if(frame.end.is_some(), "BETWEEN");
            self.bound(&frame.start);
            if let Some(end) = &frame.end {
                self.put("AND");
                self.bound(end);
            }
        }
        self.put(")");
    }

    fn bound(&mut self, bound: &Bound) {
        match bound {
            Bound::UnboundedPreceding => self.put("UNBOUNDED PRECEDING"),
            Bound::UnboundedFollowing => self.put("UNBOUNDED FOLLOWING"),
            Bound::CurrentRow => self.put("CURRENT ROW"),
            Bound::Preceding(count) => {
                self.expr(count);
                self.put("PRECEDING");
            }
            Bound::Following(count) => {
                self.expr(count);
                self.put("FOLLOWING");
            }
        }
    }

    fn full_text(&mut self, search: &FullText) {
        self.put(if search.free { "FREETEXT" } else { "CONTAINS" });
        self.put("(");
        self.parens(&search.columns, Self::expr);
        self.put(",");
        self.expr(&search.text);
        self.optional(", LANGUAGE", search.language.as_ref());
        self.put(")");
    }
}
