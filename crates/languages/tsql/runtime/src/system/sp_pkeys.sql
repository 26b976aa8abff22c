-- The columns of a table's primary key.
CREATE PROCEDURE sys.sp_pkeys @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL
AS
IF @table_qualifier IS NOT NULL AND @table_qualifier <> '' AND @table_qualifier <> DB_NAME()
BEGIN
  RAISERROR (15250, 16, 1)
  RETURN
END
SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER, CAST(s.name AS sysname) AS TABLE_OWNER, CAST(t.name AS sysname) AS TABLE_NAME,
  CAST(c.name AS sysname) AS COLUMN_NAME, CAST(ic.key_ordinal AS smallint) AS KEY_SEQ, CAST(i.name AS sysname) AS PK_NAME
FROM sys.indexes AS i
  JOIN sys.tables AS t ON t.object_id = i.object_id
  JOIN sys.schemas AS s ON s.schema_id = t.schema_id
  JOIN sys.index_columns AS ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
  JOIN sys.columns AS c ON c.object_id = i.object_id AND c.column_id = ic.column_id
WHERE i.is_primary_key = 1 AND t.name = @table_name
  AND (@table_owner IS NULL AND s.name = SCHEMA_NAME() OR s.name = @table_owner)
ORDER BY 1, 2, 3, 5
