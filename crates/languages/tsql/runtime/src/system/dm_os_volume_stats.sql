-- What is known of volumes is not shown.
CREATE FUNCTION sys.dm_os_volume_stats (@database_id int, @file_id int)
RETURNS TABLE AS RETURN
SELECT CAST(NULL AS int) AS database_id, CAST(NULL AS int) AS file_id, CAST(NULL AS nvarchar(512)) AS volume_mount_point,
  CAST(NULL AS nvarchar(512)) AS volume_id, CAST(NULL AS nvarchar(512)) AS logical_volume_name,
  CAST(NULL AS nvarchar(512)) AS file_system_type, CAST(NULL AS bigint) AS total_bytes, CAST(NULL AS bigint) AS available_bytes,
  CAST(NULL AS tinyint) AS supports_compression, CAST(NULL AS tinyint) AS supports_alternate_streams,
  CAST(NULL AS tinyint) AS supports_sparse_files, CAST(NULL AS tinyint) AS is_read_only, CAST(NULL AS tinyint) AS is_compressed
WHERE 1 = 0
