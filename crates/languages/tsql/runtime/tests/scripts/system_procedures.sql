CREATE TABLE dbo.Customer (
  Id int IDENTITY(5, 2) NOT NULL CONSTRAINT PK_Customer PRIMARY KEY,
  Name nvarchar(40) NOT NULL CONSTRAINT DF_Customer_Name DEFAULT N'x',
  Code char(3) NULL,
  Amount decimal(9,2) NULL,
  Made datetime NULL, Day date NULL, Exact datetime2(3) NULL,
  Notes varchar(max) NULL, Word varbinary(20) NULL, Mark uniqueidentifier NULL, Yes bit NOT NULL, Ratio float NULL,
  Twice AS Amount * 2,
  CONSTRAINT UQ_Customer UNIQUE (Name, Code),
  CONSTRAINT CK_Customer CHECK (Amount >= 0)
);
CREATE TABLE dbo.Ord (
  Id int CONSTRAINT PK_Ord PRIMARY KEY,
  Customer int NULL CONSTRAINT FK_Ord_Customer REFERENCES dbo.Customer (Id) ON DELETE CASCADE
);
CREATE INDEX IX_Ord ON dbo.Ord (Customer DESC, Id);
CREATE TABLE dbo.[Plain] (a int);
INSERT INTO dbo.Ord VALUES (1, NULL), (2, NULL);
GO
CREATE VIEW dbo.Names AS SELECT Id, Name FROM dbo.Customer;
GO
CREATE PROCEDURE dbo.GetOne @Id int, @Name nvarchar(20) = 'x', @Count int OUTPUT AS SELECT @Count = 1;
GO
CREATE FUNCTION dbo.Half (@n decimal(9,2)) RETURNS decimal(9,3) AS BEGIN RETURN @n / 2 END;
GO
CREATE TRIGGER dbo.Watch ON dbo.Ord AFTER INSERT, DELETE AS SET NOCOUNT ON;
GO
-- As ODBC's drivers ask.
EXEC sp_tables;
EXEC sp_tables 'O%', 'dbo', NULL, "'TABLE'";
EXEC sp_tables @table_type = "'VIEW'";
EXEC sp_tables '', '', '', '%';
EXEC sp_tables '', '%', '';
GO
EXEC sp_columns 'Customer';
EXEC sp_columns 'Customer', @column_name = 'Made', @ODBCVer = 3;
EXEC sp_columns_100 'Customer', 'dbo', NULL, NULL, @ODBCVer = 3;
GO
EXEC sp_pkeys 'Ord';
EXEC sys.sp_pkeys @table_name = 'Customer', @table_owner = 'dbo';
EXEC sp_fkeys @pktable_name = 'Customer';
EXEC sp_fkeys @fktable_name = 'Ord';
EXEC sp_fkeys;
EXEC sp_statistics 'Ord';
EXEC sp_statistics 'Ord', @is_unique = 'Y';
EXEC sp_special_columns 'Ord';
EXEC sp_special_columns_100 'Customer', @col_type = 'R', @ODBCVer = 3;
GO
EXEC sp_stored_procedures 'G%';
EXEC sp_stored_procedures @sp_name = 'Half', @fUsePattern = 0;
EXEC sp_sproc_columns 'GetOne';
EXEC sp_sproc_columns_100 'Half', @ODBCVer = 3;
GO
EXEC sp_datatype_info 4;
EXEC sp_datatype_info 93, 3;
EXEC sp_datatype_info_100 93, 3;
EXEC sp_datatype_info_100 6, 2;
EXEC sp_databases;
EXEC sp_server_info 1;
GO
EXEC sp_helpindex 'dbo.Ord';
EXEC sp_helpindex 'Plain';
EXEC sp_helpindex 'Nothing';
EXEC sp_helpconstraint 'Customer';
EXEC sp_helpconstraint 'Ord', 'nomsg';
EXEC sp_helpconstraint 'Plain';
EXEC sp_helptrigger 'Ord';
GO
EXEC sp_spaceused 'Ord';
EXEC sp_table_privileges 'Plain';
EXEC sp_column_privileges 'Plain';
EXEC sp_configure 'max degree';
EXEC xp_msver 'ProductName';
EXEC sp_lock;
GO
-- Without the moments that every run has anew.
CREATE TABLE #helped (Name sysname, Owner sysname, Type nvarchar(31), Created_datetime datetime);
INSERT INTO #helped EXEC sp_help 'dbo.GetOne';
GO
EXEC sp_help 'nothing';
EXEC sp_help;
GO
-- A status is given, and a caller can take the rows.
DECLARE @status int, @rows int;
EXEC @status = sp_helpindex 'Nothing';
SELECT @status AS status;
CREATE TABLE #keys (q sysname, o sysname, t sysname, c sysname, s smallint, n sysname);
INSERT INTO #keys EXEC sp_pkeys 'Customer';
SELECT c, n FROM #keys;
GO
-- What a procedure sets is its caller's again when it ends.
CREATE PROCEDURE dbo.Quiet AS SET NOCOUNT ON; INSERT INTO dbo.[Plain] VALUES (1);
GO
EXEC dbo.Quiet;
INSERT INTO dbo.[Plain] VALUES (2);
GO
-- What a text gives, told without running it.
EXEC sp_describe_first_result_set N'INSERT INTO dbo.[Plain] VALUES (3); SELECT Id, Name, Amount * @n AS x FROM dbo.Customer', N'@n decimal(5,1)';
EXEC sp_describe_first_result_set N'EXEC dbo.GetOne 1, NULL, NULL';
EXEC sp_describe_first_result_set N'SELECT nothing FROM dbo.Customer';
SELECT COUNT(*) AS n FROM dbo.[Plain];
SET FMTONLY ON;
SELECT a FROM dbo.[Plain];
DELETE FROM dbo.[Plain];
SET FMTONLY OFF;
SELECT a FROM dbo.[Plain] ORDER BY a;
GO
-- What types parameters take that a text does not declare.
CREATE TABLE Asked (Id INT IDENTITY PRIMARY KEY, Name NVARCHAR(30), Price DECIMAL(9,2), Made DATETIME)
GO
EXEC sp_describe_undeclared_parameters N'SELECT * FROM Asked AS a WHERE a.Id = @P1 AND Name LIKE @P2 AND Made BETWEEN @P3 AND @P4 AND Price > @known', N'@known MONEY'
EXEC sp_describe_undeclared_parameters N'INSERT INTO Asked (Name, Price) VALUES (@P1, @P2)'
EXEC sp_describe_undeclared_parameters N'INSERT Asked VALUES (@P1, @P2, @P3)'
EXEC sp_describe_undeclared_parameters N'UPDATE Asked SET Price = @P1 WHERE Id IN (@P2, @P3)'
EXEC sp_describe_undeclared_parameters N'SELECT TOP (@n) @x'
EXEC sp_describe_undeclared_parameters N'SELEC 1'
GO
-- What SqlBulkCopy asks, with the database and the owner left out.
EXEC ..sp_tablecollations_100 N'.[Asked]'
EXEC sp_datatype_info -9, 3
EXEC sp_datatype_info_100 3, 3
EXEC sp_datatype_info_100 93, 4
GO
-- Temporary tables, in the database that they are in
CREATE TABLE #told (id INT IDENTITY CONSTRAINT pk_told PRIMARY KEY, name VARCHAR(20) NOT NULL CONSTRAINT df_told DEFAULT 'x', CONSTRAINT ck_told CHECK (id > 0))
CREATE INDEX by_name ON #told (name DESC)
GO
EXEC tempdb..sp_helpconstraint '#told'
GO
EXEC tempdb.dbo.sp_helpindex 'tempdb..#told'
EXEC tempdb..sp_help '#none'
GO
EXEC sp_help '#told'
GO
