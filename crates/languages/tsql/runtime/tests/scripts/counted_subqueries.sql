-- EXISTS and IN (SELECT ...) as parts of values.
CREATE TABLE T (id INT PRIMARY KEY, a INT, T INT NULL);
INSERT T VALUES (1, 1, 3), (2, 4, 6), (3, 7, 1), (4, 9, NULL);
GO
SELECT id,
    CASE WHEN T IN (SELECT id FROM T) THEN 1 ELSE 0 END AS i,
    CASE WHEN T NOT IN (SELECT id FROM T) THEN 1 ELSE 0 END AS n,
    CASE WHEN id NOT IN (SELECT T FROM T) THEN 1 ELSE 0 END AS nn,
    CASE WHEN EXISTS (SELECT 1 FROM T x WHERE x.id = T.T) THEN 'y' ELSE 'n' END AS e,
    CASE WHEN NOT EXISTS (SELECT TOP 1 * FROM T x WHERE x.id = T.T ORDER BY a) THEN 'y' ELSE 'n' END AS ne,
    CASE WHEN a > ALL (SELECT id FROM T) THEN 1 ELSE 0 END AS al,
    CASE WHEN a = ANY (SELECT id FROM T) THEN 1 ELSE 0 END AS an
FROM T ORDER BY id;
DECLARE @x INT = CASE WHEN EXISTS (SELECT * FROM T WHERE id = 2) THEN 5 ELSE 6 END;
SELECT @x AS x, IIF(EXISTS (SELECT 1 FROM T WHERE id = 77), 1, 2) AS z;
GO
-- A table that is called as a column of another.
SELECT t.id FROM T t WHERE EXISTS (SELECT 1 FROM T x WHERE x.id = t.id AND t.T = 3);
-- An order by a column whose name another one was given.
SELECT id AS a, t.a AS b FROM T t ORDER BY t.a DESC;
SELECT t.id AS x FROM T t ORDER BY t.x;
GO
-- Days and weeks of columns by DATEFIRST.
SET DATEFIRST 1;
SELECT DATEPART(weekday, d) AS w, DATEPART(dw, d) AS dw, DATEPART(week, d) AS wk, DATEPART(iso_week, d) AS iso, DATENAME(weekday, d) AS n
FROM (VALUES (1, CAST('2024-01-07' AS DATE)), (2, '2024-01-08'), (3, '2023-01-01')) v (k, d) ORDER BY k;
SET DATEFIRST 7;
SELECT DATEPART(weekday, d) AS w, DATEPART(week, d) AS wk FROM (VALUES (1, CAST('2024-01-07' AS DATE)), (2, '2024-01-08'), (3, '2023-01-01')) v (k, d) ORDER BY k;
GO
-- So are the names and beginnings of weeks.
SET DATEFIRST 3;
SELECT DATEPART(week, d) AS wk, DATENAME(week, d) AS n, DATENAME(ww, d) + '!' AS w, DATETRUNC(week, d) AS first, DATENAME(month, d) AS m, DATETRUNC(month, d) AS month
FROM (VALUES (1, CAST('2024-01-07' AS DATE)), (2, '2024-01-10'), (3, '2023-01-01'), (4, NULL)) v (k, d) ORDER BY k;
SELECT DATETRUNC(wk, CAST(d AS DATETIME2(3))) AS t FROM (VALUES ('2024-01-09T12:34:56.789')) v (d);
DECLARE @d DATE = '2024-01-09';
SELECT DATENAME(week, @d) AS n, DATETRUNC(week, @d) AS first;
GO
