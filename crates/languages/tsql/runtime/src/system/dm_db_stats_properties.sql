-- Statistics with the rows of their tables; when they were made is not known.
CREATE FUNCTION sys.dm_db_stats_properties (@object_id int, @stats_id int)
RETURNS TABLE AS RETURN
SELECT s.object_id, s.stats_id, CAST(NULL AS datetime2(7)) AS last_updated, p.rows, p.rows AS rows_sampled, 1 AS steps,
  p.rows AS unfiltered_rows, CAST(0 AS bigint) AS modification_counter, CAST(0 AS float) AS persisted_sample_percent
FROM sys.stats AS s JOIN sys.partitions AS p ON p.object_id = s.object_id AND p.index_id IN (0, 1)
WHERE s.object_id = @object_id AND s.stats_id = @stats_id
