-- Columns of three collations, and expressions under each, in all that compares.
CREATE TABLE m (id INT, ci NVARCHAR(10), cs NVARCHAR(10) COLLATE Latin1_General_CS_AS, bn NVARCHAR(10) COLLATE Latin1_General_BIN2, v VARCHAR(10) COLLATE Latin1_General_BIN, ai NVARCHAR(10) COLLATE Latin1_General_CI_AI)
INSERT m (id, ci) VALUES (1, N'a'), (2, N'A'), (3, N'b'), (4, N'B'), (5, N'á'), (6, N'a '), (7, N'_'), (8, NULL)
UPDATE m SET cs = ci, bn = ci, v = ci, ai = ci
GO
SELECT id FROM m ORDER BY ci, id
SELECT id FROM m ORDER BY bn, id
SELECT id FROM m ORDER BY cs, id
SELECT id FROM m ORDER BY ci COLLATE Latin1_General_CS_AS DESC, id
SELECT id FROM m ORDER BY v, id
SELECT id FROM m ORDER BY ai, id
SELECT id FROM m ORDER BY ci COLLATE Latin1_General_BIN2, id
SELECT id FROM m ORDER BY bn COLLATE Latin1_General_CI_AS, id
SELECT id FROM m ORDER BY UPPER(bn), id
SELECT id FROM m ORDER BY bn + N'', id
SELECT id, bn AS x FROM m ORDER BY x, id
SELECT TOP 3 id FROM m ORDER BY bn DESC, id
SELECT id FROM (SELECT id, bn AS x FROM m) d ORDER BY x, id
;WITH c AS (SELECT id, ci COLLATE Latin1_General_BIN2 AS x FROM m) SELECT id FROM c ORDER BY x, id
GO
SELECT COUNT(*) AS n FROM m GROUP BY ci ORDER BY n
SELECT COUNT(*) AS n FROM m GROUP BY cs ORDER BY n
SELECT COUNT(*) AS n FROM m GROUP BY bn ORDER BY n
SELECT COUNT(*) AS n FROM m GROUP BY v ORDER BY n
SELECT COUNT(*) AS n FROM m GROUP BY ai ORDER BY n
SELECT COUNT(*) AS n FROM m GROUP BY ci COLLATE Latin1_General_BIN2 ORDER BY n
SELECT COUNT(*) AS n FROM m GROUP BY bn COLLATE Latin1_General_CI_AS ORDER BY n
SELECT COUNT(*) AS n FROM m GROUP BY UPPER(bn) ORDER BY n
SELECT COUNT(DISTINCT ci) AS ci, COUNT(DISTINCT cs) AS cs, COUNT(DISTINCT bn) AS bn, COUNT(DISTINCT v) AS v, COUNT(DISTINCT ai) AS ai, COUNT(DISTINCT ci COLLATE Latin1_General_BIN2) AS ci_bn, COUNT(DISTINCT bn COLLATE Latin1_General_CI_AS) AS bn_ci FROM m
SELECT (SELECT COUNT(*) FROM (SELECT DISTINCT ci FROM m) d) AS ci, (SELECT COUNT(*) FROM (SELECT DISTINCT cs FROM m) d) AS cs, (SELECT COUNT(*) FROM (SELECT DISTINCT bn FROM m) d) AS bn, (SELECT COUNT(*) FROM (SELECT DISTINCT v FROM m) d) AS v, (SELECT COUNT(*) FROM (SELECT DISTINCT ci COLLATE Latin1_General_BIN AS x FROM m) d) AS ci_bn
SELECT (SELECT COUNT(*) FROM (SELECT bn FROM m UNION SELECT bn FROM m) d) AS bn, (SELECT COUNT(*) FROM (SELECT cs FROM m INTERSECT SELECT cs FROM m) d) AS cs, (SELECT COUNT(*) FROM (SELECT bn FROM m EXCEPT SELECT bn FROM m WHERE id = 1) d) AS e
GO
SELECT id FROM m WHERE ci = N'A' ORDER BY id
SELECT id FROM m WHERE cs = N'A' ORDER BY id
SELECT id FROM m WHERE bn = N'a' ORDER BY id
SELECT id FROM m WHERE v = 'a' ORDER BY id
SELECT id FROM m WHERE ai = N'A' ORDER BY id
SELECT id FROM m WHERE N'A' = bn COLLATE Latin1_General_CI_AS ORDER BY id
SELECT id FROM m WHERE bn > N'B' ORDER BY id
SELECT id FROM m WHERE bn BETWEEN N'A' AND N'a' ORDER BY id
SELECT id FROM m WHERE bn IN (N'A', N'b') ORDER BY id
SELECT id FROM m WHERE cs NOT IN (N'A', N'b') ORDER BY id
SELECT id FROM m WHERE bn LIKE N'A%' ORDER BY id
SELECT id FROM m WHERE cs LIKE N'[A-Z]' ORDER BY id
SELECT id FROM m WHERE bn LIKE N'[A-Z]' ORDER BY id
SELECT id FROM m WHERE ci LIKE N'[A-Z]' ORDER BY id
SELECT id FROM m WHERE v LIKE '[a-b]%' ORDER BY id
SELECT id FROM m WHERE bn NOT LIKE N'a%' ORDER BY id
SELECT id FROM m WHERE bn COLLATE Latin1_General_CI_AS LIKE N'B' ORDER BY id
SELECT id FROM m WHERE PATINDEX(N'%B%', bn) > 0 ORDER BY id
SELECT id FROM m WHERE CHARINDEX(N'B', bn) > 0 ORDER BY id
SELECT id FROM m WHERE REPLACE(bn, N'A', N'') = N'' ORDER BY id
SELECT id, CASE bn WHEN N'A' THEN 'A' WHEN N'a' THEN 'a' END AS c, NULLIF(bn, N'A') AS n, IIF(cs = N'b', 1, 0) AS i FROM m ORDER BY id
GO
SELECT MIN(ci) AS a, MAX(bn) AS b, MIN(bn) AS c, MAX(v) AS d, MIN(cs) AS e, MAX(cs) AS f FROM m WHERE id < 7
SELECT a.id, b.id FROM m a JOIN m b ON a.bn = b.bn AND a.id < b.id ORDER BY 1, 2
SELECT a.id, b.id FROM m a JOIN m b ON a.cs = b.cs AND a.id < b.id ORDER BY 1, 2
SELECT a.id, b.id FROM m a JOIN m b ON a.ci = b.bn COLLATE Latin1_General_CI_AS AND a.id < b.id ORDER BY 1, 2
SELECT a.id, b.id FROM m a JOIN m b ON a.ci COLLATE Latin1_General_BIN2 = b.bn AND a.id < b.id ORDER BY 1, 2
SELECT id FROM m WHERE bn IN (SELECT bn FROM m WHERE id IN (2, 3)) ORDER BY id
SELECT id FROM m WHERE ci COLLATE Latin1_General_BIN2 IN (SELECT bn FROM m WHERE id IN (2, 3)) ORDER BY id
SELECT id FROM m WHERE EXISTS (SELECT 1 FROM m o WHERE o.bn = m.bn AND o.id <> m.id) ORDER BY id
SELECT id, ROW_NUMBER() OVER (PARTITION BY bn ORDER BY id) AS b, ROW_NUMBER() OVER (PARTITION BY ci ORDER BY id) AS c, DENSE_RANK() OVER (ORDER BY bn) AS r FROM m ORDER BY id
SELECT STRING_AGG(ci, N',') WITHIN GROUP (ORDER BY bn, id) AS s FROM m WHERE id < 7
SELECT id, GREATEST(bn, N'B') AS g FROM m WHERE id < 5 ORDER BY id
GO
SELECT id FROM m WHERE cs > N'a' AND cs < N'b' ORDER BY id
SELECT id FROM m WHERE cs BETWEEN N'A' AND N'b' ORDER BY id
SELECT id FROM m WHERE ci LIKE N'[^b-c]%' ORDER BY id
SELECT id FROM m WHERE cs LIKE N'[^a]' ORDER BY id
SELECT REPLACE(cs, N'a', N'x') AS r, CHARINDEX(N'B', cs) AS c, UPPER(cs) AS u FROM m WHERE id < 5 ORDER BY id
CREATE INDEX by_cs ON m (cs)
SELECT id FROM m WHERE cs = N'a' ORDER BY id
SELECT id FROM m WHERE cs >= N'á' ORDER BY cs, id
DECLARE @a NVARCHAR(5) = N'b' IF @a COLLATE Latin1_General_CS_AS < N'B' AND @a COLLATE Latin1_General_BIN2 > N'B' PRINT 'small letters first'
GO
-- Unique keys, checks, variables, temporary tables
CREATE TABLE keys_of (ci NVARCHAR(10) UNIQUE, cs NVARCHAR(10) COLLATE Latin1_General_CS_AS UNIQUE, bn NVARCHAR(10) COLLATE Latin1_General_BIN2 PRIMARY KEY, CHECK (bn <> N'X'))
INSERT keys_of VALUES (N'a', N'a', N'a'), (N'b', N'A', N'A')
GO
INSERT keys_of VALUES (N'A', N'c', N'c')
GO
INSERT keys_of VALUES (N'c', N'A', N'c')
GO
INSERT keys_of VALUES (N'c', N'c', N'a ')
GO
INSERT keys_of VALUES (N'd', N'd', N'x')
INSERT keys_of VALUES (N'e', N'e', N'X')
GO
SELECT bn FROM keys_of WHERE bn = N'A'
SELECT bn FROM keys_of WHERE bn COLLATE Latin1_General_CI_AS = N'A' ORDER BY bn
SELECT bn FROM keys_of WHERE bn >= N'a' ORDER BY bn
SELECT bn FROM keys_of ORDER BY bn
SELECT cs FROM keys_of WHERE cs = N'a'
CREATE TABLE #t (x VARCHAR(5) COLLATE Latin1_General_BIN, y VARCHAR(5))
INSERT #t VALUES ('a', 'a'), ('A', 'A'), ('B', 'B')
SELECT x FROM #t ORDER BY x
SELECT x FROM #t WHERE x = 'A'
SELECT y FROM #t WHERE y = 'A' ORDER BY y COLLATE Latin1_General_BIN
DECLARE @t TABLE (x VARCHAR(5) COLLATE Latin1_General_CS_AS)
INSERT @t SELECT x FROM #t
SELECT COUNT(*) AS n FROM @t WHERE x = 'A'
SELECT COUNT(*) AS n FROM (SELECT DISTINCT x FROM @t) d
SELECT x, y COLLATE Latin1_General_CI_AI AS z, y INTO #copy FROM #t
SELECT x FROM #copy ORDER BY x
SELECT COUNT(*) AS n FROM #copy WHERE x = 'a'
SELECT COUNT(*) AS n FROM #copy WHERE z = 'á' AND y = 'A'
CREATE INDEX by_bn ON m (bn)
SELECT id FROM m WHERE bn = N'a' ORDER BY id
SELECT id FROM m WHERE bn > N'a' AND bn < N'z' ORDER BY id
SELECT bn FROM m WHERE bn >= N'B' ORDER BY bn, id
GO
CREATE VIEW mv AS SELECT id, bn, ci COLLATE Latin1_General_CS_AS AS x FROM m
GO
SELECT id FROM mv WHERE bn = N'A' ORDER BY id
SELECT id FROM mv WHERE x = N'A' ORDER BY id
SELECT COUNT(*) AS n FROM mv GROUP BY x ORDER BY n
GO
