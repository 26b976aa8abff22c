-- ERROR_ functions in nested TRY and CATCH, rethrowing, and what cannot be caught.
CREATE PROCEDURE Fails @n INT AS
BEGIN
    SELECT 'in Fails' AS place

    DECLARE @x INT = 10 / @n
    SELECT 'not reached' AS place
END
GO
BEGIN TRY
    EXEC Fails 0
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, ERROR_STATE() AS state, ERROR_PROCEDURE() AS proc_name,
        ERROR_LINE() AS line, ERROR_MESSAGE() AS message
END CATCH
SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message, ERROR_PROCEDURE() AS proc_name
GO
BEGIN TRY
    BEGIN TRY
        RAISERROR ('inner %s', 15, 7, 'one')
    END TRY
    BEGIN CATCH
        SELECT ERROR_MESSAGE() AS m, ERROR_NUMBER() AS n, ERROR_STATE() AS s, ERROR_SEVERITY() AS v;
        BEGIN TRY
            SELECT CAST('abc' AS INT)
        END TRY
        BEGIN CATCH
            SELECT ERROR_MESSAGE() AS m, ERROR_NUMBER() AS n
        END CATCH
        SELECT ERROR_MESSAGE() AS back_to_the_outer_one;
        THROW
    END CATCH
END TRY
BEGIN CATCH
    SELECT ERROR_MESSAGE() AS rethrown, ERROR_NUMBER() AS n, ERROR_STATE() AS s, ERROR_SEVERITY() AS v, ERROR_LINE() AS line
END CATCH
GO
-- A procedure called from CATCH sees the error; its own TRY has its own.
CREATE PROCEDURE Report AS
SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS line
BEGIN TRY
    RAISERROR ('within', 16, 1)
END TRY
BEGIN CATCH
    SELECT ERROR_MESSAGE() AS m
END CATCH
SELECT ERROR_NUMBER() AS again
GO
BEGIN TRY
    THROW 50123, 'thrown', 9
END TRY
BEGIN CATCH
    EXEC Report
END CATCH
GO
-- Messages of severity 10 and lower are not caught.
BEGIN TRY
    RAISERROR ('only a note', 10, 1)
    PRINT 'goes on'
END TRY
BEGIN CATCH
    PRINT 'caught'
END CATCH
GO
-- Names that are not there are found when the statement runs, and caught one level up.
CREATE PROCEDURE Lost AS SELECT * FROM NoSuchTable
GO
BEGIN TRY
    EXEC Lost
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m, ERROR_PROCEDURE() AS p
END CATCH
BEGIN TRY
    EXEC ('SELECT * FROM NoSuchTable')
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n
END CATCH
BEGIN TRY
    EXEC NoSuchProcedure
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m
END CATCH
GO
-- A syntax error in a string that is executed is caught.
BEGIN TRY
    EXEC ('SELECT FROM WHERE')
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m
END CATCH
GO
-- Leaving TRY and CATCH.
DECLARE @i INT = 0
WHILE @i < 3
BEGIN
    SET @i += 1
    BEGIN TRY
        IF @i = 1 CONTINUE
        IF @i = 2 RAISERROR ('two', 16, 1)
        PRINT 'three'
    END TRY
    BEGIN CATCH
        PRINT 'caught ' + ERROR_MESSAGE()
        CONTINUE
    END CATCH
    PRINT 'end of turn'
END
GO
CREATE PROCEDURE Returns AS
BEGIN TRY
    RAISERROR ('x', 16, 1)
END TRY
BEGIN CATCH
    RETURN 42
END CATCH
RETURN 1
GO
DECLARE @r INT
EXEC @r = Returns
SELECT @r AS r
GO
THROW
GO
THROW 49999, 'too low', 1
GO
DECLARE @m NVARCHAR(100) = N'from a variable', @n INT = 60000, @s TINYINT = 5
BEGIN TRY
    THROW @n, @m, @s
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m, ERROR_STATE() AS s, ERROR_SEVERITY() AS v
END CATCH
GO
THROW 51000, '100% of %s', 1
GO
-- An error in a procedure ends its statement only; the caller goes on.
CREATE PROCEDURE GoesOn AS
SELECT 1 / 0
SELECT 'after the error' AS p
RETURN 3
GO
DECLARE @r INT
EXEC @r = GoesOn
SELECT @r AS r, @@ERROR AS e
GO
-- THROW ends the procedure and its callers.
CREATE PROCEDURE Throws AS
SELECT 'before' AS p;
THROW 50001, 'ended', 1
SELECT 'after' AS p
GO
CREATE PROCEDURE CallsThrows AS
EXEC Throws
SELECT 'after the call' AS p
GO
EXEC CallsThrows
SELECT 'after the batch' AS p
GO
