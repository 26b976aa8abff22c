-- How much there is: rows of a table, or the database's. What is kept where says nothing of pages, so sizes are 0.
CREATE PROCEDURE sys.sp_spaceused @objname nvarchar(776) = NULL, @updateusage varchar(5) = 'false'
AS
IF @objname IS NULL
BEGIN
  SELECT CAST(DB_NAME() AS nvarchar(128)) AS database_name, CAST('8.00 MB' AS varchar(18)) AS database_size,
    CAST('0.00 MB' AS varchar(18)) AS "unallocated space"
  SELECT CAST('0 KB' AS varchar(18)) AS reserved, CAST('0 KB' AS varchar(18)) AS data, CAST('0 KB' AS varchar(18)) AS index_size,
    CAST('0 KB' AS varchar(18)) AS unused
  RETURN 0
END
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  DECLARE @database sysname = DB_NAME()
  RAISERROR (15009, 16, 1, @objname, @database)
  RETURN 1
END
SELECT CAST(OBJECT_NAME(@object) AS nvarchar(128)) AS name, CAST(p.rows AS char(20)) AS rows, CAST('0 KB' AS varchar(18)) AS reserved,
  CAST('0 KB' AS varchar(18)) AS data, CAST('0 KB' AS varchar(18)) AS index_size, CAST('0 KB' AS varchar(18)) AS unused
FROM sys.partitions AS p WHERE p.object_id = @object AND p.index_id IN (0, 1)
RETURN 0
