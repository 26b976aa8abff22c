-- Plans are not shown.
CREATE FUNCTION sys.dm_exec_text_query_plan (@handle varbinary(64), @start int, @end int)
RETURNS TABLE AS RETURN
SELECT CAST(NULL AS smallint) AS dbid, CAST(NULL AS int) AS objectid, CAST(NULL AS smallint) AS number,
  CAST(NULL AS bit) AS encrypted, CAST(NULL AS nvarchar(max)) AS query_plan
WHERE 1 = 0
