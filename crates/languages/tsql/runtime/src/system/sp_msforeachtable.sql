-- Runs up to three commands for every table, with its name in the place of a character.
CREATE PROCEDURE sys.sp_msforeachtable @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL,
  @command3 nvarchar(2000) = NULL, @whereand nvarchar(2000) = NULL, @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL
AS
DECLARE @name nvarchar(600), @text nvarchar(max)
CREATE TABLE #names (name nvarchar(600))
SET @text = N'INSERT #names SELECT ''['' + REPLACE(SCHEMA_NAME(o.schema_id), '']'', '']]'') + ''].['' + REPLACE(o.name, '']'', '']]'') + '']'' FROM sys.objects o WHERE o.type = ''U'' '
  + ISNULL(@whereand, N'')
EXEC (@text)
IF @precommand IS NOT NULL EXEC (@precommand)
DECLARE tables_cursor CURSOR LOCAL STATIC FOR SELECT name FROM #names ORDER BY name
OPEN tables_cursor
FETCH NEXT FROM tables_cursor INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
  EXEC sp_mainstay_foreach @name, @replacechar, @command1, @command2, @command3
  FETCH NEXT FROM tables_cursor INTO @name
END
CLOSE tables_cursor
DEALLOCATE tables_cursor
IF @postcommand IS NOT NULL EXEC (@postcommand)
RETURN 0
