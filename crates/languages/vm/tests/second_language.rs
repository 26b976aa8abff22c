//! A small Business BASIC on the machine: the form must be able to express a language other than T-SQL.
//!
//! Numbers are decimals of two places, quotients are rounded to them; variables begin as 0 and ""; a GOTO to a line that
//! there is not goes to the next one; FOR tests at its NEXT; SETERR, RETRY and ERR= take errors.

use mainstay_types::{Decimal, Timestamp, Value, ValueRef};
use mainstay_vm::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const NUMBER: Type = Type::Decimal { precision: 38, scale: 2 };
const PRINT: StatementId = StatementId(1);
const OPEN: StatementId = StatementId(2);

/// A program while it is compiled.
struct Compiler {
    routine: Routine,
    variables: BTreeMap<String, SlotId>,
    lines: BTreeMap<u32, LabelId>,
    /// The variable, limit and label of each FOR that has no NEXT yet.
    loops: Vec<(SlotId, SlotId, LabelId)>,
}

impl Compiler {
    fn program(source: &str) -> Arc<Program> {
        let parsed: Vec<(u32, Vec<&str>)> = source
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(|line| {
                let mut words = line.split_whitespace();
                (words.next().unwrap().parse().unwrap(), words.collect())
            })
            .collect();
        let mut compiler = Compiler {
            routine: Routine::new("toy.bas"),
            variables: BTreeMap::new(),
            lines: BTreeMap::new(),
            loops: Vec::new(),
        };
        for (number, _) in &parsed {
            let label = compiler.routine.label(&number.to_string());
            compiler.lines.insert(*number, label);
        }
        for (number, words) in &parsed {
            compiler.push(*number, StatementKind::Label(compiler.lines[number]));
            let statements = compiler.statement(words);
            // A line is one statement: RETRY does all of it again.
            let statements = statements.into_iter().map(|kind| Statement::new(*number, kind)).collect();
            compiler.push(*number, StatementKind::Group(statements));
        }
        Program::compile(compiler.routine).unwrap_or_else(|error| panic!("{error}"))
    }

    fn push(&mut self, line: u32, kind: StatementKind) {
        self.routine.body.push(Statement::new(line, kind));
    }

    fn variable(&mut self, name: &str) -> SlotId {
        if let Some(slot) = self.variables.get(name) {
            return *slot;
        }
        let slot = match name.ends_with('$') {
            true => self.routine.slot_with(name, Type::TEXT, Value::Text(String::new())),
            false => self.routine.slot_with(name, NUMBER, Value::Decimal(Decimal::new(0, 2))),
        };
        self.variables.insert(name.to_owned(), slot);
        slot
    }

    /// The line, or the next one that there is.
    fn line(&self, word: &str) -> LabelId {
        let number: u32 = word.parse().unwrap();
        *self.lines.range(number..).next().expect("a line").1
    }

    fn term(&mut self, word: &str) -> Expression {
        if let Some(text) = word.strip_prefix('"') {
            return Expression::text(text.trim_end_matches('"'));
        }
        if let Ok(number) = word.parse::<Decimal>() {
            return Expression::constant(NUMBER, Value::Decimal(number.rescale(2).unwrap()));
        }
        let slot = self.variable(word);
        Expression::slot(&self.routine, slot)
    }

    /// From left to right, without priorities.
    fn expression(&mut self, words: &[&str]) -> Expression {
        let mut value = self.term(words[0]);
        for pair in words[1..].chunks(2) {
            let right = self.term(pair[1]);
            value = match pair[0] {
                "+" if value.ty == Type::TEXT => {
                    let (parts, unit) = (vec![value, right], TextUnit::Bytes);
                    Expression::new(Type::TEXT, ExpressionKind::Concat { parts, null_as_empty: true, unit })
                }
                "<" => Expression::compare(CompareOp::Less, value, right),
                "=" => Expression::compare(CompareOp::Equal, value, right),
                op => {
                    let op = match op {
                        "+" => ArithmeticOp::Add,
                        "-" => ArithmeticOp::Subtract,
                        "*" => ArithmeticOp::Multiply,
                        _ => ArithmeticOp::Divide,
                    };
                    Expression::arithmetic(NUMBER, op, value, right)
                }
            };
        }
        value
    }

    fn statement(&mut self, words: &[&str]) -> Vec<StatementKind> {
        match words {
            ["PRINT", rest @ ..] => vec![StatementKind::Host {
                statement: PRINT,
                text: "PRINT".into(),
                inputs: vec![self.expression(rest)],
                outputs: vec![],
                branches: vec![],
            }],
            ["OPEN", name, "ERR=", line] => vec![StatementKind::Host {
                statement: OPEN,
                text: "OPEN".into(),
                inputs: vec![self.term(name)],
                outputs: vec![],
                branches: vec![self.line(line)],
            }],
            ["OPEN", name] => vec![StatementKind::Host {
                statement: OPEN,
                text: "OPEN".into(),
                inputs: vec![self.term(name)],
                outputs: vec![],
                branches: vec![],
            }],
            ["GOTO", line] => vec![StatementKind::Goto(self.line(line))],
            ["GOSUB", line] => vec![StatementKind::Gosub(self.line(line))],
            ["RETURN"] => vec![StatementKind::GosubReturn],
            ["END"] => vec![StatementKind::Return(None)],
            ["SETERR", "0"] => vec![StatementKind::SetHandler(None)],
            ["SETERR", line] => vec![StatementKind::SetHandler(Some(self.line(line)))],
            ["RETRY"] => vec![StatementKind::Resume(Resume::Retry)],
            ["IF", left, op, right, "THEN", rest @ ..] => {
                let condition = self.expression(&[left, op, right]);
                let then = self.statement(rest).into_iter().map(|kind| Statement::new(0, kind)).collect();
                vec![StatementKind::If { condition, then, otherwise: vec![] }]
            }
            ["FOR", name, "=", from, "TO", to] => {
                let (variable, limit) = (self.variable(name), self.routine.slot("", NUMBER));
                let (from, to) = (self.term(from), self.term(to));
                let body = self.routine.label("body");
                self.loops.push((variable, limit, body));
                vec![
                    StatementKind::Assign { target: variable, value: from },
                    StatementKind::Assign { target: limit, value: to },
                    StatementKind::Label(body),
                ]
            }
            ["NEXT"] => {
                let (variable, limit, body) = self.loops.pop().expect("a FOR");
                let (value, limit) =
                    (Expression::slot(&self.routine, variable), Expression::slot(&self.routine, limit));
                let one = Expression::constant(NUMBER, Value::Decimal(Decimal::new(100, 2)));
                let next = Expression::arithmetic(NUMBER, ArithmeticOp::Add, value.clone(), one);
                let again = Expression::compare(CompareOp::LessOrEqual, value, limit);
                let then = vec![Statement::new(0, StatementKind::Goto(body))];
                vec![
                    StatementKind::Assign { target: variable, value: next },
                    StatementKind::If { condition: again, then, otherwise: vec![] },
                ]
            }
            [name, "=", rest @ ..] => {
                let value = self.expression(rest);
                vec![StatementKind::Assign { target: self.variable(name), value }]
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A screen, and files that exist only after two accesses.
#[derive(Default)]
struct Screen {
    printed: Vec<String>,
    asked: usize,
}

impl Host for Screen {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        if call.statement() == PRINT {
            let shown = match call.input(0) {
                ValueRef::Text(text) => text.to_owned(),
                other => other.to_string(),
            };
            self.printed.push(shown);
            return Ok(Flow::NEXT);
        }
        self.asked += 1;
        match call.branches() {
            _ if self.asked > 2 => Ok(Flow::NEXT),
            0 => Err(Raised::new(12, 16, 0, "File does not exist")),
            _ => Ok(Flow::branch(0)),
        }
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        Err(Raised::new(12, 16, 0, name))
    }

    fn stamp(&self) -> u64 {
        0
    }

    fn fault(&mut self, fault: Fault) -> FaultAnswer {
        let number = match fault {
            Fault::DivideByZero => 40,
            Fault::ReturnWithoutGosub => 27,
            _ => 41,
        };
        let mut raised = Raised::of(fault);
        raised.number = number;
        FaultAnswer::Raise(raised)
    }

    fn now(&mut self) -> Timestamp {
        Timestamp(0)
    }
}

fn printed(source: &str) -> Vec<String> {
    let mut screen = Screen::default();
    let program = Compiler::program(source);
    Machine::new(Limits::default()).run(&mut screen, &program, &[]).unwrap_or_else(|error| panic!("{error}"));
    screen.printed
}

#[test]
fn loops_subroutines_and_texts() {
    let source = r#"
        10 FOR I = 1 TO 3
        20 GOSUB 100
        30 NEXT
        40 PRINT T$
        50 IF I < 4 THEN END
        60 FOR J = 9 TO 1
        70 PRINT "once"
        80 NEXT
        90 END
        100 T$ = T$ + "x"
        110 S = S + I
        120 PRINT S
        130 RETURN"#;
    assert_eq!(printed(source), ["1.00", "3.00", "6.00", "xxx", "once"]);
}

#[test]
fn quotients_are_rounded_to_the_precision() {
    assert_eq!(printed("10 PRINT 2 / 3 * 3"), ["2.01"]);
}

#[test]
fn a_line_that_there_is_not_means_the_next_one() {
    assert_eq!(printed("10 GOTO 15\n20 PRINT 1\n30 PRINT 2"), ["1.00", "2.00"]);
}

#[test]
fn errors_go_to_their_lines_and_come_back() {
    let source = r#"
        10 SETERR 100
        20 A = 1 / B
        30 PRINT A
        40 OPEN "file" ERR= 60
        50 PRINT "never"
        60 OPEN "file"
        70 PRINT "open"
        80 END
        100 PRINT "error"
        110 B = 4
        120 RETRY"#;
    // 1 / 0, then 1 / 4; the branch of the statement itself; the handler once more for a file that is not there yet.
    assert_eq!(printed(source), ["error", "0.25", "error", "open"]);
}

#[test]
fn an_error_without_a_handler_has_the_language_s_number_and_its_line() {
    let program = Compiler::program("10 A = 1\n20 RETURN");
    let error = Machine::new(Limits::default()).run(&mut Screen::default(), &program, &[]).unwrap_err();
    assert_eq!((error.number, error.line, error.routine.as_deref()), (27, 20, Some("toy.bas")));
}
