CREATE TABLE Staff (Id INT PRIMARY KEY, Name VARCHAR(10), Dept INT NULL, Pay DECIMAL(9,2) NULL, Boss INT NULL)
CREATE TABLE Part (Owner INT NULL, Qty INT NULL)
INSERT INTO Staff VALUES (1, 'Ann', 1, 100.50, NULL), (2, 'Bob', 1, 200, 1), (3, 'Carl', 2, 150.25, 1), (4, 'Dora', 2, NULL, 2), (5, 'Eve', NULL, 300, 3), (6, 'Finn', 3, 100.50, 2)
INSERT INTO Part VALUES (1, 10), (1, 20), (2, 5), (9, 1), (NULL, 7)
GO
-- The greatest of several columns, over VALUES and over UNION ALL.
SELECT e.Id, x.m FROM Staff e CROSS APPLY (SELECT MAX(v) m FROM (VALUES (e.Id), (e.Boss), (e.Dept)) t(v)) x ORDER BY e.Id
SELECT Id, (SELECT MAX(v) FROM (VALUES (e.Id), (e.Boss), (e.Dept)) t(v)) AS m, (SELECT MIN(v) FROM (SELECT Id v UNION ALL SELECT Boss UNION ALL SELECT Dept) t) AS l FROM Staff e ORDER BY Id
SELECT Id, (SELECT SUM(v) FROM (VALUES (1), (2)) t(v) WHERE v <= e.Id) AS s, (SELECT TOP 1 v FROM (VALUES (e.Boss), (e.Dept)) t(v) ORDER BY v DESC) AS f FROM Staff e ORDER BY Id
SELECT Id FROM Staff e WHERE (SELECT COUNT(*) FROM (VALUES (e.Boss), (e.Dept)) t(v) WHERE v IS NULL) > 0 ORDER BY Id
SELECT e.Id FROM Staff e WHERE e.Id > (SELECT MIN(m) FROM (SELECT Boss m FROM Staff WHERE Dept = e.Dept UNION ALL SELECT 2) q) ORDER BY Id
SELECT e.Id, q.v FROM Staff e CROSS APPLY (SELECT TOP 2 v FROM (VALUES (e.Id), (e.Dept), (e.Boss)) t(v) WHERE v IS NOT NULL ORDER BY v DESC) q ORDER BY 1, 2 DESC
SELECT e.Id, q.m FROM Staff e OUTER APPLY (SELECT MAX(v) m FROM (SELECT Qty v FROM Part WHERE Owner = e.Id UNION ALL SELECT e.Boss) z) q ORDER BY 1
GO
-- HAVING and constants of an aggregate under APPLY.
SELECT e.Id, q.* FROM Staff e CROSS APPLY (SELECT COUNT(*) c, MAX(Id) m FROM Staff x WHERE x.Boss = e.Id HAVING COUNT(*) > 0) q ORDER BY 1
SELECT e.Id, q.* FROM Staff e OUTER APPLY (SELECT COUNT(*) c, 'k' k FROM Staff x WHERE x.Boss = e.Id HAVING COUNT(*) <> 1) q ORDER BY 1
SELECT e.Id, q.s FROM Staff e CROSS APPLY (SELECT SUM(Qty) s FROM Part WHERE Owner = e.Id HAVING SUM(Qty) > 10) q
SELECT e.Id, q.* FROM Staff e CROSS APPLY (SELECT ISNULL(SUM(Qty), -1) s, COUNT(*) + 1 c, 'x' l FROM Part WHERE Owner = e.Id) q ORDER BY 1
SELECT Id, (SELECT 'x' FROM Part p WHERE p.Owner = e.Id HAVING COUNT(*) < 2) AS h, (SELECT MAX(c) FROM (SELECT COUNT(*) c FROM Part p WHERE p.Owner = e.Id) q) AS n FROM Staff e ORDER BY 1
SELECT Id FROM Staff e WHERE EXISTS (SELECT COUNT(*) FROM Part p WHERE p.Owner = e.Id) AND 0 IN (SELECT COUNT(*) FROM Part p WHERE p.Owner = e.Id) ORDER BY Id
GO
-- NOT IN, with NULL among the values and without a row; as part of OR and of a value.
SELECT Id FROM Staff WHERE Id NOT IN (SELECT Boss FROM Staff x WHERE x.Boss IS NOT NULL AND x.Dept = Staff.Dept) ORDER BY Id
SELECT Id FROM Staff e WHERE Id NOT IN (SELECT Boss FROM Staff x WHERE x.Dept = e.Dept) ORDER BY Id
SELECT Id FROM Staff e WHERE Boss NOT IN (SELECT Owner FROM Part p WHERE p.Qty > 1000) ORDER BY Id
SELECT Id FROM Staff e WHERE Id = 3 OR Boss NOT IN (SELECT Owner FROM Part) ORDER BY Id
SELECT Id FROM Staff e WHERE NOT (Id = 3 OR Boss IN (SELECT Owner FROM Part WHERE Owner IS NOT NULL)) ORDER BY Id
SELECT Id, CASE WHEN Boss IN (SELECT Owner FROM Part) THEN 'in' WHEN Boss NOT IN (SELECT Owner FROM Part) THEN 'out' ELSE '?' END AS b, IIF(EXISTS (SELECT 1 FROM Part p WHERE p.Owner = e.Boss), 1, 0) AS x FROM Staff e ORDER BY Id
GO
-- ALL and ANY of a subquery that looks at the row.
SELECT Id FROM Staff e WHERE Pay > ALL (SELECT Pay FROM Staff WHERE Dept = e.Dept AND Id <> e.Id) ORDER BY Id
SELECT Id FROM Staff e WHERE Pay < ANY (SELECT Pay FROM Staff x WHERE x.Dept = e.Dept AND x.Id <> e.Id) ORDER BY Id
GO
-- In ON, for the left side, the right one and both.
SELECT e.Id, p.Qty FROM Staff e LEFT JOIN Part p ON p.Owner = e.Id AND p.Qty = (SELECT MAX(Qty) FROM Part x WHERE x.Owner = e.Id) ORDER BY e.Id
SELECT e.Id, p.Qty FROM Staff e LEFT JOIN Part p ON p.Owner = e.Id AND EXISTS (SELECT 1 FROM Part x WHERE x.Owner = p.Owner AND x.Qty > p.Qty) ORDER BY e.Id
SELECT e.Id, p.Qty FROM Staff e LEFT JOIN Part p ON p.Owner = e.Id AND EXISTS (SELECT 1 FROM Staff x WHERE x.Boss = e.Id AND x.Id * 5 > p.Qty) ORDER BY e.Id, p.Qty
SELECT e.Id, p.Owner, p.Qty FROM Staff e RIGHT JOIN Part p ON p.Owner = e.Id AND p.Qty = (SELECT MIN(Qty) FROM Part x WHERE x.Owner = e.Id) ORDER BY p.Qty
SELECT e.Id, p.Qty FROM Staff e JOIN Part p ON p.Owner = e.Id AND p.Qty < (SELECT MAX(Qty) FROM Part x WHERE x.Owner = e.Id) ORDER BY e.Id
GO
-- Two deep, in HAVING, ORDER BY and groups.
SELECT Id FROM Staff e WHERE EXISTS (SELECT 1 FROM Staff x WHERE x.Boss = e.Id AND EXISTS (SELECT 1 FROM Part p WHERE p.Owner = e.Id AND p.Qty > x.Id)) ORDER BY Id
SELECT Id, (SELECT COUNT(*) FROM Staff x WHERE x.Boss = e.Id AND x.Id > (SELECT MIN(Qty) / 4 FROM Part p WHERE p.Owner = e.Id)) AS n FROM Staff e ORDER BY Id
SELECT Dept, COUNT(*) AS n FROM Staff e GROUP BY Dept HAVING COUNT(*) > (SELECT COUNT(*) FROM Part p WHERE p.Owner = e.Dept) ORDER BY Dept
SELECT Id FROM Staff e ORDER BY (SELECT COUNT(*) FROM Part p WHERE p.Owner = e.Id) DESC, Id DESC
SELECT n, COUNT(*) AS k FROM (SELECT (SELECT COUNT(*) FROM Part p WHERE p.Owner = e.Id) AS n FROM Staff e) q GROUP BY n ORDER BY n
GO
-- More than one row is an error, but not of a key that no row asks for.
SELECT Id, (SELECT Qty FROM Part p WHERE p.Owner = e.Id) AS q FROM Staff e WHERE Id > 1 ORDER BY Id
INSERT INTO Part VALUES (NULL, 8)
SELECT Id FROM Staff e WHERE Id > 1 AND 5 = (SELECT Qty FROM Part p WHERE p.Owner = e.Id)
DELETE FROM Part WHERE Qty = 8
GO
SELECT Id, (SELECT Qty FROM Part p WHERE p.Owner = e.Id) AS q FROM Staff e
GO
-- Counts and aggregates that have no subqueries, or belong elsewhere.
SELECT COUNT(*) AS n FROM Staff GROUP BY ()
SELECT 5 AS n FROM Staff WHERE 1 = 0 GROUP BY ()
SELECT TOP (SELECT 2) Id FROM Staff ORDER BY Id
SELECT TOP (SELECT COUNT(*) - 3 FROM Staff) Id FROM Staff ORDER BY Pay DESC
SELECT Id FROM (SELECT TOP 50 PERCENT Id FROM Staff ORDER BY Id) x UNION ALL SELECT 9
SELECT COUNT(*) AS n FROM (SELECT TOP 10 PERCENT value FROM GENERATE_SERIES(1, 200) UNION ALL SELECT 0) x
GO
SELECT SUM(CASE WHEN e.Id IN (SELECT Owner FROM Part) THEN 1 ELSE 0 END) FROM Staff e
GO
SELECT (SELECT SUM(e.Pay)) FROM Staff e
GO
-- Changes.
UPDATE Staff SET Pay = (SELECT MAX(v) FROM (VALUES (Pay), (99.0)) t(v))
UPDATE e SET Boss = (SELECT TOP 1 p.Qty FROM Part p WHERE p.Owner = e.Id ORDER BY p.Qty DESC) FROM Staff e WHERE e.Id IN (1, 4)
SELECT Id, Pay, Boss FROM Staff ORDER BY Id
DELETE FROM Staff WHERE NOT EXISTS (SELECT COUNT(*) FROM Part p WHERE p.Owner = Staff.Id) OR Id NOT IN (SELECT x.Id FROM Staff x WHERE x.Dept = Staff.Dept)
SELECT Id FROM Staff ORDER BY Id
GO
-- ANY and ALL whose comparison is unknown, under NOT, in a condition and in a value.
CREATE TABLE Nums (n INT)
INSERT INTO Nums VALUES (1), (NULL)
SELECT v FROM (VALUES (0), (1), (2)) AS t(v) WHERE NOT v = ANY (SELECT n FROM Nums) ORDER BY v
SELECT v FROM (VALUES (0), (1), (2)) AS t(v) WHERE NOT v > ALL (SELECT n FROM Nums) ORDER BY v
SELECT v FROM (VALUES (0), (1), (2)) AS t(v) WHERE NOT (NOT v >= ANY (SELECT n FROM Nums)) ORDER BY v
SELECT v FROM (VALUES (0), (1), (2)) AS t(v) WHERE NOT v < ALL (SELECT n FROM Nums WHERE n IS NOT NULL) ORDER BY v
SELECT v, CASE WHEN NOT v = ANY (SELECT n FROM Nums) THEN 'no' WHEN v = ANY (SELECT n FROM Nums) THEN 'yes' ELSE 'unknown' END AS is_any,
    IIF(NOT v > ALL (SELECT n FROM Nums), 'no', 'yes or unknown') AS is_all FROM (VALUES (0), (1), (2), (NULL)) AS t(v) ORDER BY v
IF NOT 2 = ANY (SELECT n FROM Nums) PRINT 'none' ELSE PRINT 'unknown'
IF NOT 1 > ALL (SELECT n FROM Nums) PRINT 'not all' ELSE PRINT 'unknown'
GO
