CREATE TABLE T (Id INT);
GO
CREATE PROCEDURE Fill AS INSERT T VALUES (1); PRINT 'filled';
GO
SET NOEXEC ON;
EXEC Fill;
GO
Fill;
EXEC('INSERT T VALUES (2)');
EXEC sp_executesql N'INSERT T VALUES (3)';
INSERT T VALUES (4);
PRINT 'not printed';
RAISERROR('not raised', 16, 1);
DECLARE @n INT = 1;
SET @n = 1 / 0;
IF @n = 1 SELECT 'not seen' AS s ELSE SELECT 'nor this' AS s;
WHILE 1 = 1 PRINT 'loop';
CREATE TABLE Never (Id INT);
BEGIN TRAN;
THROW 50001, 'not thrown', 1;
GO
SELEC 1;
GO
SET NOEXEC OFF;
SELECT COUNT(*) AS n, @@TRANCOUNT AS trans, OBJECT_ID('Never') AS never FROM T;
GO
SET PARSEONLY ON;
EXEC Fill;
SELECT 1 AS one;
SELECT * FROM NoSuchTable;
PRINT 'not printed';
GO
SELECT FROM;
GO
SET PARSEONLY OFF;
SELECT COUNT(*) AS n FROM T;
GO
-- In the middle of a batch: what follows does not run.
PRINT 'before';
SET NOEXEC ON;
PRINT 'after';
EXEC Fill;
SET NOEXEC OFF;
PRINT 'again';
EXEC Fill;
SELECT COUNT(*) AS n FROM T;
GO
-- PARSEONLY is a matter of the whole batch, when it is read.
PRINT 'a';
SET PARSEONLY ON;
PRINT 'b';
GO
SET PARSEONLY OFF;
GO
PRINT 'c';
GO
-- From 20 on an error ends the connection, and no TRY sees it.
CREATE TABLE Kept (Id INT);
GO
BEGIN TRAN;
INSERT Kept VALUES (1);
BEGIN TRY
  RAISERROR('fatal %d', 20, 3, 7) WITH LOG;
END TRY
BEGIN CATCH
  PRINT 'not caught';
END CATCH;
PRINT 'not reached';
GO
SELECT @@TRANCOUNT AS trans, COUNT(*) AS n FROM Kept;
