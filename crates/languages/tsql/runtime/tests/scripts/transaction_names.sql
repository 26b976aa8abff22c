-- Names of transactions (fault tsql-13): of a variable the first 32 characters count, a longer name that is written is refused (103).
-- BEGIN TRANSACTION in SQL Server's manual.
DECLARE @n VARCHAR(100) = REPLICATE('a',44); BEGIN TRAN @n
GO
ROLLBACK TRAN aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
GO
SELECT @@TRANCOUNT AS t
GO
DECLARE @n VARCHAR(100) = REPLICATE('s',40), @m VARCHAR(100) = REPLICATE('s',50)
CREATE TABLE t (a INT)
BEGIN TRAN; SAVE TRAN @n; INSERT t VALUES (1); ROLLBACK TRAN @m; COMMIT
SELECT COUNT(*) AS n FROM t
GO
BEGIN TRAN aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
GO
SAVE TRAN aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
GO
SELECT @@TRANCOUNT AS t
