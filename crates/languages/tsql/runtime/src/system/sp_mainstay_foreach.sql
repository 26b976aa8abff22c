-- Runs up to three commands for one name, which stands in the place of a character: for sp_msforeachdb and sp_msforeachtable.
CREATE PROCEDURE sys.sp_mainstay_foreach @name nvarchar(600), @replacechar nchar(1), @command1 nvarchar(2000), @command2 nvarchar(2000),
  @command3 nvarchar(2000)
AS
DECLARE @text nvarchar(max)
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
RETURN 0
