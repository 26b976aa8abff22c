-- Plans are not shown.
CREATE FUNCTION sys.dm_exec_plan_attributes (@handle varbinary(64))
RETURNS TABLE AS RETURN
SELECT CAST(NULL AS varchar(128)) AS attribute, CAST(NULL AS sql_variant) AS value, CAST(NULL AS bit) AS is_cache_key
WHERE 1 = 0
