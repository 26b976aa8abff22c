CREATE TABLE dbo.Customer (
  Id int IDENTITY(5, 2) NOT NULL CONSTRAINT PK_Customer PRIMARY KEY,
  Name nvarchar(40) NOT NULL CONSTRAINT DF_Customer_Name DEFAULT N'x',
  Qty int NOT NULL DEFAULT 0,
  Made datetime NULL DEFAULT GETDATE(),
  Amount decimal(9,2) NULL,
  Twice AS Qty * 2,
  CONSTRAINT UQ_Customer UNIQUE (Name, Qty DESC),
  CONSTRAINT CK_Customer CHECK (Qty BETWEEN 0 AND 9 AND Name LIKE N'a%' OR Amount IS NULL)
);
CREATE TABLE dbo.Ord (
  Id int CONSTRAINT PK_Ord PRIMARY KEY,
  Customer int NULL CONSTRAINT FK_Ord_Customer REFERENCES dbo.Customer (Id) ON DELETE CASCADE,
  Note varchar(max) NULL
);
CREATE INDEX IX_Ord ON dbo.Ord (Customer DESC, Id);
CREATE TABLE Loose (a tinyint, b char(3), c datetime2(3), d uniqueidentifier, e varbinary(20), f bit NOT NULL);
GO
CREATE VIEW dbo.Names AS SELECT Id, Name FROM dbo.Customer;
GO
CREATE PROCEDURE dbo.GetOne @Id int, @Name nvarchar(20) = 'x', @Count int OUTPUT AS SELECT @Count = 1;
GO
CREATE FUNCTION dbo.Half (@n decimal(9,2)) RETURNS decimal(9,3) AS BEGIN RETURN @n / 2 END;
GO
CREATE TRIGGER dbo.Watch ON dbo.Ord AFTER INSERT, DELETE AS SET NOCOUNT ON;
GO
CREATE TYPE dbo.Phone FROM varchar(20) NOT NULL;
CREATE TYPE dbo.Ids AS TABLE (Id int NOT NULL PRIMARY KEY, Word nvarchar(10) NULL);
GO
-- Objects, with the schema of each by a function over a column.
SELECT o.name, o.type, o.type_desc, SCHEMA_NAME(o.schema_id) AS s, OBJECT_NAME(o.parent_object_id) AS parent
FROM sys.objects o WHERE o.type <> 'D' ORDER BY o.name;
GO
SELECT name, max_column_id_used, lock_escalation_desc, temporal_type FROM sys.tables ORDER BY name;
SELECT name, is_instead_of_trigger, OBJECT_NAME(parent_id) AS t FROM sys.triggers;
SELECT te.type_desc FROM sys.trigger_events te JOIN sys.triggers t ON t.object_id = te.object_id ORDER BY te.type;
GO
-- Columns with their types.
SELECT c.column_id, c.name, TYPE_NAME(c.user_type_id) AS type, c.max_length, c.precision, c.scale, c.is_nullable,
  c.is_identity, c.is_computed, CASE WHEN c.default_object_id <> 0 THEN 1 ELSE 0 END AS has_default
FROM sys.columns c WHERE c.object_id = OBJECT_ID('dbo.Customer') ORDER BY c.column_id;
SELECT c.name, t.name AS type, c.max_length, c.precision, c.scale, c.collation_name
FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id
WHERE c.object_id = OBJECT_ID('Loose') ORDER BY c.column_id;
SELECT name, column_id, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('Names') ORDER BY column_id;
GO
SELECT name, seed_value, increment_value FROM sys.identity_columns;
SELECT name, definition, is_persisted FROM sys.computed_columns;
SELECT name, OBJECT_NAME(parent_object_id) AS t, COL_NAME(parent_object_id, parent_column_id) AS c, definition, is_system_named
FROM sys.default_constraints WHERE is_system_named = 0;
SELECT COL_NAME(parent_object_id, parent_column_id) AS c, definition FROM sys.default_constraints ORDER BY 1;
SELECT name, definition FROM sys.check_constraints;
GO
SELECT OBJECT_NAME(i.object_id) AS t, i.name, i.index_id, i.type_desc, i.is_unique, i.is_primary_key, i.is_unique_constraint
FROM sys.indexes i ORDER BY 1, 3;
SELECT i.name, ic.key_ordinal, COL_NAME(ic.object_id, ic.column_id) AS c, ic.is_descending_key
FROM sys.indexes i JOIN sys.index_columns ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
ORDER BY i.name, ic.key_ordinal;
SELECT name, type, unique_index_id FROM sys.key_constraints ORDER BY name;
SELECT fk.name, OBJECT_NAME(fk.parent_object_id) AS child, OBJECT_NAME(fk.referenced_object_id) AS parent,
  COL_NAME(fkc.parent_object_id, fkc.parent_column_id) AS c1, COL_NAME(fkc.referenced_object_id, fkc.referenced_column_id) AS c2,
  fk.delete_referential_action_desc, fk.update_referential_action, fk.key_index_id
FROM sys.foreign_keys fk JOIN sys.foreign_key_columns fkc ON fkc.constraint_object_id = fk.object_id;
GO
SELECT OBJECT_NAME(object_id) AS o, parameter_id, name, TYPE_NAME(system_type_id) AS t, max_length, precision, scale, is_output
FROM sys.parameters ORDER BY 1, 2;
SELECT name, is_user_defined, is_table_type, is_nullable, max_length FROM sys.types WHERE is_user_defined = 1 ORDER BY name;
SELECT c.name, c.is_nullable FROM sys.table_types tt JOIN sys.columns c ON c.object_id = tt.type_table_object_id ORDER BY c.column_id;
SELECT COUNT(*) AS n FROM sys.types WHERE is_user_defined = 0;
GO
SELECT TABLE_NAME, CONSTRAINT_NAME, CONSTRAINT_TYPE FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS ORDER BY 1, 2;
SELECT CONSTRAINT_NAME, COLUMN_NAME, ORDINAL_POSITION FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE ORDER BY 1, 3;
SELECT CONSTRAINT_NAME, UNIQUE_CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS;
SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS;
SELECT TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE WHERE CONSTRAINT_NAME LIKE 'CK%' ORDER BY 2;
SELECT TABLE_NAME, VIEW_DEFINITION FROM INFORMATION_SCHEMA.VIEWS;
SELECT COLUMN_NAME, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH,
  NUMERIC_PRECISION, NUMERIC_PRECISION_RADIX, NUMERIC_SCALE, DATETIME_PRECISION, CHARACTER_SET_NAME
FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Customer' ORDER BY ORDINAL_POSITION;
SELECT ROUTINE_NAME, ROUTINE_TYPE, DATA_TYPE FROM INFORMATION_SCHEMA.ROUTINES ORDER BY 1;
SELECT SPECIFIC_NAME, ORDINAL_POSITION, PARAMETER_MODE, IS_RESULT, PARAMETER_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.PARAMETERS ORDER BY 1, 2;
SELECT DOMAIN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM INFORMATION_SCHEMA.DOMAINS;
SELECT SCHEMA_NAME FROM INFORMATION_SCHEMA.SCHEMATA ORDER BY 1;
GO
-- The tables of old.
SELECT name, xtype FROM sysobjects WHERE xtype IN ('U', 'V', 'P') ORDER BY name;
SELECT name, length, isnullable FROM dbo.syscolumns WHERE id = OBJECT_ID('Ord') ORDER BY colid;
SELECT name, indid FROM sysindexes WHERE id = OBJECT_ID('Ord') AND indid > 0 ORDER BY indid;
SELECT number FROM master..spt_values WHERE type = 'P' AND number BETWEEN 5 AND 7 ORDER BY number;
GO
-- In subqueries, in EXISTS, in procedures.
IF EXISTS (SELECT * FROM sys.indexes WHERE name = 'IX_Ord' AND object_id = OBJECT_ID(N'[dbo].[Ord]', N'U')) PRINT 'there';
IF NOT EXISTS (SELECT 1 FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Ord' AND COLUMN_NAME = 'Nothing') PRINT 'not there';
GO
CREATE PROCEDURE dbo.Describe @t sysname AS
SELECT c.name FROM sys.columns c WHERE c.object_id = (SELECT o.object_id FROM sys.objects o WHERE o.name = @t) ORDER BY c.column_id;
GO
EXEC dbo.Describe 'Ord';
ALTER TABLE dbo.Ord ADD More int NULL;
EXEC dbo.Describe 'Ord';
GO
-- A default goes by its name.
ALTER TABLE dbo.Customer DROP CONSTRAINT DF_Customer_Name;
SELECT COUNT(*) AS n FROM sys.default_constraints WHERE name = 'DF_Customer_Name';
ALTER TABLE dbo.Customer ADD CONSTRAINT DF_Again DEFAULT ('y' + 'z') FOR Name;
SELECT name, definition FROM sys.default_constraints WHERE is_system_named = 0;
GO
-- In the transaction that makes it.
BEGIN TRAN;
CREATE TABLE Passing (a int PRIMARY KEY);
SELECT name, SCHEMA_NAME(schema_id) AS s, OBJECT_NAME(object_id) AS n FROM sys.tables WHERE name = 'Passing';
ROLLBACK;
SELECT name FROM sys.tables WHERE name = 'Passing';
GO
CREATE TABLE #t (a int, b nvarchar(10) NOT NULL);
SELECT name, is_nullable FROM tempdb.sys.columns WHERE object_id = OBJECT_ID('tempdb..#t') ORDER BY column_id;
SELECT COUNT(*) AS n FROM sys.objects WHERE name LIKE '#%';
GO
-- What definitions call the types of columns.
CREATE TABLE Called (Id INT PRIMARY KEY, N NUMERIC(9, 2), D DECIMAL(9, 2), Name SYSNAME NULL, P Phone, Q dbo.Phone NULL)
ALTER TABLE Called ADD M NUMERIC(5)
ALTER TABLE Called ALTER COLUMN N DECIMAL(9, 2)
ALTER TABLE Called ALTER COLUMN D NUMERIC(9, 2)
SELECT c.name, y.name AS system_type, t.name AS user_type, c.is_nullable FROM sys.columns c
JOIN sys.types t ON t.user_type_id = c.user_type_id JOIN sys.types y ON y.user_type_id = c.system_type_id
WHERE c.object_id = OBJECT_ID('Called') ORDER BY c.column_id
SELECT COLUMN_NAME, DATA_TYPE, DOMAIN_SCHEMA, DOMAIN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Called' ORDER BY ORDINAL_POSITION
ALTER TABLE Called DROP COLUMN P
ALTER TABLE Called ADD P VARCHAR(20)
SELECT DATA_TYPE, DOMAIN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Called' AND COLUMN_NAME = 'P'
DROP TABLE Called
GO
-- A reference is to the key whose columns it names, in whatever order, whichever index is clustered.
CREATE TABLE Crossing (a int NOT NULL, b varchar(10) NOT NULL, c int NULL,
  CONSTRAINT PK_Crossing PRIMARY KEY NONCLUSTERED (b DESC, a), CONSTRAINT UQ_Crossing UNIQUE CLUSTERED (c));
CREATE TABLE Toll (a int, b varchar(10), c int, CONSTRAINT FK_Both FOREIGN KEY (a, b) REFERENCES Crossing (a, b),
  CONSTRAINT FK_One FOREIGN KEY (c) REFERENCES Crossing (c));
SELECT k.name, i.name AS key_name FROM sys.foreign_keys AS k
  JOIN sys.indexes AS i ON i.object_id = k.referenced_object_id AND i.index_id = k.key_index_id
  WHERE k.parent_object_id = OBJECT_ID('Toll') ORDER BY k.name;
SELECT CONSTRAINT_NAME, UNIQUE_CONSTRAINT_NAME FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS
  WHERE CONSTRAINT_NAME LIKE 'FK[_][BO]%' ORDER BY CONSTRAINT_NAME;
GO
-- The system's own views and procedures.
SELECT name, type, SCHEMA_NAME(schema_id) AS s FROM sys.system_views
  WHERE name IN ('dm_exec_sessions', 'dm_pdw_nodes_exec_sessions', 'COLUMNS') ORDER BY name;
SELECT name, type, is_ms_shipped FROM sys.system_objects WHERE name IN ('sp_columns', 'sysobjects') ORDER BY name;
GO
-- What tools ask for that is never there, and whose condition it is.
SELECT COUNT(*) AS n FROM sys.service_queues AS q, sys.services, sys.certificates, sys.fulltext_catalogs, sys.partition_functions;
SELECT name FROM sys.event_notifications UNION ALL SELECT name FROM sys.symmetric_keys UNION ALL SELECT name FROM sys.server_triggers;
SELECT user_seeks FROM sys.dm_db_index_usage_stats;
CREATE TABLE conditions (a INT CHECK (a > 0), b VARCHAR(10) CHECK (b IN ('[a]', 'it''s', 'c')), c INT, CONSTRAINT ab CHECK (a < c));
SELECT parent_column_id, definition FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('conditions') ORDER BY parent_column_id;
GO
GO
-- Names that the server knows.
SELECT name, current_utc_offset, is_currently_dst FROM sys.time_zone_info WHERE name IN ('UTC', 'India Standard Time') ORDER BY name
SELECT COUNT(*) AS several FROM sys.time_zone_info HAVING COUNT(*) > 100
SELECT name, description FROM fn_helpcollations() WHERE name IN ('Latin1_General_CI_AS', 'Polish_BIN2') ORDER BY name
SELECT name FROM sys.fn_helpcollations() WHERE name = CONVERT(NVARCHAR(128), SERVERPROPERTY('Collation'))
