//! Programs by construct: what they print was derived from the manual's rules by hand, errors included.
//!
//! `tests/programs/NAME.bas` is the program, `NAME.in` its input, `NAME.out` what it prints.

mod harness;

use mainstay_vfs::{Disk, FileSystem};

fn compare(name: &str) {
    let folder = harness::programs();
    let read = |ending: &str| Disk.read(&folder.join(format!("{name}.{ending}")));
    let source = read("bas").unwrap();
    let input = read("in").unwrap_or_default();
    let expected = String::from_utf8(read("out").unwrap()).unwrap();
    let printed = harness::run(&format!("{name}.bas"), &source, &input);
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
    data,
    dates,
    errors,
    flow,
    keyed,
    masks,
    memory,
    numbers,
    published_p1,
    screen,
    source,
    strings,
    unsupported,
);
