-- GROUPING and GROUPING_ID of what is grouped by, whatever it is.
CREATE TABLE g (id INT PRIMARY KEY, d DATE, region VARCHAR(10), v INT)
INSERT g VALUES (1, '20230105', 'N', 10), (2, '20230210', 'S', 20), (3, '20240105', 'N', 40), (4, '20240303', 'S', 80)
GO
SELECT YEAR(d) AS y, SUM(v) AS v, GROUPING(YEAR(d)) AS g FROM g GROUP BY ROLLUP (YEAR(d)) ORDER BY GROUPING(YEAR(d)), y
SELECT CASE WHEN GROUPING(YEAR(d)) = 1 THEN 'all' ELSE CAST(YEAR(d) AS VARCHAR(4)) END AS y, region,
       GROUPING_ID(YEAR(d), region) AS i, SUM(v) AS v
FROM g GROUP BY YEAR(d), region WITH CUBE ORDER BY GROUPING_ID(YEAR(d), region), YEAR(d), region
SELECT region + '!' AS r, v % 20 AS m, COUNT(*) AS n, GROUPING(region + '!') AS gr, GROUPING(v % 20) AS gm
FROM g GROUP BY GROUPING SETS ((region + '!', v % 20), (region + '!'), ()) HAVING GROUPING(v % 20) = 1 ORDER BY gr, r
GO
-- Sets within sets.
SELECT YEAR(d) AS y, region, SUM(v) AS v FROM g GROUP BY GROUPING SETS (ROLLUP (YEAR(d), region), (region)) ORDER BY GROUPING_ID(YEAR(d), region), y, region
SELECT region, MONTH(d) AS m, SUM(v) AS v FROM g GROUP BY GROUPING SETS (CUBE (region, MONTH(d))) ORDER BY GROUPING_ID(region, MONTH(d)), region, m
SELECT region, MONTH(d) AS m, YEAR(d) AS y, SUM(v) AS v FROM g GROUP BY GROUPING SETS ((region, MONTH(d)), CUBE (region, YEAR(d)), ()) ORDER BY GROUPING_ID(region, MONTH(d), YEAR(d)), region, m, y
SELECT region, id, SUM(v) AS v FROM g GROUP BY GROUPING SETS (region, ROLLUP (id), GROUPING SETS (region, ())) ORDER BY GROUPING_ID(region, id), region, id
SELECT region, YEAR(d) AS y, id, SUM(v) AS v FROM g GROUP BY ROLLUP ((region, YEAR(d)), id) ORDER BY GROUPING_ID(region, YEAR(d), id), region, y, id
SELECT region, YEAR(d) AS y, SUM(v) AS v FROM g GROUP BY region, ROLLUP (YEAR(d)) ORDER BY region, y
SELECT region, YEAR(d) AS y, SUM(v) AS v FROM g GROUP BY CUBE (region), GROUPING SETS (YEAR(d), ()) ORDER BY GROUPING_ID(region, YEAR(d)), region, y
GO
-- GROUPING of what is not grouped by.
SELECT region, GROUPING(v) AS g FROM g GROUP BY ROLLUP (region)
GO
SELECT region, GROUPING_ID(region, g.d) AS g FROM g GROUP BY region WITH CUBE
GO
SELECT YEAR(d) AS y FROM g GROUP BY GROUPING SETS ((YEAR(d), region), ()) HAVING GROUPING(d) = 1
GO
SELECT g.region, GROUPING(region) AS g FROM g GROUP BY ROLLUP (g.region) ORDER BY 2, 1
GO
-- EXISTS does not look at the list.
IF EXISTS (SELECT * FROM (VALUES (1, 2), (1, 3)) AS t (a, b) GROUP BY a HAVING COUNT(*) > 1) PRINT 'twice'
IF NOT EXISTS (SELECT * FROM (VALUES (1, 2), (2, 3)) AS t (a, b) GROUP BY a HAVING COUNT(*) > 1) PRINT 'once'
SELECT x.n, CASE WHEN EXISTS (SELECT * FROM (VALUES (1), (1), (2)) AS t (a) WHERE t.a = x.n GROUP BY a HAVING COUNT(*) > 1) THEN 'y' ELSE 'n' END AS e
FROM (VALUES (1), (2)) AS x (n) ORDER BY x.n
GO
