-- The sessions, in words.
CREATE PROCEDURE sys.sp_who2 @loginame sysname = NULL
AS
DECLARE @number int = TRY_CAST(@loginame AS int)
SELECT CAST(p.spid AS char(5)) AS SPID, p.status AS Status, CAST(RTRIM(p.loginame) AS nvarchar(128)) AS Login,
  CAST(CASE WHEN RTRIM(p.hostname) = '' THEN '  .' ELSE RTRIM(p.hostname) END AS nvarchar(128)) AS HostName,
  CAST(CASE p.blocked WHEN 0 THEN '  .' ELSE CAST(p.blocked AS char(5)) END AS char(5)) AS BlkBy,
  CAST(DB_NAME(p.dbid) AS nvarchar(128)) AS DBName, CAST(RTRIM(p.cmd) AS nvarchar(26)) AS Command,
  CAST(p.cpu AS varchar(20)) AS CPUTime, CAST(p.physical_io AS varchar(20)) AS DiskIO,
  CAST(CONVERT(char(5), p.last_batch, 1) + ' ' + CONVERT(char(8), p.last_batch, 108) AS char(14)) AS LastBatch,
  CAST(RTRIM(p.program_name) AS nvarchar(128)) AS ProgramName, CAST(p.spid AS char(5)) AS "SPID ", CAST(p.request_id AS char(5)) AS REQUESTID
FROM (SELECT q.*, q.spid AS number FROM sys.sysprocesses AS q) AS p
WHERE @loginame IS NULL OR @number = p.spid OR @number IS NULL AND @loginame <> 'active' AND p.loginame = @loginame
  OR @loginame = 'active' AND p.status <> 'sleeping'
ORDER BY p.number
