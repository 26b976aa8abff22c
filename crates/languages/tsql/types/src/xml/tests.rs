//! Results of the methods for small texts, by the examples in the reference of each method.

use super::{Given, check_single, exist, modify, nodes, query, value};

const ORDERS: &str = r#"<orders><order id="1"><line qty="2">pen</line><line qty="3">ink &amp; pot</line></order>
    <order id="2" gone="yes"/></orders>"#;

fn first(path: &str) -> Option<String> {
    value(ORDERS, path, &[]).unwrap()
}

#[test]
fn paths_lead_to_values() {
    assert_eq!(first("(/orders/order/@id)[2]").as_deref(), Some("2"));
    assert_eq!(first("(//line)[2]").as_deref(), Some("ink & pot"));
    assert_eq!(first("/orders[1]/order[@id=\"1\"]/line[last()]/@qty").as_deref(), Some("3"));
    assert_eq!(first("(/orders/order/line/text())[1]").as_deref(), Some("pen"));
    assert_eq!(first("count(//line)").as_deref(), Some("2"));
    assert_eq!(first("sum(//line/@qty)").as_deref(), Some("5"));
    assert_eq!(first("/orders/nothing"), None);
    assert_eq!(
        value(ORDERS, "(//order[@id=sql:variable(\"@x\")]/line)[1]", &[Some(Given::Text("1"))]).unwrap().as_deref(),
        Some("pen")
    );
    assert_eq!(first("(/orders/order[2]/../order[1]/@id)[1]").as_deref(), Some("1"));
    assert_eq!(value(ORDERS, "/a/[1]", &[]).unwrap_err().number, 2217);
    assert_eq!(value("<a><b></a>", "/a", &[]).unwrap_err().number, 9436);
}

#[test]
fn conditions_and_queries() {
    assert!(exist(ORDERS, "/orders/order[@id = 2 and @gone]", &[]).unwrap());
    assert!(!exist(ORDERS, "/orders/order[@id = 1 and @gone]", &[]).unwrap());
    assert_eq!(query(ORDERS, "/orders/order[1]/line[1]", &[]).unwrap(), r#"<line qty="2">pen</line>"#);
    assert_eq!(query("<a>1 &lt; 2</a>", "/a/text()", &[]).unwrap(), "1 &lt; 2");
}

#[test]
fn nodes_are_contexts() {
    let lines = nodes(ORDERS, "/orders/order/line", &[], false).unwrap();
    let seen: Vec<Option<String>> = lines.iter().map(|line| value(line, "@qty", &[]).unwrap()).collect();
    assert_eq!(seen, [Some("2".to_owned()), Some("3".to_owned())]);
    assert_eq!(value(&lines[1], ".", &[]).unwrap().as_deref(), Some("ink & pot"));
    assert_eq!(nodes(&nodes(ORDERS, "/orders", &[], false).unwrap()[0], "order", &[], false).unwrap().len(), 2);
}

#[test]
fn changes() {
    let changed = |change: &str| modify("<a x=\"1\"><b>2</b></a>", change, &[]).unwrap();
    assert_eq!(changed("delete /a/b"), "<a x=\"1\"/>");
    assert_eq!(changed("delete /a/@x"), "<a><b>2</b></a>");
    assert_eq!(changed("replace value of (/a/b/text())[1] with \"7\""), "<a x=\"1\"><b>7</b></a>");
    assert_eq!(changed("replace value of (/a/@x)[1] with \"9\""), "<a x=\"9\"><b>2</b></a>");
    assert_eq!(changed("insert <c/> into (/a)[1]"), "<a x=\"1\"><b>2</b><c/></a>");
    assert_eq!(changed("insert <c/> as first into (/a)[1]"), "<a x=\"1\"><c/><b>2</b></a>");
    assert_eq!(changed("insert <c/> before (/a/b)[1]"), "<a x=\"1\"><c/><b>2</b></a>");
    assert_eq!(changed("insert attribute y {\"5\"} into (/a)[1]"), "<a x=\"1\" y=\"5\"><b>2</b></a>");
}

#[test]
fn what_is_inserted_has_values_of_variables() {
    let given = [Some(Given::Text("<&")), Some(Given::Text("7")), None];
    let changed = |change: &str| modify("<a x=\"1\"><b>2</b></a>", change, &given).unwrap();
    assert_eq!(
        changed(
            "insert <c k='{sql:variable(\"@a\")}' l=\"{{{sql:column(\"b\")}\">{/a/@x, 5}, it's {/a/b}</c> into (/a)[1]"
        ),
        "<a x=\"1\"><b>2</b><c k=\"&lt;&amp;\" l=\"{7\">1 5, it's <b>2</b></c></a>"
    );
    assert_eq!(
        changed("insert <c>{sql:variable(\"@a\")}</c> as first into (/a)[1]"),
        "<a x=\"1\"><c>&lt;&amp;</c><b>2</b></a>"
    );
    assert_eq!(
        changed("insert (attribute y {sql:variable(\"@a\")}, attribute z {sql:variable(\"@b\")}) into (/a)[1]"),
        "<a x=\"1\" y=\"&lt;&amp;\" z=\"7\"><b>2</b></a>"
    );
    assert_eq!(changed("insert (<c/>, text {\"t, u\"}, <d/>) after (/a/b)[1]"), "<a x=\"1\"><b>2</b><c/>t, u<d/></a>");
    assert_eq!(
        modify(
            "<a><b/></a>",
            "insert sql:variable(\"@x\") into (/a/b[. = sql:variable(\"@y\")])[1]",
            &[Some(Given::Text("<c/>")), Some(Given::Text(""))]
        )
        .unwrap(),
        "<a><b><c/></b></a>"
    );
    assert_eq!(modify("<a/>", "insert sql:variable(\"@x\") into (/a)[1]", &[None]).unwrap(), "<a/>");
    assert_eq!(modify("<a/>", "insert <c>{1</c> into (/a)[1]", &[]).unwrap_err().number, 2217);
}

#[test]
fn functions_and_axes() {
    for (path, expected) in [
        ("substring(\"abcde\", 2, 3)", Some("bcd")),
        ("substring(\"abcde\", 4)", Some("de")),
        ("substring(\"abcde\", 0, 3)", Some("ab")),
        ("substring((//line)[1], 2)", Some("en")),
        ("floor(2.7)", Some("2")),
        ("ceiling(2.1)", Some("3")),
        ("round(2.5)", Some("3")),
        ("round(-2.5)", Some("-2")),
        ("floor((//none)[1])", None),
        ("xs:hexBinary(xs:base64Binary(\"Af8=\"))", Some("01FF")),
        ("xs:base64Binary(xs:hexBinary(\"01ff\"))", Some("Af8=")),
        ("xs:hexBinary(\"1\")", None),
        ("/orders[1]/attribute::id", None),
        ("(/orders/order/attribute::id)[2]", Some("2")),
        ("count(/orders/descendant::line)", Some("2")),
        ("count(/descendant-or-self::node())", Some("8")),
        ("(/orders/descendant::line[2])[1]", Some("ink & pot")),
        ("(/orders/child::order/child::line)[1]", Some("pen")),
        ("count(//line[1])", Some("1")),
        ("count(//*[1])", Some("3")),
        ("(//self::order/@id)[1]", None),
        ("(/orders/order/self::order/@id)[1]", Some("1")),
        ("(/orders/order[2]/self::line)[1]", None),
        ("count(distinct-values((//@qty, //@id)))", Some("3")),
        ("string((//line)[1])", Some("pen")),
    ] {
        match value(ORDERS, path, &[]) {
            Ok(found) => assert_eq!(found.as_deref(), expected, "{path}"),
            Err(error) => assert!(expected.is_none() && error.number == 2217, "{path}: {}", error.text),
        }
    }
    assert_eq!(super::bytes("<a>Af8=</a>", "(/a)[1]", &[]).unwrap(), Some(vec![1, 255]));
    let bytes = [Some(Given::Binary(&[1, 255]))];
    assert_eq!(super::bytes("<a/>", "xs:base64Binary(sql:column(\"b\"))", &bytes).unwrap(), Some(vec![1, 255]));
    assert_eq!(value("<a/>", "xs:hexBinary(sql:column(\"b\"))", &bytes).unwrap().as_deref(), Some("01FF"));
    for (path, text) in [
        ("foo(/a)", "XQuery [value()]: There is no function '{http://www.w3.org/2004/07/xpath-functions}:foo()'"),
        ("xs:foo(/a)", "XQuery [value()]: There is no function '{http://www.w3.org/2001/XMLSchema}:foo()'"),
    ] {
        let error = value(ORDERS, path, &[]).unwrap_err();
        assert_eq!((error.number, error.text.as_str()), (2395, text));
    }
}

#[test]
fn rows_of_nodes_know_what_is_above_them() {
    let xml = "<a k='9'><b i='1'><c>x</c><c>y</c></b><b i='2'/></a>";
    let rows = super::nodes(xml, "/a/b/c", &[], true).unwrap();
    let seen =
        |path: &str| -> Vec<Option<String>> { rows.iter().map(|row| super::value(row, path, &[]).unwrap()).collect() };
    let both = |text: &str| vec![Some(text.to_owned()); 2];
    assert_eq!(seen("../@i"), both("1"));
    assert_eq!(seen("(../../@k)[1]"), both("9"));
    assert_eq!(seen("(../c[2])[1]"), both("y"));
    assert_eq!(seen("(/a/b[2]/@i)[1]"), both("2"));
    assert_eq!(seen("."), [Some("x".to_owned()), Some("y".to_owned())]);
    let again = super::nodes(&rows[1], "../c[1]", &[], true).unwrap();
    assert_eq!(super::value(&again[0], "(./text())[1]", &[]).unwrap(), Some("x".to_owned()));
}

#[test]
fn a_value_is_one() {
    let single = [
        ".",
        "@id",
        "../@id",
        "(/a/b)[1]",
        "/a[1]/b[2]/@c",
        "count(/a/b)",
        "string(.)",
        "(//a)[1]/@b",
        "text()[1]",
        "a[last()]",
        "(../c[2])[1]",
        "sql:column(\"x\")",
        "/a[1] = 5",
        "((/a/b)[1]/c)[2]",
        "(a/b, c)[1]",
    ];
    for path in single {
        assert!(check_single(path).is_ok(), "{path}");
    }
    for path in ["/a/b", "b/@c", "text()", "//a[1]", "(/a/b[1])", "/a[@x=\"1\"]", "(a[1], b[1])", "data(/a)", "@*"] {
        assert_eq!(check_single(path).unwrap_err().number, 2389, "{path}");
    }
}
