-- Aggregates of the query around in the rows of VALUES and in other sources of a subquery, as mssql-django writes GREATEST.
CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(10), amount INT, paid INT)
INSERT orders VALUES (1, 'a', 10, 30), (2, 'a', 20, 0), (3, 'b', 50, 10), (4, 'c', 5, NULL)
GO
SELECT o.customer, (SELECT MAX(v) FROM (VALUES (SUM(o.amount)), (SUM(o.paid))) AS _greatest(v)) AS greatest
FROM orders o GROUP BY o.customer ORDER BY o.customer
SELECT o.customer FROM orders o GROUP BY o.customer HAVING (SELECT MIN(v) FROM (VALUES (SUM(o.amount)), (SUM(o.paid))) AS _least(v)) >= 10 ORDER BY o.customer
SELECT o.customer, (SELECT MAX(v) FROM (VALUES (1), (2)) AS n(i) CROSS JOIN (SELECT MAX(o.amount) AS v) AS m) AS m
FROM orders o GROUP BY o.customer ORDER BY o.customer
SELECT (SELECT MAX(v) FROM (VALUES (COUNT(o.paid)), (COUNT(o.id))) AS n(v)) AS m FROM orders o
GO
