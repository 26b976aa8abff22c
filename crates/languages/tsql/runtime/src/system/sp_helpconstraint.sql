-- The constraints of a table, and who refers to it.
CREATE PROCEDURE sys.sp_helpconstraint @objname nvarchar(776), @nomsg varchar(5) = 'msg'
AS
SET NOCOUNT ON
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  DECLARE @database sysname = DB_NAME()
  RAISERROR (15009, 16, 1, @objname, @database)
  RETURN 1
END
IF @nomsg <> 'nomsg'
  SELECT CAST(@objname AS nvarchar(776)) AS "Object Name"
IF NOT EXISTS (SELECT 1 FROM sys.objects WHERE parent_object_id = @object AND type IN ('C', 'D', 'F', 'PK', 'UQ'))
  RAISERROR (15469, 10, 1, @objname)
ELSE
BEGIN
  DECLARE @keys TABLE (id int, names nvarchar(2126))
  INSERT INTO @keys
  SELECT k.object_id, STRING_AGG(c.name + CASE ic.is_descending_key WHEN 1 THEN '(-)' ELSE '' END, ', ') WITHIN GROUP (ORDER BY ic.key_ordinal)
  FROM sys.key_constraints AS k
    JOIN sys.index_columns AS ic ON ic.object_id = k.parent_object_id AND ic.index_id = k.unique_index_id
    JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
  WHERE k.parent_object_id = @object GROUP BY k.object_id
  INSERT INTO @keys
  SELECT fk.constraint_object_id, STRING_AGG(c.name, ', ') WITHIN GROUP (ORDER BY fk.constraint_column_id)
  FROM sys.foreign_key_columns AS fk JOIN sys.columns AS c ON c.object_id = fk.parent_object_id AND c.column_id = fk.parent_column_id
  WHERE fk.parent_object_id = @object GROUP BY fk.constraint_object_id
  DECLARE @targets TABLE (id int, names nvarchar(2126))
  INSERT INTO @targets
  SELECT fk.constraint_object_id, STRING_AGG(c.name, ', ') WITHIN GROUP (ORDER BY fk.constraint_column_id)
  FROM sys.foreign_key_columns AS fk JOIN sys.columns AS c ON c.object_id = fk.referenced_object_id AND c.column_id = fk.referenced_column_id
  WHERE fk.parent_object_id = @object GROUP BY fk.constraint_object_id
  DECLARE @list TABLE (kind nvarchar(146), name sysname, on_delete nvarchar(11), on_update nvarchar(11), enabled varchar(8),
    replicated varchar(19), keys nvarchar(2126), step int)
  INSERT INTO @list
  SELECT CASE WHEN c.parent_column_id > 0 THEN 'CHECK on column ' + COL_NAME(c.parent_object_id, c.parent_column_id) ELSE 'CHECK Table Level ' END,
    c.name, '(n/a)', '(n/a)', 'Enabled', 'Is_For_Replication', c.definition, 1
  FROM sys.check_constraints AS c WHERE c.parent_object_id = @object
  INSERT INTO @list
  SELECT 'DEFAULT on column ' + COL_NAME(d.parent_object_id, d.parent_column_id), d.name, '(n/a)', '(n/a)', '(n/a)', '(n/a)', d.definition, 1
  FROM sys.default_constraints AS d WHERE d.parent_object_id = @object
  INSERT INTO @list
  SELECT 'FOREIGN KEY', f.name,
    CASE f.delete_referential_action WHEN 0 THEN 'No Action' WHEN 1 THEN 'Cascade' WHEN 2 THEN 'Set Null' ELSE 'Set Default' END,
    CASE f.update_referential_action WHEN 0 THEN 'No Action' WHEN 1 THEN 'Cascade' WHEN 2 THEN 'Set Null' ELSE 'Set Default' END,
    'Enabled', 'Is_For_Replication', k.names, 1
  FROM sys.foreign_keys AS f JOIN @keys AS k ON k.id = f.object_id WHERE f.parent_object_id = @object
  INSERT INTO @list
  SELECT ' ', f.name, ' ', ' ', ' ', ' ',
    'REFERENCES ' + DB_NAME() + '.' + OBJECT_SCHEMA_NAME(f.referenced_object_id) + '.' + OBJECT_NAME(f.referenced_object_id)
      + ' (' + t.names + ')', 2
  FROM sys.foreign_keys AS f JOIN @targets AS t ON t.id = f.object_id WHERE f.parent_object_id = @object
  INSERT INTO @list
  SELECT CASE k.type WHEN 'PK' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END + CASE k.unique_index_id WHEN 1 THEN ' (clustered)' ELSE ' (non-clustered)' END,
    k.name, '(n/a)', '(n/a)', '(n/a)', '(n/a)', n.names, 1
  FROM sys.key_constraints AS k JOIN @keys AS n ON n.id = k.object_id WHERE k.parent_object_id = @object
  SELECT kind AS constraint_type, CASE step WHEN 1 THEN name ELSE ' ' END AS constraint_name, on_delete AS delete_action,
    on_update AS update_action, enabled AS status_enabled, replicated AS status_for_replication, keys AS constraint_keys
  FROM @list ORDER BY name, step
END
IF EXISTS (SELECT 1 FROM sys.foreign_keys WHERE referenced_object_id = @object)
  SELECT CAST(DB_NAME() + '.' + OBJECT_SCHEMA_NAME(f.parent_object_id) + '.' + OBJECT_NAME(f.parent_object_id) + ': ' + f.name AS nvarchar(516))
    AS "Table is referenced by foreign key"
  FROM sys.foreign_keys AS f WHERE f.referenced_object_id = @object ORDER BY 1
ELSE
  RAISERROR (15470, 10, 1, @objname)
RETURN 0
