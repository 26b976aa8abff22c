-- The triggers of a table.
CREATE PROCEDURE sys.sp_helptrigger @tabname nvarchar(776), @triggertype char(6) = NULL
AS
DECLARE @object int = OBJECT_ID(@tabname)
IF @object IS NULL
BEGIN
  DECLARE @database sysname = DB_NAME()
  RAISERROR (15009, 16, 1, @tabname, @database)
  RETURN 1
END
SELECT CAST(t.name AS sysname) AS trigger_name, CAST('dbo' AS sysname) AS trigger_owner,
  MAX(CASE e.type WHEN 2 THEN 1 ELSE 0 END) AS isupdate, MAX(CASE e.type WHEN 3 THEN 1 ELSE 0 END) AS isdelete,
  MAX(CASE e.type WHEN 1 THEN 1 ELSE 0 END) AS isinsert, MAX(CASE t.is_instead_of_trigger WHEN 1 THEN 0 ELSE 1 END) AS isafter,
  MAX(CASE t.is_instead_of_trigger WHEN 1 THEN 1 ELSE 0 END) AS isinsteadof, CAST(OBJECT_SCHEMA_NAME(@object) AS sysname) AS trigger_schema
FROM sys.triggers AS t JOIN sys.trigger_events AS e ON e.object_id = t.object_id
WHERE t.parent_id = @object
  AND (@triggertype IS NULL OR e.type_desc = RTRIM(@triggertype))
GROUP BY t.name ORDER BY t.name
RETURN 0
