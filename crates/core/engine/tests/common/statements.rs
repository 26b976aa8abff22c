//! A writer of random statements over known tables.
//!
//! Two random sources: one chooses the form, the other the literals. The same form with other literals is the same
//! statement to a plan cache that lifts literals.

use super::Random;

/// A column as the writer sees it.
#[derive(Clone)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
    /// Some of the values that occur, as text.
    pub values: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Text,
    Exact,
    Double,
    Date,
    Moment,
    Truth,
    Other,
}

/// A table as the writer sees it.
pub struct Subject {
    pub name: String,
    pub fields: Vec<Field>,
    /// A column without equal values.
    pub unique: String,
    pub rows: usize,
}

impl Subject {
    /// Returns true if it is small enough for a join of any kind.
    fn is_small(&self) -> bool {
        self.rows <= 2_000
    }
}

/// Writes one statement.
pub struct Writer<'a> {
    subjects: &'a [Subject],
    shape: Random,
    values: Random,
    /// The qualifier of columns, dot included.
    prefix: String,
}

impl<'a> Writer<'a> {
    pub fn new(subjects: &'a [Subject], shape: Random, values: Random) -> Writer<'a> {
        Writer { subjects, shape, values, prefix: String::new() }
    }

    /// A statement, and whether the order of its rows is decided by it.
    pub fn statement(&mut self) -> (String, bool) {
        match self.shape.below(20) {
            0..=3 => (self.rows_of_one(), false),
            4..=6 => (self.aggregate(), false),
            7..=10 => self.grouped(),
            11..=13 => self.first_rows(),
            14..=15 if self.subjects.iter().any(Subject::is_small) => (self.joined(), false),
            16 => (self.union(), false),
            17 => (self.distinct(), false),
            18 if self.subjects.iter().any(Subject::is_small) => (self.with_subquery(), false),
            _ => (self.expressions(), false),
        }
    }

    fn subject(&mut self) -> &'a Subject {
        self.shape.pick_from(self.subjects)
    }

    /// A table that is small enough for a join.
    fn small_subject(&mut self) -> &'a Subject {
        let small: Vec<&Subject> = self.subjects.iter().filter(|subject| subject.is_small()).collect();
        small[self.shape.below(small.len())]
    }

    fn field(&mut self, subject: &'a Subject, wanted: impl Fn(Kind) -> bool) -> &'a Field {
        let fitting: Vec<&Field> = subject.fields.iter().filter(|field| wanted(field.kind)).collect();
        match fitting.is_empty() {
            true => &subject.fields[0],
            false => fitting[self.shape.below(fitting.len())],
        }
    }

    fn any_field(&mut self, subject: &'a Subject) -> &'a Field {
        self.field(subject, |kind| kind != Kind::Other)
    }

    fn name(&self, field: &Field) -> String {
        format!("{}{}", self.prefix, field.name)
    }

    fn columns(&mut self, subject: &'a Subject) -> String {
        if self.shape.one_in(4) {
            return "*".to_owned();
        }
        let count = 1 + self.shape.below(4);
        let names: Vec<String> = (0..count).map(|_| self.shape.pick_from(&subject.fields).name.clone()).collect();
        let mut names = names;
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    }

    fn rows_of_one(&mut self) -> String {
        let subject = self.subject();
        let columns = self.columns(subject);
        format!("SELECT {columns} FROM {} WHERE {}", subject.name, self.condition(subject, 3))
    }

    fn where_clause(&mut self, subject: &'a Subject) -> String {
        match self.shape.one_in(3) {
            true => String::new(),
            false => format!(" WHERE {}", self.condition(subject, 2)),
        }
    }

    fn condition(&mut self, subject: &'a Subject, depth: usize) -> String {
        if depth > 0 && self.shape.below(3) > 0 {
            return match self.shape.below(5) {
                0 | 1 => format!("{} AND {}", self.inner(subject, depth), self.inner(subject, depth)),
                2 | 3 => format!("{} OR {}", self.inner(subject, depth), self.inner(subject, depth)),
                _ => format!("NOT {}", self.inner(subject, depth)),
            };
        }
        let field = self.any_field(subject);
        let column = self.name(field);
        let not = if self.shape.one_in(3) { "NOT " } else { "" };
        match self.shape.below(14) {
            0..=4 => {
                let op = self.shape.pick(&["=", "<>", "<", "<=", ">", ">=", "=", "<", ">="]);
                match self.shape.one_in(6) {
                    true => format!("{} {op} {column}", self.literal(field)),
                    false => format!("{column} {op} {}", self.literal(field)),
                }
            }
            5 => format!("{column} {not}BETWEEN {} AND {}", self.literal(field), self.literal(field)),
            6 | 7 => {
                let most = if self.shape.one_in(4) { 12 } else { 3 };
                let count = 1 + self.shape.below(most);
                let list: Vec<String> = (0..count).map(|_| self.literal(field)).collect();
                format!("{column} {not}IN ({})", list.join(", "))
            }
            8 => format!("{column} IS {not}NULL"),
            9 | 10 => {
                let field = self.field(subject, |kind| kind == Kind::Text);
                let column = self.name(field);
                let word = self.shape.pick(&["LIKE", "LIKE", "ILIKE"]);
                match field.kind {
                    Kind::Text => format!("{column} {not}{word} {}", self.pattern(field)),
                    _ => format!("CAST({column} AS VARCHAR) {not}{word} {}", self.pattern(field)),
                }
            }
            11 => {
                let field = self.field(subject, |kind| kind == Kind::Truth);
                match (field.kind, self.shape.below(4)) {
                    (Kind::Truth, 0) => self.name(field),
                    (Kind::Truth, 1) => format!("NOT {}", self.name(field)),
                    (Kind::Truth, 2) => format!("{} IS {not}TRUE", self.name(field)),
                    (Kind::Truth, _) => format!("{} IS {not}FALSE", self.name(field)),
                    _ => format!("{} IS NOT NULL", self.name(field)),
                }
            }
            12 => {
                let other = self.field(subject, |kind| kind == field.kind);
                let op = self.shape.pick(&["=", "<", ">=", "<>"]);
                format!("{column} {op} {}", self.name(other))
            }
            _ => {
                let field = self.field(subject, |kind| kind == Kind::Exact);
                let column = self.name(field);
                match self.shape.below(3) {
                    0 => format!("{column} + 1 > {}", self.literal(field)),
                    1 => format!("{column} IS {not}DISTINCT FROM {}", self.literal(field)),
                    _ => format!("coalesce({column}, 0) {} {}", self.shape.pick(&["<", "="]), self.literal(field)),
                }
            }
        }
    }

    fn inner(&mut self, subject: &'a Subject, depth: usize) -> String {
        format!("({})", self.condition(subject, depth - 1))
    }

    /// A literal to compare the column with: its form from the one source, its value from the other.
    fn literal(&mut self, field: &Field) -> String {
        if self.shape.one_in(25) {
            return "NULL".to_owned();
        }
        let form = self.shape.below(12);
        let value = match field.values.is_empty() {
            true => String::new(),
            false => self.values.pick_from(&field.values).clone(),
        };
        match field.kind {
            Kind::Text => {
                let text = match form {
                    0 => format!("{value}  "),
                    1 => value.chars().take(2).collect(),
                    2 => format!("{value}x"),
                    3 => String::new(),
                    _ => value,
                };
                quoted(&text)
            }
            Kind::Exact | Kind::Double => {
                let value = if value.is_empty() { "1".to_owned() } else { value };
                let whole = value.split('.').next().unwrap_or_default().to_owned();
                match form {
                    0 => format!("{whole}.{:03}", self.values.below(1_000)),
                    1 => format!("{whole}.5"),
                    2 => (*self.values.pick(&["99999999999", "-99999999999.5", "0", "0.0001"])).to_owned(),
                    3 => format!("{whole}.00000"),
                    4 | 5 => whole,
                    6 => format!("CAST({value} AS DOUBLE)"),
                    _ => value,
                }
            }
            Kind::Date => match form {
                0..=3 => format!("DATE {}", quoted(or(&value, "2021-01-15"))),
                4 => format!("TIMESTAMP '{} 12:00:00'", or(&value, "2021-01-15")),
                _ => quoted(or(&value, "2021-01-15")),
            },
            Kind::Moment => {
                let value = or(&value, "2023-03-01T10:00:00").to_owned();
                match form {
                    0..=3 => format!("TIMESTAMP {}", quoted(&value.replace('T', " "))),
                    4 => format!("DATE {}", quoted(&value[..10])),
                    _ => quoted(&value),
                }
            }
            Kind::Truth => (*self.values.pick(&["true", "false"])).to_owned(),
            Kind::Other => "NULL".to_owned(),
        }
    }

    fn pattern(&mut self, field: &Field) -> String {
        let form = self.shape.below(8);
        let value = match field.values.is_empty() {
            true => "a".to_owned(),
            false => self.values.pick_from(&field.values).clone(),
        };
        let (head, tail): (String, String) = (value.chars().take(2).collect(), value.chars().skip(1).collect());
        match form {
            0 => quoted(&format!("{head}%")),
            1 => quoted(&format!("%{tail}")),
            2 => quoted(&format!("%{head}%")),
            3 => quoted(&format!("_{tail}")),
            4 => quoted(&value),
            5 => quoted(&format!("{head}%{tail}")),
            6 => format!("{} ESCAPE '!'", quoted(&format!("%!{}%", self.values.pick(&["%", "_", "!"])))),
            _ => quoted("%"),
        }
    }

    fn aggregate_call(&mut self, subject: &'a Subject) -> String {
        let number = self.field(subject, |kind| matches!(kind, Kind::Exact | Kind::Double));
        let is_number = matches!(number.kind, Kind::Exact | Kind::Double);
        let any = self.any_field(subject);
        let (number, any) = (self.name(number), self.name(any));
        match self.shape.below(if is_number { 13 } else { 7 }) {
            0 | 1 => "count(*)".to_owned(),
            2 => format!("count({any})"),
            3 | 4 => format!("min({any})"),
            5 => format!("max({any})"),
            6 => format!("count(DISTINCT {any})"),
            7 | 8 => format!("sum({number})"),
            9 | 10 => format!("avg({number})"),
            11 => format!("sum({number} * 2)"),
            _ => format!("sum(CASE WHEN {} THEN {number} ELSE 0 END)", self.condition(subject, 0)),
        }
    }

    fn aggregate_calls(&mut self, subject: &'a Subject) -> Vec<String> {
        let count = 1 + self.shape.below(4);
        (0..count).map(|i| format!("{} AS x{i}", self.aggregate_call(subject))).collect()
    }

    fn aggregate(&mut self) -> String {
        let subject = self.subject();
        let calls = self.aggregate_calls(subject).join(", ");
        format!("SELECT {calls} FROM {}{}", subject.name, self.where_clause(subject))
    }

    fn grouped(&mut self) -> (String, bool) {
        let subject = self.subject();
        let mut by: Vec<String> = (0..1 + self.shape.below(3)).map(|_| self.any_field(subject).name.clone()).collect();
        by.sort_unstable();
        by.dedup();
        let calls = self.aggregate_calls(subject).join(", ");
        let by = by.join(", ");
        let mut statement =
            format!("SELECT {by}, {calls} FROM {}{} GROUP BY {by}", subject.name, self.where_clause(subject));
        if self.shape.one_in(4) {
            statement += &match self.shape.below(3) {
                0 => format!(" HAVING count(*) > {}", 1 + self.values.below(3)),
                1 => format!(" HAVING {} IS NOT NULL", self.aggregate_call(subject)),
                _ => format!(" HAVING count(*) BETWEEN {} AND {}", self.values.below(2), 2 + self.values.below(9)),
            };
        }
        let is_ordered = self.shape.one_in(2);
        if is_ordered {
            let keys: Vec<String> = by.split(", ").map(|name| format!("{name}{}", self.direction())).collect();
            statement += &format!(" ORDER BY {}{}", keys.join(", "), self.limit());
        }
        (statement, is_ordered)
    }

    fn direction(&mut self) -> String {
        let direction = self.shape.pick(&["", "", " ASC", " DESC", " DESC"]);
        let nulls = self.shape.pick(&["", "", "", " NULLS FIRST", " NULLS LAST"]);
        format!("{direction}{nulls}")
    }

    fn limit(&mut self) -> String {
        match self.shape.below(5) {
            0 => String::new(),
            1 => format!(" LIMIT {} OFFSET {}", self.values.below(30), self.values.below(30)),
            2 => format!(" LIMIT {}", self.values.below(2)),
            _ => format!(" LIMIT {}", 1 + self.values.below(120)),
        }
    }

    /// Rows in a total order; or only the keys, in an order that leaves ties.
    fn first_rows(&mut self) -> (String, bool) {
        let subject = self.subject();
        let count = 1 + self.shape.below(2);
        let mut names: Vec<String> = (0..count).map(|_| self.any_field(subject).name.clone()).collect();
        names.dedup();
        let keys: Vec<String> = names.iter().map(|name| format!("{name}{}", self.direction())).collect();
        let where_clause = self.where_clause(subject);
        let (from, limit) = (format!("FROM {}{where_clause}", subject.name), self.limit());
        if self.shape.one_in(3) {
            return (format!("SELECT {} {from} ORDER BY {}{limit}", names.join(", "), keys.join(", ")), true);
        }
        let columns = self.columns(subject);
        let unique = format!("{}{}", subject.unique, self.direction());
        let keys = if self.shape.one_in(4) { unique } else { format!("{}, {unique}", keys.join(", ")) };
        (format!("SELECT {columns} {from} ORDER BY {keys}{limit}"), true)
    }

    fn joined(&mut self) -> String {
        let (left, right) = (self.small_subject(), self.small_subject());
        let field = self.any_field(left);
        let other = self.field(right, |kind| kind == field.kind);
        let join = self.shape.pick(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "JOIN"]);
        let mut on = match field.kind == other.kind {
            true => format!("l.{} = r.{}", field.name, other.name),
            false => format!("l.{} IS NULL", field.name),
        };
        on += &format!(" AND {}", self.qualified_condition(left, "l.", 0));
        if self.shape.one_in(2) {
            on += &format!(" AND {}", self.qualified_condition(right, "r.", 0));
        }
        let filter = match self.shape.one_in(2) {
            true => format!(" WHERE {}", self.qualified_condition(left, "l.", 1)),
            false => String::new(),
        };
        let (a, b) = (self.any_field(left).name.clone(), self.any_field(right).name.clone());
        let from = format!("FROM {} l {join} {} r ON {on}{filter}", left.name, right.name);
        match self.shape.below(3) {
            0 => format!("SELECT count(*), count(l.{a}), count(r.{b}), min(r.{b}) {from}"),
            1 => format!("SELECT l.{a}, count(*) AS n, max(r.{b}) AS b {from} GROUP BY l.{a}"),
            _ => format!("SELECT l.{a} AS a, count(r.{b}) AS n {from} GROUP BY l.{a}, r.{b}"),
        }
    }

    fn qualified_condition(&mut self, subject: &'a Subject, prefix: &str, depth: usize) -> String {
        self.prefix = prefix.to_owned();
        let condition = self.condition(subject, depth);
        self.prefix.clear();
        format!("({condition})")
    }

    fn union(&mut self) -> String {
        let subject = self.subject();
        let column = self.any_field(subject).name.clone();
        let (a, b) = (self.condition(subject, 1), self.condition(subject, 1));
        let word = self.shape.pick(&["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"]);
        let table = &subject.name;
        format!("SELECT {column} FROM {table} WHERE {a} {word} SELECT {column} FROM {table} WHERE {b}")
    }

    fn distinct(&mut self) -> String {
        let subject = self.subject();
        let (a, b) = (self.any_field(subject).name.clone(), self.any_field(subject).name.clone());
        let columns = if a == b { a } else { format!("{a}, {b}") };
        format!("SELECT DISTINCT {columns} FROM {}{}", subject.name, self.where_clause(subject))
    }

    fn with_subquery(&mut self) -> String {
        let (outer, inner) = (self.subject(), self.small_subject());
        let field = self.any_field(outer);
        let other = self.field(inner, |kind| kind == field.kind);
        let condition = self.qualified_condition(inner, "i.", 1);
        let (outer_name, inner_name, column) = (&outer.name, &inner.name, &field.name);
        let same = field.kind == other.kind;
        let other = &other.name;
        let not = if self.shape.one_in(3) { "NOT " } else { "" };
        match self.shape.below(5) {
            0 if same => format!(
                "SELECT count(*), min(o.{column}) FROM {outer_name} o WHERE o.{column} {not}IN \
                 (SELECT i.{other} FROM {inner_name} i WHERE {condition})"
            ),
            1 if same => format!(
                "SELECT count(*), max(o.{column}) FROM {outer_name} o WHERE {not}EXISTS \
                 (SELECT 1 FROM {inner_name} i WHERE i.{other} = o.{column} AND {condition})"
            ),
            2 if same => format!(
                "SELECT count(*) FROM {outer_name} o WHERE o.{column} >= \
                 (SELECT min(i.{other}) FROM {inner_name} i WHERE {condition})"
            ),
            3 => format!(
                "WITH q AS (SELECT i.{other} AS v FROM {inner_name} i WHERE {condition}) \
                 SELECT v, count(*) AS n FROM q WHERE v IS NOT NULL GROUP BY v"
            ),
            _ => format!(
                "SELECT max(v), count(*) FROM (SELECT i.{other} AS v FROM {inner_name} i WHERE {condition} \
                 ORDER BY i.{other}, i.{} LIMIT {}) q",
                inner.unique,
                1 + self.values.below(40)
            ),
        }
    }

    fn expressions(&mut self) -> String {
        let subject = self.subject();
        let any = self.any_field(subject).name.clone();
        let number = self.field(subject, |kind| kind == Kind::Exact).clone();
        let text = self.field(subject, |kind| kind == Kind::Text).name.clone();
        let condition = self.condition(subject, 1);
        let mut items = vec![format!("CASE WHEN {condition} THEN 'yes' ELSE 'no' END AS c")];
        if number.kind == Kind::Exact {
            items.push(format!("{0} * 2 - 1 AS n, CAST({0} AS DOUBLE) AS d, -{0} AS m, abs({0}) AS p", number.name));
        }
        items.push(format!("CAST({any} AS VARCHAR) AS v, upper(CAST({text} AS VARCHAR)) || '!' AS u"));
        items.push(format!("length(CAST({text} AS VARCHAR)) AS l, nullif({any}, {any}) AS z"));
        format!("SELECT {} FROM {}{}", items.join(", "), subject.name, self.where_clause(subject))
    }
}

fn or<'t>(value: &'t str, otherwise: &'t str) -> &'t str {
    if value.is_empty() { otherwise } else { value }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
