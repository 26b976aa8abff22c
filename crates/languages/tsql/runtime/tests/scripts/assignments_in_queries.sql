-- Assignments of variables in SELECT (fault tsql-07): 10734 where UNION and its kin join the statement's queries, 199 in INSERT,
-- 102 within a query. "Database engine events and errors" and SELECT @local_variable in SQL Server's manual.
DECLARE @x INT; SELECT @x=1 UNION ALL SELECT @x=2; SELECT @x AS x
GO
DECLARE @x INT; SELECT @x=1 EXCEPT SELECT 2
GO
DECLARE @x INT; SELECT 1 INTERSECT SELECT @x=2
GO
DECLARE @x INT; SELECT (SELECT @x=1)
GO
DECLARE @x INT; SELECT * FROM (SELECT @x=1) AS q
GO
DECLARE @x INT; WITH c AS (SELECT @x=1) SELECT * FROM c
GO
DECLARE @x INT; IF EXISTS (SELECT @x=1) PRINT 'x'
GO
CREATE TABLE t (a INT)
GO
DECLARE @x INT; INSERT t SELECT @x=1
GO
INSERT t SELECT 1 AS a INTO u
GO
SELECT * FROM (SELECT 1 AS a INTO u) AS q
GO
CREATE VIEW v AS SELECT 1 AS a INTO u
GO
SELECT OBJECT_ID('u') AS u
GO
-- What is valid.
DECLARE @x INT, @y VARCHAR(20) = ''; SELECT @x=1, @y += 'a' FROM (SELECT 1 AS b UNION ALL SELECT 2) AS q; SELECT @x AS x, @y AS y
GO
WITH c AS (SELECT 5 AS n) SELECT n INTO w FROM c; SELECT n FROM w
GO
DECLARE @x INT; WITH c AS (SELECT 5 AS n) SELECT @x = n FROM c; SELECT @x AS x
