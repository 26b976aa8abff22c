-- A framework for unit tests in T-SQL, of the kind that is written with schemas as classes, dynamic calls and faked tables.
CREATE SCHEMA unit
GO
CREATE TABLE unit.Results (
    Id INT IDENTITY(1, 1) PRIMARY KEY CLUSTERED,
    Class NVARCHAR(MAX) NOT NULL,
    TestCase NVARCHAR(MAX) NOT NULL,
    Name AS (QUOTENAME(Class) + '.' + QUOTENAME(TestCase)),
    TranName NVARCHAR(MAX) NOT NULL,
    Result NVARCHAR(MAX) NULL,
    Msg NVARCHAR(MAX) NULL
)
CREATE TABLE unit.Messages (Msg NVARCHAR(MAX))
CREATE TABLE unit.Renamed (ObjectId INT, OriginalName NVARCHAR(MAX))
GO
CREATE FUNCTION unit.TestClasses () RETURNS TABLE AS RETURN
SELECT s.name AS Name, s.schema_id AS SchemaId
FROM sys.extended_properties AS ep JOIN sys.schemas AS s ON ep.major_id = s.schema_id
WHERE ep.name = N'unit.TestClass'
GO
CREATE FUNCTION unit.Tests () RETURNS TABLE AS RETURN
SELECT classes.SchemaId, classes.Name AS TestClassName, procs.object_id AS ObjectId, procs.name AS Name
FROM unit.TestClasses() AS classes JOIN sys.procedures AS procs ON classes.SchemaId = procs.schema_id
WHERE LOWER(procs.name) LIKE 'test%'
GO
CREATE FUNCTION unit.QuotedFullName (@ObjectId INT) RETURNS NVARCHAR(517) AS
BEGIN
    DECLARE @QuotedName NVARCHAR(517)
    SELECT @QuotedName = QUOTENAME(OBJECT_SCHEMA_NAME(@ObjectId)) + '.' + QUOTENAME(OBJECT_NAME(@ObjectId))
    RETURN @QuotedName
END
GO
CREATE FUNCTION unit.CleanName (@Name NVARCHAR(MAX)) RETURNS TABLE AS
RETURN SELECT SchemaName = PARSENAME(@Name, 2), ObjectName = PARSENAME(@Name, 1)
GO
CREATE PROCEDURE unit.NewTestClass @ClassName NVARCHAR(MAX) AS
BEGIN
    SET NOCOUNT ON
    BEGIN TRY
        EXEC unit.DropClass @ClassName
        DECLARE @Command NVARCHAR(MAX) = 'CREATE SCHEMA ' + QUOTENAME(@ClassName)
        EXEC (@Command)
        EXEC sys.sp_addextendedproperty @name = N'unit.TestClass', @value = 1, @level0type = 'SCHEMA', @level0name = @ClassName
    END TRY
    BEGIN CATCH
        DECLARE @Error NVARCHAR(MAX) = ERROR_MESSAGE() + ' (Error originated in ' + ISNULL(ERROR_PROCEDURE(), '-') + ')'
        RAISERROR (@Error, 16, 10)
    END CATCH
END
GO
CREATE PROCEDURE unit.DropClass @ClassName NVARCHAR(MAX) AS
BEGIN
    SET NOCOUNT ON
    DECLARE @Cmd NVARCHAR(MAX)
    ;WITH ObjectInfo (name, type) AS (
        SELECT QUOTENAME(SCHEMA_NAME(o.schema_id)) + '.' + QUOTENAME(o.name), o.type
        FROM sys.objects AS o WHERE o.schema_id = SCHEMA_ID(PARSENAME(@ClassName, 1)) AND o.parent_object_id = 0
    ), DropStatements (no, cmd) AS (
        SELECT 0, 'DROP ' + CASE type WHEN 'P' THEN 'PROCEDURE' WHEN 'V' THEN 'VIEW' WHEN 'U' THEN 'TABLE' ELSE 'FUNCTION' END
               + ' ' + name + ';' FROM ObjectInfo
        UNION ALL
        SELECT 10000, 'DROP SCHEMA ' + QUOTENAME(name) + ';' FROM sys.schemas WHERE name = PARSENAME(@ClassName, 1)
    )
    SELECT @Cmd = (SELECT '' + cmd FROM DropStatements ORDER BY no, cmd FOR XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)')
    EXEC (@Cmd)
END
GO
CREATE PROCEDURE unit.Fail @Message0 NVARCHAR(MAX) = '', @Message1 NVARCHAR(MAX) = '' AS
BEGIN
    DECLARE @Warning NVARCHAR(MAX) = ''
    IF XACT_STATE() = -1 SET @Warning = CHAR(13) + CHAR(10) + 'Warning: Uncommitable transaction detected!'
    INSERT INTO unit.Messages (Msg) SELECT COALESCE(@Message0, '!NULL!') + COALESCE(@Message1, '!NULL!') + @Warning
    RAISERROR ('unit.Failure', 16, 10)
END
GO
CREATE PROCEDURE unit.AssertEquals @Expected SQL_VARIANT, @Actual SQL_VARIANT, @Message NVARCHAR(MAX) = '' AS
BEGIN
    IF (@Expected = @Actual) OR (@Actual IS NULL AND @Expected IS NULL) RETURN 0
    DECLARE @Msg NVARCHAR(MAX)
    SELECT @Msg = 'Expected: <' + ISNULL(CAST(@Expected AS NVARCHAR(MAX)), 'NULL')
                + '> but was: <' + ISNULL(CAST(@Actual AS NVARCHAR(MAX)), 'NULL') + '>'
    IF COALESCE(@Message, '') <> '' AND @Message NOT LIKE '% ' SET @Message = @Message + ' '
    EXEC unit.Fail @Message, @Msg
END
GO
CREATE PROCEDURE unit.AssertEqualsTable @Expected NVARCHAR(MAX), @Actual NVARCHAR(MAX) AS
BEGIN
    DECLARE @Columns NVARCHAR(MAX), @Cmd NVARCHAR(MAX), @Different INT, @Text NVARCHAR(MAX)
    SELECT @Columns = STUFF((
        SELECT ',' + QUOTENAME(c.COLUMN_NAME) FROM INFORMATION_SCHEMA.COLUMNS AS c
        WHERE c.TABLE_SCHEMA = PARSENAME(@Expected, 2) AND c.TABLE_NAME = PARSENAME(@Expected, 1)
        ORDER BY c.ORDINAL_POSITION FOR XML PATH('')), 1, 1, '')
    CREATE TABLE #Difference (Mark NCHAR(1), Number INT, Line NVARCHAR(MAX))
    SET @Cmd = N'SELECT CASE WHEN SUM(e) > SUM(a) THEN ''<'' WHEN SUM(e) < SUM(a) THEN ''>'' ELSE ''='' END, COUNT(*),
                        CONCAT_WS(''|'', ' + @Columns + N')
                 FROM (SELECT 1 AS e, 0 AS a, ' + @Columns + N' FROM ' + @Expected + N'
                       UNION ALL SELECT 0, 1, ' + @Columns + N' FROM ' + @Actual + N') AS x GROUP BY ' + @Columns
    INSERT INTO #Difference EXEC sp_executesql @Cmd
    SELECT @Different = COUNT(*) FROM #Difference WHERE Mark <> '='
    IF @Different = 0 RETURN
    SET @Text = ''
    SELECT @Text = @Text + CHAR(10) + '|' + Mark + '|' + Line FROM #Difference ORDER BY Line, Mark
    EXEC unit.Fail 'Unexpected/missing resultset rows!', @Text
END
GO
CREATE PROCEDURE unit.FakeTable @TableName NVARCHAR(MAX), @Identity BIT = 0 AS
BEGIN
    DECLARE @ObjectId INT = OBJECT_ID(@TableName), @NewName SYSNAME, @Orig SYSNAME, @Full NVARCHAR(517), @Cmd NVARCHAR(MAX)
    IF @ObjectId IS NULL
    BEGIN
        RAISERROR ('FakeTable could not resolve the object name, ''%s''.', 16, 10, @TableName)
        RETURN -1
    END
    SELECT @Orig = OBJECT_NAME(@ObjectId), @Full = unit.QuotedFullName(@ObjectId)
    SET @NewName = @Orig + '_renamed'
    EXEC sp_rename @Full, @NewName, 'OBJECT'
    SET @Cmd = 'SELECT * INTO ' + @Full + ' FROM ' + QUOTENAME(OBJECT_SCHEMA_NAME(@ObjectId)) + '.' + QUOTENAME(@NewName) + ' WHERE 1 = 0'
    EXEC (@Cmd)
    INSERT INTO unit.Renamed (ObjectId, OriginalName) VALUES (OBJECT_ID(@Full), @Orig)
END
GO
CREATE PROCEDURE unit.ExpectException @Pattern NVARCHAR(MAX) AS
BEGIN
    IF OBJECT_ID('tempdb..#Expect') IS NULL RETURN
    INSERT INTO #Expect (Pattern) VALUES (@Pattern)
END
GO
CREATE PROCEDURE unit.Private_RunTest @TestName NVARCHAR(MAX), @SetUp NVARCHAR(MAX) = NULL AS
BEGIN
    SET NOCOUNT ON
    DECLARE @Msg NVARCHAR(MAX) = '', @Result NVARCHAR(MAX) = 'Success', @TranName CHAR(32), @Id INT, @PreTrancount INT
    SET @TranName = LEFT(REPLACE(CAST(NEWID() AS VARCHAR(36)), '-', ''), 32)
    CREATE TABLE #Expect (Pattern NVARCHAR(MAX))
    TRUNCATE TABLE unit.Messages
    INSERT INTO unit.Results (Class, TestCase, TranName, Result)
    SELECT PARSENAME(@TestName, 2), PARSENAME(@TestName, 1), @TranName, 'A severe error happened during test execution.'
    SELECT @Id = SCOPE_IDENTITY()
    BEGIN TRAN
    SAVE TRAN @TranName
    SET @PreTrancount = @@TRANCOUNT
    BEGIN TRY
        IF @SetUp IS NOT NULL EXEC @SetUp
        EXEC @TestName
        IF EXISTS (SELECT 1 FROM #Expect) EXEC unit.Fail 'Expected an error to be raised.'
    END TRY
    BEGIN CATCH
        IF ERROR_MESSAGE() LIKE '%unit.Failure%'
        BEGIN
            SELECT @Msg = Msg FROM unit.Messages
            SET @Result = 'Failure'
        END
        ELSE IF EXISTS (SELECT 1 FROM #Expect WHERE ERROR_MESSAGE() LIKE Pattern) SET @Msg = 'raised as expected'
        ELSE
        BEGIN
            SELECT @Msg = COALESCE(ERROR_MESSAGE(), '<NULL>') + '[' + CAST(ERROR_SEVERITY() AS NVARCHAR(10)) + ','
                + CAST(ERROR_STATE() AS NVARCHAR(10)) + ']{' + COALESCE(ERROR_PROCEDURE(), '<NULL>') + ','
                + CAST(ERROR_LINE() AS NVARCHAR(10)) + '}'
            SET @Result = 'Error'
        END
    END CATCH
    BEGIN TRY
        IF XACT_STATE() = -1 OR @@TRANCOUNT < @PreTrancount
        BEGIN
            IF @@TRANCOUNT > 0 ROLLBACK
            BEGIN TRAN
        END
        ELSE ROLLBACK TRAN @TranName
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT = 0 BEGIN TRAN
    END CATCH
    IF @Msg <> '' PRINT @Msg
    IF EXISTS (SELECT 1 FROM unit.Results WHERE Id = @Id)
        UPDATE unit.Results SET Result = @Result, Msg = @Msg WHERE Id = @Id
    ELSE
        INSERT unit.Results (Class, TestCase, TranName, Result, Msg)
        SELECT PARSENAME(@TestName, 2), PARSENAME(@TestName, 1), '?', @Result, @Msg
    COMMIT
END
GO
CREATE PROCEDURE unit.Run @Class NVARCHAR(MAX) AS
BEGIN
    SET NOCOUNT ON
    DELETE FROM unit.Results
    DECLARE @Name NVARCHAR(MAX), @SetUp NVARCHAR(MAX), @Failed INT, @All INT, @Line NVARCHAR(MAX)
    SELECT @SetUp = unit.QuotedFullName(object_id) FROM sys.procedures
    WHERE schema_id = SCHEMA_ID(@Class) AND LOWER(name) = 'setup'
    DECLARE tests CURSOR LOCAL FAST_FORWARD FOR
        SELECT unit.QuotedFullName(ObjectId) FROM unit.Tests() WHERE SchemaId = SCHEMA_ID(@Class) ORDER BY Name
    OPEN tests
    FETCH NEXT FROM tests INTO @Name
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC unit.Private_RunTest @Name, @SetUp
        FETCH NEXT FROM tests INTO @Name
    END
    CLOSE tests
    DEALLOCATE tests
    SELECT ROW_NUMBER() OVER (ORDER BY Result DESC, Name) AS No, Name AS [Test Case Name], Result FROM unit.Results ORDER BY No
    SELECT @All = COUNT(*), @Failed = SUM(CASE Result WHEN 'Success' THEN 0 ELSE 1 END) FROM unit.Results
    SET @Line = FORMATMESSAGE('Test Case Summary: %d test case(s) executed, %d failed.', @All, @Failed)
    IF @Failed > 0 RAISERROR (@Line, 16, 10) WITH NOWAIT ELSE RAISERROR (@Line, 0, 1) WITH NOWAIT
END
GO
CREATE TABLE dbo.Invoices (Id INT IDENTITY PRIMARY KEY, Customer INT NOT NULL CONSTRAINT FK_Invoices REFERENCES dbo.Invoices (Id),
    Amount DECIMAL(9, 2) NOT NULL CONSTRAINT CK_Amount CHECK (Amount > 0))
GO
CREATE FUNCTION dbo.Total (@Customer INT) RETURNS DECIMAL(9, 2) AS
BEGIN
    RETURN (SELECT SUM(Amount) FROM dbo.Invoices WHERE Customer = @Customer)
END
GO
CREATE PROCEDURE dbo.AddInvoice @Customer INT, @Amount DECIMAL(9, 2) AS
    IF @Amount <= 0 RAISERROR ('No amount: %d', 16, 1, @Customer)
    ELSE INSERT dbo.Invoices (Customer, Amount) VALUES (@Customer, @Amount)
GO
EXEC unit.NewTestClass 'InvoiceTests'
GO
CREATE PROCEDURE InvoiceTests.SetUp AS EXEC unit.FakeTable 'dbo.Invoices'
GO
CREATE PROCEDURE InvoiceTests.[test sums of a customer] AS
BEGIN
    SET IDENTITY_INSERT dbo.Invoices ON
    INSERT dbo.Invoices (Id, Customer, Amount) VALUES (1, 7, 1.5), (2, 7, 2.5), (3, 8, 9)
    SET IDENTITY_INSERT dbo.Invoices OFF
    DECLARE @Sum DECIMAL(9, 2) = dbo.Total(7)
    EXEC unit.AssertEquals 4.0, @Sum
END
GO
CREATE PROCEDURE InvoiceTests.[test fails] AS EXEC unit.AssertEquals 'a', 'b', 'Letters'
GO
CREATE PROCEDURE InvoiceTests.[test raises] AS
    EXEC unit.ExpectException '%No amount: 3%'
    EXEC dbo.AddInvoice 3, -1
GO
CREATE PROCEDURE InvoiceTests.[test expects in vain] AS
    EXEC unit.ExpectException '%No amount%'
    EXEC dbo.AddInvoice 3, 1
GO
CREATE PROCEDURE InvoiceTests.[test has an error] AS SELECT 1 / 0 AS broken
GO
CREATE PROCEDURE InvoiceTests.[test rolls back] AS ROLLBACK
GO
CREATE PROCEDURE InvoiceTests.[test tables] AS
BEGIN
    CREATE TABLE InvoiceTests.Expected (Customer INT, Amount DECIMAL(9, 2))
    INSERT InvoiceTests.Expected VALUES (1, 10), (2, 20)
    EXEC dbo.AddInvoice 1, 10
    EXEC dbo.AddInvoice 2, 21
    SELECT Customer, Amount INTO InvoiceTests.Actual FROM dbo.Invoices
    EXEC unit.AssertEqualsTable 'InvoiceTests.Expected', 'InvoiceTests.Actual'
END
GO
EXEC unit.Run 'InvoiceTests'
GO
-- Nothing of the tests is left: the table is the real one, with its constraints.
SELECT name FROM sys.tables WHERE name LIKE '%Invoices%' OR SCHEMA_NAME(schema_id) = 'InvoiceTests' ORDER BY name
SELECT COUNT(*) AS rows_left FROM dbo.Invoices
EXEC dbo.AddInvoice 99, 1
EXEC unit.FakeTable 'dbo.Nothing'
GO
EXEC unit.DropClass 'InvoiceTests'
SELECT COUNT(*) AS procedures_left FROM sys.procedures WHERE SCHEMA_NAME(schema_id) = 'InvoiceTests'
SELECT COUNT(*) AS schemas_left FROM sys.schemas WHERE name = 'InvoiceTests'
SELECT @@TRANCOUNT AS open_transactions
GO
