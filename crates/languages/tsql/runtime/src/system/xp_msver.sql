-- What the server is, as its tools ask.
CREATE PROCEDURE sys.xp_msver @optname nvarchar(255) = NULL
AS
SELECT CAST(t.number AS smallint) AS "Index", CAST(t.name AS nvarchar(40)) AS Name, t.value AS Internal_Value,
  CAST(t.shown AS nvarchar(500)) AS Character_Value
FROM (VALUES (1, 'ProductName', NULL, 'Microsoft SQL Server'), (2, 'ProductVersion', 1048576, '16.0.1000.6'), (3, 'Language', 1033, 'English (United States)'),
  (4, 'Platform', NULL, 'NT x64'), (5, 'Comments', NULL, 'SQL'), (15, 'WindowsVersion', 0, '6.3'), (16, 'ProcessorCount', 1, '1'),
  (19, 'PhysicalMemory', 8192, '8192 (8589934592)')) AS t (number, name, value, shown)
WHERE @optname IS NULL OR t.name = @optname
ORDER BY 1
