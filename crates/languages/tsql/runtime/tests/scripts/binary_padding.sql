-- Binary values of different lengths compare as if the shorter one had zeros at its end (sql-11): equal 0xAE and 0xAE00, as
-- babelfish_extensions' test BABEL-2258 has it. Columns of BINARY(n) have n bytes.
CREATE TABLE vb (id INT PRIMARY KEY, v VARBINARY(10), b BINARY(3))
INSERT vb VALUES (1, 0xAE, 0xAE), (2, 0xAE00, 0xAE00), (3, 0xAE0001, 0xAE0001)
GO
SELECT 'w1' AS x WHERE 0xAE = 0xAE00
SELECT 'w2' AS x FROM (VALUES (0xAE)) AS q (v) WHERE v = 0xAE00
SELECT 'w3' AS x, COUNT(*) AS n FROM vb WHERE v = 0xAE
SELECT 'w4' AS x, COUNT(*) AS n FROM vb WHERE v = b
SELECT 'w5' AS x, COUNT(*) AS n FROM vb WHERE b = 0xAE
SELECT 'w6' AS x, COUNT(DISTINCT v) AS n FROM vb
SELECT 'w7' AS x, COUNT(*) AS n FROM vb a JOIN vb c ON a.v = c.b
GO
DECLARE @v VARBINARY(10) = 0xAE
SELECT 'w8' AS x, COUNT(*) AS n FROM vb WHERE v = @v
SELECT 'w8b' AS x, COUNT(*) AS n FROM vb WHERE b = @v
IF @v = 0xAE00 PRINT 'if equal'
GO
SELECT 'w9' AS x, COUNT(*) AS n FROM vb WHERE v IN (0xAE00)
SELECT 'w9b' AS x, COUNT(*) AS n FROM vb WHERE b IN (0xAE00, 0x01)
SELECT id, CASE WHEN v = 0xAE00 THEN 'equal' ELSE 'not' END AS e FROM vb ORDER BY id
SELECT id, CASE v WHEN 0xAE00 THEN 'equal' ELSE 'not' END AS e FROM vb ORDER BY id
GO
-- Orders, ranges, groups.
INSERT vb VALUES (4, 0xAD, 0xAD), (5, 0xAEFF, 0xAEFF), (6, NULL, NULL), (7, 0x, 0x)
SELECT id FROM vb WHERE v > 0xAE ORDER BY id
SELECT id FROM vb WHERE v >= 0xAE000000 ORDER BY id
SELECT id FROM vb WHERE v < 0xAE00 ORDER BY id
SELECT id FROM vb WHERE v <= 0xAE ORDER BY id
SELECT id FROM vb WHERE v <> 0xAE ORDER BY id
SELECT id FROM vb WHERE NOT v = 0xAE ORDER BY id
SELECT id FROM vb WHERE v BETWEEN 0xAD00 AND 0xAE ORDER BY id
SELECT id FROM vb WHERE b > 0xAE ORDER BY id
SELECT id FROM vb WHERE b BETWEEN 0xAD AND 0xAE00000000 ORDER BY id
SELECT id FROM vb WHERE v = 0x0000 ORDER BY id
SELECT COUNT(*) AS n FROM vb GROUP BY v ORDER BY MIN(id)
SELECT DISTINCT v FROM vb ORDER BY v
SELECT id FROM vb ORDER BY v DESC, id DESC
SELECT id, DENSE_RANK() OVER (ORDER BY v) AS r, COUNT(*) OVER (PARTITION BY v) AS n FROM vb ORDER BY id
SELECT MIN(v) AS a, MAX(v) AS z FROM vb
SELECT v FROM vb WHERE id < 3 UNION SELECT 0xAE0000
SELECT v FROM vb WHERE id = 1 INTERSECT SELECT v FROM vb WHERE id = 2
SELECT v FROM vb WHERE id = 1 EXCEPT SELECT v FROM vb WHERE id = 2
SELECT id FROM vb WHERE v IN (SELECT b FROM vb WHERE id = 1) ORDER BY id
SELECT id FROM vb a WHERE EXISTS (SELECT * FROM vb c WHERE c.b = a.v AND c.id <> a.id) ORDER BY id
SELECT id FROM vb WHERE NULLIF(v, 0xAE) IS NULL ORDER BY id
GO
-- Indexes propose rows by the bytes that are stored.
CREATE TABLE keyed (k VARBINARY(8) NOT NULL, f BINARY(4) NOT NULL UNIQUE, n INT)
CREATE INDEX byk ON keyed (k)
INSERT keyed VALUES (0x01, 0x01, 1), (0x0100, 0x0101, 2), (0x010001, 0x02, 3), (0x0101, 0x03, 4), (0x02, 0x04, 5)
SELECT n FROM keyed WHERE k = 0x01 ORDER BY n
SELECT n FROM keyed WHERE f = 0x01
SELECT n FROM keyed WHERE k = 0x010000 AND f = 0x0101
EXEC sp_executesql N'SELECT n FROM keyed WHERE k = @k ORDER BY n', N'@k VARBINARY(8)', @k = 0x0100
EXEC sp_executesql N'SELECT n FROM keyed WHERE f = @f ORDER BY n', N'@f VARBINARY(8)', @f = 0x0200
UPDATE keyed SET n = n + 10 WHERE k = 0x01
DELETE keyed WHERE f = 0x04
SELECT n FROM keyed ORDER BY k, n
SELECT a.n, c.n AS m FROM keyed a JOIN keyed c ON a.f = c.k ORDER BY 1, 2
