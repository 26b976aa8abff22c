-- SET ANSI_NULLS OFF: NULL, and a variable that is NULL, equal what is NULL. Two columns are compared as ever.
CREATE TABLE T (Id INT PRIMARY KEY, A INT, B INT)
INSERT INTO T VALUES (1, NULL, NULL), (2, 5, 5), (3, 5, NULL), (4, NULL, 5)
CREATE INDEX IX_A ON T (A)
GO
DECLARE @n INT
SELECT Id FROM T WHERE A = NULL
SELECT Id FROM T WHERE A = @n
IF @n = NULL PRINT 'never'
GO
SET ANSI_NULLS OFF
GO
DECLARE @n INT, @five INT = 5, @m INT
SELECT Id FROM T WHERE A = NULL ORDER BY Id
SELECT Id FROM T WHERE A <> NULL ORDER BY Id
SELECT Id FROM T WHERE NOT A = NULL ORDER BY Id
SELECT Id FROM T WHERE A = @n ORDER BY Id
SELECT Id FROM T WHERE A <> @n ORDER BY Id
SELECT Id FROM T WHERE A = @five ORDER BY Id
SELECT Id FROM T WHERE A <> @five ORDER BY Id
SELECT Id FROM T WHERE A <> 5 ORDER BY Id
SELECT Id FROM T WHERE A IN (5, NULL) ORDER BY Id
SELECT Id FROM T WHERE A NOT IN (7, NULL) ORDER BY Id
SELECT Id FROM T WHERE A = B ORDER BY Id
SELECT Id, CASE A WHEN NULL THEN 'null' WHEN 5 THEN 'five' END AS c FROM T ORDER BY Id
IF @n = NULL PRINT 'literal'
IF @n = @m PRINT 'variables'
IF @n <> @five PRINT 'differ'
IF NOT @n = @five PRINT 'not equal'
IF NULL = NULL PRINT 'null = null'
IF @n <> NULL PRINT 'never' ELSE PRINT 'the same'
IF @n + 1 = @m + 1 PRINT 'never' ELSE PRINT 'sums'
IF @n < @five PRINT 'never' ELSE PRINT 'no order'
SELECT CASE @n WHEN NULL THEN 'null' ELSE 'else' END AS c, NULLIF(@five, @n) AS f
GO
-- The same plan for a variable that is NULL and one that is not.
DECLARE @i INT = 0, @v INT
WHILE @i < 4
BEGIN
    SET @v = CASE WHEN @i % 2 = 0 THEN 5 END
    SELECT @i AS i, COUNT(*) AS n FROM T WHERE A = @v
    UPDATE T SET B = B WHERE A = @v
    SET @i += 1
END
GO
-- Within a batch it counts from where it stands.
SET ANSI_NULLS ON
DECLARE @n INT
IF @n = NULL PRINT 'never' ELSE PRINT 'unknown'
SELECT COUNT(*) AS n FROM T WHERE A = @n
SET ANSI_NULLS OFF
IF @n = NULL PRINT 'equal'
SELECT COUNT(*) AS n FROM T WHERE A = @n
GO
-- Procedures, functions and triggers keep what they were made under.
SET ANSI_NULLS OFF
GO
CREATE PROCEDURE MadeOff @n INT AS
IF @n = NULL PRINT 'off: equal' ELSE PRINT 'off: not'
SELECT COUNT(*) AS n, SESSIONPROPERTY('ANSI_NULLS') AS property FROM T WHERE A = @n
GO
CREATE FUNCTION dbo.IsNothing(@a INT) RETURNS VARCHAR(5) AS
BEGIN
    IF @a = NULL RETURN 'yes'
    RETURN 'no'
END
GO
SET ANSI_NULLS ON
GO
CREATE PROCEDURE MadeOn @n INT AS
SET ANSI_NULLS OFF
IF @n = NULL PRINT 'on: never' ELSE PRINT 'on: unknown'
SELECT COUNT(*) AS n FROM T WHERE A = @n
EXEC MadeOff @n
GO
CREATE TRIGGER Fired ON T AFTER UPDATE AS
DECLARE @x INT
IF @x = NULL PRINT 'trigger: never' ELSE PRINT 'trigger: unknown'
GO
EXEC MadeOff NULL
EXEC MadeOff 5
EXEC MadeOn NULL
SELECT Id, dbo.IsNothing(A) AS nothing FROM T ORDER BY Id
GO
SET ANSI_NULLS OFF
GO
EXEC MadeOn NULL
UPDATE T SET B = 1 WHERE Id = 1
SELECT SESSIONPROPERTY('ANSI_NULLS') AS property
GO
SET ANSI_NULLS ON
GO
SELECT OBJECT_NAME(object_id) AS name, uses_ansi_nulls, uses_quoted_identifier FROM sys.sql_modules ORDER BY name
SELECT OBJECTPROPERTY(OBJECT_ID('MadeOff'), 'ExecIsAnsiNullsOn') AS made_off, OBJECTPROPERTY(OBJECT_ID('MadeOn'), 'ExecIsAnsiNullsOn') AS made_on
GO
-- ALTER under other options changes them, with the same text too.
ALTER PROCEDURE MadeOff @n INT AS
IF @n = NULL PRINT 'off: equal' ELSE PRINT 'off: not'
SELECT COUNT(*) AS n, SESSIONPROPERTY('ANSI_NULLS') AS property FROM T WHERE A = @n
GO
EXEC MadeOff NULL
SELECT OBJECTPROPERTY(OBJECT_ID('MadeOff'), 'ExecIsAnsiNullsOn') AS now_on
GO
-- QUOTED_IDENTIFIER is kept as well.
SET QUOTED_IDENTIFIER OFF
GO
CREATE PROCEDURE Quotes AS
SELECT "a text" AS t
EXEC ('SELECT "another" AS t')
GO
SET QUOTED_IDENTIFIER ON
GO
EXEC Quotes
SELECT uses_quoted_identifier FROM sys.sql_modules WHERE object_id = OBJECT_ID('Quotes')
GO
