-- What a procedure returns that went on after an error: 10 less the severity, of several errors that of the gravest.
CREATE TABLE T (id INT PRIMARY KEY, n INT NOT NULL)
GO
CREATE PROCEDURE Fine AS SELECT 1 AS one
GO
CREATE PROCEDURE MissesValue AS INSERT T VALUES (1, NULL)
GO
CREATE PROCEDURE RepeatsKey AS INSERT T VALUES (1, 1) INSERT T VALUES (1, 1)
GO
CREATE PROCEDURE Both AS DELETE T INSERT T VALUES (1, 1) INSERT T VALUES (1, 1) INSERT T VALUES (2, NULL) INSERT T VALUES (1, 1)
GO
CREATE PROCEDURE Caught AS
BEGIN TRY
    INSERT T VALUES (1, 1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
GO
CREATE PROCEDURE ReturnsAlone AS INSERT T VALUES (1, NULL) RETURN
GO
CREATE PROCEDURE ReturnsSeven AS INSERT T VALUES (1, NULL) RETURN 7
GO
CREATE PROCEDURE ReturnsNothing AS INSERT T VALUES (1, NULL) RETURN 0
GO
CREATE PROCEDURE Raises @severity INT AS RAISERROR ('raised', @severity, 1)
GO
-- What went wrong within a procedure that was called is that one's affair, unless it leaves it.
CREATE PROCEDURE CallsRepeatsKey AS DECLARE @s INT EXEC @s = RepeatsKey SELECT @s AS inner_status
GO
CREATE PROCEDURE CatchesConversion AS
BEGIN TRY
    EXEC ConvertsBadly
END TRY
BEGIN CATCH
    PRINT 'caught'
END CATCH
GO
CREATE PROCEDURE ConvertsBadly AS SELECT CAST('a' AS INT) AS n
GO
DECLARE @s INT
EXEC @s = Fine SELECT @s AS Fine
EXEC @s = MissesValue SELECT @s AS MissesValue
EXEC @s = RepeatsKey SELECT @s AS RepeatsKey
EXEC @s = Both SELECT @s AS Both
EXEC @s = Caught SELECT @s AS Caught
EXEC @s = ReturnsAlone SELECT @s AS ReturnsAlone
EXEC @s = ReturnsSeven SELECT @s AS ReturnsSeven
EXEC @s = ReturnsNothing SELECT @s AS ReturnsNothing
EXEC @s = Raises 16 SELECT @s AS Raises16
EXEC @s = Raises 11 SELECT @s AS Raises11
EXEC @s = Raises 10 SELECT @s AS Raises10
EXEC @s = CallsRepeatsKey SELECT @s AS CallsRepeatsKey
EXEC @s = CatchesConversion SELECT @s AS CatchesConversion
EXEC @s = Fine SELECT @s AS FineAgain
GO
