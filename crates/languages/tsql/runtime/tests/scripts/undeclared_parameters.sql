-- The types of thousands of parameters that a driver asks for before it inserts rows (fault tsql-19): those of the columns, also
-- with OUTPUT before VALUES (sp_describe_undeclared_parameters). Each table and each list of columns is looked up once.
CREATE TABLE und (a INT IDENTITY PRIMARY KEY, f1 INT, f2 SMALLINT, name NVARCHAR(10))
GO
DECLARE @rows NVARCHAR(MAX) = (SELECT STRING_AGG(CAST(CONCAT('(@P', 3 * value + 1, ',@P', 3 * value + 2, ',@P', 3 * value + 3, ')')
    AS NVARCHAR(MAX)), ',') FROM GENERATE_SERIES(0, 679))
DECLARE @text NVARCHAR(MAX) = N'INSERT INTO und(f1,f2,name) OUTPUT inserted.a VALUES ' + @rows
DECLARE @t TABLE (ordinal INT, name NVARCHAR(128), type_id INT, type NVARCHAR(128), length INT, precision INT, scale INT, a INT,
    b NVARCHAR(128), c NVARCHAR(128), d NVARCHAR(128), e NVARCHAR(4000), f INT, g NVARCHAR(128), h NVARCHAR(128), i NVARCHAR(128),
    j BIT, k BIT, l BIT, input BIT, output BIT, m NVARCHAR(128), tds_type INT, tds_length INT)
DECLARE @start DATETIME2 = SYSDATETIME()
INSERT @t EXEC sp_describe_undeclared_parameters @text
SELECT type, COUNT(*) AS parameters, MIN(ordinal) AS first, MAX(length) AS length FROM @t GROUP BY type ORDER BY first
SELECT IIF(DATEDIFF(SECOND, @start, SYSDATETIME()) < 60, 'in time', 'too late') AS took
GO
