-- A table's number of rows, and its indexes.
CREATE PROCEDURE sys.sp_statistics
  @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL, @index_name sysname = '%',
  @is_unique char(1) = 'N', @accuracy char(1) = 'Q'
AS
IF @table_qualifier IS NOT NULL AND @table_qualifier <> '' AND @table_qualifier <> DB_NAME()
BEGIN
  RAISERROR (15250, 16, 1)
  RETURN
END
SELECT @index_name = ISNULL(@index_name, '%')
SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER, CAST(s.name AS sysname) AS TABLE_OWNER, CAST(t.name AS sysname) AS TABLE_NAME,
  CAST(NULL AS smallint) AS NON_UNIQUE, CAST(NULL AS sysname) AS INDEX_QUALIFIER, CAST(NULL AS sysname) AS INDEX_NAME,
  CAST(0 AS smallint) AS TYPE, CAST(NULL AS smallint) AS SEQ_IN_INDEX, CAST(NULL AS sysname) AS COLUMN_NAME,
  CAST(NULL AS char(1)) AS COLLATION, CAST(p.rows AS int) AS CARDINALITY, CAST(0 AS int) AS PAGES,
  CAST(NULL AS varchar(128)) AS FILTER_CONDITION
FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
  JOIN sys.partitions AS p ON p.object_id = t.object_id AND p.index_id IN (0, 1)
WHERE t.name = @table_name AND (@table_owner IS NULL AND s.name = SCHEMA_NAME() OR s.name = @table_owner)
UNION ALL
SELECT CAST(DB_NAME() AS sysname), CAST(s.name AS sysname), CAST(t.name AS sysname),
  CAST(CASE i.is_unique WHEN 1 THEN 0 ELSE 1 END AS smallint), CAST(t.name AS sysname), CAST(i.name AS sysname),
  CAST(CASE i.index_id WHEN 1 THEN 1 ELSE 3 END AS smallint), CAST(ic.key_ordinal AS smallint), CAST(c.name AS sysname),
  CAST(CASE ic.is_descending_key WHEN 1 THEN 'D' ELSE 'A' END AS char(1)), CAST(NULL AS int), CAST(NULL AS int), CAST(NULL AS varchar(128))
FROM sys.indexes AS i
  JOIN sys.tables AS t ON t.object_id = i.object_id
  JOIN sys.schemas AS s ON s.schema_id = t.schema_id
  JOIN sys.index_columns AS ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
  JOIN sys.columns AS c ON c.object_id = i.object_id AND c.column_id = ic.column_id
WHERE i.index_id > 0 AND ic.key_ordinal > 0 AND t.name = @table_name
  AND (@table_owner IS NULL AND s.name = SCHEMA_NAME() OR s.name = @table_owner)
  AND i.name LIKE @index_name AND (@is_unique <> 'Y' OR i.is_unique = 1)
ORDER BY 4, 7, 6, 8
