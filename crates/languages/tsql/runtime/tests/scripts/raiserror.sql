-- RAISERROR: fields, severities, states, options.
RAISERROR ('plain', 16, 1)
RAISERROR ('a %s b %d c %i', 16, 2, 'text', 5, -6)
RAISERROR ('unsigned %u octal %o hex %x %X %#x', 16, 1, 10, 8, 255, 255, 255)
RAISERROR ('[%5d] [%-5d] [%05d] [%+d] [% d]', 16, 1, 42, 42, 42, 42, 42)
RAISERROR ('[%10s] [%-10s] [%.3s] [%*s]', 16, 1, 'abc', 'abc', 'abcdef', 6, 'abc')
RAISERROR ('percent %% and %s', 16, 1, NULL)
RAISERROR ('missing %s and %d', 16, 1)
RAISERROR ('big %I64d', 16, 1, 12345678901)
RAISERROR (N'national %s', 16, 1, N'žluť')
GO
RAISERROR ('note', 0, 1)
RAISERROR ('note', 10, 1)
RAISERROR ('error', 11, 1)
RAISERROR ('error', 18, 255)
RAISERROR ('state', 16, -1)
RAISERROR ('severity', -5, 1)
GO
RAISERROR ('now', 0, 1) WITH NOWAIT
RAISERROR ('nineteen', 19, 1)
GO
RAISERROR ('sets', 10, 1) WITH SETERROR
SELECT @@ERROR AS e
GO
DECLARE @m NVARCHAR(200) = 'from %s', @v INT = 16, @s INT = 3, @a VARCHAR(10) = 'variables'
RAISERROR (@m, @v, @s, @a)
GO
DECLARE @n INT = 7
RAISERROR ('no %s', 16, 1, @n)
RAISERROR ('no %d', 16, 1, 'text')
GO
RAISERROR (50001, 16, 1)
GO
RAISERROR (12999, 16, 1)
RAISERROR (50000, 16, 1)
GO
DECLARE @long NVARCHAR(MAX) = REPLICATE(CAST(N'x' AS NVARCHAR(MAX)), 3000)
BEGIN TRY
    RAISERROR (@long, 16, 1)
END TRY
BEGIN CATCH
    SELECT LEN(ERROR_MESSAGE()) AS length, RIGHT(ERROR_MESSAGE(), 5) AS tail
END CATCH
GO
SELECT FORMATMESSAGE('a %s of %d', 'b', 3) AS m, FORMATMESSAGE('%5.2s|', 'abc') AS p
GO
