CREATE TABLE Log (n INT IDENTITY, event NVARCHAR(100), object NVARCHAR(100), kind NVARCHAR(50), command NVARCHAR(MAX));
GO
CREATE TRIGGER Watches ON DATABASE FOR CREATE_TABLE, ALTER_TABLE, DROP_TABLE, DDL_VIEW_EVENTS AS
BEGIN
    DECLARE @e XML = EVENTDATA();
    INSERT Log (event, object, kind, command) VALUES (
        @e.value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(100)'),
        @e.value('(/EVENT_INSTANCE/SchemaName)[1]', 'nvarchar(100)') + '.' + @e.value('(/EVENT_INSTANCE/ObjectName)[1]', 'nvarchar(100)'),
        @e.value('(/EVENT_INSTANCE/ObjectType)[1]', 'nvarchar(50)'),
        @e.value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(max)'));
END
GO
CREATE TABLE T (a INT);
ALTER TABLE T ADD b INT;
CREATE TABLE #own (a INT);
GO
CREATE VIEW V AS SELECT a FROM T;
GO
DROP VIEW V;
DROP TABLE T;
SELECT event, object, kind, command FROM Log ORDER BY n;
GO
-- What a trigger rolls back has not been.
CREATE TRIGGER Guards ON DATABASE FOR DROP_TABLE AS
    PRINT 'no table is dropped here';
    ROLLBACK;
GO
CREATE TABLE Kept (a INT);
GO
DROP TABLE Kept;
PRINT 'not reached';
GO
SELECT COUNT(*) AS n FROM Kept;
SELECT name, is_disabled FROM sys.triggers ORDER BY name;
GO
DISABLE TRIGGER Guards ON DATABASE;
DROP TABLE Kept;
SELECT OBJECT_ID('Kept') AS gone;
SELECT name, is_disabled FROM sys.triggers ORDER BY name;
GO
DROP TRIGGER Watches, Guards ON DATABASE;
SELECT COUNT(*) AS n FROM sys.triggers;
SELECT EVENTDATA() AS nothing;
GO
CREATE TRIGGER S ON ALL SERVER FOR CREATE_DATABASE AS PRINT 'x';
GO
