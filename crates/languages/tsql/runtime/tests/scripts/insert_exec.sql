CREATE TABLE T (Id INT IDENTITY(1, 1) PRIMARY KEY, A INT, B VARCHAR(10))
GO
CREATE PROCEDURE Two @n INT AS
BEGIN
    SELECT @n AS a, 'x' AS b
    SELECT n + @n, 'y' FROM (VALUES (1), (2)) AS v (n)
    PRINT 'said'
    RETURN 5
END
GO
-- All result sets go in; a message goes to the client, and the status comes back
DECLARE @status INT
INSERT INTO T (A, B) EXEC @status = Two 10
SELECT @@ROWCOUNT AS n, @status AS status, SCOPE_IDENTITY() AS ident
INSERT INTO T (A, B) EXEC ('SELECT 100, ''text''')
INSERT INTO T (A, B) EXEC sp_executesql N'SELECT @x, ''par''', N'@x INT', @x = 7
SELECT A, B FROM T ORDER BY Id
GO
-- Into table variables and temporary tables
DECLARE @v TABLE (a INT, b VARCHAR(10))
INSERT @v EXEC Two 1
SELECT COUNT(*) AS n FROM @v
CREATE TABLE #t (a INT, b VARCHAR(10))
INSERT #t EXEC Two 2
SELECT a FROM #t ORDER BY a
GO
-- What is refused
INSERT INTO T EXEC Two 1, 2
GO
INSERT INTO T (A) EXEC Two 1
PRINT 'on'
GO
CREATE PROCEDURE Nests AS
BEGIN
    DECLARE @v TABLE (a INT, b VARCHAR(10))
    INSERT INTO @v EXEC Two 1
    SELECT a, b FROM @v
END
GO
INSERT INTO T (A, B) EXEC Nests
GO
CREATE PROCEDURE Rolls AS
BEGIN
    SELECT 1, 'a'
    ROLLBACK TRAN
END
GO
INSERT INTO T (A, B) EXEC Rolls
GO
-- An error within: nothing goes in, and rows go to the client again
CREATE PROCEDURE Fails AS
BEGIN
    SELECT 1, 'a'
    ;THROW 50001, 'no', 1
END
GO
BEGIN TRY
    INSERT INTO T (A, B) EXEC Fails
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS proc_
END CATCH
SELECT COUNT(*) AS n FROM T
GO
-- Triggers run
CREATE TRIGGER TInserted ON T AFTER INSERT AS
    DECLARE @n INT = (SELECT COUNT(*) FROM inserted)
    PRINT CONCAT(@n, ' rows')
GO
INSERT INTO T (A, B) EXEC Two 20
GO
-- A NULL by itself goes into a column of any type.
CREATE TABLE Notes (id INT, doc XML, at DATE, id2 UNIQUEIDENTIFIER)
INSERT Notes EXEC ('SELECT 1, NULL, NULL AS at, NULL')
INSERT Notes (doc, id) EXEC ('SELECT NULL AS id, 2 AS id UNION ALL SELECT NULL, 3')
SELECT * FROM Notes ORDER BY id
INSERT Notes (doc) EXEC ('SELECT 1')
GO
