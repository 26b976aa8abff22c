-- Columns, as SQLColumns of ODBC wants them, for drivers that know no type newer than SQL Server 2000's.
CREATE PROCEDURE sys.sp_columns
  @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL, @ODBCVer int = 2
AS
IF @table_qualifier IS NOT NULL AND @table_qualifier <> '' AND @table_qualifier <> '%' AND @table_qualifier <> DB_NAME()
BEGIN
  RAISERROR (15250, 16, 1)
  RETURN
END
SELECT @table_name = CASE WHEN @table_name IS NULL OR @table_name = '' THEN '%' ELSE @table_name END,
  @table_owner = CASE WHEN @table_owner IS NULL OR @table_owner = '' THEN '%' ELSE @table_owner END,
  @column_name = CASE WHEN @column_name IS NULL OR @column_name = '' THEN '%' ELSE @column_name END
SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER, CAST(s.name AS sysname) AS TABLE_OWNER, CAST(o.name AS sysname) AS TABLE_NAME,
  CAST(c.name AS sysname) AS COLUMN_NAME,
  CAST(CASE WHEN c.data_type = 93 AND @ODBCVer <> 3 THEN 11 ELSE c.data_type END AS smallint) AS DATA_TYPE,
  CAST(c.type_name AS sysname) AS TYPE_NAME, c.precision AS "PRECISION", c.length AS LENGTH, c.scale AS SCALE, c.radix AS RADIX,
  c.nullable AS NULLABLE, CAST(NULL AS varchar(254)) AS REMARKS, c.column_def AS COLUMN_DEF, c.sql_data_type AS SQL_DATA_TYPE,
  c.sql_datetime_sub AS SQL_DATETIME_SUB, c.char_octet_length AS CHAR_OCTET_LENGTH, c.column_id AS ORDINAL_POSITION,
  CAST(CASE c.nullable WHEN 1 THEN 'YES' ELSE 'NO' END AS varchar(254)) AS IS_NULLABLE, c.ss_data_type AS SS_DATA_TYPE
FROM sys.spt_columns_odbc_view AS c JOIN sys.objects AS o ON o.object_id = c.object_id
  JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE c.form = 0 AND o.type IN ('U', 'V', 'TF') AND o.name LIKE @table_name AND s.name LIKE @table_owner AND c.name LIKE @column_name
ORDER BY 2, 3, 17
