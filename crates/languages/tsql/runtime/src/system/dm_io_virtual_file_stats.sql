-- The files of the database; what is read and written is not counted.
CREATE FUNCTION sys.dm_io_virtual_file_stats (@database_id smallint, @file_id smallint)
RETURNS TABLE AS RETURN
SELECT CAST(f.database_id AS smallint) AS database_id, CAST(f.file_id AS smallint) AS file_id, i.ms_ticks AS sample_ms, z.z AS num_of_reads,
  z.z AS num_of_bytes_read, z.z AS io_stall_read_ms, z.z AS io_stall_queued_read_ms, z.z AS num_of_writes, z.z AS num_of_bytes_written,
  z.z AS io_stall_write_ms, z.z AS io_stall_queued_write_ms, z.z AS io_stall, CAST(f.size AS bigint) * 8192 AS size_on_disk_bytes,
  CAST(NULL AS varbinary(8)) AS file_handle
FROM sys.master_files AS f CROSS JOIN sys.dm_os_sys_info AS i CROSS JOIN (SELECT CAST(0 AS bigint) AS z) AS z
WHERE (@database_id IS NULL OR f.database_id = @database_id) AND (@file_id IS NULL OR f.file_id = @file_id)
