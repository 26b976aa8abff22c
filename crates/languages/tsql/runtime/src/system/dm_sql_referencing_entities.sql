-- What names an object.
CREATE FUNCTION sys.dm_sql_referencing_entities (@name nvarchar(517), @class nvarchar(60))
RETURNS TABLE AS RETURN
SELECT CAST(SCHEMA_NAME(o.schema_id) AS sysname) AS referencing_schema_name, CAST(o.name AS sysname) AS referencing_entity_name,
  o.object_id AS referencing_id, CAST(1 AS tinyint) AS referencing_class, CAST('OBJECT_OR_COLUMN' AS nvarchar(60)) AS referencing_class_desc,
  d.is_caller_dependent
FROM sys.sql_expression_dependencies AS d JOIN sys.objects AS o ON o.object_id = d.referencing_id
WHERE d.referenced_id = OBJECT_ID(@name) AND @class = 'OBJECT'
