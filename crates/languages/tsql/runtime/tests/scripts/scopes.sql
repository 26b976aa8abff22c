-- What is seen where: temporary tables, variables, dynamic text, sp_executesql, output parameters, return codes.
CREATE PROCEDURE MakesTemp AS
BEGIN
    CREATE TABLE #mine (n INT)
    INSERT #mine VALUES (1), (2)
    EXEC SeesTemp
    SELECT COUNT(*) AS still_mine FROM #mine
END
GO
CREATE PROCEDURE SeesTemp AS
BEGIN
    INSERT #mine VALUES (3)
    SELECT SUM(n) AS of_the_caller FROM #mine
END
GO
EXEC MakesTemp
SELECT * FROM #mine
GO
EXEC SeesTemp
GO
-- A procedure's own #t hides its caller's.
CREATE PROCEDURE Hides AS
BEGIN
    CREATE TABLE #t (s VARCHAR(10))
    INSERT #t VALUES ('inner')
    SELECT s FROM #t
END
GO
CREATE TABLE #t (s VARCHAR(10))
INSERT #t VALUES ('outer')
EXEC Hides
SELECT s FROM #t
GO
CREATE TABLE #t (x INT)
GO
-- A table of dynamic text ends with the text; one of the session is seen by it.
EXEC ('CREATE TABLE #d (n INT); INSERT #d VALUES (1); SELECT COUNT(*) AS inside FROM #d')
SELECT COUNT(*) FROM #d
GO
EXEC ('INSERT #t VALUES (''dynamic''); SELECT COUNT(*) AS both FROM #t')
DROP TABLE #t
SELECT COUNT(*) FROM #t
GO
IF OBJECT_ID('tempdb..#t') IS NULL PRINT 'gone'
CREATE TABLE #t (x INT)
IF OBJECT_ID('tempdb..#t') IS NOT NULL PRINT 'there'
DROP TABLE #t
GO
-- Variables are not seen by dynamic text.
DECLARE @v INT = 1
EXEC ('SELECT @v')
GO
DECLARE @v INT = 1, @text NVARCHAR(200) = N'SELECT @a + @b AS added'
EXEC sp_executesql @text, N'@a INT, @b INT', @v, 2
EXEC sp_executesql @text, N'@a INT, @b INT', @b = 10, @a = @v
EXEC sp_executesql N'SET @out = @in * 2', N'@in INT, @out INT OUTPUT', @in = 21, @out = @v OUTPUT
SELECT @v AS v
EXEC sp_executesql @statement = N'SELECT @x AS x', @params = N'@x VARCHAR(3)', @x = 'abcdef'
EXEC sp_executesql N'SELECT 1 AS plain'
GO
EXEC sp_executesql N'SELECT @a', N'@a INT'
GO
DECLARE @r INT
EXEC @r = sp_executesql N'SELECT 1 / 0'
SELECT @r AS r, @@ERROR AS e
GO
-- Strings that are put together; sp_executesql of nothing.
DECLARE @t SYSNAME = 'T', @sql NVARCHAR(MAX)
SET @sql = N'SELECT ''' + @t + N''' AS name'
EXEC (@sql)
EXEC ('SELECT ' + '''' + @t + ''' AS parts')
EXEC sp_executesql N''
GO
-- Output parameters: set where OUTPUT is said on both sides.
CREATE PROCEDURE Outs @a INT, @b INT = 5 OUTPUT, @c VARCHAR(20) = NULL OUTPUT AS
BEGIN
    SELECT @a AS a, @b AS b, @c AS c
    SET @b = @a + ISNULL(@b, 100)
    SET @c = 'set ' + CAST(@b AS VARCHAR(10))
    RETURN @a
END
GO
DECLARE @b INT = 1, @c VARCHAR(20), @r INT
EXEC @r = Outs 10, @b OUTPUT, @c OUT
SELECT @r AS r, @b AS b, @c AS c
EXEC @r = Outs @a = 20, @c = @c OUTPUT
SELECT @r AS r, @b AS b, @c AS c
EXEC @r = Outs 30, @b, @c
SELECT @r AS r, @b AS b, @c AS c
EXEC @r = Outs 40, DEFAULT, @c OUTPUT
SELECT @r AS r, @b AS b, @c AS c
GO
EXEC Outs
GO
EXEC Outs 1, 2, 3, 4
GO
EXEC Outs 1, @nothing = 2
GO
EXEC Outs @a = 1, 2
GO
EXEC Outs 'abc'
GO
EXEC Outs 1, @a = 2
GO
CREATE PROCEDURE NoOutput @p INT AS SET @p = 99
GO
DECLARE @x INT = 1
EXEC NoOutput @x OUTPUT
GO
-- Return codes.
CREATE PROCEDURE Codes @how INT AS
BEGIN
    IF @how = 1 RETURN
    IF @how = 2 RETURN -6
    IF @how = 3 SELECT 1 / 0
    IF @how = 4 RETURN NULL
END
GO
DECLARE @r INT
EXEC @r = Codes 1
SELECT @r AS plain
EXEC @r = Codes 2
SELECT @r AS given
EXEC @r = Codes 0
SELECT @r AS fell_through
GO
-- Nesting, recursion and @@NESTLEVEL.
CREATE PROCEDURE Down @n INT AS
BEGIN
    IF @n = 0 SELECT @@NESTLEVEL AS level
    ELSE
    BEGIN
        SET @n -= 1
        EXEC Down @n
    END
END
GO
SELECT @@NESTLEVEL AS outside
EXEC Down 3
EXEC Down 40
GO
CREATE FUNCTION Factorial (@n INT) RETURNS BIGINT AS
BEGIN
    RETURN CASE WHEN @n <= 1 THEN 1 ELSE @n * dbo.Factorial(@n - 1) END
END
GO
SELECT dbo.Factorial(10) AS f, dbo.factorial(0) AS zero
DECLARE @f BIGINT
EXEC @f = Factorial 5
SELECT @f AS called
GO
-- EXEC of a name in a variable, and without EXEC at the start of a batch.
DECLARE @name NVARCHAR(100) = N'dbo.Down'
EXEC @name 1
GO
Down 2
GO
-- INSERT ... EXEC of dynamic text and of a procedure of several results.
CREATE PROCEDURE TwoSets AS
SELECT 1 AS a, 'one' AS b
SELECT 2, 'two'
GO
CREATE TABLE #got (a INT, b VARCHAR(10), c INT IDENTITY)
INSERT #got (a, b) EXEC TwoSets
SELECT @@ROWCOUNT AS n
INSERT INTO #got (a, b) EXEC ('SELECT 3, ''three''')
INSERT INTO #got (a, b) EXEC sp_executesql N'SELECT @p, ''four''', N'@p INT', 4
SELECT a, b, c FROM #got ORDER BY c
GO
INSERT #got (a) EXEC TwoSets
GO
