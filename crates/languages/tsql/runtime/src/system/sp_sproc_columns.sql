-- Parameters, as SQLProcedureColumns of ODBC wants them, for drivers that know no type newer than SQL Server 2000's.
CREATE PROCEDURE sys.sp_sproc_columns
  @procedure_name nvarchar(390) = '%', @procedure_owner nvarchar(384) = NULL, @procedure_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL, @ODBCVer int = 2, @fUsePattern bit = 1
AS
IF @procedure_qualifier IS NOT NULL AND @procedure_qualifier <> '' AND @procedure_qualifier <> '%' AND @procedure_qualifier <> DB_NAME()
BEGIN
  RAISERROR (15250, 16, 1)
  RETURN
END
-- The name that sp_stored_procedures gives has a number behind it.
SELECT @procedure_name = CASE WHEN @procedure_name IS NULL OR @procedure_name = '' THEN '%'
    WHEN @procedure_name LIKE '%;[0-9]' THEN LEFT(@procedure_name, LEN(@procedure_name) - 2) ELSE @procedure_name END,
  @procedure_owner = CASE WHEN @procedure_owner IS NULL OR @procedure_owner = '' THEN '%' ELSE @procedure_owner END,
  @column_name = CASE WHEN @column_name IS NULL OR @column_name = '' THEN '%' ELSE @column_name END
SELECT CAST(DB_NAME() AS sysname) AS PROCEDURE_QUALIFIER, CAST(s.name AS sysname) AS PROCEDURE_OWNER,
  CAST(o.name + CASE o.type WHEN 'P' THEN ';1' ELSE ';0' END AS nvarchar(134)) AS PROCEDURE_NAME, CAST(c.name AS sysname) AS COLUMN_NAME,
  CAST(CASE WHEN c.column_id = 0 THEN 5 WHEN c.is_output = 1 THEN 2 ELSE 1 END AS smallint) AS COLUMN_TYPE,
  CAST(CASE WHEN c.data_type = 93 AND @ODBCVer <> 3 THEN 11 ELSE c.data_type END AS smallint) AS DATA_TYPE,
  CAST(c.type_name AS sysname) AS TYPE_NAME, c.precision AS "PRECISION", c.length AS LENGTH, c.scale AS SCALE, c.radix AS RADIX,
  c.nullable AS NULLABLE, CAST(NULL AS varchar(254)) AS REMARKS, CAST(NULL AS nvarchar(4000)) AS COLUMN_DEF,
  c.sql_data_type AS SQL_DATA_TYPE, c.sql_datetime_sub AS SQL_DATETIME_SUB, c.char_octet_length AS CHAR_OCTET_LENGTH,
  c.column_id AS ORDINAL_POSITION, CAST(CASE c.nullable WHEN 1 THEN 'YES' ELSE 'NO' END AS varchar(254)) AS IS_NULLABLE,
  c.ss_data_type AS SS_DATA_TYPE
FROM sys.spt_parameters_odbc_view AS c JOIN sys.objects AS o ON o.object_id = c.object_id
  JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE c.form = 0
  AND (@fUsePattern = 1 AND o.name LIKE @procedure_name AND s.name LIKE @procedure_owner AND c.name LIKE @column_name
    OR @fUsePattern = 0 AND (@procedure_name = '%' OR o.name = @procedure_name) AND (@procedure_owner = '%' OR s.name = @procedure_owner)
      AND (@column_name = '%' OR c.name = @column_name))
ORDER BY 2, 3, 18
