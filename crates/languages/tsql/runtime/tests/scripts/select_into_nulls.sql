-- What SELECT INTO makes NOT NULL: columns that are, constants, and ISNULL where one of its arguments is never NULL.
CREATE TABLE T (id INT IDENTITY PRIMARY KEY, n INT NOT NULL, m INT NULL, name NVARCHAR(10) NOT NULL);
CREATE TABLE U (id INT NOT NULL, t INT NULL);
INSERT T (n, m, name) VALUES (1, NULL, N'one'), (2, 20, N'two');
INSERT U VALUES (1, 1);
GO
CREATE PROCEDURE Shown @table SYSNAME AS
SELECT STRING_AGG(name + CASE is_nullable WHEN 1 THEN '' ELSE ' NOT NULL' END, ', ') WITHIN GROUP (ORDER BY column_id) AS columns
FROM sys.columns WHERE object_id = OBJECT_ID(@table);
GO
SELECT * INTO Whole FROM T;
EXEC Shown 'Whole';
GO
SELECT t.id, m, n AS other, n + 1 AS more, ISNULL(m, 0) AS filled, ISNULL(m, m) AS none, ISNULL(n, m) AS first,
    COALESCE(m, 0) AS co, 1 AS one, -1.5 AS less, N'x' AS text, NULL AS nothing
INTO Parts FROM T AS t;
EXEC Shown 'Parts';
GO
-- An outer join may leave a side out.
SELECT t.n, u.id INTO LeftJoined FROM T t LEFT JOIN U u ON u.t = t.id;
EXEC Shown 'LeftJoined';
SELECT t.n, u.id INTO RightJoined FROM T t RIGHT JOIN U u ON u.t = t.id;
EXEC Shown 'RightJoined';
SELECT t.n, u.id INTO FullJoined FROM T t FULL JOIN U u ON u.t = t.id;
EXEC Shown 'FullJoined';
SELECT t.n, u.id INTO Joined FROM T t JOIN U u ON u.t = t.id;
EXEC Shown 'Joined';
SELECT t.n, x.v INTO Applied FROM T t OUTER APPLY (SELECT u.id AS v FROM U u WHERE u.t = t.id) x;
EXEC Shown 'Applied';
GO
-- Groups, totals, unions, derived tables and common table expressions.
SELECT n, SUM(m) AS s INTO Grouped FROM T GROUP BY n;
EXEC Shown 'Grouped';
SELECT n, SUM(m) AS s INTO Rolled FROM T GROUP BY ROLLUP (n);
EXEC Shown 'Rolled';
SELECT n, id INTO Both FROM T UNION ALL SELECT m, id FROM T;
EXEC Shown 'Both';
SELECT d.a, d.b INTO Derived FROM (SELECT n AS a, m AS b FROM T) d;
EXEC Shown 'Derived';
WITH c (a, b) AS (SELECT n, m FROM T) SELECT * INTO Common FROM c;
EXEC Shown 'Common';
WITH r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r WHERE a < 3) SELECT a INTO Recursive FROM r;
EXEC Shown 'Recursive';
SELECT v.a, v.b INTO Listed FROM (VALUES (1, NULL), (2, 3)) v (a, b);
EXEC Shown 'Listed';
GO
-- The new table refuses NULL, and can have a key.
INSERT Parts (m, other, filled, first, one, less, text) VALUES (1, 1, 1, 1, 1, 1, NULL);
ALTER TABLE LeftJoined ADD PRIMARY KEY (n);
ALTER TABLE LeftJoined ADD UNIQUE (id);
ALTER TABLE Parts ADD PRIMARY KEY (other);
GO
-- New numbers are never NULL, nor are columns of a table variable and of a temporary table that are not.
SELECT IDENTITY(INT, 1, 1) AS rid, m INTO #numbered FROM T;
DECLARE @v TABLE (a INT NOT NULL, b INT);
SELECT v.a, v.b, r.rid INTO FromVariable FROM #numbered r LEFT JOIN @v v ON v.a = r.rid;
EXEC Shown 'FromVariable';
SELECT * INTO FromTemporary FROM #numbered;
EXEC Shown 'FromTemporary';
GO
