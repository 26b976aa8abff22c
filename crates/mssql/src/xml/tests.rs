//! What the methods give for small texts, by the examples of the reference of each method.

use super::{check_single, exist, modify, nodes, query, value};

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
        value(ORDERS, "(//order[@id=sql:variable(\"@x\")]/line)[1]", &[Some("1")]).unwrap().as_deref(),
        Some("pen")
    );
    assert_eq!(value(ORDERS, "/a/..", &[]).unwrap_err().number, 2217);
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
    let lines = nodes(ORDERS, "/orders/order/line", false).unwrap();
    let seen: Vec<Option<String>> = lines.iter().map(|line| value(line, "@qty", &[]).unwrap()).collect();
    assert_eq!(seen, [Some("2".to_owned()), Some("3".to_owned())]);
    assert_eq!(value(&lines[1], ".", &[]).unwrap().as_deref(), Some("ink & pot"));
    assert_eq!(nodes(&nodes(ORDERS, "/orders", false).unwrap()[0], "order", false).unwrap().len(), 2);
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
fn rows_of_nodes_know_what_is_above_them() {
    let xml = "<a k='9'><b i='1'><c>x</c><c>y</c></b><b i='2'/></a>";
    let rows = super::nodes(xml, "/a/b/c", true).unwrap();
    let seen =
        |path: &str| -> Vec<Option<String>> { rows.iter().map(|row| super::value(row, path, &[]).unwrap()).collect() };
    let both = |text: &str| vec![Some(text.to_owned()); 2];
    assert_eq!(seen("../@i"), both("1"));
    assert_eq!(seen("(../../@k)[1]"), both("9"));
    assert_eq!(seen("(../c[2])[1]"), both("y"));
    assert_eq!(seen("(/a/b[2]/@i)[1]"), both("2"));
    assert_eq!(seen("."), [Some("x".to_owned()), Some("y".to_owned())]);
    let again = super::nodes(&rows[1], "../c[1]", true).unwrap();
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
