-- Rows of VALUES in a subquery come as they are written (sql-09): in lists, as the source of INSERT and of MERGE.
SELECT (SELECT STRING_AGG(v, ',') FROM (VALUES ('a'), ('b'), ('c'), ('d')) AS q (v)) AS g
SELECT t.id,
    (SELECT x.n, x.v FROM (VALUES ('one', t.a), ('two', t.b), ('three', t.c)) AS x (n, v) FOR JSON PATH) AS j,
    (SELECT x.v AS 'data()' FROM (VALUES (t.a), (t.b), (t.c)) AS x (v) FOR XML PATH('')) AS d
FROM (SELECT 1 AS id, 10 AS a, 20 AS b, 30 AS c UNION ALL SELECT 2, 11, 21, 31) AS t
GO
CREATE TABLE tt (id INT PRIMARY KEY, a INT, b INT, c INT)
INSERT tt SELECT value, value * 10, value * 10 + 1, value * 10 + 2 FROM GENERATE_SERIES(1, 3)
CREATE TABLE s3 (id INT IDENTITY PRIMARY KEY, v INT)
INSERT s3 (v) SELECT x.v FROM tt CROSS APPLY (VALUES (a), (b), (c)) AS x (v)
SELECT STRING_AGG(CAST(v AS VARCHAR(9)), ',') WITHIN GROUP (ORDER BY id) AS numbered FROM s3
MERGE s3 USING (VALUES (500), (501), (502), (503)) AS q (v) ON s3.v = q.v WHEN NOT MATCHED THEN INSERT (v) VALUES (q.v);
SELECT STRING_AGG(CAST(v AS VARCHAR(9)), ',') WITHIN GROUP (ORDER BY id) AS merged FROM s3 WHERE v >= 500
SELECT TOP 4 * FROM (SELECT id FROM tt UNION ALL SELECT id + 10 FROM tt) x
SELECT TOP (2) id FROM tt UNION ALL SELECT TOP (1) id + 10 FROM tt
GO
-- The window that names another one (core-02), as SQL Server 2022 has it.
SELECT id, COUNT(*) OVER (w ORDER BY id) AS n, SUM(a) OVER v AS s
FROM tt WINDOW w AS (PARTITION BY a / 20), v AS (w ORDER BY id ROWS UNBOUNDED PRECEDING) ORDER BY id
