-- No table has partitions.
CREATE FUNCTION sys.dm_db_incremental_stats_properties (@object_id int, @stats_id int)
RETURNS TABLE AS RETURN
SELECT CAST(NULL AS int) AS object_id, CAST(NULL AS int) AS stats_id, CAST(NULL AS int) AS partition_number,
  CAST(NULL AS datetime2(7)) AS last_updated, CAST(NULL AS bigint) AS rows, CAST(NULL AS bigint) AS rows_sampled,
  CAST(NULL AS int) AS steps, CAST(NULL AS bigint) AS unfiltered_rows, CAST(NULL AS bigint) AS modification_counter
WHERE 1 = 0
