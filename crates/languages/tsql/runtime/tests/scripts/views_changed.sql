CREATE TABLE Customers (Id INT PRIMARY KEY, Name VARCHAR(20), City VARCHAR(20), Balance MONEY)
INSERT INTO Customers VALUES (1, 'Anna', 'Lund', 10), (2, 'Bo', 'Oslo', 20), (3, 'Cia', 'Lund', 30)
GO
CREATE VIEW InLund AS SELECT Id, Name AS Who, Balance, City FROM Customers WHERE City = 'Lund'
GO
CREATE VIEW Rich AS SELECT Id, Who, Balance FROM InLund WHERE Balance > 5
GO
UPDATE InLund SET Balance = Balance + 1 WHERE Who = 'Anna'
DELETE FROM Rich WHERE Id = 3
INSERT INTO InLund (Id, Who, City) VALUES (4, 'Dag', 'Rome')
INSERT INTO InLund VALUES (5, 'Eva', 50, 'Lund')
SELECT * FROM Customers ORDER BY Id
UPDATE Rich SET Balance = 0 OUTPUT deleted.Who, inserted.Balance WHERE Id = 5
GO
CREATE VIEW Strict AS SELECT Id, Name, City FROM Customers WHERE City = 'Lund' WITH CHECK OPTION
GO
INSERT INTO Strict VALUES (6, 'Fia', 'Lund')
INSERT INTO Strict VALUES (7, 'Geo', 'Oslo')
UPDATE Strict SET City = 'Oslo' WHERE Id = 1
SELECT Id, City FROM Customers WHERE Id IN (1, 6, 7) ORDER BY Id
GO
-- A view of two tables: one of them can be changed
CREATE TABLE Orders (No INT PRIMARY KEY, Customer INT, Total MONEY)
INSERT INTO Orders VALUES (100, 1, 5), (101, 2, 6)
GO
CREATE VIEW Sales AS SELECT o.No, o.Total, c.Id, c.Name FROM Orders o JOIN Customers c ON c.Id = o.Customer
GO
UPDATE Sales SET Total = Total * 2 WHERE Name = 'Bo'
UPDATE Sales SET Name = 'Berit' WHERE No = 101
SELECT No, Total, Name FROM Sales ORDER BY No
UPDATE Sales SET Name = 'x', Total = 1
DELETE FROM Sales WHERE No = 100
GO
CREATE VIEW PerCity AS SELECT City, COUNT(*) AS n, SUM(Balance) AS total FROM Customers GROUP BY City
GO
UPDATE PerCity SET n = 1
GO
DROP VIEW Rich
SELECT * FROM Rich
GO
