-- What is done with indexes is not counted.
CREATE FUNCTION sys.dm_db_index_operational_stats (@database_id smallint, @object_id int, @index_id int, @partition_number int)
RETURNS TABLE AS RETURN
SELECT CAST(NULL AS smallint) AS database_id, CAST(NULL AS int) AS object_id, CAST(NULL AS int) AS index_id,
  CAST(NULL AS int) AS partition_number, CAST(NULL AS bigint) AS hobt_id, CAST(NULL AS bigint) AS leaf_insert_count,
  CAST(NULL AS bigint) AS leaf_delete_count, CAST(NULL AS bigint) AS leaf_update_count,
  CAST(NULL AS bigint) AS leaf_ghost_count, CAST(NULL AS bigint) AS nonleaf_insert_count,
  CAST(NULL AS bigint) AS nonleaf_delete_count, CAST(NULL AS bigint) AS nonleaf_update_count,
  CAST(NULL AS bigint) AS leaf_allocation_count, CAST(NULL AS bigint) AS nonleaf_allocation_count,
  CAST(NULL AS bigint) AS leaf_page_merge_count, CAST(NULL AS bigint) AS nonleaf_page_merge_count,
  CAST(NULL AS bigint) AS range_scan_count, CAST(NULL AS bigint) AS singleton_lookup_count,
  CAST(NULL AS bigint) AS forwarded_fetch_count, CAST(NULL AS bigint) AS lob_fetch_in_pages,
  CAST(NULL AS bigint) AS lob_fetch_in_bytes, CAST(NULL AS bigint) AS lob_orphan_create_count,
  CAST(NULL AS bigint) AS lob_orphan_insert_count, CAST(NULL AS bigint) AS row_overflow_fetch_in_pages,
  CAST(NULL AS bigint) AS row_overflow_fetch_in_bytes, CAST(NULL AS bigint) AS column_value_push_off_row_count,
  CAST(NULL AS bigint) AS column_value_pull_in_row_count, CAST(NULL AS bigint) AS row_lock_count,
  CAST(NULL AS bigint) AS row_lock_wait_count, CAST(NULL AS bigint) AS row_lock_wait_in_ms,
  CAST(NULL AS bigint) AS page_lock_count, CAST(NULL AS bigint) AS page_lock_wait_count,
  CAST(NULL AS bigint) AS page_lock_wait_in_ms, CAST(NULL AS bigint) AS index_lock_promotion_attempt_count,
  CAST(NULL AS bigint) AS index_lock_promotion_count, CAST(NULL AS bigint) AS page_latch_wait_count,
  CAST(NULL AS bigint) AS page_latch_wait_in_ms, CAST(NULL AS bigint) AS page_io_latch_wait_count,
  CAST(NULL AS bigint) AS page_io_latch_wait_in_ms, CAST(NULL AS bigint) AS tree_page_latch_wait_count,
  CAST(NULL AS bigint) AS tree_page_latch_wait_in_ms, CAST(NULL AS bigint) AS tree_page_io_latch_wait_count,
  CAST(NULL AS bigint) AS tree_page_io_latch_wait_in_ms, CAST(NULL AS bigint) AS page_compression_attempt_count,
  CAST(NULL AS bigint) AS page_compression_success_count
WHERE 1 = 0
