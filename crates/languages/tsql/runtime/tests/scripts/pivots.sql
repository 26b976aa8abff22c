-- PIVOT and UNPIVOT of whatever has columns, and several in a row.
CREATE TABLE sales (region VARCHAR(10), yr INT, qty INT, amount DECIMAL(9, 2))
INSERT sales VALUES ('N', 2023, 1, 10), ('N', 2024, 2, 20), ('S', 2023, 3, 30), ('S', 2024, 4, 40), ('N', 2024, 5, 50)
GO
DECLARE @s TABLE (region VARCHAR(10), yr INT, qty INT)
INSERT @s SELECT region, yr, qty FROM sales
SELECT region, [2023], [2024] FROM @s PIVOT (SUM(qty) FOR yr IN ([2023], [2024])) p ORDER BY region
SELECT p.* FROM @s AS s PIVOT (COUNT(qty) FOR s.yr IN ([2023], [2024])) AS p ORDER BY p.region
SELECT region, yr, what, v FROM @s UNPIVOT (v FOR what IN (qty)) u ORDER BY region, yr, v
GO
CREATE TABLE #s (region VARCHAR(10), a INT, b INT, c INT)
INSERT #s VALUES ('N', 1, 2, NULL), ('S', 3, NULL, 4)
SELECT region, what, v FROM #s UNPIVOT (v FOR what IN (a, b, c)) u ORDER BY region, what
SELECT * FROM #s UNPIVOT (v FOR what IN (a, b, c)) u PIVOT (SUM(v) FOR region IN ([N], [S])) p ORDER BY what
GO
-- Two in a row: quantities and amounts beside each other.
SELECT region, SUM([2023]) AS q23, SUM([2024]) AS q24, SUM([a2023]) AS a23, SUM([a2024]) AS a24
FROM (SELECT region, yr, 'a' + CAST(yr AS CHAR(4)) AS ayr, qty, amount FROM sales) q
PIVOT (SUM(qty) FOR yr IN ([2023], [2024])) p
PIVOT (SUM(amount) FOR ayr IN ([a2023], [a2024])) p2
GROUP BY region ORDER BY region
GO
-- Joined to other tables, of views, functions and common table expressions.
CREATE VIEW v AS SELECT region, yr, qty FROM sales
GO
CREATE FUNCTION dbo.f (@least INT) RETURNS TABLE AS RETURN SELECT region, yr, qty FROM sales WHERE qty >= @least
GO
CREATE FUNCTION dbo.mf () RETURNS @r TABLE (region VARCHAR(10), yr INT, qty INT) AS BEGIN INSERT @r SELECT region, yr, qty FROM sales RETURN END
GO
SELECT * FROM v PIVOT (SUM(qty) FOR yr IN ([2023], [2024])) p ORDER BY region
SELECT * FROM dbo.f(2) PIVOT (SUM(qty) FOR yr IN ([2023], [2024])) p ORDER BY region
SELECT * FROM dbo.mf() AS x PIVOT (MAX(qty) FOR yr IN ([2023], [2024])) p ORDER BY region
SELECT * FROM (SELECT s.*, 'x' AS x FROM sales s) q PIVOT (SUM(qty) FOR yr IN ([2023], [2024])) p ORDER BY region, amount
SELECT * FROM (SELECT region, yr, qty FROM sales UNION ALL SELECT 'W', 2023, 9) q PIVOT (SUM(qty) FOR yr IN ([2023], [2024])) p ORDER BY region
SELECT * FROM (VALUES ('N', 1, 2), ('S', 1, 3)) AS q (r, k, n) PIVOT (SUM(n) FOR k IN ([1])) p ORDER BY r;
WITH c AS (SELECT region, yr, qty FROM sales), d AS (SELECT * FROM c PIVOT (SUM(qty) FOR yr IN ([2023], [2024])) p)
SELECT d.region, d.[2024], u.yr, u.n FROM d JOIN (SELECT region, yr, n FROM d UNPIVOT (n FOR yr IN ([2023], [2024])) u) u ON u.region = d.region ORDER BY 1, 3
SELECT p.region, p.[2023], r.title FROM (SELECT region, yr, qty FROM sales) q PIVOT (SUM(qty) FOR yr IN ([2023])) p JOIN (VALUES ('N', 'North')) AS r (code, title) ON r.code = p.region
SELECT * FROM (SELECT s.region, s.yr, s.qty FROM sales s JOIN sales t ON t.region = s.region AND t.yr = s.yr AND t.qty = s.qty) j PIVOT (AVG(qty) FOR yr IN ([2023], [2024], [2025])) p ORDER BY region
SELECT * FROM sales PIVOT (SUM(qty) FOR nosuch IN ([2023])) p
GO
