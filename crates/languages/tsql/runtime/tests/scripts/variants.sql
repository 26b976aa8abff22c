-- The values of a SQL_VARIANT have types of their own, and an order.
CREATE TABLE sv (id INT IDENTITY, v SQL_VARIANT)
INSERT sv VALUES (10), (9), (100), (NULL)
SELECT v FROM sv ORDER BY v
SELECT v FROM sv ORDER BY v DESC
SELECT MIN(v) AS least, MAX(v) AS most, SQL_VARIANT_PROPERTY(MAX(v), 'BaseType') AS of_most FROM sv
GO
-- Each type of value is kept
CREATE TABLE kinds (id INT, v SQL_VARIANT)
INSERT kinds VALUES (1, CAST(1 AS BIT)), (2, CAST(2 AS TINYINT)), (3, CAST(3 AS SMALLINT)), (4, 4), (5, CAST(5 AS BIGINT)),
    (6, 1.5), (7, CAST(2 AS MONEY)), (8, CAST(8 AS REAL)), (9, 9e0), (10, CAST('20240102' AS DATE)),
    (11, CAST('20240102 03:04:05.678' AS DATETIME)), (12, CAST('2024-01-02 03:04:05.1234567' AS DATETIME2(7))), (13, 'abc'), (14, N'abc'),
    (15, 0x0102), (16, CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS UNIQUEIDENTIFIER)), (17, CAST('12:30' AS TIME(0))),
    (18, CAST('x' AS CHAR(3))), (19, CAST('20240102 03:04' AS SMALLDATETIME)), (20, CAST(3 AS SMALLMONEY))
SELECT id, v, SQL_VARIANT_PROPERTY(v, 'BaseType') AS base, SQL_VARIANT_PROPERTY(v, 'Precision') AS p, SQL_VARIANT_PROPERTY(v, 'Scale') AS s, SQL_VARIANT_PROPERTY(v, 'MaxLength') AS l, SQL_VARIANT_PROPERTY(v, 'TotalBytes') AS b FROM kinds ORDER BY id
GO
-- UNIQUEIDENTIFIER, bytes, texts, exact numbers, floating ones, moments
SELECT id, v FROM kinds ORDER BY v, id
GO
-- Comparisons are by family, and by value within one
SELECT id FROM kinds WHERE v > 4 ORDER BY id
SELECT id FROM kinds WHERE v = 2 ORDER BY id
SELECT id FROM kinds WHERE v = 'ABC' ORDER BY id
SELECT id FROM kinds WHERE v BETWEEN 2 AND 4 ORDER BY id
SELECT id FROM kinds WHERE v IN (1.5, 'abc', 5) ORDER BY id
SELECT id FROM kinds WHERE v < 'b' ORDER BY id
SELECT id FROM kinds WHERE v = CAST('2024-01-02' AS DATETIME2) ORDER BY id
SELECT a.id, b.id FROM kinds a JOIN kinds b ON a.v = b.v AND a.id < b.id ORDER BY a.id, b.id
GO
-- Out again
SELECT CAST(v AS INT) + 1 AS n FROM kinds WHERE id = 4
SELECT CAST(v AS DECIMAL(5,2)) AS n, CONVERT(VARCHAR(30), v) AS t FROM kinds WHERE id IN (6, 7) ORDER BY id
SELECT ISNULL(v, 0) AS v, COALESCE(v, 'none') AS w, CASE WHEN id = 4 THEN v ELSE 'x' END AS c, ISNUMERIC(CAST(v AS VARCHAR(10))) AS n FROM kinds WHERE id IN (4, 13) ORDER BY id
SELECT v FROM kinds WHERE id < 3 UNION ALL SELECT 'text' UNION ALL SELECT NULL
GO
DECLARE @i INT = (SELECT v FROM kinds WHERE id = 4)
GO
DECLARE @v SQL_VARIANT, @w SQL_VARIANT = CAST(2 AS MONEY)
SELECT @v = v FROM kinds WHERE id = 10
SELECT @v AS v, SQL_VARIANT_PROPERTY(@v, 'BaseType') AS base, @w AS w, SQL_VARIANT_PROPERTY(@w, 'BaseType') AS of_w
IF @v > @w PRINT 'a day is more than money'
IF @w = 2 AND @w > 1.9 AND @w < 'a' PRINT 'no'
IF @w > 'a' PRINT 'a number is more than a text'
SET @v = N'é'
INSERT kinds VALUES (21, @v), (22, @w)
SELECT id, v, SQL_VARIANT_PROPERTY(v, 'BaseType') AS base FROM kinds WHERE id > 20 ORDER BY id
UPDATE kinds SET v = CAST(id AS SMALLINT) WHERE v = N'É'
SELECT id, SQL_VARIANT_PROPERTY(v, 'BaseType') AS base FROM kinds WHERE id > 20 ORDER BY id
GO
-- Through functions, procedures, table variables and triggers
CREATE FUNCTION dbo.plus(@v SQL_VARIANT) RETURNS SQL_VARIANT AS BEGIN RETURN CAST(@v AS INT) + 1 END
GO
CREATE PROCEDURE base_of @v SQL_VARIANT AS SELECT SQL_VARIANT_PROPERTY(@v, 'BaseType') AS base, @v AS v
GO
SELECT dbo.plus(v) AS v, SQL_VARIANT_PROPERTY(dbo.plus(v), 'BaseType') AS base FROM kinds WHERE id IN (4, 5) ORDER BY id
EXEC base_of 5
EXEC base_of 'five'
DECLARE @t TABLE (v SQL_VARIANT PRIMARY KEY)
INSERT @t SELECT v FROM kinds WHERE id IN (4, 6, 13)
SELECT v FROM @t ORDER BY v
SELECT id, v INTO copied FROM kinds WHERE id < 5
SELECT TOP 1 v, SQL_VARIANT_PROPERTY(v, 'BaseType') AS base FROM copied ORDER BY id DESC
SELECT id, v FROM kinds WHERE id IN (6, 13) ORDER BY id FOR JSON PATH
CREATE INDEX by_value ON kinds (v)
SELECT id FROM kinds WHERE v = 1.5
GO
CREATE TABLE d (a INT, v SQL_VARIANT DEFAULT 7, w AS CAST(a AS SQL_VARIANT))
INSERT d (a) VALUES (1)
SELECT a, v, w, SQL_VARIANT_PROPERTY(v, 'BaseType') AS base FROM d
GO
-- A procedure of the system takes the value within
DECLARE @v SQL_VARIANT = N'told'
EXEC sp_addextendedproperty @name = N'note', @value = @v
SELECT value FROM sys.extended_properties WHERE name = 'note'
GO
