-- The columns that know a row best ('R'), or that change by themselves whenever the row does ('V').
CREATE PROCEDURE sys.sp_mainstay_special_columns
  @table_name sysname, @table_owner sysname, @col_type char(1), @scope char(1), @nullable char(1), @ODBCVer int, @form tinyint
AS
DECLARE @object int, @index int
SELECT @object = t.object_id FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
WHERE t.name = @table_name AND (@table_owner IS NULL AND s.name = SCHEMA_NAME() OR s.name = @table_owner)
IF @col_type = 'R'
  SELECT TOP 1 @index = i.index_id FROM sys.indexes AS i
  WHERE i.object_id = @object AND i.is_unique = 1
    AND (@nullable <> 'O' OR NOT EXISTS (
      SELECT 1 FROM sys.index_columns AS ic JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
      WHERE ic.object_id = i.object_id AND ic.index_id = i.index_id AND c.is_nullable = 1))
  ORDER BY i.is_primary_key DESC, i.index_id
SELECT CAST(CASE @col_type WHEN 'V' THEN NULL WHEN 'R' THEN CASE @scope WHEN 'C' THEN 0 ELSE 1 END END AS smallint) AS SCOPE,
  CAST(c.name AS sysname) AS COLUMN_NAME,
  CAST(CASE WHEN @ODBCVer >= 3 THEN c.data_type WHEN c.data_type = 93 THEN 11 WHEN c.data_type = 91 THEN 9 ELSE c.data_type END AS smallint) AS DATA_TYPE,
  CAST(c.type_name AS sysname) AS TYPE_NAME, c.precision AS "PRECISION", c.length AS LENGTH, c.scale AS SCALE,
  CAST(1 AS smallint) AS PSEUDO_COLUMN
FROM sys.spt_columns_odbc_view AS c
WHERE c.form = @form AND c.object_id = @object
  AND (@col_type = 'V' AND c.type_name = 'timestamp'
    OR @col_type = 'R' AND EXISTS (
      SELECT 1 FROM sys.index_columns AS ic WHERE ic.object_id = @object AND ic.index_id = @index AND ic.column_id = c.column_id))
ORDER BY c.column_id
