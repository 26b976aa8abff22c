-- An error within a function ends the statement that calls it, whatever that is.
CREATE FUNCTION dbo.inverse(@a INT) RETURNS INT AS
BEGIN
    DECLARE @r INT
    SET @r = 1 / @a
    RETURN @r
END
GO
CREATE FUNCTION dbo.told(@a INT) RETURNS INT AS
BEGIN
    RETURN 1 / @a
END
GO
CREATE FUNCTION dbo.small(@a INT) RETURNS TINYINT AS BEGIN RETURN @a END
GO
CREATE FUNCTION dbo.doubled(@a INT) RETURNS INT AS
BEGIN
    WHILE @a > 0 SET @a = @a * 2
    RETURN @a
END
GO
CREATE FUNCTION dbo.one_of_two() RETURNS INT AS
BEGIN
    RETURN (SELECT v FROM (VALUES (1), (2)) AS t (v))
END
GO
CREATE FUNCTION dbo.twice_in_a_table(@a INT) RETURNS INT AS
BEGIN
    DECLARE @t TABLE (id INT PRIMARY KEY)
    INSERT INTO @t VALUES (@a)
    INSERT INTO @t VALUES (@a)
    RETURN (SELECT COUNT(*) FROM @t)
END
GO
CREATE FUNCTION dbo.number_of(@text VARCHAR(20)) RETURNS INT AS
BEGIN
    DECLARE @n INT
    SELECT @n = CAST(@text AS INT)
    RETURN @n
END
GO
CREATE FUNCTION dbo.day_of(@text VARCHAR(20)) RETURNS DATE AS
BEGIN
    RETURN CAST(@text AS DATE)
END
GO
CREATE FUNCTION dbo.rows_of(@a INT) RETURNS @t TABLE (v INT) AS
BEGIN
    INSERT INTO @t VALUES (1)
    INSERT INTO @t VALUES (1 / @a)
    RETURN
END
GO
CREATE FUNCTION dbo.through(@a INT) RETURNS INT AS
BEGIN
    RETURN (SELECT SUM(dbo.told(v)) FROM (VALUES (1), (@a)) AS t (v))
END
GO
SELECT dbo.inverse(1) AS one, dbo.told(1) AS one_more
SELECT dbo.inverse(0) AS a
SELECT dbo.told(0) AS a
SELECT dbo.small(1000) AS a
SELECT dbo.doubled(1) AS a
SELECT dbo.one_of_two() AS a
SELECT dbo.twice_in_a_table(1) AS a
SELECT dbo.through(0) AS a
SELECT * FROM dbo.rows_of(0)
SELECT COUNT(*) AS n FROM dbo.rows_of(1)
PRINT 'goes on'
GO
-- A conversion ends the batch as well.
SELECT dbo.number_of('x') AS a
PRINT 'does not go on'
GO
SELECT dbo.day_of('x') AS a
PRINT 'does not go on'
GO
CREATE TABLE Accounts (id INT PRIMARY KEY, total INT, CONSTRAINT told CHECK (dbo.told(id) >= 0))
INSERT INTO Accounts VALUES (1, 5), (2, 6)
GO
UPDATE Accounts SET total = dbo.told(0)
SELECT id, total FROM Accounts
INSERT INTO Accounts VALUES (0, 7)
SELECT id, total FROM Accounts
SELECT SUM(dbo.told(id - 1)) AS s FROM Accounts
SELECT id FROM Accounts WHERE dbo.told(id - 2) > 5
DECLARE @x INT = 3
SET @x = dbo.told(0)
SELECT @x AS x
SELECT @x = dbo.told(0)
SELECT @x AS x
IF dbo.told(0) IS NULL PRINT 'NULL' ELSE PRINT 'a number'
PRINT 'goes on'
DELETE FROM Accounts WHERE id = dbo.told(0)
SELECT @@ROWCOUNT AS n, COUNT(*) AS there FROM Accounts
GO
BEGIN TRY
    SELECT dbo.told(0) AS a
    PRINT 'not caught'
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l, ERROR_MESSAGE() AS m
END CATCH
BEGIN TRY
    SELECT dbo.number_of('x') AS a
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l
END CATCH
BEGIN TRY
    SELECT * FROM dbo.rows_of(0)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l
END CATCH
GO
-- Within a transaction, which stays open.
BEGIN TRAN
UPDATE Accounts SET total = 9 WHERE id = 1
UPDATE Accounts SET total = dbo.told(0) WHERE id = 2
SELECT @@TRANCOUNT AS open_ones
COMMIT
SELECT id, total FROM Accounts
GO
-- Where the options have NULL in place of an error, a function has.
SET ARITHABORT OFF
SET ANSI_WARNINGS OFF
SELECT dbo.told(0) AS a, dbo.inverse(0) AS b
GO
SET ANSI_WARNINGS ON
SELECT dbo.told(0) AS a
GO
