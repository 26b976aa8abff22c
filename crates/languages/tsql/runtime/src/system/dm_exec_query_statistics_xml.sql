-- Plans are not shown.
CREATE FUNCTION sys.dm_exec_query_statistics_xml (@session_id smallint)
RETURNS TABLE AS RETURN
SELECT CAST(NULL AS smallint) AS session_id, CAST(NULL AS int) AS request_id, CAST(NULL AS varbinary(64)) AS sql_handle,
  CAST(NULL AS varbinary(64)) AS plan_handle, CAST(NULL AS xml) AS query_plan
WHERE 1 = 0
