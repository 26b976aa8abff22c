-- Tables that are called as a column of a subquery's tables.
CREATE TABLE dbo.Customer (Id INT PRIMARY KEY, Name NVARCHAR(10))
CREATE TABLE dbo.Visits (Id INT PRIMARY KEY, Customer INT, Total INT)
INSERT dbo.Customer VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy')
INSERT dbo.Visits VALUES (1, 1, 10), (2, 1, 5), (3, 2, 7)
GO
SELECT Name FROM Customer WHERE EXISTS (SELECT 1 FROM Visits WHERE Visits.Customer = Customer.Id) ORDER BY Name
SELECT Name, (SELECT SUM(Total) FROM dbo.Visits WHERE Customer = Customer.Id) AS s FROM dbo.Customer ORDER BY Name
SELECT Customer.Name, x.Total FROM Customer
OUTER APPLY (SELECT TOP 1 Total FROM Visits WHERE Visits.Customer = Customer.Id ORDER BY Total) x ORDER BY Customer.Id
UPDATE Customer SET Name = Name + '!' WHERE 7 IN (SELECT Total FROM Visits WHERE Visits.Customer = Customer.Id)
DELETE FROM Customer WHERE NOT EXISTS (SELECT 1 FROM Visits WHERE Visits.Customer = Customer.Id)
SELECT *, Customer.Id * 2 FROM Customer WHERE Customer.Id IN (SELECT Customer FROM Visits WHERE Customer.Id > 0) ORDER BY 1
GO
SELECT Name FROM Customer WHERE EXISTS (SELECT 1 FROM Visits WHERE Visits.Customer = Customer.Nothing)
GO
