-- The sessions.
CREATE PROCEDURE sys.sp_who @loginame sysname = NULL
AS
DECLARE @number int = TRY_CAST(@loginame AS int)
SELECT p.spid, p.ecid, p.status, CAST(p.loginame AS nvarchar(128)) AS loginame, p.hostname, CAST(p.blocked AS char(5)) AS blk,
  CAST(DB_NAME(p.dbid) AS nvarchar(128)) AS dbname, p.cmd, p.request_id
FROM sys.sysprocesses AS p
WHERE @loginame IS NULL OR @number = p.spid OR @number IS NULL AND @loginame <> 'active' AND p.loginame = @loginame
  OR @loginame = 'active' AND p.status <> 'sleeping'
ORDER BY p.spid
