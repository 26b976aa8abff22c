CREATE TABLE People (Id INT IDENTITY(1, 1) PRIMARY KEY, Name VARCHAR(20), Gone BIT NOT NULL DEFAULT 0)
INSERT INTO People (Name) VALUES ('Anna'), ('Bo'), ('Cia')
GO
-- Rows are marked and not deleted
CREATE TRIGGER NoDelete ON People INSTEAD OF DELETE AS
BEGIN
    SET NOCOUNT ON
    UPDATE People SET Gone = 1 WHERE Id IN (SELECT Id FROM deleted)
END
GO
DELETE FROM People WHERE Name = 'Bo'
SELECT @@ROWCOUNT AS n
SELECT Id, Name, Gone FROM People ORDER BY Id
GO
-- The trigger's own change of its table is carried out
CREATE TABLE Log (Id INT, Text VARCHAR(50))
GO
CREATE TRIGGER Upper ON Log INSTEAD OF INSERT AS
    INSERT INTO Log SELECT Id, UPPER(Text) + '!' FROM inserted
GO
INSERT INTO Log VALUES (1, 'a'), (2, 'b')
INSERT INTO Log (Id) SELECT 3
SELECT * FROM Log ORDER BY Id
GO
-- A view of two tables, and an AFTER trigger behind it
CREATE TABLE Cities (Id INT PRIMARY KEY, City VARCHAR(20))
CREATE TABLE Homes (Person INT, City INT)
INSERT INTO Cities VALUES (1, 'Lund'), (2, 'Oslo')
GO
CREATE TRIGGER HomesChanged ON Homes AFTER INSERT AS PRINT 'homes'
GO
CREATE VIEW Living AS SELECT h.Person, c.City FROM Homes h JOIN Cities c ON c.Id = h.City
GO
CREATE TRIGGER LivingInserted ON Living INSTEAD OF INSERT AS
    INSERT INTO Homes SELECT i.Person, c.Id FROM inserted i JOIN Cities c ON c.City = i.City
GO
CREATE TRIGGER LivingUpdated ON Living INSTEAD OF UPDATE AS
BEGIN
    IF UPDATE(City) PRINT 'city'
    IF UPDATE(Person) PRINT 'person'
    SELECT d.Person, d.City AS old, i.City AS new FROM deleted d JOIN inserted i ON i.Person = d.Person
    UPDATE h SET City = c.Id FROM Homes h JOIN inserted i ON i.Person = h.Person JOIN Cities c ON c.City = i.City
END
GO
INSERT INTO Living VALUES (1, 'Lund'), (2, 'Oslo')
UPDATE Living SET City = 'Oslo' WHERE Person = 1
SELECT * FROM Living ORDER BY Person
GO
-- An identity is 0 there, and what is not given is NULL
CREATE TRIGGER PeopleInserted ON People INSTEAD OF INSERT AS SELECT Id, Name FROM inserted
GO
INSERT INTO People (Name) VALUES ('Dag')
SELECT COUNT(*) AS n FROM People
GO
DROP TRIGGER NoDelete
DELETE FROM People WHERE Id = 1
SELECT COUNT(*) AS n FROM People
GO
