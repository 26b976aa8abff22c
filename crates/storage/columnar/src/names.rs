//! Column names that come from files, where two may differ only in case, which SQL ignores.

use std::collections::HashMap;

/// A name that no other column has: the given one, or with the first number behind it that makes it another. `taken` are the
/// names so far in lower case, each with the number to try next for a name like it.
pub fn free_name(base: &str, taken: &mut HashMap<String, usize>) -> String {
    let (key, mut name) = (base.to_lowercase(), base.to_owned());
    while taken.contains_key(&name.to_lowercase()) {
        let number = taken.entry(key.clone()).or_insert(2);
        name = format!("{base}_{number}");
        *number += 1;
    }
    taken.insert(name.to_lowercase(), 2);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_the_same_but_for_their_case_get_numbers() {
        let mut taken = HashMap::new();
        let names = ["a", "A", "b", "a_2", "a"].map(|name| free_name(name, &mut taken));
        assert_eq!(names, ["a", "A_2", "b", "a_2_2", "a_3"]);
    }
}
