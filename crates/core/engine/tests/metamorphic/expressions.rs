//! Random expressions and conditions over the columns of a query and of the queries around it.
//!
//! None can fail: an expression that fails for some rows (a division, a conversion of a text, a subquery of several
//! rows) is behind a guard, a CASE or COALESCE that keeps it from being evaluated for those rows. So every error of
//! such a statement is a fault.

use crate::data::literal;
use crate::generator::{Generator, Scope};
use crate::tree::{Body, Expr, Kind};

/// Forms of one type that take arguments of that type.
const WHOLE: [(&str, usize); 9] = [
    ("(@1 + @2)", 2),
    ("(@1 - @2)", 2),
    ("(@1 * @2)", 2),
    ("ABS(@1)", 1),
    ("(@1 % 3)", 1),
    ("(@1 / 2)", 1),
    ("COALESCE(@1, @2)", 2),
    ("NULLIF(@1, @2)", 2),
    ("(@1 + 1)", 1),
];
const NUMBER: [(&str, usize); 4] = [("(@1 + @2)", 2), ("(@1 - @2)", 2), ("COALESCE(@1, @2)", 2), ("NULLIF(@1, @2)", 2)];
const TEXT: [(&str, usize); 7] = [
    ("UPPER(@1)", 1),
    ("LOWER(@1)", 1),
    ("(@1 || @2)", 2),
    ("COALESCE(@1, @2)", 2),
    ("NULLIF(@1, @2)", 2),
    ("SUBSTR(@1, 1, 1)", 1),
    ("REPLACE(@1, 'a', 'bb')", 1),
];
const OTHER: [(&str, usize); 2] = [("COALESCE(@1, @2)", 2), ("NULLIF(@1, @2)", 2)];

/// Guards: the last argument decides, or the first.
const GUARDED_WHOLE: [&str; 8] = [
    "CASE WHEN @2 = 0 THEN 0 ELSE @1 / @2 END",
    "CASE WHEN @2 <> 0 THEN @1 / @2 END",
    "CASE @2 WHEN 0 THEN NULL ELSE @1 / @2 END",
    "COALESCE(CASE WHEN @2 = 0 THEN 7 END, @1 / @2)",
    "CASE WHEN @2 IS NULL OR @2 = 0 THEN @1 ELSE @1 % @2 END",
    "(@1 / NULLIF(@2, 0))",
    "CASE WHEN @2 > 0 THEN @1 / @2 WHEN @2 < 0 THEN @1 % @2 END",
    "COALESCE(5, @1 / 0)",
];

impl Generator<'_> {
    /// A column of this kind: mostly of the query's own sources, sometimes of one around.
    pub fn column(&mut self, scope: &Scope, kind: Kind) -> Option<Expr> {
        let from_outside = !scope.outer.is_empty() && (scope.own.is_empty() || self.random.one_in(4));
        let sources = if from_outside { &scope.outer } else { &scope.own };
        let mut columns = Vec::new();
        for source in sources {
            for (name, column) in source.columns.iter().filter(|(_, column)| *column == kind) {
                columns.push(Expr::Column { source: source.alias.clone(), name: name.clone(), kind: *column });
            }
        }
        (!columns.is_empty()).then(|| self.random.pick_from(&columns).clone())
    }

    /// A column where there is one, or a literal.
    pub fn leaf(&mut self, scope: &Scope, kind: Kind) -> Expr {
        let column = if self.random.one_in(5) { None } else { self.column(scope, kind) };
        column.unwrap_or_else(|| self.literal(kind))
    }

    pub fn literal(&mut self, kind: Kind) -> Expr {
        match self.random.one_in(12) {
            true => Expr::literal(&format!("CAST(NULL AS {})", kind.sql_type()), kind),
            false => Expr::literal(&literal(self.random, kind), kind),
        }
    }

    /// An expression of this kind.
    pub fn expression(&mut self, scope: &Scope, kind: Kind, depth: u32) -> Expr {
        if depth == 0 || self.random.one_in(3) {
            return self.leaf(scope, kind);
        }
        match self.random.below(11) {
            0 | 1 => self.choice(scope, kind, depth - 1),
            2 if kind == Kind::Whole => self.guarded(scope, depth - 1),
            2 => self.choice(scope, kind, depth - 1),
            3 if self.may_nest() => self.value_of_query(scope, kind, depth - 1),
            4 if kind == Kind::Whole => {
                Expr::form("LENGTH(@1)", kind, vec![self.expression(scope, Kind::Text, depth - 1)])
            }
            4 if kind == Kind::Decimal || kind == Kind::Double => {
                let other = self.expression(scope, Kind::Whole, depth - 1);
                let own = self.leaf(scope, kind);
                let form = ["(@1 + @2)", "(@2 - @1)", "COALESCE(@1, @2)", "COALESCE(@2, @1)"][self.random.below(4)];
                Expr::form(form, kind, vec![own, other])
            }
            _ if kind == Kind::Flag => self.condition(scope, depth),
            _ => self.called(scope, kind, depth - 1),
        }
    }

    fn called(&mut self, scope: &Scope, kind: Kind, depth: u32) -> Expr {
        let forms: &[(&'static str, usize)] = match kind {
            Kind::Whole => &WHOLE,
            Kind::Decimal | Kind::Double => &NUMBER,
            Kind::Text => &TEXT,
            Kind::Flag | Kind::Date => &OTHER,
        };
        let (form, count) = forms[self.random.below(forms.len())];
        let args = (0..count).map(|_| self.expression(scope, kind, depth)).collect();
        Expr::form(form, kind, args)
    }

    /// A CASE, over conditions or values.
    fn choice(&mut self, scope: &Scope, kind: Kind, depth: u32) -> Expr {
        let branch = |generator: &mut Self| {
            // A branch of a whole number in a CASE of decimals.
            let kind = if kind == Kind::Decimal && generator.random.one_in(3) { Kind::Whole } else { kind };
            generator.expression(scope, kind, depth)
        };
        let (first, second) = (branch(self), branch(self));
        match self.random.below(4) {
            0 => {
                let (over, value) = (self.leaf(scope, Kind::Whole), self.literal(Kind::Whole));
                Expr::form("CASE @1 WHEN @2 THEN @3 ELSE @4 END", kind, vec![over, value, first, second])
            }
            1 => {
                let (one, other) = (self.condition(scope, depth), self.condition(scope, depth));
                let args = vec![one, first, other, second];
                Expr::form("CASE WHEN @1 THEN @2 WHEN @3 THEN @4 END", kind, args)
            }
            2 => Expr::form("CASE WHEN @1 THEN @2 END", kind, vec![self.condition(scope, depth), first]),
            _ => {
                let args = vec![self.condition(scope, depth), first, second];
                Expr::form("CASE WHEN @1 THEN @2 ELSE @3 END", kind, args)
            }
        }
    }

    fn guarded(&mut self, scope: &Scope, depth: u32) -> Expr {
        if self.random.one_in(5) {
            // A literal that is no number is refused when the statement is read, as in PostgreSQL.
            let text = self.column(scope, Kind::Text).unwrap_or_else(|| Expr::literal("'2'", Kind::Text));
            let form = "CASE WHEN @1 IN ('1', '2') THEN CAST(@1 AS INTEGER) ELSE 0 END";
            return Expr::form(form, Kind::Whole, vec![text]);
        }
        let form = GUARDED_WHOLE[self.random.below(GUARDED_WHOLE.len())];
        let (dividend, divisor) =
            (self.expression(scope, Kind::Whole, depth), self.expression(scope, Kind::Whole, depth));
        Expr::form(form, Kind::Whole, vec![dividend, divisor])
    }

    /// A subquery for one value.
    fn value_of_query(&mut self, scope: &Scope, kind: Kind, depth: u32) -> Expr {
        if kind == Kind::Whole && self.random.one_in(4) {
            // Of several rows, behind a guard that counts them.
            let query = self.subquery(scope, &[kind], depth);
            let mut count = query.clone();
            if let Body::Select(select) = &mut count.body
                && select.groups.is_empty()
                && !select.distinct
                && select.having.is_none()
                && !query.has_limit()
                && !select.items[0].expr.has_window()
            {
                select.items[0].expr = Expr::form("COUNT(*)", Kind::Whole, Vec::new());
                select.windows.clear();
                count.order.clear();
                let count = Expr::Subquery { form: "(#)", kind: Kind::Whole, args: Vec::new(), query: Box::new(count) };
                let value = Expr::Subquery { form: "(#)", kind, args: Vec::new(), query: Box::new(query) };
                return Expr::form(
                    "CASE WHEN @1 = 1 THEN @2 ELSE @3 END",
                    kind,
                    vec![count, value, self.leaf(scope, kind)],
                );
            }
        }
        let query = self.single_value(scope, kind, depth);
        Expr::Subquery { form: "(#)", kind, args: Vec::new(), query: Box::new(query) }
    }

    /// A condition.
    pub fn condition(&mut self, scope: &Scope, depth: u32) -> Expr {
        if depth > 0 && self.random.below(5) < 2 {
            let left = self.condition(scope, depth - 1);
            let form = ["(@1 AND @2)", "(@1 OR @2)", "NOT (@1)", "(@1) IS TRUE", "(@1) IS NOT FALSE"]
                [[0, 0, 0, 1, 1, 1, 2, 2, 3, 4][self.random.below(10)]];
            let args = match form.contains("@2") {
                true => vec![left, self.condition(scope, depth - 1)],
                false => vec![left],
            };
            return Expr::form(form, Kind::Flag, args);
        }
        if self.may_nest() && depth > 0 && self.random.one_in(4) {
            return self.test_of_query(scope, depth - 1);
        }
        let kind = self.kind();
        let left = self.expression(scope, kind, depth.min(1));
        match self.random.below(11) {
            0 => Expr::form("@1 IS NULL", Kind::Flag, vec![left]),
            1 => Expr::form("@1 IS NOT NULL", Kind::Flag, vec![left]),
            2 => {
                let form = ["@1 IN (@2, @3)", "@1 NOT IN (@2, @3)"][self.random.below(2)];
                Expr::form(form, Kind::Flag, vec![left, self.leaf(scope, kind), self.literal(kind)])
            }
            3 if kind != Kind::Flag => {
                let form = ["@1 BETWEEN @2 AND @3", "@1 NOT BETWEEN @2 AND @3"][self.random.below(2)];
                Expr::form(form, Kind::Flag, vec![left, self.leaf(scope, kind), self.leaf(scope, kind)])
            }
            4 => {
                let form = ["@1 IS DISTINCT FROM @2", "@1 IS NOT DISTINCT FROM @2"][self.random.below(2)];
                Expr::form(form, Kind::Flag, vec![left, self.leaf(scope, kind)])
            }
            5 => {
                let text = self.expression(scope, Kind::Text, depth.min(1));
                let form = ["@1 LIKE 'a%'", "@1 LIKE '%b'", "@1 NOT LIKE '_'", "@1 LIKE '%'"][self.random.below(4)];
                Expr::form(form, Kind::Flag, vec![text])
            }
            6 if kind == Kind::Flag => left,
            6 => Expr::literal(["TRUE", "FALSE", "(1 = 0)", "(1 = 1)"][self.random.below(4)], Kind::Flag),
            _ => self.comparison(scope, left),
        }
    }

    fn comparison(&mut self, scope: &Scope, left: Expr) -> Expr {
        const FORMS: [&str; 8] =
            ["@1 = @2", "@1 = @2", "@1 = @2", "@1 < @2", "@1 <= @2", "@1 > @2", "@1 >= @2", "@1 <> @2"];
        let kind = match left.kind() {
            number if number.is_number() && self.random.one_in(4) => {
                [Kind::Whole, Kind::Decimal, Kind::Double][self.random.below(3)]
            }
            kind => kind,
        };
        let right = self.leaf(scope, kind);
        Expr::form(FORMS[self.random.below(FORMS.len())], Kind::Flag, vec![left, right])
    }

    /// EXISTS, IN, ANY, ALL.
    fn test_of_query(&mut self, scope: &Scope, depth: u32) -> Expr {
        let kind = self.kind();
        if self.random.one_in(2) {
            let query = Box::new(self.subquery(scope, &[kind], depth));
            let form = ["EXISTS (#)", "EXISTS (#)", "NOT EXISTS (#)"][self.random.below(3)];
            return Expr::Subquery { form, kind: Kind::Flag, args: Vec::new(), query };
        }
        let forms: &[&'static str] = match kind {
            Kind::Flag => &["@1 IN (#)", "@1 NOT IN (#)"],
            _ => &["@1 IN (#)", "@1 IN (#)", "@1 NOT IN (#)", "@1 NOT IN (#)", "@1 > ANY (#)", "@1 <= ALL (#)"],
        };
        let form = forms[self.random.below(forms.len())];
        let left = self.leaf(scope, kind);
        let query = Box::new(self.subquery(scope, &[kind], depth));
        Expr::Subquery { form, kind: Kind::Flag, args: vec![left], query }
    }

    pub fn kind(&mut self) -> Kind {
        const KINDS: [Kind; 10] = [
            Kind::Whole,
            Kind::Whole,
            Kind::Whole,
            Kind::Whole,
            Kind::Text,
            Kind::Text,
            Kind::Decimal,
            Kind::Double,
            Kind::Flag,
            Kind::Date,
        ];
        KINDS[self.random.below(KINDS.len())]
    }
}
