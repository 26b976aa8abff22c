-- Extended properties.
CREATE TABLE T (a INT, b INT);
GO
EXEC sp_addextendedproperty 'MS_Description', N'all of it';
EXEC sys.sp_addextendedproperty @name = N'MS_Description', @value = N'the table', @level0type = N'SCHEMA', @level0name = N'dbo', @level1type = N'TABLE', @level1name = N'T';
EXEC sp_addextendedproperty 'MS_Description', N'the column', 'schema', dbo, 'table', 'T', 'column', a;
EXEC sp_addextendedproperty 'Caption', N'A', 'schema', dbo, 'table', 'T', 'column', a;
SELECT class, class_desc, OBJECT_NAME(major_id) AS o, minor_id, name, CAST(value AS NVARCHAR(100)) AS v FROM sys.extended_properties ORDER BY class, minor_id, name;
SELECT objtype, objname, name FROM fn_listextendedproperty(NULL, 'schema', 'dbo', 'table', 'T', 'column', DEFAULT) ORDER BY name;
SELECT objtype, objname, name FROM sys.fn_listextendedproperty('MS_Description', 'schema', 'dbo', 'table', DEFAULT, NULL, NULL);
SELECT COUNT(*) AS n FROM fn_listextendedproperty(DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT);
GO
EXEC sp_updateextendedproperty 'Caption', N'B', 'schema', dbo, 'table', 'T', 'column', a;
EXEC sp_dropextendedproperty 'MS_Description', 'schema', dbo, 'table', 'T', 'column', a;
SELECT name, CAST(value AS NVARCHAR(100)) AS v FROM sys.extended_properties WHERE minor_id > 0;
GO
EXEC sp_addextendedproperty 'Caption', N'B', 'schema', dbo, 'table', 'T', 'column', a;
GO
EXEC sp_updateextendedproperty 'Nothing', N'B', 'schema', dbo, 'table', 'T';
GO
EXEC sp_addextendedproperty 'Caption', N'B', 'schema', dbo, 'table', 'NoSuch';
GO
-- Messages of one's own.
EXEC sp_addmessage 50010, 16, N'No %s in row %d.';
RAISERROR (50010, 16, 3, 'name', 5);
SELECT message_id, severity, text FROM sys.messages WHERE message_id > 50000;
GO
EXEC sp_addmessage 50010, 11, N'Again';
GO
EXEC sp_addmessage 50010, 11, N'Again', @replace = 'replace';
RAISERROR (50010, 11, 1);
EXEC sp_dropmessage 50010;
RAISERROR (50010, 11, 1);
GO
EXEC sp_addmessage 40000, 11, N'too low';
GO
-- Types of old, and a command for every table.
EXEC sp_addtype id, 'varchar(11)', 'NOT NULL';
CREATE TABLE U (k id, n INT);
INSERT U VALUES ('a', 1);
INSERT U VALUES (NULL, 1);
GO
EXEC sp_msforeachtable 'SELECT ''?'' AS t, COUNT(*) AS n FROM ?';
EXEC sp_MSforeachdb 'PRINT ''in ?''';
GO
-- Properties go with what they are of, and follow it to another name.
CREATE TABLE P1 (a INT, b INT, CONSTRAINT ck_a CHECK (a > 0));
CREATE INDEX ix_b ON P1 (b);
EXEC sp_addextendedproperty 'D', N'table', 'schema', 'dbo', 'table', 'P1';
EXEC sp_addextendedproperty 'D', N'a', 'schema', 'dbo', 'table', 'P1', 'column', 'a';
EXEC sp_addextendedproperty 'D', N'b', 'schema', 'dbo', 'table', 'P1', 'column', 'b';
EXEC sp_addextendedproperty 'D', N'ck', 'schema', 'dbo', 'table', 'P1', 'constraint', 'ck_a';
EXEC sp_addextendedproperty 'D', N'ix', 'schema', 'dbo', 'table', 'P1', 'index', 'ix_b';
GO
EXEC sp_rename 'P1.a', 'aa', 'COLUMN';
EXEC sp_rename 'P1', 'P2';
SELECT objtype, objname, CAST(value AS NVARCHAR(20)) AS v FROM fn_listextendedproperty('D', 'schema', 'dbo', 'table', 'P2', 'column', NULL) ORDER BY objname;
SELECT COUNT(*) AS n FROM sys.extended_properties WHERE major_id = OBJECT_ID('P2') AND name = 'D';
GO
DROP INDEX ix_b ON P2;
CREATE INDEX ix_b ON P2 (b);
EXEC sp_addextendedproperty 'D', N'again', 'schema', 'dbo', 'table', 'P2', 'index', 'ix_b';
DROP INDEX ix_b ON P2;
ALTER TABLE P2 DROP COLUMN b;
ALTER TABLE P2 ADD b INT;
EXEC sp_addextendedproperty 'D', N'again', 'schema', 'dbo', 'table', 'P2', 'column', 'b';
GO
DROP TABLE P2;
CREATE TABLE P2 (aa INT);
EXEC sp_addextendedproperty 'D', N'again', 'schema', 'dbo', 'table', 'P2';
SELECT minor_id, CAST(value AS NVARCHAR(20)) AS v FROM sys.extended_properties WHERE major_id = OBJECT_ID('P2');
GO
CREATE PROCEDURE described AS SELECT 1 AS one;
GO
EXEC sp_addextendedproperty 'D', N'procedure', 'schema', 'dbo', 'procedure', 'described';
DROP PROCEDURE described;
GO
CREATE PROCEDURE described AS SELECT 1 AS one;
GO
EXEC sp_addextendedproperty 'D', N'procedure', 'schema', 'dbo', 'procedure', 'described';
GO
