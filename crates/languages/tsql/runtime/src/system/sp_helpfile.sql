-- The files of the database, or one of them.
CREATE PROCEDURE sys.sp_helpfile @filename sysname = NULL
AS
IF @filename IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.database_files WHERE name = @filename)
BEGIN
  RAISERROR (15325, 16, 1, 'file', @filename)
  RETURN 1
END
SELECT CAST(name AS sysname) AS name, CAST(file_id AS smallint) AS fileid, physical_name AS filename,
  CAST(CASE type WHEN 0 THEN 'PRIMARY' END AS sysname) AS filegroup, CAST('8192 KB' AS nvarchar(18)) AS size,
  CAST('Unlimited' AS nvarchar(18)) AS maxsize, CAST('65536 KB' AS nvarchar(18)) AS growth,
  CAST(CASE type WHEN 0 THEN 'data only' ELSE 'log only' END AS varchar(9)) AS usage
FROM sys.database_files WHERE @filename IS NULL OR name = @filename ORDER BY file_id
RETURN 0
