-- What drivers ask of the parameters of procedures.
CREATE TYPE Ids AS TABLE (Id INT)
CREATE TYPE Phone FROM VARCHAR(20)
GO
CREATE PROCEDURE AddAll @ids Ids READONLY, @name NVARCHAR(30), @price DECIMAL(9,2) = NULL, @phone Phone = NULL, @when DATETIME2(3) = NULL, @note NVARCHAR(MAX) = NULL, @total INT OUTPUT AS RETURN 1
GO
CREATE FUNCTION Half(@n INT) RETURNS DECIMAL(9,2) AS BEGIN RETURN @n / 2.0 END
GO
EXEC sp_describe_undeclared_parameters N'EXEC AddAll @P1, @P2, @P3, @P4, @P5, @P6, @P7 OUTPUT'
EXEC sp_describe_undeclared_parameters N'EXEC @P1 = dbo.AddAll @ids = @P2, @name = @known, @price = @P3, @total = @P4 OUT', N'@known NVARCHAR(5)'
EXEC sp_describe_undeclared_parameters N'EXEC Nobody @P1'
EXEC sp_procedure_params_100_managed @procedure_name = N'AddAll'
EXEC sp_procedure_params_managed @procedure_name = N'AddAll', @procedure_schema = N'dbo'
EXEC sp_procedure_params_rowset N'AddAll', 1, N'dbo', NULL
EXEC sp_procedure_params_rowset N'Half'
EXEC sp_procedure_params_rowset N'Nobody'
CREATE TABLE Stock (Id INT CONSTRAINT PK_Stock PRIMARY KEY, Name VARCHAR(10))
CREATE INDEX ByName ON Stock (Name DESC)
EXEC sp_statistics_100 'Stock'
