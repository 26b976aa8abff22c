-- The latest row of each key: TOP with ORDER BY in a subquery and in APPLY, by a key that is NULL or repeated too (core-01).
CREATE TABLE customer(id int NULL, name varchar(10)); INSERT customer VALUES (1,'a'),(2,'b'),(2,'b again'),(3,'c'),(NULL,'nobody');
CREATE TABLE orders(customer int NULL, at date, total int NULL); INSERT orders VALUES (1,'2026-01-01',10),(1,'2026-03-01',30),(1,'2026-02-01',20),(2,'2026-01-05',NULL),(2,'2026-01-04',7),(NULL,'2026-01-01',99);
GO
SELECT c.name, (SELECT TOP 1 o.total FROM orders o WHERE o.customer = c.id ORDER BY o.at DESC) AS latest FROM customer c ORDER BY c.name;
GO
SELECT c.name, x.at, x.total FROM customer c CROSS APPLY (SELECT TOP 1 o.at, o.total FROM orders o WHERE o.customer = c.id ORDER BY o.at DESC) x ORDER BY c.name;
GO
SELECT c.name, x.at, x.total FROM customer c OUTER APPLY (SELECT TOP 2 o.at, o.total FROM orders o WHERE o.customer = c.id ORDER BY o.at DESC) x ORDER BY c.name, x.at DESC;
GO
SELECT c.name, x.total FROM customer c OUTER APPLY (SELECT o.total FROM orders o WHERE o.customer = c.id ORDER BY o.at OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY) x ORDER BY c.name;
GO
SELECT c.name, x.n, x.sum FROM customer c CROSS APPLY (SELECT COUNT(*) AS n, SUM(t.total) AS sum FROM (SELECT TOP 2 o.total FROM orders o WHERE o.customer = c.id ORDER BY o.at DESC) t) x ORDER BY c.name;
GO
SELECT c.name, x.total, x.rank FROM customer c CROSS APPLY (SELECT o.total, RANK() OVER (ORDER BY o.total DESC) AS rank FROM orders o WHERE o.customer = c.id) x WHERE x.rank = 1 ORDER BY c.name;
GO
SELECT c.name FROM customer c WHERE 20 <= (SELECT TOP 1 o.total FROM orders o WHERE o.customer = c.id ORDER BY o.at DESC) ORDER BY c.name;
GO
