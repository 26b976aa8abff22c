-- Errors, transactions and flow as batch jobs of several decades had them.
CREATE TABLE JobLog (ID int IDENTITY PRIMARY KEY, Step varchar(20), Msg nvarchar(400))
CREATE TABLE Accounts (No int PRIMARY KEY, Owner varchar(10) NOT NULL, Balance money NOT NULL CONSTRAINT CK_Balance CHECK (Balance >= 0))
INSERT Accounts VALUES (1, 'Ann', 100), (2, 'Bob', 50), (3, 'Cy', 0)
GO
-- 1. A transfer as of SQL Server 7: every statement is followed by a look at @@ERROR.
CREATE PROC Transfer7 @from int, @to int, @amount money AS
DECLARE @e int, @r int
BEGIN TRAN
UPDATE Accounts SET Balance = Balance - @amount WHERE No = @from
SELECT @e = @@ERROR, @r = @@ROWCOUNT
IF @e != 0 GOTO ErrorHandler
IF @r = 0 BEGIN RAISERROR('No account %d', 16, 1, @from) SET @e = @@ERROR GOTO ErrorHandler END
UPDATE Accounts SET Balance = Balance + @amount WHERE No = @to
SELECT @e = @@ERROR, @r = @@ROWCOUNT
IF @e <> 0 GOTO ErrorHandler
IF @r = 0 BEGIN RAISERROR('No account %d', 16, 1, @to) SET @e = @@ERROR GOTO ErrorHandler END
COMMIT TRAN
RETURN 0
ErrorHandler:
IF @@TRANCOUNT > 0 ROLLBACK TRAN
RETURN @e
GO
DECLARE @rc int
EXEC @rc = Transfer7 1, 2, $30.25 SELECT @rc AS rc
EXEC @rc = Transfer7 1, 2, 1000 SELECT @rc AS rc, @@TRANCOUNT AS tc
EXEC @rc = Transfer7 1, 9, 1 SELECT @rc AS rc, @@TRANCOUNT AS tc
SELECT * FROM Accounts
GO
-- 2. A template of 2005: XACT_STATE, an error log that is kept, and the error thrown again.
CREATE PROCEDURE LogAndThrow AS
BEGIN
    SET NOCOUNT ON
    DECLARE @msg nvarchar(2048), @severity tinyint, @state tinyint, @errno int, @proc sysname, @lineno int
    SELECT @msg = ERROR_MESSAGE(), @severity = ERROR_SEVERITY(), @state = ERROR_STATE(), @errno = ERROR_NUMBER(), @proc = ERROR_PROCEDURE(), @lineno = ERROR_LINE()
    IF @msg NOT LIKE '***%'
        SELECT @msg = '*** ' + COALESCE(QUOTENAME(@proc), '<dynamic SQL>') + ', Line ' + LTRIM(STR(@lineno)) + '. Errno ' + LTRIM(STR(@errno)) + ': ' + @msg
    INSERT JobLog (Step, Msg) VALUES ('error', @msg)
    RAISERROR('%s', @severity, @state, @msg)
END
GO
CREATE PROCEDURE Transfer05 @from int, @to int, @amount money AS
SET XACT_ABORT, NOCOUNT ON
BEGIN TRY
    BEGIN TRANSACTION
    INSERT JobLog (Step) VALUES ('lost')
    UPDATE Accounts SET Balance -= @amount WHERE No = @from
    UPDATE Accounts SET Balance += @amount WHERE No = @to
    IF @@ROWCOUNT = 0 RAISERROR ('Nobody to give %s to', 16, 1, 'it')
    COMMIT TRANSACTION
END TRY
BEGIN CATCH
    IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION
    EXEC LogAndThrow
    RETURN 55555
END CATCH
GO
CREATE PROCEDURE Nightly AS
BEGIN TRY
    EXEC Transfer05 1, 2, 5000
    PRINT 'not reached'
END TRY
BEGIN CATCH
    IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION
    EXEC LogAndThrow
    RETURN 1
END CATCH
GO
DECLARE @rc int
EXEC @rc = Nightly
SELECT @rc AS rc, @@TRANCOUNT AS tc
EXEC @rc = Transfer05 2, 77, 1
SELECT @rc AS rc
SELECT Step, Msg FROM JobLog
SELECT ID FROM JobLog
GO
-- 3. Savepoints in a procedure that is called in a transaction or without one.
CREATE PROCEDURE AddAccount @no int, @owner varchar(10), @balance money AS
SET NOCOUNT ON
DECLARE @outer int
SET @outer = @@TRANCOUNT
IF @outer > 0 SAVE TRANSACTION AddAccount ELSE BEGIN TRANSACTION
BEGIN TRY
    INSERT Accounts VALUES (@no, @owner, 0)
    UPDATE Accounts SET Balance = @balance WHERE No = @no
    IF @outer = 0 COMMIT TRANSACTION
    RETURN 0
END TRY
BEGIN CATCH
    IF @outer = 0 ROLLBACK TRANSACTION
    ELSE IF XACT_STATE() <> -1 ROLLBACK TRANSACTION AddAccount
    PRINT ERROR_MESSAGE()
    RETURN -ERROR_SEVERITY()
END CATCH
GO
DECLARE @rc int
BEGIN TRAN
EXEC @rc = AddAccount 4, 'Di', 10 PRINT @rc
EXEC @rc = AddAccount 5, 'Ed', -10 PRINT @rc
EXEC @rc = AddAccount 1, 'Flo', 10 PRINT @rc
EXEC @rc = AddAccount 6, NULL, 10 PRINT @rc
SELECT @@TRANCOUNT AS tc, XACT_STATE() AS xs
COMMIT
SELECT * FROM Accounts
GO
-- 4. A job in batches with retries, WHILE 1 = 1, BREAK and CONTINUE.
CREATE TABLE Work (ID int PRIMARY KEY, Tries tinyint NOT NULL DEFAULT 0, Done bit NOT NULL DEFAULT 0, Payload varchar(10))
INSERT Work (ID, Payload) VALUES (1, '10'), (2, 'x'), (3, '0'), (4, '7')
GO
CREATE PROCEDURE Process @id int, @result decimal(9, 4) OUTPUT AS
DECLARE @v int
SELECT @v = CAST(Payload AS int) FROM Work WHERE ID = @id
SET @result = 100 / @v
GO
DECLARE @id int, @result decimal(9, 4), @tries int
WHILE 1 = 1
BEGIN
    SET @id = NULL
    SELECT TOP 1 @id = ID FROM Work WITH (READPAST) WHERE Done = 0 AND Tries < 2 ORDER BY Tries, ID
    IF @id IS NULL BREAK
    BEGIN TRY
        SET @result = NULL
        EXEC Process @id, @result OUTPUT
        IF @result > 12 BEGIN
            UPDATE Work SET Done = 1, Payload = @result WHERE ID = @id
            CONTINUE
        END
        UPDATE Work SET Done = 1 WHERE ID = @id
    END TRY
    BEGIN CATCH
        UPDATE Work SET Tries = Tries + 1 WHERE ID = @id
        INSERT JobLog (Step, Msg) VALUES ('work ' + CAST(@id AS varchar), ERROR_MESSAGE() + ' (' + ISNULL(ERROR_PROCEDURE(), '-') + ' ' + CONVERT(varchar, ERROR_LINE()) + ')')
    END CATCH
END
SELECT * FROM Work
SELECT Step, Msg FROM JobLog WHERE Step LIKE 'work%' ORDER BY ID
GO
-- 5. What ends a statement, a batch, a transaction.
SET XACT_ABORT OFF
BEGIN TRAN
INSERT Accounts VALUES (1, 'dup', 1)
INSERT Accounts VALUES (7, 'Gus', 1)
SELECT @@ERROR AS e, @@TRANCOUNT AS tc
UPDATE Accounts SET Owner = 'a name far too long' WHERE No = 7
PRINT @@ERROR
SELECT 1 / 0
PRINT @@ERROR
SELECT Balance / (No - 7) AS q FROM Accounts WHERE No = 7
COMMIT
SELECT COUNT(*) AS n FROM Accounts WHERE No = 7
GO
SET XACT_ABORT ON
BEGIN TRAN
INSERT Accounts VALUES (8, 'Hal', 1)
INSERT Accounts VALUES (1, 'dup', 1)
INSERT Accounts VALUES (9, 'Ira', 1)
GO
SELECT @@TRANCOUNT AS tc, COUNT(*) AS n FROM Accounts WHERE No > 7
SET XACT_ABORT OFF
GO
-- 6. Numbers as they overflow, round and convert.
DECLARE @t tinyint, @s smallint, @i int, @d decimal(5, 2), @m smallmoney, @c char(3), @b bit
BEGIN TRY SET @t = 256 END TRY BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ': ', ERROR_MESSAGE()) END CATCH
BEGIN TRY SET @i = 2147483647 + 1 END TRY BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ': ', ERROR_MESSAGE()) END CATCH
BEGIN TRY SET @d = 999.995 END TRY BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ': ', ERROR_MESSAGE()) END CATCH
BEGIN TRY SET @m = 214748.3648 END TRY BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ': ', ERROR_MESSAGE()) END CATCH
BEGIN TRY SET @c = 1234 PRINT '[' + @c + ']' END TRY BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ': ', ERROR_MESSAGE()) END CATCH
BEGIN TRY SET @i = '12.5' END TRY BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ': ', ERROR_MESSAGE()) END CATCH
SELECT @t = 5.99, @s = -5.99, @i = '  42 ', @d = 2.345, @m = '$1,234.56789', @b = 'TRUE', @c = 'abcdef'
SELECT @t AS t, @s AS s, @i AS i, @d AS d, @m AS m, @b AS b, @c AS c
SELECT 7 / 2 AS a, -7 / 2 AS b, 7 % -3 AS c, 7 / 2.0 AS d, 1e0 / 3 AS e, CAST(7 AS decimal(3, 0)) / 3 AS f, ROUND(2.5, 0) AS g, ROUND(1234.567, -2) AS h, ROUND(1.999, 1, 1) AS i, CAST(-2.5 AS int) AS j, CAST(2.675 AS numeric(5, 2)) AS k, 10 * 0.1 AS l
SELECT ISNULL(NULL, 1) / 2 AS a, COALESCE(NULL, 1, 2.0) / 2 AS b, CASE WHEN 1 = 1 THEN 1 ELSE 2.50 END AS c, NULLIF(5, 5) AS d, '5' + 3 AS e, '5' + '3' AS f, 'a' + CAST(1 AS char(3)) + 'b' AS g, LEN('ab  ') AS h, DATALENGTH(N'ab  ') AS i
GO
