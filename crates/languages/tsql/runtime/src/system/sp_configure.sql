-- The settings of the server, which are shown and cannot be changed.
CREATE PROCEDURE sys.sp_configure @configname varchar(35) = NULL, @configvalue int = NULL
AS
IF @configname IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.configurations WHERE name LIKE @configname + '%')
BEGIN
  RAISERROR (15123, 16, 1, @configname)
  RETURN 1
END
IF @configvalue IS NOT NULL
BEGIN
  DECLARE @name nvarchar(35), @was int
  SELECT TOP 1 @name = name, @was = CAST(value AS int) FROM sys.configurations WHERE name LIKE @configname + '%' ORDER BY name
  RAISERROR (15457, 10, 1, @name, @was, @configvalue)
  RETURN 0
END
SELECT CAST(name AS nvarchar(35)) AS name, CAST(minimum AS int) AS minimum, CAST(maximum AS int) AS maximum,
  CAST(value AS int) AS config_value, CAST(value_in_use AS int) AS run_value
FROM sys.configurations WHERE @configname IS NULL OR name LIKE @configname + '%' ORDER BY name
RETURN 0
