CREATE TABLE dbo.Customers (Id INT NOT NULL CONSTRAINT PK_Customers PRIMARY KEY, Name VARCHAR(10) NOT NULL,
    Mail VARCHAR(50) CONSTRAINT UQ_Mail UNIQUE, Age INT CONSTRAINT CK_Age CHECK (Age >= 18), CONSTRAINT CK_Row CHECK (Name <> Mail))
CREATE TABLE dbo.Orders (Id INT IDENTITY(1, 1) PRIMARY KEY, Customer INT NOT NULL,
    Total AS (Id * 10), CONSTRAINT FK_Orders_Customers FOREIGN KEY (Customer) REFERENCES dbo.Customers (Id))
CREATE UNIQUE INDEX IX_Age ON dbo.Customers (Name, Age)
INSERT INTO Customers VALUES (1, 'Anna', 'a@x', 20), (2, 'Bo', NULL, 30)
INSERT INTO Orders (Customer) VALUES (1)
GO
-- Keys
INSERT INTO Customers VALUES (1, 'Cia', 'c@x', 40)
INSERT INTO Customers VALUES (3, 'Cia', 'a@x', 40)
INSERT INTO Customers VALUES (3, 'Bo', 'b@x', 30)
UPDATE Customers SET Id = 1 WHERE Id = 2
INSERT INTO Customers VALUES (3, 'Cia', NULL, 40)
GO
-- NULL
INSERT INTO Customers (Id) VALUES (4)
INSERT INTO Customers VALUES (NULL, 'x', 'x@x', 40)
UPDATE Customers SET Name = NULL WHERE Id = 1
GO
-- References and conditions
INSERT INTO Orders (Customer) VALUES (99)
UPDATE Orders SET Customer = 98
DELETE FROM Customers WHERE Id = 1
UPDATE Customers SET Id = 77 WHERE Id = 1
INSERT INTO Customers VALUES (5, 'Eva', 'e@x', 17)
UPDATE Customers SET Age = 3 WHERE Id = 1
INSERT INTO Customers VALUES (5, 'Eva', 'Eva', 18)
MERGE Orders AS t USING (SELECT 1 AS Id, 55 AS c) AS s ON t.Id = s.Id WHEN MATCHED THEN UPDATE SET Customer = s.c;
GO
-- Identities and computed columns
INSERT INTO Orders (Id, Customer) VALUES (9, 1)
GO
INSERT INTO Orders VALUES (9, 1)
GO
SET IDENTITY_INSERT Orders ON
INSERT INTO Orders VALUES (9, 1)
GO
INSERT INTO Orders (Customer) VALUES (1)
GO
INSERT INTO Orders (Id, Customer) VALUES (9, 1)
SET IDENTITY_INSERT Orders OFF
UPDATE Orders SET Id = 10
GO
UPDATE Orders SET Total = 10
GO
INSERT INTO Orders (Customer, Total) VALUES (1, 2)
GO
SELECT Id, Customer, Total FROM Orders ORDER BY Id
GO
-- What does not fit
INSERT INTO Customers VALUES (6, 'a name that is long', 'f@x', 40)
UPDATE Customers SET Name = 'another long name' WHERE Id = 1
DECLARE @t TABLE (n TINYINT, c CHAR(2), d DECIMAL(4, 2))
INSERT INTO @t (n) VALUES (256)
INSERT INTO @t (c) VALUES ('abc')
INSERT INTO @t (d) VALUES (100)
INSERT INTO @t (n) SELECT 1000 FROM Customers
INSERT INTO @t (c) SELECT Name FROM Customers WHERE Id = 1
GO
-- Other schemas and temporary tables
CREATE SCHEMA sales
GO
CREATE TABLE sales.T (Id INT PRIMARY KEY, N INT NOT NULL)
CREATE TABLE #t (Id INT PRIMARY KEY, N INT NOT NULL)
INSERT INTO sales.T VALUES (1, 1)
INSERT INTO #t VALUES (1, 1)
BEGIN TRY INSERT INTO sales.T VALUES (1, 1) END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS n, REPLACE(ERROR_MESSAGE(), 'sales', 'SALES') AS m END CATCH
INSERT INTO sales.T VALUES (2, NULL)
INSERT INTO #t VALUES (2, NULL)
INSERT INTO sales.T VALUES (2)
GO
INSERT INTO sales.T (Id) VALUES (2, 3)
GO
INSERT INTO sales.T (Id, N) VALUES (2)
GO
-- Default constraints, and what drops need
ALTER TABLE Customers ADD CONSTRAINT CK_Late CHECK (Age < 25)
ALTER TABLE Orders ADD CONSTRAINT FK_Late FOREIGN KEY (Id) REFERENCES Customers (Id)
DROP TABLE Customers
TRUNCATE TABLE Customers
ALTER TABLE Customers DROP CONSTRAINT Nobody
CREATE UNIQUE INDEX IX_Twice ON Orders (Customer)
GO
-- TRUNCATE asks for the keys of other tables, not for their rows.
CREATE TABLE Parents (Id INT PRIMARY KEY, Above INT REFERENCES Parents)
CREATE TABLE Children (Id INT PRIMARY KEY, Parent INT REFERENCES Parents)
INSERT Parents VALUES (1, 1)
GO
TRUNCATE TABLE Parents
GO
SELECT COUNT(*) AS n FROM Parents
TRUNCATE TABLE Children
DROP TABLE Children
TRUNCATE TABLE Parents
SELECT COUNT(*) AS n FROM Parents
GO
