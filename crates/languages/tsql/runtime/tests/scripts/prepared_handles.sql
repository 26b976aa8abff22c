-- Handles of texts, as a program has them.
DECLARE @h INT, @i INT, @o INT = 0
EXEC sp_prepare @h OUTPUT, N'@a INT', N'SELECT @a AS a'
EXEC sp_prepare @handle = @i OUTPUT, @params = N'@a INT, @o INT OUTPUT', @stmt = N'SET @o = @a * 2'
SELECT @h AS h, @i AS i
EXEC sp_execute @h, 21
EXEC sp_execute @h, @a = 22
EXEC sp_execute @i, 4, @o OUTPUT
SELECT @o AS o
EXEC sp_execute @h
EXEC sp_unprepare @h
EXEC sp_execute @h, 21
EXEC sp_unprepare @h
DECLARE @status INT
EXEC @status = sp_prepexec @h OUTPUT, N'@a NVARCHAR(20)', N'SELECT @a AS a', N'at once'
SELECT @status AS status, @h AS h
EXEC sp_execute @h, N'again'
GO
-- It lasts longer than the batch.
EXEC sp_execute 3, N'later'
GO
DECLARE @h INT
EXEC sp_prepare @h OUTPUT, NULL, N'SELECT FROM'
PRINT 'goes on'
EXEC sp_prepare @h OUTPUT, NULL, N'SELECT 5 AS five'
EXEC sp_execute @h
EXEC sp_prepare @h OUTPUT
GO
