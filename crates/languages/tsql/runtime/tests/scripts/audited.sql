-- What an audit of the dialect found, one after the other.
CREATE TABLE emp (id INT PRIMARY KEY, name VARCHAR(20), dept INT NULL, sal DECIMAL(9,2), mgr INT NULL)
INSERT emp VALUES (1, 'Ann', 1, 100.50, NULL), (2, 'bob', 1, 200, 1), (3, 'Carl', 2, 150.25, 1), (4, 'dora ', 2, NULL, 2), (5, NULL, NULL, 300, 3), (6, 'ANN', 3, 100.5, 2)
CREATE TABLE k (id INT, v INT)
INSERT k VALUES (1, 10), (1, 20), (2, 5), (9, 1), (NULL, 7)
GO
-- The greatest of several columns.
SELECT id, x.m FROM emp e CROSS APPLY (SELECT MAX(v) m FROM (VALUES (e.id), (e.mgr), (e.dept)) t(v)) x
SELECT id, (SELECT MAX(v) FROM (VALUES (e.id), (e.mgr), (e.dept)) t(v)) m FROM emp e
SELECT id, (SELECT MAX(v) FROM (SELECT id v UNION ALL SELECT mgr UNION ALL SELECT dept) t) m FROM emp
SELECT id, (SELECT SUM(v) FROM (VALUES (1), (2)) t(v) WHERE v <= e.id) s FROM emp e
SELECT id FROM emp e WHERE (SELECT COUNT(*) FROM (VALUES (e.mgr), (e.dept)) t(v) WHERE v IS NULL) > 0
SELECT id, (SELECT TOP 1 v FROM (VALUES (e.mgr), (e.dept)) t(v) ORDER BY v DESC) v FROM emp e
SELECT e.id FROM emp e WHERE e.id > (SELECT MIN(m) FROM (SELECT mgr m FROM emp WHERE dept = e.dept UNION ALL SELECT 2) q)
SELECT e.id, q.v FROM emp e CROSS APPLY (SELECT TOP 2 v FROM (VALUES (e.id), (e.dept), (e.mgr)) t(v) WHERE v IS NOT NULL ORDER BY v DESC) q WHERE e.id < 4
SELECT e.id, q.m FROM emp e OUTER APPLY (SELECT MAX(v) m FROM (SELECT v FROM k WHERE k.id = e.id UNION ALL SELECT e.mgr) z) q
UPDATE emp SET sal = (SELECT MAX(v) FROM (VALUES (sal), (99.0)) t(v)) WHERE id = 4
SELECT sal FROM emp WHERE id = 4
UPDATE emp SET sal = NULL WHERE id = 4
GO
-- HAVING and constants under APPLY.
SELECT e.id, q.* FROM emp e CROSS APPLY (SELECT COUNT(*) c, MAX(id) m FROM emp x WHERE x.mgr = e.id HAVING COUNT(*) > 0) q
SELECT e.id, q.* FROM emp e CROSS APPLY (SELECT SUM(v) s FROM k WHERE k.id = e.id HAVING SUM(v) > 10) q
SELECT e.id, q.* FROM emp e CROSS APPLY (SELECT ISNULL(SUM(v), -1) s, COUNT(*) + 1 c, 'x' l FROM k WHERE k.id = e.id) q
SELECT e.id, q.* FROM emp e CROSS APPLY (SELECT SUM(v) s, COUNT(*) c FROM k WHERE k.id = e.id) q
GO
SELECT id FROM emp e WHERE id NOT IN (SELECT mgr FROM emp x WHERE x.mgr IS NOT NULL AND x.dept = e.dept)
SELECT id FROM emp e WHERE id NOT IN (SELECT mgr FROM emp x WHERE x.dept = e.dept)
SELECT COUNT(*) n FROM emp GROUP BY ()
GO
CREATE PROC NoStatus AS RETURN NULL
GO
DECLARE @r INT, @n INT
EXEC @r = NoStatus
SELECT @r AS status
EXEC ('USE master SELECT DB_NAME() AS inside')
SELECT DB_NAME() AS outside
SET ROWCOUNT 1
SELECT id INTO #rc FROM (VALUES (1), (2)) x(id)
SET ROWCOUNT 0
SELECT COUNT(*) AS n FROM #rc
CREATE SEQUENCE q START WITH 254
SELECT current_value FROM sys.sequences WHERE name = 'q'
SELECT NEXT VALUE FOR q AS v
SELECT NEXT VALUE FOR q AS v
SELECT current_value FROM sys.sequences WHERE name = 'q'
GO
-- All groups, also those without rows that count.
SELECT dept, COUNT(*) AS n, SUM(sal) AS s FROM emp WHERE sal > 150 GROUP BY ALL dept ORDER BY dept
SELECT dept FROM emp WHERE sal > 150 GROUP BY ALL dept HAVING COUNT(sal) = 0 ORDER BY COUNT(*), dept
GO
CREATE FUNCTION fdef (@a INT = 5, @b INT) RETURNS INT AS BEGIN RETURN @a * 10 + @b END
GO
SELECT dbo.fdef(DEFAULT, 1) AS a, dbo.fdef(2, 1) AS b
SELECT id, dbo.fdef(DEFAULT, id) AS f FROM emp WHERE id < 3
DECLARE @x INT = dbo.fdef(DEFAULT, 7)
SELECT @x AS x
SELECT CONVERT(CHAR(8), 0x4E616d65, 1) AS a, CONVERT(VARCHAR(4), 0x4E616d65, 2) AS b
SELECT COUNT(*) AS n FROM sys.xml_schema_collections
GO
