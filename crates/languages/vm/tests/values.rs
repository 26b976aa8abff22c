//! Values of the types that the random tests leave out, units of text, and native functions.

mod common;

use common::build::*;
use common::*;
use mainstay_types::{Date, Interval, Time, Timestamp, Value, ValueRef};
use mainstay_vm::*;

fn constant(ty: Type, value: Value) -> Expression {
    Expression::constant(ty, value)
}

fn give(e: Expression) -> Value {
    evaluate(&mut TestHost::default(), Routine::new("main"), e).unwrap()
}

fn fault(e: Expression) -> Fault {
    let error = evaluate(&mut TestHost::default(), Routine::new("main"), e).unwrap_err();
    error.fault.expect("a fault")
}

/// Values of every type but numbers and text, the smaller first.
fn pairs() -> Vec<(Type, Value, Value)> {
    let moment = |ticks, offset_minutes| Value::TimestampWithOffset { utc: Timestamp(ticks), offset_minutes };
    vec![
        (Type::Boolean, Value::Boolean(false), Value::Boolean(true)),
        (Type::Date, Value::Date(Date(-5)), Value::Date(Date(7))),
        (Type::Time, Value::Time(Time(0)), Value::Time(Time(86_399))),
        (Type::Timestamp, Value::Timestamp(Timestamp(-1)), Value::Timestamp(Timestamp(1 << 60))),
        (Type::TimestampWithOffset, moment(5, 600), moment(6, -600)),
        (Type::Uuid, Value::Uuid([1; 16]), Value::Uuid([2; 16])),
        (Type::BYTES, Value::Binary(vec![1]), Value::Binary(vec![1, 0])),
        (Type::Handle, Value::Integer(1), Value::Integer(2)),
        (Type::Real, Value::Float(0.5), Value::Float(0.75)),
    ]
}

#[test]
fn every_type_keeps_its_values_in_slots_and_compares() {
    for (ty, small, large) in pairs() {
        let mut r = Routine::new("main");
        let slot = r.slot_with("@x", ty, small.clone());
        r.body = lines(1, vec![assign(slot, constant(ty, large.clone()))]);
        let (mut host, again) = (TestHost::default(), Expression::slot(&r, slot));
        assert_eq!(evaluate(&mut host, r.clone(), again.clone()).unwrap(), large);
        let less = Expression::compare(CompareOp::Less, constant(ty, small), again);
        assert_eq!(evaluate(&mut host, r, less).unwrap(), Value::Boolean(true), "{ty}");
        let null = Expression::compare(CompareOp::NotEqual, constant(ty, large), Expression::null(ty));
        assert_eq!(give(null), Value::Null, "{ty}");
    }
    let interval = Value::Interval(Interval { months: 1, days: 2, ticks: 3 });
    assert_eq!(give(constant(Type::Interval, interval.clone())), interval);
}

#[test]
fn any_carries_its_kind() {
    for (ty, value, _) in pairs() {
        let boxed = constant(ty, value.clone()).convert(Type::Any);
        assert_eq!(give(boxed.clone()), value);
        assert_eq!(give(boxed.clone().convert(ty)), value);
        let wrong = if ty == Type::BYTES { Type::TEXT } else { Type::BYTES };
        assert_eq!(fault(boxed.convert(wrong)), Fault::TypeMismatch { to: wrong });
    }
    let wide = constant(Type::I64, Value::Integer(1 << 40)).convert(Type::Any).convert(Type::I32);
    assert_eq!(fault(wide), Fault::Overflow { to: Type::I32 });
    assert_eq!(give(Expression::is_null(Expression::null(Type::Any))), Value::Boolean(true));
}

#[test]
fn trailing_zeros_of_bytes_count_unless_padded() {
    let bytes = |bytes: &[u8]| constant(Type::BYTES, Value::Binary(bytes.to_vec()));
    let equal = |pads| {
        let collation = mainstay_types::Collation::Binary;
        Expression::compare_text(CompareOp::Equal, collation, pads, bytes(&[1, 2]), bytes(&[1, 2, 0, 0]))
    };
    assert_eq!((give(equal(true)), give(equal(false))), (Value::Boolean(true), Value::Boolean(false)));
    let parts = vec![bytes(&[1, 2]), bytes(&[3, 4])];
    let unit = TextUnit::Bytes;
    let ty = Type::Bytes { limit: Some(3) };
    let concat = Expression::new(ty, ExpressionKind::Concat { parts, null_as_empty: false, unit });
    assert_eq!(give(concat), Value::Binary(vec![1, 2, 3]));
    assert_eq!(give(bytes(&[9]).fit(ty, unit, true, true)), Value::Binary(vec![9, 0, 0]));
    assert_eq!(give(bytes(&[9, 8, 7, 0]).fit(ty, unit, false, true)), Value::Binary(vec![9, 8, 7]));
    assert_eq!(fault(bytes(&[9, 8, 7, 6]).fit(ty, unit, false, true)), Fault::TooLong { to: ty });
}

#[test]
fn limits_of_text_count_their_unit_and_cut_no_character() {
    // Four characters: one byte, two bytes, four bytes (two units of UTF-16), one byte.
    let text = || Expression::text("aé\u{1F600}z");
    let cut = |limit, unit| match give(text().fit(Type::Text { limit: Some(limit) }, unit, false, false)) {
        Value::Text(text) => text,
        other => panic!("{other}"),
    };
    assert_eq!(cut(3, TextUnit::Characters), "aé\u{1F600}");
    assert_eq!(cut(3, TextUnit::Utf16), "aé");
    assert_eq!(cut(4, TextUnit::Utf16), "aé\u{1F600}");
    assert_eq!(cut(5, TextUnit::Utf16), "aé\u{1F600}z");
    assert_eq!(cut(2, TextUnit::Bytes), "a");
    assert_eq!(cut(6, TextUnit::Bytes), "aé");
    assert_eq!(cut(7, TextUnit::Bytes), "aé\u{1F600}");
    let padded = |unit| give(text().fit(Type::Text { limit: Some(8) }, unit, true, false));
    assert_eq!(padded(TextUnit::Characters), Value::Text("aé\u{1F600}z    ".into()));
    assert_eq!(padded(TextUnit::Utf16), Value::Text("aé\u{1F600}z   ".into()));
    assert_eq!(padded(TextUnit::Bytes), Value::Text("aé\u{1F600}z".into()));
}

#[test]
fn shifts_stay_within_their_width() {
    let shift = |op, ty, a: i64, by: i64| {
        let (left, right) =
            (Box::new(constant(ty, Value::Integer(a))), Box::new(constant(Type::I64, Value::Integer(by))));
        give(Expression::new(ty, ExpressionKind::Bitwise { op, left, right }))
    };
    let (left, right) = (BitwiseOp::ShiftLeft, BitwiseOp::ShiftRight);
    assert_eq!(shift(left, Type::I32, 1, 31), Value::Integer(i32::MIN.into()));
    assert_eq!(shift(left, Type::I32, 1, 32), Value::Integer(0));
    assert_eq!(shift(right, Type::I32, -1, 28), Value::Integer(15));
    assert_eq!(shift(left, Type::I64, 1, -1), Value::Integer(0));
    assert_eq!(shift(right, Type::Integer(Width::U8), 255, 4), Value::Integer(15));
    assert_eq!(shift(right, Type::I64, -1, i64::MIN), Value::Integer(0));
}

#[test]
fn reals_are_rounded_after_each_operation() {
    let real = |number: f32| constant(Type::Real, Value::Float(number.into()));
    let sum = Expression::arithmetic(Type::Real, ArithmeticOp::Add, real(0.1), real(0.2));
    assert_eq!(give(sum), Value::Float(f64::from(0.1f32 + 0.2f32)));
    let large = Expression::arithmetic(Type::Real, ArithmeticOp::Multiply, real(f32::MAX), real(2.0));
    assert_eq!(fault(large), Fault::Overflow { to: Type::Real });
    assert_eq!(
        fault(constant(Type::Float, Value::Float(1e300)).convert(Type::Real)),
        Fault::Overflow { to: Type::Real }
    );
}

fn native(ty: Type, call: NativeCall, arguments: Vec<Expression>) -> Expression {
    Expression::native(ty, NativeFunction { name: "test", call }, arguments)
}

#[test]
fn native_functions_get_values_and_give_any_kind() {
    let count: NativeCall = |_, arguments| Ok(Produced::Integer(arguments.len() as i64));
    for n in [0, 1, 6, 7, 40] {
        assert_eq!(give(native(Type::I32, count, vec![Expression::int(1); n])), Value::Integer(n as i64));
    }
    let nulls: NativeCall = |_, arguments| Ok(arguments.iter().all(|argument| argument.is_null()).into());
    assert_eq!(give(native(Type::Boolean, nulls, vec![Expression::null(Type::TEXT)])), Value::Boolean(true));
    let bytes: NativeCall = |context, _| {
        context.bytes().extend_from_slice(&[7; 3]);
        Ok(Produced::Bytes)
    };
    assert_eq!(give(native(Type::BYTES, bytes, vec![])), Value::Binary(vec![7; 3]));
    // A result of another type than the form declares is an error.
    assert_eq!(fault(native(Type::TEXT, bytes, vec![])), Fault::TypeMismatch { to: Type::TEXT });
    assert_eq!(fault(native(Type::I32, bytes, vec![])), Fault::TypeMismatch { to: Type::I32 });
    let large: NativeCall = |_, _| Ok(Produced::Integer(1 << 40));
    assert_eq!(fault(native(Type::I32, large, vec![])), Fault::Overflow { to: Type::I32 });
    let half: NativeCall = |_, _| Ok(Produced::Decimal(mainstay_types::Decimal::new(125, 2)));
    let ty = Type::Decimal { precision: 3, scale: 1 };
    assert_eq!(give(native(ty, half, vec![])), Value::Decimal(mainstay_types::Decimal::new(13, 1)));
    let owned: NativeCall = |_, _| Ok(Produced::Value(Value::Text("owned".into())));
    assert_eq!(give(native(Type::TEXT, owned, vec![])), Value::Text("owned".into()));
}

#[test]
fn native_functions_raise_errors_and_faults() {
    let raises: NativeCall = |_, _| Err(Raised::new(245, 16, 1, "Conversion failed."));
    let error =
        evaluate(&mut TestHost::default(), Routine::new("main"), native(Type::I32, raises, vec![])).unwrap_err();
    assert_eq!((error.number, error.line), (245, 1));
    let faults: NativeCall = |context, _| context.fault(Fault::DivideByZero);
    assert_eq!(fault(native(Type::I32, faults, vec![])), Fault::DivideByZero);
    let mut host = TestHost { faults_are_null: true, ..TestHost::default() };
    let value = evaluate(&mut host, Routine::new("main"), native(Type::I32, faults, vec![])).unwrap();
    assert_eq!(value, Value::Null);
    // ERROR_NUMBER() and ERROR_LINE().
    let number: NativeCall =
        |context, _| Ok(context.error().map_or(Produced::Null, |e| Produced::Integer(e.number.into())));
    let mut r = Routine::new("main");
    let shown = || note(native(Type::I32, number, vec![]));
    let attempt = StatementKind::Try { body: lines(2, vec![raise("x")]), catch: lines(3, vec![shown()]) };
    r.body = lines(1, vec![attempt, shown()]);
    let mut host = TestHost::default();
    run(&mut host, r).unwrap();
    assert_eq!(host.notes, ["50000", "NULL"]);
}

/// Counts its calls in the session, and gives its own number.
struct Numbered(i64);

impl Operation for Numbered {
    fn name(&self) -> &str {
        "numbered"
    }

    fn call(&self, context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
        let (session, scratch) = context.session_and_scratch::<Vec<String>>();
        let notes = session.expect("the notes");
        notes.push(format!("{} {}", self.0, arguments[0]));
        scratch.text().push_str(&notes.join(", "));
        Ok(Produced::Text)
    }
}

#[test]
fn operations_have_something_of_their_own_and_see_the_session() {
    let operation =
        |number, argument| Expression::operation(Type::TEXT, std::sync::Arc::new(Numbered(number)), vec![argument]);
    let inner = operation(7, Expression::int(1));
    assert_eq!((inner.clone(), inner == operation(7, Expression::int(1))), (inner.clone(), false));
    let mut host = TestHost::default();
    let value = evaluate(&mut host, Routine::new("main"), operation(8, inner)).unwrap();
    assert_eq!(value, Value::Text("7 1, 8 '7 1'".into()));
    assert_eq!(host.notes, ["7 1", "8 '7 1'"]);
}

#[test]
fn native_functions_know_how_much_room_there_is() {
    let fills: NativeCall = |context, arguments| {
        let ValueRef::Integer(count) = arguments[0] else { return Ok(Produced::Null) };
        if count as usize > context.room() {
            return Err(Fault::MemoryLimit.into());
        }
        context.text().extend(std::iter::repeat_n('x', count as usize));
        Ok(Produced::Text)
    };
    let mut r = Routine::new("main");
    let t = r.slot("@t", Type::TEXT);
    let fill = |count| native(Type::TEXT, fills, vec![Expression::int(count)]);
    r.body = lines(1, vec![assign(t, fill(1000)), note_text("fits"), assign(t, fill(100_000))]);
    let program = Program::compile(r).unwrap();
    let mut host = TestHost::default();
    let mut machine = Machine::new(Limits { text_bytes: 50_000, ..Limits::default() });
    let error = machine.run(&mut host, &program, &[]).unwrap_err();
    assert_eq!((error.fault, error.line, host.notes.len()), (Some(Fault::MemoryLimit), 3, 1));
}

#[test]
fn values_of_the_host_are_computed_where_they_stand() {
    let host_value = |text: &str| {
        let kind =
            ExpressionKind::HostCall { statement: COPY, text: text.into(), arguments: vec![Expression::int(20)] };
        Expression::new(Type::I32, kind)
    };
    let mut host = TestHost::default();
    let sum = add(host_value("a"), host_value("b"));
    assert_eq!(evaluate(&mut host, Routine::new("main"), sum).unwrap(), Value::Integer(40));
    // Not looked at when the left side decides.
    let never = Expression::and(Expression::boolean(false), less(host_value("c"), Expression::int(1)));
    assert_eq!(evaluate(&mut host, Routine::new("main"), never).unwrap(), Value::Boolean(false));
    assert_eq!(host.statements, 2);
}

#[test]
fn programs_are_shared_and_machines_move_between_threads() {
    fn shared<T: Send + Sync>() {}
    fn moved<T: Send>() {}
    shared::<Program>();
    shared::<Routine>();
    moved::<Machine>();
    moved::<Box<Raised>>();
}
