//! Properties that the specification demands of the data (clauses 4.2.3 and 4.2.5).

use super::*;
use std::collections::HashSet;

fn small() -> Data {
    Data::new(LINES_OF_SCALE_1 / 100)
}

#[test]
fn tables_have_the_sizes_of_their_scale() {
    let data = small();
    assert_eq!((data.suppliers.len(), data.parts.len(), data.part_suppliers.len()), (100, 2_000, 8_000));
    assert_eq!((data.customers.len(), data.orders.len()), (1_500, 15_000));
    assert!((58_000..62_000).contains(&data.lines.len()), "1 to 7 lines an order: {}", data.lines.len());
    assert_eq!(data.scale, 0.01);
}

#[test]
fn keys_refer_to_rows_that_exist() {
    for data in [small(), Data::new(6_000)] {
        let pairs: HashSet<(u32, u32)> = data.part_suppliers.iter().map(|row| (row.part, row.supplier)).collect();
        assert_eq!(pairs.len(), data.part_suppliers.len(), "four different suppliers of each part");
        assert!(data.lines.iter().all(|line| pairs.contains(&(line.part, line.supplier))));
        assert!(
            data.orders
                .iter()
                .all(|order| !order.customer.is_multiple_of(3) && order.customer as usize <= data.customers.len())
        );
        assert!(data.orders.is_sorted_by_key(|order| order.key));
        assert_eq!(data.orders[8].key, 33, "eight keys of each 32");
        for order in &data.orders {
            let lines = data.lines_of(order);
            assert!(lines.iter().zip(1..).all(|(line, number)| line.number == number));
        }
    }
}

#[test]
fn dates_states_and_prices_depend_on_each_other() {
    let data = small();
    for line in &data.lines {
        let order = data.order_of(line);
        assert!((1..=121).contains(&(line.shipped - order.date)) && (30..=90).contains(&(line.committed - order.date)));
        assert_eq!(line.status == b'O', line.shipped > CURRENT_DATE);
        assert_eq!(line.flag == b'N', line.received > CURRENT_DATE);
        assert_eq!(line.price, i32::from(line.quantity) * data.parts[line.part as usize - 1].price);
    }
    assert_eq!(data.parts[0].price, 90_100, "900.00 + 0 + 1 x 1.00");
    let states = |status| data.orders.iter().filter(|order| order.status == status).count();
    assert!(states(b'P') > 0 && states(b'O') + states(b'F') + states(b'P') == data.orders.len());
}

#[test]
fn some_suppliers_have_complaints() {
    let data = small();
    let complaints = |supplier: &&Supplier| {
        let end = supplier.comment.split_once("Customer").map(|(_, end)| end);
        end.is_some_and(|end| end.contains("Complaints"))
    };
    assert_eq!(data.suppliers.iter().filter(complaints).count(), 1);
    assert!(data.suppliers.iter().all(|supplier| (25..=100).contains(&supplier.comment.len())));
}
