//! Detection of values that are JSON already: they go into other JSON unchanged, while a text becomes a string.

use crate::tree::{Call, Expr};

/// The functions whose text is JSON.
const FUNCTIONS: [&str; 4] = ["JSON_QUERY", "JSON_MODIFY", "JSON_OBJECT", "JSON_ARRAY"];

/// Returns true if a value is JSON already.
pub(super) fn is_json(value: &Expr) -> bool {
    match value {
        Expr::Call(call) => FUNCTIONS.iter().any(|name| call.name.is(name)),
        Expr::Subquery(query) => query.format.as_ref().is_some_and(super::format::gives_json),
        _ => false,
    }
}

/// The operation that a call of a function in lower case is. What stands with the arguments of a function that makes JSON
/// is part of its name: what becomes of NULLs, where that is not what happens anyway, and which arguments are JSON already.
pub(crate) fn operation(name: &str, call: &Call, values: &[&Expr]) -> String {
    let function = match (name, call.json_nulls) {
        ("json_object", Some(false)) => "json_object absent on null",
        ("json_array", Some(true)) => "json_array null on null",
        (name, _) => name,
    };
    let is_place = |place: usize| match name {
        "json_modify" => place == 2,
        "json_object" => place % 2 == 1,
        "json_array" => true,
        _ => false,
    };
    let places: Vec<String> = values
        .iter()
        .enumerate()
        .filter(|(place, value)| is_place(*place) && is_json(value))
        .map(|(place, _)| place.to_string())
        .collect();
    if places.is_empty() { function.to_owned() } else { format!("{function}:{}", places.join(",")) }
}
