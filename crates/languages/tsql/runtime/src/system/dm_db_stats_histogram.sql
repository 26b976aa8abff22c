-- Statistics have no histogram.
CREATE FUNCTION sys.dm_db_stats_histogram (@object_id int, @stats_id int)
RETURNS TABLE AS RETURN
SELECT CAST(NULL AS int) AS object_id, CAST(NULL AS int) AS stats_id, CAST(NULL AS int) AS step_number,
  CAST(NULL AS sql_variant) AS range_high_key, CAST(NULL AS real) AS range_rows, CAST(NULL AS real) AS equal_rows,
  CAST(NULL AS bigint) AS distinct_range_rows, CAST(NULL AS real) AS average_range_rows
WHERE 1 = 0
