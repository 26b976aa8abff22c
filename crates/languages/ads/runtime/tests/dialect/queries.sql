SELECT * FROM people
--;
SELECT {static} TOP 2 START AT 2 name, pay FROM people ORDER BY pay DESC
--;
SELECT TOP 40 PERCENT id FROM people ORDER BY id
--;
SELECT DISTINCT city FROM people ORDER BY 1
--;
SELECT name + '|', RTRIM(name) + city, CHAR_LENGTH(name), LENGTH(name), UPPER(name), {fn LCASE(name)} FROM people WHERE id < 3
--;
SELECT id FROM people WHERE born < '1985-06-15' OR born = {d '2000-12-24'}
--;
SELECT id, born + 30, {d '2020-01-01'} - born AS days FROM people WHERE born IS NOT NULL ORDER BY id
--;
SELECT city, COUNT(*) AS n, SUM(pay) AS total, AVG(pay), MAX(born) FROM people GROUP BY city HAVING COUNT(*) > 1 ORDER BY city
--;
SELECT p.name, o.amount FROM people p LEFT OUTER JOIN orders o ON o.person = p.id ORDER BY p.id, o.id
--;
SELECT p.name, o.amount FROM people p, orders o WHERE o.person = p.id AND o.amount > 9 ORDER BY o.id
--;
SELECT name FROM people WHERE id IN (SELECT person FROM orders WHERE amount > 20) ORDER BY name
--;
SELECT name FROM people p WHERE EXISTS (SELECT * FROM orders o WHERE o.person = p.id) AND NOT name LIKE 'A%'
--;
SELECT name, CASE WHEN pay > 1000 THEN 'rich' WHEN pay IS NULL THEN '?' ELSE 'poor' END AS kind, IIF(married, 1, 0) AS m FROM people
--;
SELECT name FROM people WHERE name LIKE '_o%' AND city NOT LIKE 'x%'
--;
SELECT name FROM people WHERE name COLLATE ads_default_ci = 'EVE'
--;
SELECT a.id FROM orders a WHERE a.amount >= ALL (SELECT amount FROM orders)
--;
SELECT id FROM people WHERE id < 2 UNION ALL SELECT id FROM orders WHERE id > 103 ORDER BY 1
--;
SELECT [order], "unit price" * 2 AS double, item FROM [order lines] WHERE [unit price] > 2.5
--;
SELECT p.name, o.amount FROM people.dbf p INNER JOIN ORDERS.DBF o ON o.person = p.id WHERE o.amount > 9 ORDER BY o.id
--;
SELECT people.name FROM people.dbf WHERE people.id = 1
--;
SELECT name FROM people.txt WHERE id = 1
--;
SELECT * FROM (SELECT city, COUNT(*) n FROM people GROUP BY city) x WHERE x.n = 1
--;
SELECT 7 / 2, 7.0 / 2, 7 % 4, 2 * 3.5, 1 + 2, -5, 5 & 3, 1 << 4 FROM system.iota
--;
SELECT CAST(pay AS SQL_INTEGER), CAST(id AS SQL_CHAR(3)), CONVERT('12.5', SQL_DOUBLE), CAST('2020-02-03' AS SQL_DATE) FROM people WHERE id = 4
--;
SELECT CAST('  ab ' AS SQL_VARCHAR), CAST('' AS SQL_VARCHAR), CAST('  ab' AS SQL_VARCHAR(9)), CAST('  ' AS SQL_INTEGER) FROM people WHERE id = 4
--;
SELECT ROUND(2.567, 2), TRUNCATE(2.567, 1), ABS(-3), CEILING(2.1), FLOOR(2.9), MOD(7, 3), POWER(2, 10), SIGN(-2) FROM system.iota
--;
SELECT YEAR(born), MONTH(born), DAYOFMONTH(born), DAYNAME(born), EXTRACT(YEAR FROM born), TIMESTAMPADD(SQL_TSI_MONTH, 1, born), TIMESTAMPDIFF(SQL_TSI_DAY, born, {d '1970-02-28'}) FROM people WHERE id = 1
--;
SELECT LEFT(name, 2), RIGHT(RTRIM(name), 1), SUBSTRING(name, 2, 2), POSITION('r' IN name), LOCATE('a', name), REPLACE(RTRIM(name), 'o', '0'), REPEAT('x', 3), SPACE(2) + '.' FROM people WHERE id = 4
--;
SELECT IFNULL(pay, -1), COALESCE(NULL, city), ISNULL(born, {d '1900-01-01'}), EMPTY(pay) FROM people WHERE id = 3
--;
SELECT ROWNUM(), name FROM people WHERE id > 3
--;
SELECT RECNO(), DELETED(), name FROM people WHERE id = 2
--;
SELECT USER() FROM system.iota
--;
SELECT COUNT(DISTINCT city) FROM people
--;
SELECT * FROM people WHERE id = 2 ORDER BY nothing
--;
SELECT id FROM people WHERE city = 5
--;
SELECT 1 / 0 FROM people
--;
SELECT name FROM people, orders WHERE id = 1
