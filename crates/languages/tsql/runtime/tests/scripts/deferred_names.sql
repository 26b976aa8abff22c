-- A name that is not there: no TRY of its own level catches it, the caller's does, and it ends its own level only.
BEGIN TRY
    SELECT * FROM NoSuchTable;
END TRY
BEGIN CATCH
    PRINT 'not reached';
END CATCH
GO
BEGIN TRY
    EXEC ('SELECT * FROM NoSuchTable');
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_LINE() AS line, ERROR_PROCEDURE() AS p;
END CATCH
GO
BEGIN TRY
    EXEC sp_executesql N'SELECT * FROM NoSuchTable';
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_STATE() AS s, ERROR_SEVERITY() AS v;
END CATCH
GO
CREATE PROCEDURE Reads AS
BEGIN TRY
    SELECT * FROM NoSuchTable;
    PRINT 'not reached';
END TRY
BEGIN CATCH
    PRINT 'not reached either';
END CATCH
GO
BEGIN TRY
    EXEC Reads;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS line;
END CATCH
GO
EXEC Reads;
SELECT @@ERROR AS e;
PRINT 'the caller goes on';
GO
-- A procedure that is not there ends its statement.
EXEC NoSuchProcedure;
PRINT 'goes on';
GO
SELECT * FROM NoSuchTable;
PRINT 'not reached';
GO
CREATE PROCEDURE Nothing AS
GO
EXEC Nothing;
GO
