-- Triggers that fire themselves: not unless RECURSIVE_TRIGGERS is ON.
CREATE TABLE Parts (id INT PRIMARY KEY, parent INT NULL, depth INT NULL)
INSERT Parts VALUES (1, NULL, 0), (2, 1, NULL), (3, 2, NULL), (4, 3, NULL)
GO
-- Gives the depth of a part to its children, from one level to the next.
CREATE TRIGGER Deepen ON Parts AFTER UPDATE AS
BEGIN
    SET NOCOUNT ON
    IF NOT EXISTS (SELECT 1 FROM inserted) RETURN
    UPDATE p SET depth = i.depth + 1 FROM Parts AS p JOIN inserted AS i ON p.parent = i.id
    IF TRIGGER_NESTLEVEL() = 4 PRINT 'four of them'
END
GO
UPDATE Parts SET depth = 10 WHERE id = 1
SELECT id, depth FROM Parts ORDER BY id
SELECT is_recursive_triggers_on FROM sys.databases WHERE name = DB_NAME()
SELECT DATABASEPROPERTYEX(DB_NAME(), 'IsRecursiveTriggersEnabled') AS enabled
GO
ALTER DATABASE CURRENT SET RECURSIVE_TRIGGERS ON
GO
UPDATE Parts SET depth = 20 WHERE id = 1
SELECT id, depth FROM Parts ORDER BY id
SELECT is_recursive_triggers_on FROM sys.databases WHERE name = DB_NAME()
SELECT DATABASEPROPERTYEX(DB_NAME(), 'IsRecursiveTriggersEnabled') AS enabled
GO
-- One that never ends meets the limit, and nothing of it stays.
CREATE TABLE Endless (n INT NOT NULL)
INSERT Endless VALUES (0)
GO
CREATE TRIGGER Again ON Endless AFTER UPDATE AS UPDATE Endless SET n += 1
GO
UPDATE Endless SET n = 1
PRINT 'not reached'
GO
SELECT n, @@TRANCOUNT AS trancount FROM Endless
GO
ALTER DATABASE CURRENT SET RECURSIVE_TRIGGERS OFF WITH NO_WAIT
GO
UPDATE Endless SET n = 1
SELECT n FROM Endless
GO
