-- Columns, as SQLColumns of ODBC wants them, with all types.
CREATE PROCEDURE sys.sp_columns_100
  @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL, @NameScope int = 0, @ODBCVer int = 2, @fUsePattern bit = 1
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
  CAST(CASE WHEN @ODBCVer >= 3 THEN c.data_type WHEN c.data_type = 93 THEN 11 WHEN c.data_type = 91 THEN 9 ELSE c.data_type END
    AS smallint) AS DATA_TYPE,
  CAST(c.type_name AS sysname) AS TYPE_NAME, c.precision AS "PRECISION", c.length AS LENGTH, c.scale AS SCALE, c.radix AS RADIX,
  c.nullable AS NULLABLE, CAST(NULL AS varchar(254)) AS REMARKS, c.column_def AS COLUMN_DEF, c.sql_data_type AS SQL_DATA_TYPE,
  c.sql_datetime_sub AS SQL_DATETIME_SUB, c.char_octet_length AS CHAR_OCTET_LENGTH, c.column_id AS ORDINAL_POSITION,
  CAST(CASE c.nullable WHEN 1 THEN 'YES' ELSE 'NO' END AS varchar(254)) AS IS_NULLABLE,
  CAST(0 AS smallint) AS SS_IS_SPARSE, CAST(0 AS smallint) AS SS_IS_COLUMN_SET, CAST(c.is_computed AS smallint) AS SS_IS_COMPUTED,
  CAST(c.is_identity AS smallint) AS SS_IS_IDENTITY, CAST(NULL AS sysname) AS SS_UDT_CATALOG_NAME,
  CAST(NULL AS sysname) AS SS_UDT_SCHEMA_NAME, CAST(NULL AS nvarchar(4000)) AS SS_UDT_ASSEMBLY_TYPE_NAME,
  CAST(NULL AS sysname) AS SS_XML_SCHEMACOLLECTION_CATALOG_NAME, CAST(NULL AS sysname) AS SS_XML_SCHEMACOLLECTION_SCHEMA_NAME,
  CAST(NULL AS sysname) AS SS_XML_SCHEMACOLLECTION_NAME, c.ss_data_type AS SS_DATA_TYPE
FROM sys.spt_columns_odbc_view AS c JOIN sys.objects AS o ON o.object_id = c.object_id
  JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE c.form = 1 AND o.type IN ('U', 'V', 'TF')
  AND (@fUsePattern = 1 AND o.name LIKE @table_name AND s.name LIKE @table_owner AND c.name LIKE @column_name
    OR @fUsePattern = 0 AND (@table_name = '%' OR o.name = @table_name) AND (@table_owner = '%' OR s.name = @table_owner)
      AND (@column_name = '%' OR c.name = @column_name))
ORDER BY 2, 3, 17
