-- Variables, compound operators, WHILE, BREAK, CONTINUE, GOTO, RETURN, WAITFOR.
DECLARE @a INT = 7, @b INT, @s VARCHAR(10) = 'x', @d DECIMAL(6, 2) = 10
SET @a += 5; SET @a -= 2; SET @a *= 3; SET @a /= 4; SET @a %= 5
SELECT @a AS a
SET @a = 12; SET @a &= 10; SELECT @a AS anded
SET @a |= 5; SELECT @a AS ored
SET @a ^= 15; SELECT @a AS xored
SET @s += 'yz'; SELECT @s AS s
SET @d /= 4; SELECT @d AS d
SELECT @b AS unset
SET @b += 1
SELECT @b AS still_null
GO
DECLARE @i INT = 0, @seen VARCHAR(50) = ''
WHILE @i < 10
BEGIN
    SET @i += 1
    IF @i = 3 CONTINUE
    IF @i > 6 BREAK
    SET @seen += CAST(@i AS VARCHAR(2)) + ','
END
SELECT @seen AS seen, @i AS i
GO
DECLARE @i INT = 0, @j INT, @n INT = 0
WHILE @i < 3
BEGIN
    SET @j = 0
    WHILE 1 = 1
    BEGIN
        SET @j += 1
        IF @j > @i BREAK
        SET @n += 1
    END
    SET @i += 1
END
SELECT @n AS inner_turns
GO
DECLARE @i INT = 0
again:
SET @i += 1
IF @i < 5 GOTO again
IF @i = 5 GOTO done
SELECT 'not reached' AS never
done:
SELECT @i AS i
GO
PRINT 'before'
RETURN
PRINT 'after'
GO
RETURN 5
GO
-- A variable belongs to its batch; a DECLARE in a loop sets it once more only where it has a value.
DECLARE @i INT = 0
WHILE @i < 3
BEGIN
    DECLARE @x INT
    DECLARE @y INT = 10
    SET @x = ISNULL(@x, 0) + 1
    SET @y += 1
    SET @i += 1
END
SELECT @x AS x, @y AS y
GO
SELECT @i
GO
DECLARE @v INT = 1, @v INT = 2
GO
-- IF takes one statement; ELSE belongs to the nearest IF.
DECLARE @a INT = 1, @b INT = NULL
IF @a = 1
    IF @b = 1 PRINT 'both'
    ELSE PRINT 'b is not 1'
IF @b = NULL PRINT 'equal to NULL' ELSE PRINT 'unknown is not true'
IF NOT (@b = 1) PRINT 'not' ELSE PRINT 'not unknown is unknown'
IF @b IS NULL AND (@a = 1 OR @b = 2) PRINT 'is null'
IF EXISTS (SELECT 1 WHERE 1 = 0) PRINT 'exists' ELSE PRINT 'nothing'
GO
IF 1 PRINT 'no condition'
GO
BREAK
GO
GOTO nowhere
GO
WAITFOR DELAY '00:00:00.010'
PRINT 'waited'
GO
DECLARE @t VARCHAR(12) = '00:00:00.001'
WAITFOR DELAY @t
PRINT 'waited again'
GO
WAITFOR DELAY 'soon'
GO
PRINT NULL
PRINT ''
PRINT 1 + 1
PRINT N'text ' + CAST(1.50 AS VARCHAR(10))
PRINT CAST('2024-03-04 05:06:07' AS DATETIME)
GO
-- SELECT of variables: the last row's values, none where there is no row; several at once.
DECLARE @x INT = 5, @y VARCHAR(5) = 'old'
SELECT @x = n, @y = t FROM (VALUES (1, 'a'), (2, 'b')) AS v (n, t) WHERE n > 10
SELECT @x AS x, @y AS y, @@ROWCOUNT AS counted
SELECT @x = n, @y = t FROM (VALUES (1, 'a'), (2, 'b')) AS v (n, t) ORDER BY n
SELECT @@ROWCOUNT AS counted, @x AS x, @y AS y
SET @x = (SELECT n FROM (VALUES (1), (2)) AS v (n) WHERE n > 10)
SELECT @x AS x
SET @x = (SELECT n FROM (VALUES (1), (2)) AS v (n))
SELECT @x AS x
GO
DECLARE @list VARCHAR(100)
SELECT @list = COALESCE(@list + ', ', '') + t FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS v (n, t) ORDER BY n
SELECT @list AS list
DECLARE @sum INT = 0, @count INT = 0
SELECT @sum += n, @count = @count + 1 FROM (VALUES (1), (2), (3)) AS v (n)
SELECT @sum AS total, @count AS counted
GO
