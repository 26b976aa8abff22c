//! Rules that no file of Harbour's shows: FoxPro's, NULLs, abbreviations, refusals, static lengths, and
//! the parts of a key that a planner looks at.

use mainstay_types::{Code, Date, Error};
use mainstay_xbase::dbf::{Field, FieldKind};
use mainstay_xbase::expr::{Compiled, Context, Dialect, ExprValue, Expression, KeySource, Kind, Memos, Scratch};

fn field(name: &str, letter: u8, kind: FieldKind, offset: usize, length: usize, decimals: u8) -> Field {
    Field { name: name.into(), kind, letter, offset, length, decimals, null_bit: None, varying_bit: None, adt: None }
}

/// NAME C(10), BAL N(8,2), ID N(6), BORN D, WTS T, ACTIVE L, NOTE M, VC V(5), and the null flags, in which
/// bit 0 is for BAL, bit 1 for VC's length.
fn fields() -> Vec<Field> {
    let mut fields = vec![
        field("NAME", b'C', FieldKind::Character, 1, 10, 0),
        field("BAL", b'N', FieldKind::Numeric, 11, 8, 2),
        field("ID", b'N', FieldKind::Numeric, 19, 6, 0),
        field("BORN", b'D', FieldKind::Date, 25, 8, 0),
        field("WTS", b'T', FieldKind::Timestamp, 33, 8, 0),
        field("ACTIVE", b'L', FieldKind::Logical, 41, 1, 0),
        field("NOTE", b'M', FieldKind::Memo, 42, 4, 0),
        field("VC", b'V', FieldKind::Varchar, 46, 5, 0),
        field("LONGNAME01", b'C', FieldKind::Character, 1, 4, 0),
        field("_NullFlags", b'0', FieldKind::NullFlags, 51, 1, 0),
    ];
    fields[1].null_bit = Some(51 * 8);
    fields[7].varying_bit = Some(51 * 8 + 1);
    fields
}

fn record(flags: u8) -> Vec<u8> {
    let mut record = b" Adam Smith  -12.50    4220000229".to_vec();
    record.extend_from_slice(&2_451_604i32.to_le_bytes());
    record.extend_from_slice(&45_296_000i32.to_le_bytes());
    record.extend_from_slice(b"T    abc");
    record.extend_from_slice(&[b' ', 3, flags]);
    record
}

fn compile(text: &str, dialect: Dialect) -> Result<Compiled, Error> {
    let fields = fields();
    Expression::parse(text)?.compile(&Context { dialect, ..Context::new(&fields) })
}

fn evaluate(text: &str, dialect: Dialect, flags: u8) -> String {
    let Ok(compiled) = compile(text, dialect) else { return "refused".into() };
    let (mut scratch, record) = (Scratch::new(), record(flags));
    match compiled.evaluate(&mut scratch, &record, 7) {
        Ok(ExprValue::Character(text)) => String::from_utf8_lossy(text).into_owned(),
        Ok(ExprValue::Number(number)) => number.to_string(),
        Ok(ExprValue::Date(day)) => Date::from_julian(day).to_string(),
        Ok(ExprValue::Timestamp { day, ms }) => format!("{day} {ms}"),
        Ok(ExprValue::Logical(value)) => value.to_string(),
        Ok(ExprValue::Null) => "NULL".into(),
        Err(error) => format!("{:?}", error.code()),
    }
}

/// The same of a condition, with a memo at hand.
fn ask(text: &str, note: &[u8], flags: u8) -> String {
    let fields = fields();
    let context = Context { memos: Memos::Given, ..Context::new(&fields) };
    let compiled = match Expression::parse(text).and_then(|expression| expression.compile(&context)) {
        Ok(compiled) => compiled,
        Err(error) => return format!("{:?}", error.code()),
    };
    let given = compiled.memos().map(|field| (field, note.to_vec())).collect::<Vec<_>>();
    match compiled.evaluate_with(&mut Scratch::new(), &record(flags), 7, &given) {
        Ok(ExprValue::Number(number)) => number.to_string(),
        Ok(ExprValue::Logical(value)) => value.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn conditions_have_memos_and_keys_have_not() {
    let long = [&b"x".repeat(200_000)[..], b"end"].concat();
    for (text, note, expected) in [
        ("EMPTY(NOTE)", &b"  "[..], "true"),
        ("EMPTY(NOTE)", b"a", "false"),
        ("'end' $ NOTE", &long, "true"),
        ("LEN(NOTE)", &long, "200003"),
        ("'END' $ UPPER(NOTE) .AND. LEN(NOTE + NOTE) = 400006", &long, "true"),
        ("NOTE = 'Ad'", b"Adam", "true"),
        ("NOTE = NAME", b"Adam Smith jr.", "true"),
        ("ID > 100 .OR. NOTE == 'Ad'", b"Ad", "true"),
        ("NOTE > 5", b"", "TypeMismatch"),
        (
            "LEN(REPLICATE(NOTE, 1000))",
            &long,
            "Err([invalid_value] record 7: a text of the expression is over 67108864 bytes)",
        ),
        ("WEEK(BORN)", b"", "10"),
        ("ISNULL(BAL) .OR. NVL(ID, 1) <> 42", b"", "false"),
    ] {
        assert_eq!(ask(text, note, 0), expected, "{text}");
    }
    assert_eq!(ask("ISNULL(BAL)", b"", 1), "true");
    for key in ["NOTE", "LEN(NOTE)", "WEEK(BORN)"] {
        assert_eq!(compile(key, Dialect::Clipper).unwrap_err().code(), Code::Unsupported, "{key}");
    }
    let fields = fields();
    let context = Context { memos: Memos::Given, ..Context::new(&fields) };
    let compiled = Expression::parse("EMPTY(NOTE)").unwrap().compile(&context).unwrap();
    assert_eq!(compiled.memos().collect::<Vec<_>>(), [6]);
    let error = compiled.evaluate(&mut Scratch::new(), &record(0), 7).unwrap_err();
    assert_eq!(error.code(), Code::Unsupported);
}

#[test]
fn functions_of_advantage() {
    for (text, expected) in [
        ("REVERSE('abc')", "cba"),
        ("I2BIN(BIN2I('AB'))", "AB"),
        ("L2BIN(BIN2L('ABCD') + 0.9)", "ABCD"),
        ("BIN2I(I2BIN(-2))", "-2"),
        ("BIN2W(I2BIN(-2))", "65534"),
        ("BIN2L(L2BIN(-70000))", "-70000"),
        ("BIN2L('A')", "65"),
        ("STOTS('19950216 2:00:00pm')", "2449765 50400000"),
        ("STOTS('19950216 12:30am')", "2449765 1800000"),
        ("STOTS('19950216 14:00:00.55')", "2449765 50400550"),
        ("STOTS('19950216')", "2449765 0"),
        ("STOTS('19950231 10:00')", "0 0"),
        ("STOTS('19950216 25:00')", "0 0"),
        ("TSTOD(WTS)", "2000-02-29"),
    ] {
        assert_eq!(evaluate(text, Dialect::Clipper, 0), expected, "{text}");
    }
    assert_eq!(evaluate("REVERSE(NAME)", Dialect::FoxPro, 0), "refused");
}

#[test]
fn foxpro_has_rules_of_its_own() {
    for (text, clipper, foxpro) in [
        ("STR(BAL)", "  -12.50", "       -13"),
        ("(ID - 49) % 3", "-1", "2"),
        ("ID / 0", "0", "DivisionByZero"),
        ("WTS = BORN", "true", "refused"),
        ("WTS == BORN", "false", "refused"),
        ("LTRIM(CHR(9)+NAME)", "Adam Smith", "\tAdam Smith"),
        ("STR(BAL, 3)", "-13", "-13"),
        ("STR(BAL, 2)", "**", "Unsupported"),
    ] {
        assert_eq!(evaluate(text, Dialect::Clipper, 0), clipper, "{text}");
        assert_eq!(evaluate(text, Dialect::FoxPro, 0), foxpro, "{text}");
    }
    for (text, value) in [
        ("DTOC(BORN,1)", "20000229"),
        ("TTOC(WTS,1)", "20000229123456"),
        ("HOUR(WTS)*10000+MINUTE(WTS)*100+SEC(WTS)", "123456"),
        ("TTOD(WTS) = BORN", "true"),
        ("DTOT(BORN)", "2451604 0"),
        ("CHRTRAN(NAME,'dm ','D')", "ADaSith"),
        ("INLIST(ID,1,42,3) AND NOT BETWEEN(BAL,0,1)", "true"),
        ("LIKE('A*th',NAME)", "true"),
        ("LEFT(VC,3)+'|'", "abc|"),
        ("BINTOC(ID,2)=CHR(128)+CHR(42)", "true"),
        ("CTOBIN(BINTOC(-ID,4))", "-42"),
        ("MYTABLE.NAME=[Adam]", "true"),
    ] {
        assert_eq!(evaluate(text, Dialect::FoxPro, 0), value, "{text}");
    }
    for text in
        ["DESCEND(NAME)", "STRZERO(ID,5)", "SUBSTR(NAME,-2)", "PADL(ID,5)", "CTOD('01/02/99')", "WTS+1", "TTOC(WTS)"]
    {
        assert!(compile(text, Dialect::FoxPro).is_err(), "{text}");
    }
}

#[test]
fn nulls_pass_through_in_foxpro_and_are_empty_in_clipper() {
    for (text, foxpro) in [
        ("BAL", "NULL"),
        ("STR(BAL,8,2)+NAME", "NULL"),
        ("NVL(BAL,0)", "0"),
        ("ISNULL(BAL)", "true"),
        ("BAL > 0 .OR. ACTIVE", "Unsupported"),
        ("NAME", "Adam Smith"),
        ("IIF(BAL < 0, 'a', 'b')", "b"),
        ("IIF(.NOT. BAL < 0, 'a', 'b')", "b"),
        ("IIF(BAL < 0, 'a', IIF(BAL >= 0, 'b', 'c'))", "c"),
        ("STR(BAL,8,2)+IIF(BAL < 0, 'a', 'b')", "NULL"),
        ("IIF(BAL < 0, 'a', STR(BAL,8,2))", "NULL"),
        ("IIF(ACTIVE, NAME, STR(BAL,8,2))", "Adam Smith"),
        ("IIF(BAL < 0 .OR. ACTIVE, 'a', 'b')", "Unsupported"),
    ] {
        assert_eq!(evaluate(text, Dialect::FoxPro, 1), foxpro, "{text}");
    }
    assert_eq!(evaluate("NVL(BAL,0)", Dialect::FoxPro, 0), "-12.5");
    assert_eq!(evaluate("BAL", Dialect::Clipper, 1), "-12.5");
    assert_eq!(compile("NVL(BAL,0)", Dialect::Clipper).unwrap_err().code(), Code::Unsupported);
    // The other flag says that the last byte of VC is its length.
    assert_eq!(evaluate("VC", Dialect::FoxPro, 2), "abc");
}

#[test]
fn names_are_found_as_the_programs_find_them() {
    for (text, value) in [
        ("uppe(name)", "ADAM SMITH"),
        ("field->name", "Adam Smith"),
        ("any->id", "42"),
        ("longname01x", "Adam"),
        ("subs(name,6)", "Smith"),
        ("recno()", "7"),
        ("iif(dele(),1,2)", "2"),
    ] {
        assert_eq!(evaluate(text, Dialect::Clipper, 0), value, "{text}");
    }
    assert_eq!(
        Expression::parse("a->x + b->y + field->z").unwrap().aliases().into_iter().collect::<Vec<_>>(),
        ["A", "B"]
    );
}

#[test]
fn what_is_not_understood_is_refused_with_its_place() {
    for (text, code, place, hint) in [
        ("UPPER(NAM)", Code::UnknownColumn, (6, 9), Some("did you mean NAME?")),
        ("UPER(NAME)", Code::UnknownFunction, (0, 4), Some("did you mean UPPER()?")),
        ("DTOS(DATE())", Code::Unsupported, (5, 9), None),
        ("NAME + MyKey(ID)", Code::UnknownFunction, (7, 12), Some("functions of the program")),
        ("NAME + ID", Code::TypeMismatch, (0, 9), None),
        ("NOTE", Code::Unsupported, (0, 4), None),
        ("LEFT(NAME)", Code::UnknownFunction, (0, 10), None),
        ("IIF(ACTIVE,1,'a')", Code::Unsupported, (13, 16), None),
        ("M->x", Code::Unsupported, (0, 4), Some("only fields")),
        ("&macro", Code::Unsupported, (0, 1), None),
        ("STR(VAL(NAME))", Code::Unsupported, (0, 14), Some("STR() has a width")),
        (".NOT. NAME", Code::TypeMismatch, (6, 10), None),
    ] {
        let error = compile(text, Dialect::Clipper).unwrap_err();
        assert_eq!((error.code(), error.text_span()), (code, Some(place)), "{text}: {error}");
        match (hint, error.hint_text()) {
            (Some(wanted), Some(hint)) => assert!(hint.contains(wanted), "{text}: {hint}"),
            (wanted, hint) => assert_eq!(wanted.is_some(), hint.is_some() && wanted.is_some(), "{text}: {hint:?}"),
        }
    }
}

#[test]
fn lengths_are_known_before_a_record_is_read() {
    for (text, length, max) in [
        ("NAME", Some(10), 10),
        ("UPPER(NAME)+DTOS(BORN)", Some(18), 18),
        ("LEFT(NAME,3)", Some(3), 3),
        ("LEFT(NAME,30)", Some(10), 10),
        ("SUBSTR(NAME,3)", Some(8), 8),
        ("SUBSTR(NAME,9,5)", Some(2), 2),
        ("SUBSTR(NAME,-4,3)", Some(3), 3),
        ("STR(BAL)", Some(8), 8),
        ("STR(BAL,12,2)+NAME", Some(22), 22),
        ("STR(ID,8-2)", Some(6), 6),
        ("TRIM(NAME)", None, 10),
        ("TRIM(NAME)+STR(ID)", None, 16),
        ("PADR(TRIM(NAME),15)", Some(15), 15),
        ("IIF(ACTIVE,'A','BC')", None, 2),
        ("NAME-STR(ID)", Some(16), 16),
        ("VC", None, 5),
        ("STRZERO(ID,8)", Some(8), 8),
        ("REPLICATE('ab',3)", Some(6), 6),
        ("CDOW(BORN)", None, 9),
    ] {
        let result = compile(text, Dialect::Clipper).unwrap().result_type();
        assert_eq!((result.kind, result.length, result.max_length), (Kind::Character, length, max), "{text}");
    }
    let result = compile("BAL*BAL", Dialect::Clipper).unwrap().result_type();
    assert_eq!((result.kind, result.length, result.decimals), (Kind::Numeric, Some(15), Some(4)));
    assert_eq!(compile("BORN+1", Dialect::Clipper).unwrap().result_type().kind, Kind::Date);
}

#[test]
fn the_parts_of_a_key_are_recognised() {
    let text = |field, length, upper| KeySource::Text { field, length, upper };
    for (key, sources) in [
        ("NAME", vec![KeySource::Field(0)]),
        ("UPPER(NAME)", vec![text(0, 10, true)]),
        ("LEFT(UPPER(NAME),3)+DTOS(BORN)", vec![text(0, 3, true), KeySource::Dtos(3)]),
        (
            "SUBSTR(NAME,1,4)+STR(BAL,12,2)",
            vec![text(0, 4, false), KeySource::Str { field: 1, width: 12, decimals: 2 }],
        ),
        (
            "NAME+(STR(ID)+STRZERO(ID,8))",
            vec![
                KeySource::Field(0),
                KeySource::Str { field: 2, width: 6, decimals: 0 },
                KeySource::StrZero { field: 2, width: 8, decimals: 0 },
            ],
        ),
        ("NAME+SUBSTR(NAME,2,3)", vec![KeySource::Field(0), KeySource::Other]),
        ("ID+BAL", vec![KeySource::Other]),
        ("TRIM(NAME)", vec![KeySource::Other]),
    ] {
        let compiled = compile(key, Dialect::Clipper).unwrap();
        let found: Vec<KeySource> = compiled.parts().iter().map(|part| part.source.clone()).collect();
        assert_eq!(found, sources, "{key}");
    }
    let compiled = compile("DESCEND(DTOS(BORN))+NAME", Dialect::Clipper).unwrap();
    let first = &compiled.parts()[0];
    assert_eq!((&first.source, first.descending, first.length), (&KeySource::Dtos(3), true, Some(8)));
    assert_eq!(compiled.fields(), [3, 0]);
}

#[test]
fn conditions_on_deleted_records_are_recognised() {
    for text in ["!DELETED()", ".not. dele()", "NOT DELETED()", "DELETED()=.F.", "(! Deleted())"] {
        assert!(Expression::parse(text).unwrap().is_not_deleted(), "{text}");
    }
    for text in ["DELETED()", "!ACTIVE", "!DELETED() .AND. ACTIVE"] {
        assert!(!Expression::parse(text).unwrap().is_not_deleted(), "{text}");
    }
}

#[test]
fn a_short_record_is_damage_and_a_long_text_an_error() {
    let compiled = compile("NAME", Dialect::Clipper).unwrap();
    let error = compiled.evaluate(&mut Scratch::new(), b" abc", 3).unwrap_err();
    assert_eq!((error.code(), error.place()), (Code::Damaged, Some("record 3")));
    assert_eq!(evaluate("REPLICATE(NAME,ID*1000)", Dialect::Clipper, 0), "InvalidValue");
    assert!(compile("SPACE(70000)", Dialect::Clipper).is_err());
}
