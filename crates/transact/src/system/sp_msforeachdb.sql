-- Runs up to three commands for every database, of which there is one.
CREATE PROCEDURE sys.sp_msforeachdb @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL,
  @command3 nvarchar(2000) = NULL, @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL
AS
DECLARE @name sysname = DB_NAME(), @text nvarchar(max)
IF @precommand IS NOT NULL EXEC (@precommand)
SET @text = REPLACE(@command1, @replacechar, @name)
EXEC (@text)
IF @command2 IS NOT NULL
BEGIN
  SET @text = REPLACE(@command2, @replacechar, @name)
  EXEC (@text)
END
IF @command3 IS NOT NULL
BEGIN
  SET @text = REPLACE(@command3, @replacechar, @name)
  EXEC (@text)
END
IF @postcommand IS NOT NULL EXEC (@postcommand)
RETURN 0
