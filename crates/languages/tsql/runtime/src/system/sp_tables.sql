-- Tables and views, as SQLTables of ODBC wants them; the three lists of names when all else is empty.
CREATE PROCEDURE sys.sp_tables
  @table_name nvarchar(384) = NULL, @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @table_type varchar(100) = NULL, @fUsePattern bit = 1
AS
DECLARE @database sysname = DB_NAME()
IF @table_qualifier = '%' AND @table_owner = '' AND @table_name = ''
BEGIN
  SELECT CAST(name AS sysname) AS TABLE_QUALIFIER, CAST(NULL AS sysname) AS TABLE_OWNER, CAST(NULL AS sysname) AS TABLE_NAME,
    CAST(NULL AS varchar(32)) AS TABLE_TYPE, CAST(NULL AS varchar(254)) AS REMARKS
  FROM sys.databases ORDER BY 1
  RETURN
END
IF @table_owner = '%' AND @table_qualifier = '' AND @table_name = ''
BEGIN
  SELECT CAST(NULL AS sysname) AS TABLE_QUALIFIER, CAST(name AS sysname) AS TABLE_OWNER, CAST(NULL AS sysname) AS TABLE_NAME,
    CAST(NULL AS varchar(32)) AS TABLE_TYPE, CAST(NULL AS varchar(254)) AS REMARKS
  FROM sys.schemas ORDER BY 2
  RETURN
END
IF @table_type = '%' AND @table_qualifier = '' AND @table_owner = '' AND @table_name = ''
BEGIN
  SELECT CAST(NULL AS sysname) AS TABLE_QUALIFIER, CAST(NULL AS sysname) AS TABLE_OWNER, CAST(NULL AS sysname) AS TABLE_NAME,
    CAST(kind AS varchar(32)) AS TABLE_TYPE, CAST(NULL AS varchar(254)) AS REMARKS
  FROM (VALUES ('SYSTEM TABLE'), ('TABLE'), ('VIEW')) AS kinds (kind) ORDER BY 4
  RETURN
END
IF @table_qualifier IS NOT NULL AND @table_qualifier <> '' AND @table_qualifier <> '%' AND @table_qualifier <> @database
BEGIN
  RAISERROR (15250, 16, 1)
  RETURN
END
SELECT @table_name = CASE WHEN @table_name IS NULL OR @table_name = '' THEN '%' ELSE @table_name END,
  @table_owner = CASE WHEN @table_owner IS NULL OR @table_owner = '' THEN '%' ELSE @table_owner END
SELECT CAST(@database AS sysname) AS TABLE_QUALIFIER, CAST(s.name AS sysname) AS TABLE_OWNER, CAST(o.name AS sysname) AS TABLE_NAME,
  CAST(CASE o.type WHEN 'U' THEN 'TABLE' ELSE 'VIEW' END AS varchar(32)) AS TABLE_TYPE, CAST(NULL AS varchar(254)) AS REMARKS
FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V')
  AND (@fUsePattern = 1 AND o.name LIKE @table_name AND s.name LIKE @table_owner
    OR @fUsePattern = 0 AND (@table_name = '%' OR o.name = @table_name) AND (@table_owner = '%' OR s.name = @table_owner))
  AND (@table_type IS NULL OR @table_type = '' OR @table_type = '%'
    OR o.type = 'U' AND CHARINDEX('''TABLE''', UPPER(@table_type)) > 0
    OR o.type = 'V' AND CHARINDEX('''VIEW''', UPPER(@table_type)) > 0)
ORDER BY 4, 1, 2, 3
