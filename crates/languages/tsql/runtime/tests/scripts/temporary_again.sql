-- Temporary tables that procedures make and drop again and again: each time they are new.
CREATE PROCEDURE Again @n INT, @wide INT AS
BEGIN
    SET NOCOUNT ON
    IF @wide = 1 CREATE TABLE #t (a INT NOT NULL, b VARCHAR(5)) ELSE CREATE TABLE #t (a INT)
    DECLARE @i INT = 1, @before INT = (SELECT COUNT(*) FROM #t)
    WHILE @i <= @n BEGIN INSERT INTO #t (a) VALUES (@i) SET @i += 1 END
    SELECT @before AS was_there, COUNT(*) AS rows_now, SUM(a) AS total FROM #t
    DROP TABLE #t
END
GO
EXEC Again 3, 0
EXEC Again 2, 0
EXEC Again 100, 0
EXEC Again 4, 1
EXEC Again 1, 0
EXEC Again 5, 1
GO
-- At another depth, beside a table of the same name of the caller.
CREATE PROCEDURE Deeper AS
BEGIN
    CREATE TABLE #t (a INT)
    INSERT INTO #t VALUES (1000)
    EXEC Again 2, 0
    SELECT a FROM #t
    DROP TABLE #t
END
GO
EXEC Deeper
EXEC Again 2, 0
EXEC Deeper
GO
-- Two tables, dropped in either order; one is made over and over in a loop.
CREATE PROCEDURE Two @first INT AS
BEGIN
    SET NOCOUNT ON
    DECLARE @round INT = 1, @n INT = 7
    WHILE @round <= 3
    BEGIN
        CREATE TABLE #one (a INT)
        CREATE TABLE #two (a INT)
        INSERT INTO #one VALUES (@round)
        INSERT INTO #two VALUES (@n)
        INSERT INTO #two VALUES (@round)
        SELECT (SELECT SUM(a) FROM #one) AS one, (SELECT SUM(a) FROM #two) AS two, (SELECT COUNT(*) FROM #two) AS n
        IF @first = 1 BEGIN DROP TABLE #one DROP TABLE #two END
        ELSE DROP TABLE #two, #one
        SET @round += 1
    END
END
GO
EXEC Two 1
EXEC Two 2
EXEC Two 2
GO
-- Rows that a rollback takes away, between drops.
CREATE TABLE #gone (a INT)
INSERT INTO #gone VALUES (1)
GO
DROP TABLE #gone
CREATE TABLE #gone (a INT)
SELECT COUNT(*) AS none FROM #gone
GO
INSERT INTO #gone VALUES (4)
BEGIN TRAN
DECLARE @five INT = 5
INSERT INTO #gone VALUES (@five)
SELECT COUNT(*) AS two FROM #gone
ROLLBACK
SELECT a FROM #gone
DROP TABLE #gone
DROP TABLE #gone
GO
-- A table that was changed before it was dropped comes back as it was declared.
CREATE PROCEDURE Changed AS
BEGIN
    CREATE TABLE #c (a INT, s VARCHAR(3))
    DECLARE @a INT = 1, @s VARCHAR(10) = 'long'
    INSERT INTO #c (a) VALUES (@a)
    CREATE UNIQUE INDEX u ON #c (a)
    INSERT INTO #c (a) VALUES (@a)
    INSERT INTO #c (a, s) VALUES (2, @s)
    SELECT a, s FROM #c
    DROP TABLE #c
END
GO
EXEC Changed
GO
EXEC Changed
GO
-- Numbers of rows begin again; the session's last one stays.
CREATE PROCEDURE Numbered AS
BEGIN
    SET NOCOUNT ON
    CREATE TABLE #n (id INT IDENTITY(10, 5), a INT)
    DECLARE @i INT = 1
    WHILE @i <= 3 BEGIN INSERT INTO #n (a) VALUES (@i) SET @i += 1 END
    SELECT id, a, SCOPE_IDENTITY() AS last FROM #n
    DROP TABLE #n
    SELECT @@IDENTITY AS of_the_session
END
GO
EXEC Numbered
EXEC Numbered
GO
-- A cursor over a table that is dropped, and made again.
CREATE PROCEDURE Walked AS
BEGIN
    SET NOCOUNT ON
    CREATE TABLE #w (a INT)
    INSERT INTO #w VALUES (1)
    INSERT INTO #w VALUES (2)
    DECLARE c CURSOR STATIC FOR SELECT a FROM #w
    OPEN c
    DECLARE @a INT
    FETCH NEXT FROM c INTO @a
    DROP TABLE #w
    CREATE TABLE #w (a INT)
    SELECT COUNT(*) AS none FROM #w
    FETCH NEXT FROM c INTO @a
    SELECT @a AS second, @@FETCH_STATUS AS found
    CLOSE c
    DEALLOCATE c
    DROP TABLE #w
END
GO
EXEC Walked
EXEC Walked
GO
-- Errors of single rows leave what was there; the count is of the last statement.
CREATE PROCEDURE Refused AS
BEGIN
    CREATE TABLE #r (a INT NOT NULL, t TINYINT)
    DECLARE @none INT, @big INT = 300, @one INT = 1
    INSERT INTO #r VALUES (@one, @one)
    SELECT @@ROWCOUNT AS inserted, @@ERROR AS error
    INSERT INTO #r VALUES (@none, @one)
    SELECT @@ROWCOUNT AS inserted, @@ERROR AS error
    INSERT INTO #r VALUES (@one, @big)
    SELECT a, t FROM #r
    DROP TABLE #r
END
GO
EXEC Refused
GO
EXEC Refused
GO
-- The table variable of each call is its own.
CREATE PROCEDURE Variable @n INT AS
BEGIN
    SET NOCOUNT ON
    DECLARE @v TABLE (a INT)
    DECLARE @i INT = 1
    WHILE @i <= @n BEGIN INSERT INTO @v VALUES (@i) SET @i += 1 END
    IF @n > 1 BEGIN SET @i = @n - 1 EXEC Variable @i END
    SELECT COUNT(*) AS n FROM @v
END
GO
EXEC Variable 3
GO
