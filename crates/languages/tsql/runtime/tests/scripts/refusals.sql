-- Mistakes with numbers of their own.
KILL @@SPID
GO
-- A lock of an application that is not held.
DECLARE @r INT
EXEC @r = sp_releaseapplock 'nobody', 'Session'
SELECT @r AS result
GO
BEGIN TRY
    EXEC sp_releaseapplock @Resource = 'nobody', @LockOwner = 'Session'
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, ERROR_MESSAGE() AS message
END CATCH
EXEC sp_getapplock 'somebody', 'Exclusive', 'Session'
EXEC sp_releaseapplock 'somebody', 'Session'
GO
CREATE TABLE t (a INT)
INSERT INTO t VALUES (1), (2)
GO
-- Rows that are not committed are no target.
UPDATE t WITH (NOLOCK) SET a = 1
GO
DELETE FROM t WITH (READUNCOMMITTED)
GO
INSERT INTO t WITH (NOLOCK) VALUES (1)
GO
MERGE t WITH (NOLOCK) USING (VALUES (1)) AS s (a) ON t.a = s.a WHEN MATCHED THEN DELETE;
GO
UPDATE x SET a = a + 0 FROM t AS x WITH (NOLOCK)
UPDATE t WITH (ROWLOCK) SET a = a + 0
GO
-- Fewer rows than none.
SELECT TOP (-1) a FROM t
GO
DECLARE @n INT = -1
SELECT TOP (@n) a FROM t
GO
INSERT TOP (-1) INTO t SELECT a FROM t
GO
INSERT TOP (-1) INTO t VALUES (3)
GO
DECLARE @n INT = -1
DELETE TOP (@n) FROM t
GO
DECLARE @n INT = -1
SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT @n ROWS ONLY
GO
DECLARE @n INT = -1
SELECT a FROM t ORDER BY a OFFSET @n ROWS
GO
SELECT a FROM t
GO
