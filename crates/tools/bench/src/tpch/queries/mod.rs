//! The 22 queries as the specification writes them (clause 2.4), with the parameters of its validation.
//!
//! A limit stands at the end of those whose answer is limited. Query 15 is the variant that has a common table
//! expression in place of a view (clause 2.2.4 and appendix B).

/// A query.
pub struct Query {
    /// The name of its row.
    pub key: &'static str,
    /// The name of its business question.
    pub title: &'static str,
    text: &'static str,
    /// The columns of the answer that it is ordered by.
    pub order: &'static [usize],
}

macro_rules! query {
    ($key:literal, $title:literal, $order:expr) => {
        Query { key: $key, title: $title, text: include_str!(concat!($key, ".sql")), order: $order }
    };
}

/// All queries, in their order.
pub const QUERIES: [Query; 22] = [
    query!("q01", "pricing summary report", &[0, 1]),
    query!("q02", "minimum cost supplier", &[0, 2, 1, 3]),
    query!("q03", "shipping priority", &[1, 2]),
    query!("q04", "order priority checking", &[0]),
    query!("q05", "local supplier volume", &[1]),
    query!("q06", "forecasting revenue change", &[]),
    query!("q07", "volume shipping", &[0, 1, 2]),
    query!("q08", "national market share", &[0]),
    query!("q09", "product type profit", &[0, 1]),
    query!("q10", "returned items", &[2]),
    query!("q11", "important stock", &[1]),
    query!("q12", "shipping modes", &[0]),
    query!("q13", "customer distribution", &[1, 0]),
    query!("q14", "promotion effect", &[]),
    query!("q15", "top supplier", &[0]),
    query!("q16", "parts and suppliers", &[3, 0, 1, 2]),
    query!("q17", "small quantity orders", &[]),
    query!("q18", "large volume customers", &[4, 3]),
    query!("q19", "discounted revenue", &[]),
    query!("q20", "potential part promotion", &[0]),
    query!("q21", "waiting orders", &[1, 0]),
    query!("q22", "global sales opportunity", &[0]),
];

impl Query {
    /// The statement for data of this scale, on which one parameter depends (clause 2.4.11.3).
    pub fn sql(&self, scale: f64) -> String {
        self.text.replace("{fraction}", &format!("{:.10}", 0.0001 / scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_have_their_parameters() {
        assert!(QUERIES[10].sql(0.01).contains("* 0.0100000000"));
        assert!(QUERIES.iter().all(|query| !query.sql(1.0).contains('{')));
    }

    #[test]
    fn an_order_is_that_of_the_text() {
        for query in &QUERIES {
            let ordered = query
                .text
                .rsplit_once("order by")
                .map_or(0, |(_, by)| by.split("limit").next().map_or(0, |by| by.split(',').count()));
            assert_eq!(ordered, query.order.len(), "{}", query.key);
        }
    }
}
