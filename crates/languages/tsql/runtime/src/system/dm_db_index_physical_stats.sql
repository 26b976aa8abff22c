-- Heaps and indexes with their rows. They have no pages, and so no fragments of them.
CREATE FUNCTION sys.dm_db_index_physical_stats (
  @database_id smallint, @object_id int, @index_id int, @partition_number int, @mode nvarchar(20))
RETURNS TABLE AS RETURN
SELECT CAST(DB_ID() AS smallint) AS database_id, i.object_id, i.index_id, 1 AS partition_number,
  CAST(CASE i.type WHEN 0 THEN 'HEAP' WHEN 1 THEN 'CLUSTERED INDEX' ELSE 'NONCLUSTERED INDEX' END AS nvarchar(60)) AS index_type_desc,
  CAST('IN_ROW_DATA' AS nvarchar(60)) AS alloc_unit_type_desc, CAST(1 AS tinyint) AS index_depth, CAST(0 AS tinyint) AS index_level,
  CAST(0 AS float) AS avg_fragmentation_in_percent, CAST(0 AS bigint) AS fragment_count, CAST(0 AS float) AS avg_fragment_size_in_pages,
  CAST(0 AS bigint) AS page_count, CAST(0 AS float) AS avg_page_space_used_in_percent, p.rows AS record_count,
  CAST(0 AS bigint) AS ghost_record_count, CAST(0 AS bigint) AS version_ghost_record_count, CAST(NULL AS int) AS min_record_size_in_bytes,
  CAST(NULL AS int) AS max_record_size_in_bytes, CAST(NULL AS float) AS avg_record_size_in_bytes, CAST(0 AS bigint) AS forwarded_record_count,
  CAST(0 AS bigint) AS compressed_page_count, p.hobt_id, CAST(0 AS tinyint) AS columnstore_delete_buffer_state,
  CAST('NOT VALID' AS nvarchar(60)) AS columnstore_delete_buffer_state_desc
FROM sys.indexes AS i JOIN sys.partitions AS p ON p.object_id = i.object_id AND p.index_id = i.index_id
WHERE (@database_id IS NULL OR @database_id IN (0, DB_ID())) AND (@object_id IS NULL OR @object_id IN (0, i.object_id))
  AND (@index_id IS NULL OR @index_id IN (-1, i.index_id)) AND (@partition_number IS NULL OR @partition_number IN (0, 1))
