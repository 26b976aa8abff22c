-- Triggers as they were written for audits, rules and summaries.
CREATE TABLE Employees (
    EmpID int NOT NULL PRIMARY KEY, Name varchar(30) NOT NULL, Salary money NULL, Dept char(3) NULL,
    ManagerID int NULL REFERENCES Employees (EmpID), LastChanged datetime NULL, RowVer rowversion
)
CREATE TABLE AuditLog (
    AuditID int IDENTITY(1, 1) PRIMARY KEY, TableName sysname, Action char(1), KeyValue varchar(20), FieldName sysname NULL,
    OldValue varchar(100) NULL, NewValue varchar(100) NULL, ChangedBy sysname NOT NULL DEFAULT (SUSER_SNAME()), ChangedAt datetime NOT NULL DEFAULT (GETDATE())
)
CREATE TABLE DeptTotals (Dept char(3) PRIMARY KEY, Heads int NOT NULL, Salaries money NOT NULL)
GO
-- 1. Fields that differ, for any number of rows.
CREATE TRIGGER trg_Employees_Audit ON Employees FOR INSERT, UPDATE, DELETE
AS
IF @@ROWCOUNT = 0 RETURN
SET NOCOUNT ON
DECLARE @action char(1)
IF EXISTS (SELECT * FROM inserted)
    IF EXISTS (SELECT * FROM deleted) SET @action = 'U' ELSE SET @action = 'I'
ELSE
    SET @action = 'D'
IF @action <> 'U'
    INSERT AuditLog (TableName, Action, KeyValue, FieldName, OldValue, NewValue)
    SELECT 'Employees', @action, CAST(COALESCE(i.EmpID, d.EmpID) AS varchar(20)), NULL, d.Name, i.Name
    FROM inserted i FULL OUTER JOIN deleted d ON d.EmpID = i.EmpID ORDER BY 3
ELSE
BEGIN
    IF UPDATE(Salary)
        INSERT AuditLog (TableName, Action, KeyValue, FieldName, OldValue, NewValue)
        SELECT 'Employees', 'U', CONVERT(varchar(20), i.EmpID), 'Salary', CONVERT(varchar(100), d.Salary), CONVERT(varchar(100), i.Salary)
        FROM inserted i JOIN deleted d ON i.EmpID = d.EmpID
        WHERE ISNULL(i.Salary, -1) <> ISNULL(d.Salary, -1) ORDER BY i.EmpID
    IF (COLUMNS_UPDATED() & 8) > 0
        INSERT AuditLog (TableName, Action, KeyValue, FieldName, OldValue, NewValue)
        SELECT 'Employees', 'U', CONVERT(varchar(20), i.EmpID), 'Dept', d.Dept, i.Dept
        FROM inserted i, deleted d
        WHERE i.EmpID = d.EmpID AND (i.Dept <> d.Dept OR (i.Dept IS NULL AND d.Dept IS NOT NULL) OR (i.Dept IS NOT NULL AND d.Dept IS NULL)) ORDER BY i.EmpID
END
GO
-- 2. A summary that follows.
CREATE TRIGGER trg_Employees_Totals ON Employees AFTER INSERT, UPDATE, DELETE
AS
BEGIN
    SET NOCOUNT ON
    MERGE DeptTotals AS t
    USING (SELECT Dept, SUM(h) AS h, SUM(s) AS s FROM (
               SELECT Dept, 1 AS h, ISNULL(Salary, 0) AS s FROM inserted WHERE Dept IS NOT NULL
               UNION ALL SELECT Dept, -1, -ISNULL(Salary, 0) FROM deleted WHERE Dept IS NOT NULL) x GROUP BY Dept) AS d
    ON t.Dept = d.Dept
    WHEN MATCHED AND t.Heads + d.h = 0 THEN DELETE
    WHEN MATCHED THEN UPDATE SET Heads = t.Heads + d.h, Salaries = t.Salaries + d.s
    WHEN NOT MATCHED THEN INSERT (Dept, Heads, Salaries) VALUES (d.Dept, d.h, d.s);
END
GO
-- 3. A rule that no constraint says: nobody's salary rises by more than half; the message names the first who would.
CREATE TRIGGER trg_Employees_Raise ON Employees FOR UPDATE
AS
IF NOT UPDATE(Salary) RETURN
DECLARE @name varchar(30), @pct int
SELECT TOP 1 @name = i.Name, @pct = (i.Salary / d.Salary - 1) * 100
FROM inserted i INNER JOIN deleted d ON d.EmpID = i.EmpID
WHERE d.Salary > 0 AND i.Salary > d.Salary * 1.5 ORDER BY i.EmpID
IF @name IS NOT NULL
BEGIN
    RAISERROR ('%s would get %d%% more.', 16, 1, @name, @pct)
    ROLLBACK TRANSACTION
    RETURN
END
GO
INSERT Employees (EmpID, Name, Salary, Dept, ManagerID) VALUES (1, 'Nancy', 5000, 'ACC', NULL), (2, 'Andrew', 4000, 'ACC', 1), (3, 'Janet', 3000, 'IT', 1)
INSERT Employees (EmpID, Name) SELECT 4, 'Robert' WHERE 1 = 0
UPDATE Employees SET Salary = Salary * 1.1 WHERE Dept = 'ACC'
UPDATE Employees SET Dept = CASE EmpID WHEN 2 THEN 'IT' WHEN 1 THEN NULL ELSE Dept END, Salary = Salary
UPDATE Employees SET Salary = 9000.25 WHERE EmpID >= 2
GO
SELECT @@TRANCOUNT AS tc
SELECT EmpID, Salary, Dept FROM Employees
SELECT * FROM DeptTotals ORDER BY Dept
DELETE Employees WHERE EmpID = 2
DELETE Employees WHERE EmpID = 1
SELECT AuditID, Action, KeyValue, FieldName, OldValue, NewValue FROM AuditLog ORDER BY AuditID
SELECT * FROM DeptTotals ORDER BY Dept
GO
-- 4. A trigger that writes its own table's rows, and @@IDENTITY against SCOPE_IDENTITY().
CREATE TABLE Tickets (TicketID int IDENTITY(500, 5) PRIMARY KEY, Subject varchar(20), Changed int NOT NULL DEFAULT 0)
CREATE TABLE TicketLog (LogID int IDENTITY(1, 1), TicketID int)
GO
CREATE TRIGGER trg_Tickets ON Tickets AFTER INSERT, UPDATE AS
BEGIN
    SET NOCOUNT ON
    IF TRIGGER_NESTLEVEL(OBJECT_ID('trg_Tickets')) > 1 RETURN
    UPDATE t SET Changed = t.Changed + 1 FROM Tickets t JOIN inserted i ON i.TicketID = t.TicketID
    INSERT TicketLog (TicketID) SELECT TicketID FROM inserted
END
GO
INSERT Tickets (Subject) VALUES ('printer')
SELECT @@IDENTITY AS any_scope, SCOPE_IDENTITY() AS own_scope, IDENT_CURRENT('Tickets') AS of_table, @@ROWCOUNT AS n
INSERT Tickets (Subject) SELECT 'a' UNION ALL SELECT 'b'
SELECT @@ROWCOUNT AS n
SELECT @@IDENTITY AS any_scope, SCOPE_IDENTITY() AS own_scope
UPDATE Tickets SET Subject = UPPER(Subject) WHERE TicketID > 500
SELECT * FROM Tickets
SELECT COUNT(*) AS logged FROM TicketLog
GO
-- 5. A view over two tables that takes rows by its triggers.
CREATE TABLE Person (PersonID int IDENTITY PRIMARY KEY, Name nvarchar(30) NOT NULL)
CREATE TABLE Phone (PersonID int REFERENCES Person ON DELETE CASCADE, Number varchar(20) NOT NULL)
GO
CREATE VIEW PhoneBook AS SELECT p.PersonID, p.Name, ph.Number FROM Person p LEFT OUTER JOIN Phone ph ON ph.PersonID = p.PersonID
GO
CREATE TRIGGER trg_PhoneBook_I ON PhoneBook INSTEAD OF INSERT AS
BEGIN
    SET NOCOUNT ON
    INSERT Person (Name) SELECT DISTINCT Name FROM inserted i WHERE NOT EXISTS (SELECT * FROM Person p WHERE p.Name = i.Name)
    INSERT Phone (PersonID, Number) SELECT p.PersonID, i.Number FROM inserted i JOIN Person p ON p.Name = i.Name WHERE i.Number IS NOT NULL
END
GO
CREATE TRIGGER trg_PhoneBook_UD ON PhoneBook INSTEAD OF UPDATE, DELETE AS
IF EXISTS (SELECT * FROM inserted)
    UPDATE ph SET Number = i.Number FROM Phone ph JOIN deleted d ON d.PersonID = ph.PersonID AND d.Number = ph.Number
    JOIN inserted i ON i.PersonID = d.PersonID
ELSE
    DELETE Person WHERE PersonID IN (SELECT PersonID FROM deleted)
GO
INSERT PhoneBook (Name, Number) VALUES (N'Zoë', '555-1'), (N'Bo', NULL), (N'Zoë', '555-2')
SELECT Name, Number FROM PhoneBook ORDER BY Name, Number
UPDATE PhoneBook SET Number = '999' WHERE Number = '555-2'
DELETE FROM PhoneBook WHERE Name = N'Bo'
SELECT Name, Number FROM PhoneBook ORDER BY Name, Number
SELECT COUNT(*) AS persons FROM Person
GO
-- 6. Soft deletes, and rules over the tree that the table is.
CREATE TABLE Nodes (ID int PRIMARY KEY, Parent int NULL, Deleted bit NOT NULL DEFAULT 0, Depth int NULL)
GO
CREATE TRIGGER trg_Nodes_D ON Nodes INSTEAD OF DELETE AS
BEGIN
    SET NOCOUNT ON
    ;WITH sub AS (SELECT ID FROM deleted UNION ALL SELECT n.ID FROM Nodes n JOIN sub s ON n.Parent = s.ID)
    UPDATE Nodes SET Deleted = 1 WHERE ID IN (SELECT ID FROM sub)
END
GO
CREATE TRIGGER trg_Nodes_I ON Nodes AFTER INSERT, UPDATE AS
BEGIN
    SET NOCOUNT ON
    IF UPDATE(Parent)
    BEGIN
        IF EXISTS (SELECT * FROM inserted i LEFT JOIN Nodes p ON p.ID = i.Parent WHERE i.Parent IS NOT NULL AND (p.ID IS NULL OR p.Deleted = 1))
        BEGIN
            ROLLBACK TRAN
            ;THROW 50010, 'The parent is not there.', 1
        END
        UPDATE n SET Depth = ISNULL(p.Depth, 0) + 1 FROM Nodes n JOIN inserted i ON i.ID = n.ID LEFT JOIN Nodes p ON p.ID = n.Parent
    END
END
GO
INSERT Nodes (ID, Parent) VALUES (1, NULL)
INSERT Nodes (ID, Parent) VALUES (2, 1), (3, 1)
INSERT Nodes (ID, Parent) VALUES (4, 2)
DELETE Nodes WHERE ID = 2
SELECT @@ROWCOUNT AS n
SELECT * FROM Nodes
GO
BEGIN TRY
    INSERT Nodes (ID, Parent) VALUES (5, 4)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m, ERROR_PROCEDURE() AS p, XACT_STATE() AS x, @@TRANCOUNT AS tc
END CATCH
INSERT Nodes (ID, Parent) VALUES (6, 77)
PRINT 'not printed'
GO
SELECT COUNT(*) AS n FROM Nodes
SELECT name, is_instead_of_trigger, is_disabled FROM sys.triggers WHERE parent_id = OBJECT_ID('Nodes') ORDER BY name
GO
