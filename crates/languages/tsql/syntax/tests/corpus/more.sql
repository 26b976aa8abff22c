-- Odd corners that real scripts have.
SELECT 1;;SELECT 2;
SELECT a AS [b], c d, e 'f' FROM t AS x, u y, v
GO
IF OBJECT_ID(N'dbo.p', N'P') IS NOT NULL DROP PROCEDURE dbo.p
IF NOT EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(N'[dbo].[t]') AND type IN (N'U')) BEGIN CREATE TABLE [dbo].[t] ([id] [int] IDENTITY(1,1) NOT NULL, [name] [nvarchar](50) COLLATE SQL_Latin1_General_CP1_CI_AS NULL, [x] [decimal](18, 0) NULL, CONSTRAINT [PK_t] PRIMARY KEY CLUSTERED ([id] ASC) WITH (PAD_INDEX = OFF, ALLOW_ROW_LOCKS = ON) ON [PRIMARY]) ON [PRIMARY] END
IF DB_ID('x') IS NULL CREATE DATABASE x
SELECT DISTINCT(a), (b) FROM t
SELECT TOP(10)a FROM t
SELECT'a'+'b'AS c
SELECT*FROM t WHERE a=1AND b=2
SELECT -1-1, 1--comment
+2
SELECT a.b.value('(/x)[1]', 'int') FROM a
SELECT COUNT (*) , MAX (a) FROM t
SELECT @@ERROR, @@TRANCOUNT
SELECT CONVERT (char (8), GETDATE (), 112)
SELECT CASE WHEN a BETWEEN 1 AND 2 OR b IN (SELECT c FROM d) THEN 1 END FROM t
SELECT * FROM t WHERE NOT (a LIKE 'x%' OR a IS NULL) AND (b = 1 OR (c = 2 AND d <> 3))
SELECT * FROM a LEFT JOIN (b INNER JOIN c ON b.id = c.id) ON a.id = b.id WHERE c.id IS NULL
SELECT x.n FROM (SELECT 1 UNION ALL SELECT 2) AS x (n)
SELECT LEFT(a, 1) + RIGHT(b, 1), UPPER(c) FROM t ORDER BY CASE WHEN a = 1 THEN 0 ELSE 1 END, 1 DESC
SELECT name FROM sys.tables WHERE schema_id = SCHEMA_ID('dbo') AND name LIKE '\_%' ESCAPE '\'
SELECT rowguid, value, type, date, time, text, status, state, name, level, year, source FROM t
SELECT [a""b], "c]d", [e'f] FROM [g.h]
SELECT N'a' AS 'x''y'
SELECT CAST(0 AS bit), CAST(1 AS sql_variant), CAST(GETDATE() AS smalldatetime), CAST(a AS timestamp) FROM t
SELECT AVG(CAST(a AS float)), STDEV(a), VARP(b), MIN(c) FROM t HAVING COUNT(*) > 1
SELECT (SELECT MAX(v) FROM (VALUES (a), (b), (c)) AS m (v)) FROM t
SELECT a FROM t UNION ALL SELECT b FROM u UNION SELECT c FROM v ORDER BY a OPTION (MERGE UNION)
SELECT 1 WHERE 1 = 1 AND EXISTS (SELECT 1 INTERSECT SELECT 2)
UPDATE t SET a = CASE WHEN b = 1 THEN 2 END, c = (SELECT 1), d = NULL FROM t AS t JOIN u ON t.a = u.a WHERE u.b IS NULL
UPDATE dbo.t SET [a b] = [a b] + 1 WHERE [a b] < 5
DELETE FROM t WHERE EXISTS (SELECT * FROM u WHERE u.a = t.a AND u.b > ALL (SELECT b FROM v))
INSERT INTO t (a, b) VALUES (N'x', -1), ('y', +2), (DEFAULT, $3.5)
INSERT t (a) SELECT TOP 1 a FROM u UNION ALL SELECT 2
INSERT INTO #t EXEC sp_who2
EXEC sp_rename 'dbo.t.a', 'b', 'COLUMN'
EXEC sp_addextendedproperty N'MS_Description', N'text', N'SCHEMA', N'dbo', N'TABLE', N't'
EXEC master..xp_cmdshell 'dir', no_output
EXEC sp_configure 'show advanced options', 1
PRINT 'a' + CHAR(13) PRINT 'b'
DECLARE @i int SET @i = 1 WHILE @i <= 3 SET @i = @i + 1 PRINT @i
DECLARE @s varchar(max) = CONCAT('a', @i, NULL), @m money = $1, @r real = 1e0, @bin varbinary(8) = 0x0F
SELECT @s = COALESCE(@s + ', ', '') + name FROM t ORDER BY name
SELECT @i = a, @s = b FROM t WHERE c = @m
SET @i = CASE WHEN @i > 1 THEN 1 ELSE (SELECT COUNT(*) FROM t) END
SET @s = REPLACE(REPLACE(@s, 'a', 'b'), CHAR(10), '')
IF (@i = 1) RETURN ELSE IF (SELECT COUNT(*) FROM t) > 1 BEGIN PRINT 'x' END ELSE BEGIN PRINT 'y' END
IF (@i + 1) * 2 = 4 OR (@i) IN (1, 2) PRINT 'z'
RAISERROR 50001 'old form'
WHILE EXISTS (SELECT 1 FROM t) BEGIN DELETE TOP (1000) FROM t; IF @@ROWCOUNT < 1000 BREAK; END
GO
SELECT * FROM ::fn_helpcollations() AS c
CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'secret'
OPEN SYMMETRIC KEY key1 DECRYPTION BY CERTIFICATE cert1
CLOSE SYMMETRIC KEY key1
CLOSE ALL SYMMETRIC KEYS
OPEN MASTER KEY DECRYPTION BY PASSWORD = 'secret'
CREATE CERTIFICATE cert1 WITH SUBJECT = 'x', EXPIRY_DATE = '20300101'
DROP MASTER KEY
DROP FULLTEXT INDEX ON docs
CREATE PRIMARY XML INDEX ix ON t (doc)
CREATE XML INDEX ix2 ON t (doc) USING XML INDEX ix FOR PATH
CREATE SPATIAL INDEX ix3 ON t (place) USING GEOGRAPHY_GRID WITH (CELLS_PER_OBJECT = 64)
CREATE XML SCHEMA COLLECTION dbo.c AS N'<x/>'
ALTER AUTHORIZATION ON SCHEMA::sales TO dbo
ALTER SCHEMA sales TRANSFER dbo.t
ALTER DATABASE shop MODIFY NAME = shop2
ALTER DATABASE shop ADD FILE (NAME = f2, FILENAME = 'c:\f2.ndf') TO FILEGROUP fg2
RESTORE FILELISTONLY FROM DISK = 'c:\x.bak'
DECLARE @db sysname = 'shop', @path nvarchar(260) = 'c:\x.bak'
BACKUP DATABASE @db TO DISK = @path WITH FORMAT
DBCC SHOW_STATISTICS (N'dbo.t', ix) WITH HISTOGRAM
WRITETEXT t.note @path 'text'
GO
ALTER INDEX ix ON t SET (COMPRESSION_DELAY = 30)
ALTER TABLE t ALTER COLUMN a char(11) COLLATE Latin1_General_BIN2 NOT NULL WITH (ONLINE = ON)
DROP EVENT SESSION s1 ON SERVER
SELECT a N'first', b AS N'second', precision FROM sys.columns
ALTER DATABASE SCOPED CONFIGURATION SET MAXDOP = 0
ALTER DATABASE SCOPED CONFIGURATION FOR SECONDARY SET MAXDOP = PRIMARY
ALTER ROLE clerks DROP MEMBER clerk
CREATE ROLE r2
DROP ROLE r2
GO
SELECT 2. EXCEPT SELECT $3. UNION SELECT 4.
GO
DECLARE @ptrval varbinary(16), @p varbinary(16), @source varbinary(16), @from int, @size int, @h int
READTEXT pub_info.pr_info @ptrval 1 25
READTEXT dbo.notes.body @p @from @size HOLDLOCK
WRITETEXT pub_info.pr_info @ptrval 'New Moon Books'
WRITETEXT BULK notes.picture @p WITH LOG 0x0102
UPDATETEXT pub_info.pr_info @ptrval 88 1 'b'
UPDATETEXT notes.body @p NULL NULL
UPDATETEXT BULK notes.body @p NULL 0 WITH LOG N'more' UPDATETEXT notes.body @p 0 NULL other.body @source
SELECT * FROM OPENXML(@h, N'/all/Customers') WITH Customers
SELECT * FROM OPENXML(@h, N'/all/Customers', 2) WITH (Customers) AS c
