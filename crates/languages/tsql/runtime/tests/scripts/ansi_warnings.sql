-- SET ANSI_WARNINGS, ARITHABORT and ARITHIGNORE: what an overflow, a division by zero and a text that is too long do.
CREATE TABLE N (Id INT PRIMARY KEY, A INT, B INT, S VARCHAR(5))
INSERT INTO N VALUES (1, 10, 2, 'a'), (2, 10, 0, 'b'), (3, 2147483647, 1, 'c')
GO
-- ANSI_WARNINGS ON: an error of the statement, whatever ARITHABORT is.
SET ARITHABORT OFF
DECLARE @x INT = 7, @z INT = 0
SET @x = 1 / @z
SELECT @x AS unchanged
SELECT Id, A / B AS q FROM N
SELECT Id, A + B AS s FROM N WHERE Id = 3
INSERT INTO N VALUES (4, 1, 1, 'too long')
GO
-- Both OFF: NULL, and a message that is no error.
SET ANSI_WARNINGS OFF
SET ARITHABORT OFF
GO
DECLARE @x INT = 7, @z INT = 0, @t TINYINT
SET @x = 1 / @z
SELECT @x AS x, @@ERROR AS error
SET @x = 2147483647
SET @x = @x + 1
SELECT @x AS x
SET @t = 300
SELECT @t AS t, CAST(300 AS TINYINT) AS c, 1.5 / 0 AS d, 1e308 * 10 AS f
IF 1 / @z IS NULL PRINT 'null'
SELECT Id, A / B AS q, A + B AS s, A * 1000000 AS p FROM N ORDER BY Id
UPDATE N SET B = A / B WHERE Id = 2
SELECT B FROM N WHERE Id = 2
SELECT SUM(A) AS overflown FROM N
GO
-- A text that is too long is cut.
INSERT INTO N VALUES (4, 1, 1, 'too long')
DECLARE @s VARCHAR(20) = 'longer still'
INSERT INTO N VALUES (5, 1, 1, @s)
UPDATE N SET S = S + 'xxxxxxxx' WHERE Id = 1
INSERT INTO N SELECT 6, 1, 1, 'out of a query'
SELECT Id, S FROM N ORDER BY Id
GO
-- ARITHIGNORE keeps the messages back.
SET ARITHIGNORE ON
SELECT 1 / 0 AS q
SELECT Id, A / (B - B) AS q FROM N WHERE Id = 1
SET ARITHIGNORE OFF
SELECT 1 / 0 AS q
GO
-- ARITHABORT ON and ANSI_WARNINGS OFF: the batch ends, and its transaction is rolled back.
SET ARITHABORT ON
BEGIN TRANSACTION
DELETE FROM N WHERE Id > 3
SELECT 1 / 0 AS q
PRINT 'never'
GO
SELECT @@TRANCOUNT AS n, COUNT(*) AS rows FROM N
BEGIN TRY
    SELECT 1 / 0 AS q
END TRY
BEGIN CATCH
    PRINT ERROR_MESSAGE()
END CATCH
GO
SET ARITHABORT OFF
SET ANSI_WARNINGS ON
GO
-- A procedure's own options end with it.
CREATE PROCEDURE Quotient @a INT, @b INT AS
SET ANSI_WARNINGS OFF
SET ARITHABORT OFF
DECLARE @q INT = @a / @b
SELECT @q AS q
SELECT A / @b AS q FROM N WHERE Id = 1
GO
CREATE PROCEDURE Callers @a INT, @b INT AS
DECLARE @q INT = @a / @b
SELECT @q AS q
GO
EXEC Quotient 1, 0
EXEC Callers 1, 0
SELECT 1 / 0 AS error
GO
SET ANSI_WARNINGS OFF
EXEC Callers 1, 0
SET ANSI_WARNINGS ON
EXEC Callers 1, 0
GO
