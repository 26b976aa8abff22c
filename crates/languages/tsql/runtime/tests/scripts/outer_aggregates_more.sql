-- Aggregates in subqueries whose columns are all of the query around: names without tables, and sets of groups.
CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(10), region CHAR(1), amount INT)
CREATE TABLE levels (name VARCHAR(10), least INT)
INSERT orders VALUES (1, 'a', 'N', 10), (2, 'a', 'S', 20), (3, 'b', 'N', 50), (4, 'c', 'S', 500)
INSERT levels VALUES ('small', 0), ('middle', 25), ('big', 100)
GO
SELECT customer, SUM(amount) AS s, (SELECT TOP 1 l.name FROM levels l WHERE l.least <= SUM(amount) ORDER BY l.least DESC) AS level
FROM orders GROUP BY customer ORDER BY customer
SELECT customer, (SELECT MAX(l.least) FROM levels l WHERE l.least <= SUM(amount)) AS least FROM orders GROUP BY ROLLUP (customer) ORDER BY GROUPING(customer), customer
SELECT o.region, o.customer, GROUPING(o.customer) AS g, (SELECT COUNT(*) FROM levels l WHERE l.least <= SUM(o.amount)) AS n
FROM orders o GROUP BY o.region, o.customer WITH CUBE ORDER BY GROUPING_ID(o.region, o.customer), 1, 2
SELECT region, (SELECT MAX(least) FROM levels WHERE least < MAX(amount)) AS l FROM orders GROUP BY GROUPING SETS ((region), ()) ORDER BY GROUPING(region), region
SELECT customer FROM orders GROUP BY customer HAVING EXISTS (SELECT * FROM levels WHERE least > 0 AND least <= SUM(amount)) ORDER BY customer
SELECT customer, CASE WHEN SUM(amount) > (SELECT AVG(least) FROM levels) THEN 'above' ELSE 'below' END AS c FROM orders GROUP BY customer ORDER BY customer
SELECT customer FROM orders GROUP BY customer ORDER BY (SELECT MAX(least) FROM levels WHERE least <= SUM(amount)) DESC, customer
SELECT (SELECT MAX(name) FROM levels WHERE least <= COUNT(id)) AS m FROM orders
GO
