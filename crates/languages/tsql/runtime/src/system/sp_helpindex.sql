-- The indexes of a table.
CREATE PROCEDURE sys.sp_helpindex @objname nvarchar(776)
AS
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  DECLARE @database sysname = DB_NAME()
  RAISERROR (15009, 16, 1, @objname, @database)
  RETURN 1
END
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = @object AND index_id > 0)
BEGIN
  RAISERROR (15472, 10, 1, @objname)
  RETURN 0
END
SELECT CAST(i.name AS sysname) AS index_name,
  CAST(CASE i.index_id WHEN 1 THEN 'clustered' ELSE 'nonclustered' END
    + CASE i.is_unique WHEN 1 THEN ', unique' ELSE '' END
    + CASE i.is_primary_key WHEN 1 THEN ', primary key' ELSE '' END
    + CASE i.is_unique_constraint WHEN 1 THEN ', unique key' ELSE '' END + ' located on PRIMARY' AS varchar(210)) AS index_description,
  CAST(k.names AS nvarchar(2126)) AS index_keys
FROM sys.indexes AS i JOIN (
    SELECT ic.object_id, ic.index_id,
      STRING_AGG(c.name + CASE ic.is_descending_key WHEN 1 THEN '(-)' ELSE '' END, ', ') WITHIN GROUP (ORDER BY ic.key_ordinal) AS names
    FROM sys.index_columns AS ic JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
    WHERE ic.key_ordinal > 0 GROUP BY ic.object_id, ic.index_id) AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
WHERE i.object_id = @object AND i.index_id > 0
ORDER BY i.name
RETURN 0
