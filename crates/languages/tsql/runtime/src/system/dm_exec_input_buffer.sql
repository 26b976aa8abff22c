-- What a session asked last.
CREATE FUNCTION sys.dm_exec_input_buffer (@session_id smallint, @request_id int)
RETURNS TABLE AS RETURN
SELECT CAST(CASE r.is_call WHEN 1 THEN 'RPC Event' ELSE 'Language Event' END AS nvarchar(256)) AS event_type, CAST(0 AS smallint) AS parameters,
  CAST(r.text AS nvarchar(max)) AS event_info
FROM sys.dm_exec_connections AS c JOIN sys.mainstay_requests AS r ON r.sql_handle = c.most_recent_sql_handle
WHERE c.session_id = @session_id
