//! Faults that are known and not mended yet. An entry goes with its fault.

/// The name of a known fault, and what its reports have in them.
struct Known {
    name: &'static str,
    is_met: fn(&str) -> bool,
}

const KNOWN: [Known; 5] = [
    Known {
        name: "CREATE TABLE AS of a query that begins with two parentheses",
        is_met: |text| has_all(text, &["CREATE TEMPORARY TABLE h AS ((", "found: ("]),
    },
    Known {
        name: "a window over the rows of groups by constants",
        is_met: |text| has_all(text, &["Expects PARTITION BY expression to be ordered", "GROUP BY"]),
    },
    Known {
        name: "GROUP BY of a subquery whose column is called as another key",
        is_met: |text| has_all(text, &["GROUP BY", "(SELECT", "column \"c", "is in more than one table"]),
    },
    Known {
        name: "GROUP BY of an expression with a subquery",
        is_met: |text| has_all(text, &["GROUP BY", "(SELECT", "is neither grouped by nor inside of an aggregate"]),
    },
    Known {
        name: "GROUP BY of two subqueries whose columns have one name",
        is_met: |text| has_all(text, &["GROUP BY", "(SELECT", "Schema contains duplicate unqualified field name"]),
    },
];

fn has_all(text: &str, parts: &[&str]) -> bool {
    parts.iter().all(|part| text.contains(part))
}

/// The known fault that a report is of.
pub fn fault(report: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.is_met)(report)).map(|known| known.name)
}
