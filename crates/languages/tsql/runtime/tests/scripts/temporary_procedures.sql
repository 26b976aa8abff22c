-- Temporary procedures (fault tsql-03), by CREATE PROCEDURE in SQL Server's manual (learn.microsoft.com, "Temporary
-- procedures"): #p is visible to the session that created it, ##p to all; they are objects of tempdb.
EXEC #p
GO
CREATE PROCEDURE #p @n INT = 1 AS SELECT 'of a' AS x, @n AS n
GO
EXEC #p; EXEC tempdb..#p 2; EXEC [#P] @n = 3
GO
--@b sees none of it, and has one of its own
EXEC #p
GO
--@b
CREATE PROCEDURE #p AS SELECT 'of b' AS x
GO
--@b
EXEC #p
GO
EXEC #p
GO
-- There is one of each name in a session.
CREATE PROCEDURE #p AS SELECT 1
GO
CREATE TABLE #p (n INT)
GO
ALTER PROCEDURE #p AS SELECT 'altered' AS x
GO
EXEC #p
GO
CREATE OR ALTER PROCEDURE #p AS SELECT 'of a' AS x
GO
ALTER PROCEDURE #q AS SELECT 1
GO
-- Objects of tempdb, and not of the database.
SELECT COUNT(*) AS n FROM sys.procedures
SELECT name, type FROM tempdb.sys.procedures
SELECT name FROM tempdb.sys.objects WHERE object_id = OBJECT_ID('tempdb..#p')
SELECT CASE WHEN OBJECT_ID('tempdb..#p', 'P') IS NULL THEN 'none' ELSE 'there' END AS there,
  CASE WHEN OBJECT_ID('#p') IS NULL THEN 'none' ELSE 'there' END AS in_the_database,
  CASE WHEN OBJECT_ID('tempdb..#q') IS NULL THEN 'none' ELSE 'there' END AS q
GO
-- Procedures that the session calls see it; one that they create outlives them.
CREATE PROCEDURE outer_one AS BEGIN EXEC #p; EXEC ('CREATE PROCEDURE #made AS SELECT ''made within'' AS x') END
GO
EXEC outer_one; EXEC #made
GO
EXEC sp_executesql N'EXEC #made'
GO
-- The same transactions as all other objects.
BEGIN TRANSACTION
GO
CREATE PROCEDURE #t AS SELECT 't' AS x
GO
DROP PROCEDURE #p
GO
ALTER PROCEDURE #made AS SELECT 'altered' AS x
GO
EXEC #t; EXEC #made
ROLLBACK
EXEC #p; EXEC #made
SELECT CASE WHEN OBJECT_ID('tempdb..#t') IS NULL THEN 'none' ELSE 'there' END AS t
EXEC #t
GO
BEGIN TRANSACTION; SAVE TRANSACTION s
EXEC ('CREATE PROCEDURE #t AS SELECT 1 AS x')
ROLLBACK TRANSACTION s
SELECT CASE WHEN OBJECT_ID('tempdb..#t') IS NULL THEN 'none' ELSE 'there' END AS t
COMMIT
GO
DROP PROCEDURE #p, #made
DROP PROCEDURE IF EXISTS #p
DROP PROCEDURE #p
EXEC #made
GO
-- Global ones.
CREATE PROCEDURE ##g AS SELECT 'global' AS x
GO
--@b
EXEC ##g
SELECT name FROM tempdb.sys.procedures ORDER BY name
SELECT COUNT(*) AS n FROM sys.procedures WHERE name LIKE '#%'
GO
--@b
CREATE PROCEDURE ##g AS SELECT 1
GO
--@b
ALTER PROCEDURE ##g AS SELECT 'altered by b' AS x
GO
EXEC ##g; EXEC sp_reset_connection
GO
--@b
EXEC ##g
GO
--@b
EXEC #p
GO
--@b
EXEC sp_reset_connection
GO
--@b
EXEC #p
GO
-- Objects of other kinds have no temporary names.
CREATE FUNCTION #f() RETURNS INT AS BEGIN RETURN 1 END
GO
CREATE VIEW #v AS SELECT 1 AS x
GO
DROP PROCEDURE outer_one
GO
SELECT COUNT(*) AS n FROM sys.objects
