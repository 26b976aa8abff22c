-- Plans in place of runs: "SET SHOWPLAN_TEXT", "SET SHOWPLAN_ALL" and "SET SHOWPLAN_XML" in SQL Server's reference.
CREATE TABLE Customer (Id INT NOT NULL CONSTRAINT PK_Customer PRIMARY KEY, Name NVARCHAR(40) NOT NULL, City NVARCHAR(40) NULL);
CREATE TABLE Orders (Id INT NOT NULL PRIMARY KEY, Customer INT NOT NULL, Total DECIMAL(10, 2) NOT NULL);
CREATE INDEX IX_Orders_Customer ON Orders (Customer);
INSERT Customer VALUES (1, N'Ann', N'Oslo'), (2, N'Bo', NULL);
INSERT Orders VALUES (10, 1, 5), (11, 1, 7), (12, 2, 1);
GO
CREATE PROCEDURE OrdersOf @customer INT, @least DECIMAL(10, 2) = 0 AS
BEGIN
  DECLARE @seen TABLE (Id INT);
  INSERT @seen SELECT Id FROM Orders WHERE Customer = @customer;
  IF EXISTS (SELECT 1 FROM @seen) PRINT 'some';
  SELECT o.Id, c.Name FROM Orders AS o JOIN Customer AS c ON c.Id = o.Customer WHERE o.Customer = @customer AND o.Total > @least;
  SELECT * FROM NotYet;
  EXEC OrdersOf @customer;
END
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT Name FROM Customer WHERE Id = 1;
GO
DECLARE @id INT = 2;
SELECT Id, Total FROM Orders WHERE Customer = @id;
UPDATE Customer SET City = N'Bergen' WHERE Id = @id;
DELETE FROM Orders WHERE Customer = @id AND Total > 3;
INSERT Customer VALUES (3, N'Cy', NULL);
GO
SELECT c.Name, o.Total FROM Customer AS c LEFT JOIN Orders AS o ON o.Customer = c.Id WHERE c.Id = 2;
SELECT City, COUNT(*) AS n FROM Customer GROUP BY City ORDER BY n DESC;
SELECT TOP 1 Id FROM Orders ORDER BY Total DESC;
SELECT Id FROM Orders UNION ALL SELECT Id FROM Customer;
GO
-- The batch executor walks indexes from either end.
SELECT Customer FROM (SELECT TOP 2 Customer FROM Orders ORDER BY Customer DESC) AS greatest UNION ALL SELECT Id FROM Customer;
SELECT Customer FROM (SELECT TOP 2 Customer FROM Orders ORDER BY Customer) AS least UNION ALL SELECT Id FROM Customer;
SELECT MAX(Customer) FROM Orders UNION ALL SELECT MIN(Id) FROM Customer;
GO
IF (SELECT COUNT(*) FROM Orders) > 1
  PRINT 'many'
ELSE
  SELECT 1 AS one;
WHILE 1 = 1 CREATE TABLE Never (Id INT);
GO
EXEC OrdersOf 1;
GO
-- The table is not created, so it is not there.
CREATE TABLE Later (Id INT);
SELECT * FROM Later;
PRINT 'not reached';
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT (SELECT COUNT(*) FROM Customer) AS customers, (SELECT COUNT(*) FROM Orders) AS orders, OBJECT_ID('Later') AS later;
GO
SET SHOWPLAN_ALL ON;
GO
SELECT Name FROM Customer WHERE Id = 1 AND Name LIKE N'A%';
GO
EXEC OrdersOf 1, 3;
GO
SET SHOWPLAN_ALL OFF;
GO
SET SHOWPLAN_XML ON;
GO
SELECT Name FROM Customer WHERE Id < 5;
PRINT 'a < b';
GO
SELECT Customer FROM (SELECT TOP 2 Customer FROM Orders ORDER BY Customer DESC) AS greatest UNION ALL SELECT Id FROM Customer;
GO
SET SHOWPLAN_XML OFF;
GO
-- It has to be alone: 1067.
SET SHOWPLAN_TEXT ON;
SELECT 1;
GO
SELECT 2 AS runs;
GO
CREATE PROCEDURE Shows AS SET SHOWPLAN_ALL ON;
GO
IF 1 = 1 SET SHOWPLAN_XML ON;
GO
SELECT 3 AS runs, OBJECT_ID('Shows') AS shows;
GO
