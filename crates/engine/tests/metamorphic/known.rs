//! Faults that are known and not mended yet. An entry goes with its fault.

/// The name of a known fault, and what its reports have in them.
struct Known {
    name: &'static str,
    is_met: fn(&str) -> bool,
}

const KNOWN: [Known; 5] = [
    Known { name: "core-00: LIMIT over UNION ALL", is_met: |text| has_all(text, &["UNION ALL", "LIMIT"]) },
    Known {
        name: "core-02: refined windows",
        is_met: |text| has_all(text, &["OVER (w1"]) || has_all(text, &["AS (w1"]),
    },
    Known {
        name: "core-06: CASE of INTEGER and DECIMAL",
        is_met: |text| text.contains("Invalid arithmetic operation"),
    },
    Known {
        name: "CREATE TABLE AS of a query that begins with two parentheses",
        is_met: |text| has_all(text, &["CREATE TEMPORARY TABLE h AS ((", "found: ("]),
    },
    Known {
        name: "sql-02: guards around subqueries",
        is_met: |text| {
            let is_guarded = ["division by zero", "more than one row"].iter().any(|error| text.contains(error));
            is_guarded && text.contains("(SELECT")
        },
    },
];

fn has_all(text: &str, parts: &[&str]) -> bool {
    parts.iter().all(|part| text.contains(part))
}

/// The known fault that a report is of.
pub fn fault(report: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.is_met)(report)).map(|known| known.name)
}
