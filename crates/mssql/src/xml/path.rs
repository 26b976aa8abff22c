//! A part of XPath: steps, `//`, attributes, conditions, comparisons, and the functions that are used most.
//!
//! ```text
//!   (/orders/order[@id = "7"]/line/text())[1]      count(//line)      not(@gone)      sql:variable("@x")
//! ```
//!
//! What stands in `sql:variable` and `sql:column` is given from outside, in the order in which they stand in the path.

use super::tree::{Element, Node};
use crate::messages::Message;

/// What a path leads to.
#[derive(Clone, Debug)]
pub(super) enum Item<'t> {
    Element(&'t Element),
    Text(&'t str),
    /// Its name and value.
    Attribute(&'t str, &'t str),
    /// A value that is not in the tree.
    Atom(String),
    /// A condition.
    Truth(bool),
}

impl Item<'_> {
    /// Its value as text.
    pub(super) fn text(&self) -> String {
        match self {
            Item::Element(element) => element.text(),
            Item::Text(text) | Item::Attribute(_, text) => (*text).to_owned(),
            Item::Atom(text) => text.clone(),
            Item::Truth(truth) => truth.to_string(),
        }
    }

    /// As XML.
    pub(super) fn xml(&self) -> String {
        let mut out = String::new();
        match self {
            Item::Element(element) => element.write(&mut out),
            other => out = super::escaped_text(&other.text()),
        }
        out
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
enum Expr {
    /// Steps from the context, or from the document.
    Steps(Option<Box<Expr>>, Vec<Step>),
    /// Conditions on what is in parentheses.
    Filtered(Box<Expr>, Vec<Expr>),
    Literal(String),
    Number(f64),
    Variable(usize),
    Compare(Box<Expr>, &'static str, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
    List(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
struct Step {
    /// Whether anything below is meant, not only children.
    deep: bool,
    test: Test,
    conditions: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Child(String),
    Attribute(String),
    Text,
    Node,
    Itself,
}

/// A path that has been read.
#[derive(Clone, Debug)]
pub(super) struct Path {
    expr: Expr,
}

impl Path {
    pub(super) fn read(text: &str) -> Result<Path, Message> {
        let mut text = text.trim();
        // Declarations of namespaces.
        while text.starts_with("declare ") {
            match text.split_once(';') {
                Some((_, rest)) => text = rest.trim_start(),
                None => break,
            }
        }
        let mut reader = Reader { text, at: 0, variables: 0 };
        let expr = reader.list()?;
        reader.blanks();
        match reader.rest().is_empty() {
            true => Ok(Path { expr }),
            false => Err(reader.error()),
        }
    }

    /// Whether the path alone shows that it leads to one item at most.
    pub(super) fn is_single(&self) -> bool {
        is_single(&self.expr)
    }

    pub(super) fn evaluate<'t>(&self, context: &Item<'t>, variables: &[Option<&str>]) -> Vec<Item<'t>> {
        let around = Around { variables, position: 1, last: 1 };
        evaluate(&self.expr, context, &around)
    }
}

/// Whether an expression gives one item at most, whatever the tree is.
fn is_single(expr: &Expr) -> bool {
    let picks_one = |conditions: &[Expr]| {
        let is_place = |condition: &Expr| match condition {
            Expr::Number(_) => true,
            Expr::Call(name, _) => name == "last",
            _ => false,
        };
        conditions.iter().any(is_place)
    };
    match expr {
        Expr::Steps(from, steps) => {
            let is_one = |step: &Step| match &step.test {
                Test::Itself => !step.deep,
                Test::Attribute(name) => !step.deep && (name != "*" || picks_one(&step.conditions)),
                _ => !step.deep && picks_one(&step.conditions),
            };
            from.as_deref().is_none_or(is_single) && steps.iter().all(is_one)
        }
        Expr::Filtered(inner, conditions) => picks_one(conditions) || is_single(inner),
        Expr::List(parts) => parts.len() < 2 && parts.iter().all(is_single),
        Expr::Call(name, arguments) if matches!(name.as_str(), "data" | "distinct-values") => {
            arguments.iter().all(is_single)
        }
        _ => true,
    }
}

struct Around<'v> {
    variables: &'v [Option<&'v str>],
    position: usize,
    last: usize,
}

fn evaluate<'t>(expr: &Expr, context: &Item<'t>, around: &Around<'_>) -> Vec<Item<'t>> {
    match expr {
        Expr::Steps(from, steps) => {
            let mut items = match from {
                Some(from) => evaluate(from, context, around),
                None => vec![context.clone()],
            };
            for step in steps {
                items = items.iter().flat_map(|item| stepped(step, item, around)).collect();
            }
            items
        }
        Expr::Filtered(inner, conditions) => filtered(evaluate(inner, context, around), conditions, around),
        Expr::Literal(text) => vec![Item::Atom(text.clone())],
        Expr::Number(number) => vec![Item::Atom(number.to_string())],
        Expr::Variable(place) => match around.variables.get(*place).copied().flatten() {
            Some(text) => vec![Item::Atom(text.to_owned())],
            None => Vec::new(),
        },
        Expr::Compare(left, op, right) => {
            let (left, right) = (evaluate(left, context, around), evaluate(right, context, around));
            let holds = left.iter().any(|a| right.iter().any(|b| compared(&a.text(), op, &b.text())));
            vec![Item::Truth(holds)]
        }
        Expr::And(left, right) => {
            let holds = truth(&evaluate(left, context, around)) && truth(&evaluate(right, context, around));
            vec![Item::Truth(holds)]
        }
        Expr::Or(left, right) => {
            let holds = truth(&evaluate(left, context, around)) || truth(&evaluate(right, context, around));
            vec![Item::Truth(holds)]
        }
        Expr::List(parts) => parts.iter().flat_map(|part| evaluate(part, context, around)).collect(),
        Expr::Call(name, arguments) => called(name, arguments, context, around),
    }
}

fn called<'t>(name: &str, arguments: &[Expr], context: &Item<'t>, around: &Around<'_>) -> Vec<Item<'t>> {
    let argument = |place: usize| match arguments.get(place) {
        Some(expr) => evaluate(expr, context, around),
        None => vec![context.clone()],
    };
    let text = |place: usize| argument(place).first().map(Item::text).unwrap_or_default();
    let numbers = |place: usize| -> Vec<f64> {
        argument(place).iter().filter_map(|item| item.text().trim().parse().ok()).collect()
    };
    let atom = |text: String| vec![Item::Atom(text)];
    match name {
        "count" => atom(argument(0).len().to_string()),
        "sum" => atom(numbers(0).iter().sum::<f64>().to_string()),
        "min" => {
            numbers(0).into_iter().reduce(f64::min).map(|number| Item::Atom(number.to_string())).into_iter().collect()
        }
        "max" => {
            numbers(0).into_iter().reduce(f64::max).map(|number| Item::Atom(number.to_string())).into_iter().collect()
        }
        "avg" => match numbers(0) {
            numbers if numbers.is_empty() => Vec::new(),
            numbers => atom((numbers.iter().sum::<f64>() / numbers.len() as f64).to_string()),
        },
        "not" => vec![Item::Truth(!truth(&argument(0)))],
        "empty" => vec![Item::Truth(argument(0).is_empty())],
        "true" => vec![Item::Truth(true)],
        "false" => vec![Item::Truth(false)],
        "contains" => vec![Item::Truth(text(0).contains(&text(1)))],
        "starts-with" => vec![Item::Truth(text(0).starts_with(&text(1)))],
        "concat" => atom((0..arguments.len()).map(text).collect()),
        "string-length" => atom(text(0).chars().count().to_string()),
        "upper-case" => atom(text(0).to_uppercase()),
        "lower-case" => atom(text(0).to_lowercase()),
        "position" => atom(around.position.to_string()),
        "last" => atom(around.last.to_string()),
        "local-name" => match argument(0).first() {
            Some(Item::Element(element)) => atom(local(&element.name).to_owned()),
            Some(Item::Attribute(name, _)) => atom(local(name).to_owned()),
            _ => atom(String::new()),
        },
        // Types of values: what is wanted of the text is decided by who converts it.
        _ => argument(0).into_iter().map(|item| Item::Atom(item.text())).collect(),
    }
}

fn truth(items: &[Item<'_>]) -> bool {
    match items {
        [] => false,
        [Item::Truth(truth)] => *truth,
        [Item::Atom(text)] => !text.is_empty() && text != "0",
        _ => true,
    }
}

fn compared(left: &str, op: &str, right: &str) -> bool {
    let order = match (left.trim().parse::<f64>(), right.trim().parse::<f64>()) {
        (Ok(left), Ok(right)) => left.partial_cmp(&right),
        _ => Some(left.cmp(right)),
    };
    match op {
        "=" => order.is_some_and(|order| order.is_eq()),
        "!=" => order.is_some_and(|order| order.is_ne()),
        "<" => order.is_some_and(|order| order.is_lt()),
        "<=" => order.is_some_and(|order| order.is_le()),
        ">" => order.is_some_and(|order| order.is_gt()),
        _ => order.is_some_and(|order| order.is_ge()),
    }
}

/// What a step leads to from one item.
fn stepped<'t>(step: &Step, item: &Item<'t>, around: &Around<'_>) -> Vec<Item<'t>> {
    let mut found = Vec::new();
    if step.test == Test::Itself {
        found.push(item.clone());
    } else if let (Test::Text, Item::Text(_)) = (&step.test, item) {
        found.push(item.clone());
    } else if let Item::Element(element) = item {
        match step.deep {
            false => tested(step, element, &mut found),
            true => each_below(element, &mut |element| tested(step, element, &mut found)),
        }
    }
    filtered(found, &step.conditions, around)
}

fn each_below<'t>(element: &'t Element, visit: &mut dyn FnMut(&'t Element)) {
    visit(element);
    for child in &element.children {
        if let Node::Element(child) = child {
            each_below(child, visit);
        }
    }
}

fn tested<'t>(step: &Step, element: &'t Element, found: &mut Vec<Item<'t>>) {
    let fits = |wanted: &str, name: &str| wanted == "*" || local(wanted) == local(name);
    match &step.test {
        Test::Attribute(wanted) => {
            let attributes = element.attributes.iter().filter(|(name, _)| fits(wanted, name));
            found.extend(attributes.map(|(name, value)| Item::Attribute(name, value)));
        }
        test => {
            for child in &element.children {
                match (child, test) {
                    (Node::Element(child), Test::Child(wanted)) if fits(wanted, &child.name) => {
                        found.push(Item::Element(child));
                    }
                    (Node::Element(child), Test::Node) => found.push(Item::Element(child)),
                    (Node::Text(text), Test::Text | Test::Node) => found.push(Item::Text(text)),
                    _ => {}
                }
            }
        }
    }
}

fn filtered<'t>(mut items: Vec<Item<'t>>, conditions: &[Expr], around: &Around<'_>) -> Vec<Item<'t>> {
    for condition in conditions {
        let last = items.len();
        let holds = |(place, item): &(usize, Item<'t>)| {
            let around = Around { variables: around.variables, position: place + 1, last };
            match condition {
                Expr::Number(number) => *number == (place + 1) as f64,
                Expr::Call(name, _) if name == "last" => place + 1 == last,
                condition => truth(&evaluate(condition, item, &around)),
            }
        };
        items = items.into_iter().enumerate().filter(holds).map(|(_, item)| item).collect();
    }
    items
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    variables: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&self) -> Message {
        let near = self.rest().chars().next().map_or_else(|| "<eof>".to_owned(), |c| c.to_string());
        Message::error(2217, format!("XQuery: syntax error near '{near}', or a construct that is not supported here."))
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn accept(&mut self, text: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Message> {
        if self.accept(text) { Ok(()) } else { Err(self.error()) }
    }

    /// Accepts a word that is not the start of a longer one.
    fn word(&mut self, word: &str) -> bool {
        self.blanks();
        let follows = self.rest().strip_prefix(word).map(|rest| rest.chars().next());
        let found = follows.is_some_and(|next| next.is_none_or(|c| !is_name_part(c)));
        if found {
            self.at += word.len();
        }
        found
    }

    fn list(&mut self) -> Result<Expr, Message> {
        let first = self.or()?;
        if !self.accept(",") {
            return Ok(first);
        }
        let mut parts = vec![first, self.or()?];
        while self.accept(",") {
            parts.push(self.or()?);
        }
        Ok(Expr::List(parts))
    }

    fn or(&mut self) -> Result<Expr, Message> {
        let mut left = self.and()?;
        while self.word("or") {
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, Message> {
        let mut left = self.compare()?;
        while self.word("and") {
            left = Expr::And(Box::new(left), Box::new(self.compare()?));
        }
        Ok(left)
    }

    fn compare(&mut self) -> Result<Expr, Message> {
        let left = self.path()?;
        for op in ["!=", "<=", ">=", "=", "<", ">"] {
            if self.accept(op) {
                return Ok(Expr::Compare(Box::new(left), op, Box::new(self.path()?)));
            }
        }
        for (word, op) in [("eq", "="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")] {
            if self.word(word) {
                return Ok(Expr::Compare(Box::new(left), op, Box::new(self.path()?)));
            }
        }
        Ok(left)
    }

    fn path(&mut self) -> Result<Expr, Message> {
        self.blanks();
        let mut steps = Vec::new();
        let from = match self.primary()? {
            Some(primary) => {
                let conditions = self.conditions()?;
                let primary = match conditions.is_empty() {
                    true => primary,
                    false => Expr::Filtered(Box::new(primary), conditions),
                };
                self.blanks();
                if !self.rest().starts_with('/') {
                    return Ok(primary);
                }
                Some(Box::new(primary))
            }
            None => {
                self.blanks();
                if !self.rest().starts_with('/') {
                    steps.push(self.step(false)?);
                } else if self.rest() == "/" {
                    self.at += 1;
                    return Ok(Expr::Steps(None, Vec::new()));
                }
                None
            }
        };
        loop {
            if self.accept("//") {
                steps.push(self.step(true)?);
            } else if self.accept("/") {
                steps.push(self.step(false)?);
            } else {
                return Ok(Expr::Steps(from, steps));
            }
        }
    }

    /// A literal, something in parentheses, or a call; `None` for a step.
    fn primary(&mut self) -> Result<Option<Expr>, Message> {
        let rest = self.rest();
        match rest.chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.list()?;
                self.expect(")")?;
                Ok(Some(inner))
            }
            Some(quote @ ('"' | '\'')) => {
                let end = rest[1..].find(quote).ok_or_else(|| self.error())?;
                self.at += end + 2;
                Ok(Some(Expr::Literal(rest[1..=end].to_owned())))
            }
            Some(digit) if digit.is_ascii_digit() || digit == '-' => {
                let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(rest.len());
                let number = rest[..length].parse().map_err(|_| self.error())?;
                self.at += length;
                Ok(Some(Expr::Number(number)))
            }
            Some(start) if start.is_alphabetic() => self.call(),
            _ => Ok(None),
        }
    }

    fn call(&mut self) -> Result<Option<Expr>, Message> {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        let name = &rest[..length];
        if !rest[length..].trim_start().starts_with('(') || matches!(name, "text" | "node" | "element") {
            return Ok(None);
        }
        self.at += length;
        self.expect("(")?;
        let mut arguments = Vec::new();
        if !self.accept(")") {
            loop {
                arguments.push(self.or()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        if matches!(name, "sql:variable" | "sql:column") {
            self.variables += 1;
            return Ok(Some(Expr::Variable(self.variables - 1)));
        }
        Ok(Some(Expr::Call(local(name).to_owned(), arguments)))
    }

    fn step(&mut self, deep: bool) -> Result<Step, Message> {
        self.blanks();
        let test = if self.rest().starts_with("..") {
            return Err(self.error());
        } else if self.accept(".") {
            Test::Itself
        } else if self.accept("@") {
            Test::Attribute(self.name()?)
        } else {
            let name = self.name()?;
            match name.as_str() {
                "text" | "node" if self.accept("(") => {
                    self.expect(")")?;
                    if name == "text" { Test::Text } else { Test::Node }
                }
                _ => Test::Child(name.trim_start_matches("child::").to_owned()),
            }
        };
        Ok(Step { deep, test, conditions: self.conditions()? })
    }

    fn conditions(&mut self) -> Result<Vec<Expr>, Message> {
        let mut conditions = Vec::new();
        while self.accept("[") {
            conditions.push(self.or()?);
            self.expect("]")?;
        }
        Ok(conditions)
    }

    fn name(&mut self) -> Result<String, Message> {
        self.blanks();
        if self.accept("*:") {
            return self.name();
        }
        if self.accept("*") {
            return Ok("*".to_owned());
        }
        let rest = self.rest();
        let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.error());
        }
        self.at += length;
        Ok(rest[..length].to_owned())
    }
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.')
}

/// The steps of a path that names places of the tree, for who changes it.
pub(super) fn is_simple(text: &str) -> bool {
    Path::read(text).is_ok_and(|path| matches!(path.expr, Expr::Steps(..) | Expr::Filtered(..)))
}
