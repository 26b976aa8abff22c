-- What an object names.
CREATE FUNCTION sys.dm_sql_referenced_entities (@name nvarchar(517), @class nvarchar(60))
RETURNS TABLE AS RETURN
SELECT d.referencing_minor_id, d.referenced_server_name, d.referenced_database_name, d.referenced_schema_name,
  d.referenced_entity_name, CAST(NULL AS sysname) AS referenced_minor_name, d.referenced_id, d.referenced_minor_id,
  d.referenced_class, d.referenced_class_desc, d.is_caller_dependent, d.is_ambiguous,
  CAST(CASE WHEN s.is_selected = 1 THEN 1 ELSE 0 END AS bit) AS is_selected,
  CAST(CASE WHEN s.is_updated = 1 THEN 1 ELSE 0 END AS bit) AS is_updated, CAST(0 AS bit) AS is_select_all,
  CAST(1 AS bit) AS is_all_columns_found, CAST(0 AS bit) AS is_insert_all, CAST(0 AS bit) AS is_incomplete
FROM sys.sql_expression_dependencies AS d
LEFT JOIN sys.sql_dependencies AS s ON s.object_id = d.referencing_id AND s.referenced_major_id = d.referenced_id
WHERE d.referencing_id = OBJECT_ID(@name) AND @class = 'OBJECT'
