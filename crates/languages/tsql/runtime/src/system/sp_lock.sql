-- The locks that sessions hold.
CREATE PROCEDURE sys.sp_lock @spid1 int = NULL, @spid2 int = NULL
AS
SELECT CAST(request_session_id AS smallint) AS spid, CAST(resource_database_id AS smallint) AS dbid,
  CAST(CASE resource_type WHEN 'OBJECT' THEN resource_associated_entity_id ELSE 0 END AS int) AS ObjId, CAST(0 AS smallint) AS IndId,
  CAST(CASE resource_type WHEN 'DATABASE' THEN 'DB' WHEN 'OBJECT' THEN 'TAB' WHEN 'APPLICATION' THEN 'APP' ELSE 'RID' END AS nchar(4)) AS Type,
  CAST(resource_description AS nchar(32)) AS Resource, CAST(request_mode AS nvarchar(8)) AS Mode, CAST(request_status AS nvarchar(5)) AS Status
FROM sys.dm_tran_locks
WHERE @spid1 IS NULL OR request_session_id = @spid1 OR request_session_id = @spid2
ORDER BY 1, 2, 3
