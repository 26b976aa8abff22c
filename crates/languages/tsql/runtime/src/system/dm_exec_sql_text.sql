-- The text of a handle: of what a session was asked last, of a statement or a plan that is counted; for a call of a procedure
-- that one's text.
CREATE FUNCTION sys.dm_exec_sql_text (@handle varbinary(64))
RETURNS TABLE AS RETURN
SELECT CAST(DB_ID() AS smallint) AS dbid, ISNULL(mainstay_request.object_id, mainstay_module.object_id) AS objectid,
  CAST(NULL AS smallint) AS number, CAST(0 AS bit) AS encrypted,
  CAST(ISNULL(mainstay_module.definition, mainstay_request.text) AS nvarchar(max)) AS text
FROM sys.mainstay_requests AS mainstay_request
LEFT JOIN sys.sql_modules AS mainstay_module
  ON mainstay_request.is_call = 1 AND mainstay_module.object_id = OBJECT_ID(mainstay_request.text)
WHERE mainstay_request.sql_handle = @handle
