-- Who has logged in may do everything.
CREATE FUNCTION sys.fn_my_permissions (@securable sysname, @class sysname)
RETURNS TABLE AS RETURN
SELECT CAST(ISNULL(@securable, LOWER(@class)) AS sysname) AS entity_name, CAST('' AS sysname) AS subentity_name,
  CAST(p.permission_name AS nvarchar(60)) AS permission_name
FROM (VALUES ('SERVER', 'CONNECT SQL'), ('SERVER', 'VIEW ANY DATABASE'), ('SERVER', 'VIEW SERVER STATE'), ('SERVER', 'ALTER TRACE'),
  ('SERVER', 'CONTROL SERVER'), ('DATABASE', 'CONNECT'), ('DATABASE', 'CREATE TABLE'), ('DATABASE', 'CREATE VIEW'),
  ('DATABASE', 'CREATE PROCEDURE'), ('DATABASE', 'CREATE FUNCTION'), ('DATABASE', 'VIEW DATABASE STATE'), ('DATABASE', 'SELECT'),
  ('DATABASE', 'INSERT'), ('DATABASE', 'UPDATE'), ('DATABASE', 'DELETE'), ('DATABASE', 'EXECUTE'), ('DATABASE', 'CONTROL'), ('OBJECT', 'SELECT'),
  ('OBJECT', 'INSERT'), ('OBJECT', 'UPDATE'), ('OBJECT', 'DELETE'), ('OBJECT', 'REFERENCES'), ('OBJECT', 'EXECUTE'), ('OBJECT', 'ALTER'),
  ('OBJECT', 'CONTROL')) AS p (class, permission_name)
WHERE p.class = UPPER(@class)
