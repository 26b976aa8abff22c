//! Programs by construct: what they print was derived from the manual's rules by hand, errors included.
//!
//! `tests/programs/NAME.bas` is the program, `NAME.in` its input, `NAME.out` what it prints.

mod harness;

use mainstay_vfs::{Disk, FileSystem};

/// The output of a program, and the error that it ends with.
fn run(name: &str, source: &[u8], input: &[u8]) -> String {
    let (mut session, written) = harness::session(input, true);
    session.limit_operations(50_000_000);
    let result = session.run_text(name, source);
    let mut text = written.text();
    if let Err(failure) = result {
        text.push_str(&format!("*** {failure}\n"));
    }
    text
}

fn compare(name: &str) {
    let folder = harness::programs();
    let read = |ending: &str| Disk.read(&folder.join(format!("{name}.{ending}")));
    let source = read("bas").unwrap();
    let input = read("in").unwrap_or_default();
    let expected = String::from_utf8(read("out").unwrap()).unwrap();
    let printed = run(&format!("{name}.bas"), &source, &input);
    for (index, (printed, expected)) in printed.lines().zip(expected.lines()).enumerate() {
        assert_eq!(printed, expected, "{name}.out line {}", index + 1);
    }
    assert_eq!(printed, expected, "{name}.out");
}

macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                compare(stringify!($name));
            }
        )*

        /// Every program of the folder has its test.
        #[test]
        fn all_programs_are_listed() {
            let listed = [$(stringify!($name)),*];
            for entry in Disk.list(harness::programs()).unwrap() {
                let name = entry.path.file_name().unwrap().to_string_lossy().into_owned();
                if let Some(name) = name.strip_suffix(".bas") {
                    assert!(listed.contains(&name), "{name}.bas is not in the list of tests/golden.rs");
                }
            }
        }
    };
}

programs!(
    arrays,
    call,
    checks,
    clear,
    clock,
    codes,
    controls,
    data,
    dates,
    definitions,
    dotted,
    environment,
    errors,
    examples,
    faults,
    facts,
    files,
    flow,
    formats,
    handlers,
    indexes,
    inline,
    joins,
    keyed,
    keywords,
    manual,
    masks,
    memory,
    menus,
    numbers,
    objects,
    parameters,
    printer,
    properties,
    published_p1,
    rules,
    screen,
    session,
    sharing,
    shop_batch,
    shop_import,
    shop_invoice,
    shop_ledger,
    shop_merge,
    shop_orders,
    shop_paging,
    shop_payroll,
    shop_receivables,
    shop_sorted,
    shop_text,
    shop_traps,
    shop_utilities,
    source,
    strings,
    structures,
    transcripts,
    unsupported,
);
