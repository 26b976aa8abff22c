-- What `make demo` shows, on the sample folder:  mainstay sample --echo --timer -f sample/demo.sql
-- The remark of a statement stands behind its first word, so that --echo prints it with the statement.

SHOW TABLES;

SELECT -- text of two code pages, one answer: customers.dbf is in Windows 1252, products.dbf in DOS 437
       'customers' AS source, name, city AS place_or_category
FROM customers
WHERE city IN ('København', 'Malmö') AND balance > 0
UNION ALL
SELECT 'products', name, category
FROM products
WHERE name LIKE 'Gruyère%'
ORDER BY source, name;

SELECT -- the best customers: customers.dbf with orders.dbf
       c.id, c.name, c.city, COUNT(*) AS orders, SUM(o.total) AS ordered, MAX(o.orderdate) AS last_order
FROM customers c
JOIN orders o ON o.customer = c.id
GROUP BY c.id, c.name, c.city
ORDER BY ordered DESC
LIMIT 10;

WITH -- what each clerk charged, and what the price list of the day said: orders and lines (DBF) with prices.csv
priced AS (
    SELECT o.clerk, l.amount, l.qty * p.price * (100 - l.discount) / 100 AS listed,
           ROW_NUMBER() OVER (PARTITION BY l.order_id, l.line_no ORDER BY p.valid_from DESC) AS age
    FROM orders o
    JOIN order_lines l ON l.order_id = o.id
    JOIN prices p ON p.product = l.product AND p.valid_from <= o.orderdate
)
SELECT clerk, COUNT(*) AS lines, SUM(amount) AS charged, ROUND(SUM(listed), 2) AS by_price_list
FROM priced
WHERE age = 1
GROUP BY clerk
ORDER BY clerk;

SELECT -- three formats in one statement: history.parquet, products.dbf and prices.csv
       p.category, COUNT(*) AS products, SUM(h.revenue) AS revenue_2022, SUM(r.changes) AS price_changes
FROM products p
JOIN (
    SELECT product, SUM(revenue) AS revenue
    FROM history
    WHERE month >= DATE '2022-01-01'
    GROUP BY product
) h ON h.product = p.prod_id
JOIN (
    SELECT product, COUNT(*) - 1 AS changes
    FROM prices
    GROUP BY product
) r ON r.product = p.prod_id
GROUP BY p.category
ORDER BY revenue_2022 DESC;

EXPLAIN SELECT id, orderdate, status, total FROM orders WHERE customer = 1448 AND total > 2000;

SELECT -- what the plan above answers: the records are found by the tag CUSTOMER of orders.cdx
       id, orderdate, status, total
FROM orders
WHERE customer = 1448 AND total > 2000
ORDER BY orderdate;

EXPLAIN SELECT id, total FROM orders ORDER BY total DESC LIMIT 5;

EXPLAIN SELECT prod_id, name, price FROM products WHERE prod_id BETWEEN 'TE-00200' AND 'TE-00400';

SELECT -- the same for a Clipper index: prod_id.ntx
       prod_id, name, price, stock
FROM products
WHERE prod_id BETWEEN 'TE-00200' AND 'TE-00400'
ORDER BY prod_id;

SELECT -- deleted records are hidden until they are asked for
       _recno, _deleted, id, name, city
FROM customers
WHERE _deleted
ORDER BY _recno;

SELECT -- a memo, from customers.fpt
       name, notes
FROM customers
WHERE notes LIKE 'Orders by fax%'
ORDER BY name
LIMIT 3;

CREATE TABLE visits ( -- a native table, kept below .mainstay in the folder: with keys, checks and transactions
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer INTEGER NOT NULL,
    day DATE NOT NULL,
    note VARCHAR(40) DEFAULT 'no note',
    CHECK (day >= DATE '2000-01-01')
);

INSERT INTO visits (customer, day, note) VALUES
    (1448, DATE '2026-03-02', 'wants fax replaced by mail'),
    (1448, DATE '2026-06-17', 'asked for a discount'),
    (1001, DATE '2026-06-18', 'complained');

BEGIN;

UPDATE visits SET note = 'all is well' WHERE note = 'complained' RETURNING id, customer, note;

ROLLBACK;

SELECT -- a native table, a FoxPro table and its orders in one statement
       c.name, v.day, v.note, COUNT(*) AS orders
FROM visits v
JOIN customers c ON c.id = v.customer
JOIN orders o ON o.customer = c.id
GROUP BY c.name, v.day, v.note
ORDER BY c.name, v.day;
