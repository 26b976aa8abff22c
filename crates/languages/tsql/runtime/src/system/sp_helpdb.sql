-- The databases, or one of them with its files.
CREATE PROCEDURE sys.sp_helpdb @dbname sysname = NULL
AS
IF @dbname IS NOT NULL AND DB_ID(@dbname) IS NULL
BEGIN
  RAISERROR (15010, 16, 1, @dbname)
  RETURN 1
END
SELECT CAST(name AS sysname) AS name, CAST('   8.00 MB' AS nvarchar(13)) AS db_size, CAST('sa' AS sysname) AS owner,
  CAST(database_id AS smallint) AS dbid, CAST(CONVERT(nvarchar(11), create_date) AS nvarchar(11)) AS created,
  CAST('Status=ONLINE, Updateability=READ_WRITE, UserAccess=MULTI_USER, Recovery=FULL' AS nvarchar(600)) AS status, compatibility_level
FROM sys.databases WHERE @dbname IS NULL OR name = @dbname ORDER BY name
IF @dbname IS NOT NULL
  SELECT CAST(name AS sysname) AS name, CAST(file_id AS smallint) AS fileid, physical_name AS filename,
    CAST(CASE type WHEN 0 THEN 'PRIMARY' END AS sysname) AS filegroup, CAST('8192 KB' AS nvarchar(15)) AS size,
    CAST('Unlimited' AS nvarchar(15)) AS maxsize, CAST('65536 KB' AS nvarchar(15)) AS growth,
    CAST(CASE type WHEN 0 THEN 'data only' ELSE 'log only' END AS varchar(9)) AS usage
  FROM sys.database_files ORDER BY file_id
