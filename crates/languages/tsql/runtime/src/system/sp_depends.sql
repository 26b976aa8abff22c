-- What an object names, and what names it.
CREATE PROCEDURE sys.sp_depends @objname nvarchar(776)
AS
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  DECLARE @database sysname = DB_NAME()
  RAISERROR (15009, 16, 1, @objname, @database)
  RETURN 1
END
DECLARE @found int = 0
IF EXISTS (SELECT 1 FROM sys.sql_dependencies WHERE object_id = @object)
BEGIN
  SET @found = 1
  PRINT 'In the current database, the specified object references the following:'
  SELECT CAST(SCHEMA_NAME(o.schema_id) + '.' + o.name AS nvarchar(257)) AS name, CAST(LOWER(REPLACE(o.type_desc, '_', ' ')) AS nvarchar(60)) AS type,
    CASE d.is_updated WHEN 1 THEN 'yes' ELSE 'no' END AS updated, CASE d.is_selected WHEN 1 THEN 'yes' ELSE 'no' END AS selected,
    CAST(NULL AS sysname) AS [column]
  FROM sys.sql_dependencies AS d JOIN sys.objects AS o ON o.object_id = d.referenced_major_id
  WHERE d.object_id = @object ORDER BY 1
END
IF EXISTS (SELECT 1 FROM sys.sql_dependencies WHERE referenced_major_id = @object)
BEGIN
  SET @found = 1
  PRINT 'In the current database, the specified object is referenced by the following:'
  SELECT CAST(SCHEMA_NAME(o.schema_id) + '.' + o.name AS nvarchar(257)) AS name, CAST(LOWER(REPLACE(o.type_desc, '_', ' ')) AS nvarchar(60)) AS type
  FROM sys.sql_dependencies AS d JOIN sys.objects AS o ON o.object_id = d.object_id
  WHERE d.referenced_major_id = @object ORDER BY 1
END
IF @found = 0 PRINT 'Object does not reference any object, and no objects reference it.'
RETURN 0
