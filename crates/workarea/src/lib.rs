//! Work areas: a DBF table with an order, a scope, a filter and a current record, as xBase programs use it.
