CREATE PROCEDURE dbo.AddTwo @a INT, @b INT = 2, @sum INT OUTPUT AS
BEGIN
    SET @sum = @a + @b
    SELECT @sum AS result
    RETURN 7
END
GO
DECLARE @r INT, @s INT
EXEC @r = AddTwo 1, @sum = @s OUTPUT
SELECT @r AS status, @s AS sum
EXEC dbo.AddTwo @a = 5, @b = 6, @sum = @s OUT
SELECT @s
GO
EXEC AddTwo
GO
EXEC NoSuchProcedure
GO
CREATE PROCEDURE Outer1 AS
BEGIN
    CREATE TABLE #x (a INT)
    INSERT INTO #x VALUES (1)
    EXEC Inner1
    SELECT COUNT(*) AS n FROM #x
END
GO
CREATE PROCEDURE Inner1 AS INSERT INTO #x VALUES (2)
GO
EXEC Outer1
GO
SELECT * FROM #x
GO
CREATE FUNCTION dbo.Twice(@n INT) RETURNS INT AS BEGIN RETURN @n * 2 END
GO
SELECT dbo.Twice(21) AS answer
DECLARE @t INT = dbo.Twice(4)
SELECT @t
GO
CREATE TABLE T1 (a INT, b INT)
INSERT INTO T1 EXEC('SELECT 1, 2')
SELECT * FROM T1
EXEC sp_executesql N'SELECT @x + 1 AS y', N'@x INT', @x = 41
DECLARE @out INT
EXEC sp_executesql N'SET @o = @i * 2', N'@i INT, @o INT OUTPUT', @i = 8, @o = @out OUTPUT
SELECT @out
GO
DROP PROCEDURE AddTwo
EXEC AddTwo 1
GO
CREATE TABLE Numbers (n INT)
INSERT INTO Numbers VALUES (1), (2), (3)
GO
CREATE FUNCTION dbo.Fact(@n INT) RETURNS INT AS
BEGIN
    DECLARE @r INT = 1, @i INT = 2
    WHILE @i <= @n BEGIN SET @r = @r * @i SET @i = @i + 1 END
    RETURN @r
END
GO
SELECT n, dbo.Fact(n) AS f FROM Numbers WHERE dbo.Fact(n) > 1 ORDER BY n
GO
-- Names with points, brackets and blanks in them.
CREATE PROCEDURE dbo.[Sales.Check total] AS PRINT 'Sales.Check total'
GO
CREATE PROCEDURE [a]]b."c] AS PRINT 'a]b."c'
GO
EXEC dbo.[Sales.Check total]
EXEC [Sales.Check total]
EXEC [a]]b."c]
EXEC ('EXEC [dbo].[Sales.Check total]')
DECLARE @name NVARCHAR(99) = '[dbo].[Sales.Check total]'
EXEC @name
EXEC dbo.[Not.There]
SELECT SCHEMA_NAME(schema_id) AS s, name FROM sys.procedures WHERE name LIKE '%.%' ORDER BY name
GO
-- As an argument a name in brackets is what stands in them.
CREATE PROCEDURE Says @text NVARCHAR(99) AS PRINT @text
GO
EXEC Says [a ]]"b]
EXEC Says dbo.[a.b]
EXEC Says plain
GO
