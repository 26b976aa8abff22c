-- Parameters, as SqlCommandBuilder.DeriveParameters wants them.
CREATE PROCEDURE sys.sp_procedure_params_100_managed
  @procedure_name sysname, @group_number int = 1, @procedure_schema sysname = NULL, @parameter_name sysname = NULL
AS
SELECT CAST(DB_NAME() AS sysname) AS PROCEDURE_CATALOG, p.schema_name AS PROCEDURE_SCHEMA,
  CAST(p.procedure_name + ';1' AS nvarchar(134)) AS PROCEDURE_NAME, p.name AS PARAMETER_NAME,
  CAST(p.parameter_id AS smallint) AS ORDINAL_POSITION,
  CAST(CASE WHEN p.parameter_id = 0 THEN 4 WHEN p.is_output = 1 THEN 2 ELSE 1 END AS smallint) AS PARAMETER_TYPE,
  CAST(0 AS tinyint) AS PARAMETER_HASDEFAULT, CAST(NULL AS nvarchar(255)) AS PARAMETER_DEFAULT,
  CAST(CASE p.parameter_id WHEN 0 THEN 0 ELSE 1 END AS bit) AS IS_NULLABLE,
  CAST(CASE p.type_name WHEN 'bigint' THEN 0 WHEN 'binary' THEN 1 WHEN 'bit' THEN 2 WHEN 'char' THEN 3 WHEN 'datetime' THEN 4
    WHEN 'decimal' THEN 5 WHEN 'numeric' THEN 5 WHEN 'float' THEN 6 WHEN 'image' THEN 7 WHEN 'int' THEN 8 WHEN 'money' THEN 9
    WHEN 'nchar' THEN 10 WHEN 'ntext' THEN 11 WHEN 'nvarchar' THEN 12 WHEN 'real' THEN 13 WHEN 'uniqueidentifier' THEN 14
    WHEN 'smalldatetime' THEN 15 WHEN 'smallint' THEN 16 WHEN 'smallmoney' THEN 17 WHEN 'text' THEN 18 WHEN 'timestamp' THEN 19
    WHEN 'tinyint' THEN 20 WHEN 'varbinary' THEN 21 WHEN 'varchar' THEN 22 WHEN 'sql_variant' THEN 23 WHEN 'xml' THEN 25
    WHEN 'table type' THEN 30 WHEN 'date' THEN 31 WHEN 'time' THEN 32 WHEN 'datetime2' THEN 33 WHEN 'datetimeoffset' THEN 34 END AS smallint) AS MANAGED_DATA_TYPE,
  CAST(CASE WHEN p.type_name IN ('text', 'image', 'xml') THEN 2147483647 WHEN p.type_name = 'ntext' THEN 1073741823
    WHEN p.max_length < 0 AND p.has_length = 1 THEN 0 WHEN p.type_name IN ('nchar', 'nvarchar') THEN p.max_length / 2
    WHEN p.has_length = 1 THEN p.max_length END AS int) AS CHARACTER_MAXIMUM_LENGTH,
  CAST(CASE WHEN p.type_name IN ('text', 'ntext', 'image', 'xml') THEN 2147483647 WHEN p.max_length < 0 AND p.has_length = 1 THEN 0
    WHEN p.has_length = 1 THEN p.max_length END AS int) AS CHARACTER_OCTET_LENGTH,
  CAST(CASE WHEN p.has_digits = 1 THEN p.precision END AS smallint) AS NUMERIC_PRECISION,
  CAST(CASE WHEN p.type_name IN ('decimal', 'numeric') THEN p.scale END AS smallint) AS NUMERIC_SCALE,
  CAST(CASE p.type_name WHEN 'table type' THEN DB_NAME() END AS sysname) AS TYPE_CATALOG_NAME,
  CAST(CASE p.type_name WHEN 'table type' THEN p.type_schema END AS sysname) AS TYPE_SCHEMA_NAME,
  CAST(CASE p.type_name WHEN 'table type' THEN p.own_type ELSE p.type_name END AS sysname) AS TYPE_NAME,
  CAST(NULL AS sysname) AS XML_CATALOGNAME, CAST(NULL AS sysname) AS XML_SCHEMANAME,
  CAST(NULL AS sysname) AS XML_SCHEMACOLLECTIONNAME,
  CAST(CASE WHEN p.type_name IN ('time', 'datetime2', 'datetimeoffset') THEN p.scale END AS int) AS SS_DATETIME_PRECISION
FROM (SELECT CAST(s.name AS sysname) AS schema_name, CAST(o.name AS sysname) AS procedure_name, q.parameter_id,
    CAST(CASE q.parameter_id WHEN 0 THEN '@RETURN_VALUE' ELSE q.name END AS sysname) AS name, q.is_output,
    CAST(CASE t.is_table_type WHEN 1 THEN 'table type' ELSE ISNULL(b.name, 'int') END AS sysname) AS type_name,
    CAST(t.name AS sysname) AS own_type, CAST(SCHEMA_NAME(t.schema_id) AS sysname) AS type_schema, q.max_length, q.precision, q.scale,
    CASE WHEN b.name IN ('char', 'varchar', 'nchar', 'nvarchar', 'binary', 'varbinary', 'timestamp') THEN 1 ELSE 0 END AS has_length,
    CASE WHEN b.name IN ('tinyint', 'smallint', 'int', 'bigint', 'decimal', 'numeric', 'money', 'smallmoney', 'real', 'float')
      THEN 1 ELSE 0 END AS has_digits
  FROM (SELECT object_id, parameter_id, name, is_output, system_type_id, user_type_id, max_length, precision, scale
      FROM sys.parameters
      UNION ALL SELECT object_id, 0, '', CAST(0 AS bit), 56, 56, 4, 10, 0 FROM sys.objects WHERE type = 'P') AS q
    JOIN sys.objects AS o ON o.object_id = q.object_id
    JOIN sys.schemas AS s ON s.schema_id = o.schema_id
    LEFT JOIN sys.types AS b ON b.user_type_id = q.system_type_id AND b.is_user_defined = 0
    LEFT JOIN sys.types AS t ON t.user_type_id = q.user_type_id) AS p
WHERE p.procedure_name = @procedure_name AND (@procedure_schema IS NULL OR p.schema_name = @procedure_schema)
  AND (@parameter_name IS NULL OR p.name = @parameter_name)
ORDER BY PROCEDURE_SCHEMA, ORDINAL_POSITION
