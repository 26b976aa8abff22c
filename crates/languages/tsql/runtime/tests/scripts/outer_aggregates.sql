-- Aggregates in subqueries whose columns are all of the query around them belong to that query.
CREATE TABLE Customers (Id INT PRIMARY KEY, Name VARCHAR(10), Kind CHAR(1))
CREATE TABLE Orders (Id INT PRIMARY KEY, Customer INT, Amount MONEY)
CREATE TABLE Levels (Least MONEY, Rate INT, Kind CHAR(1))
INSERT Customers VALUES (1, 'Anna', 'a'), (2, 'Bo', 'b'), (3, 'Cai', 'a')
INSERT Orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5), (4, 2, 200), (5, 3, 1)
INSERT Levels VALUES (0, 0, 'a'), (25, 5, 'a'), (100, 10, 'a'), (0, 1, 'b'), (100, 12, 'b')
GO
SELECT c.Name, SUM(o.Amount) AS total, (SELECT MAX(l.Rate) FROM Levels l WHERE l.Least <= SUM(o.Amount)) AS rate
FROM Customers c JOIN Orders o ON o.Customer = c.Id GROUP BY c.Name ORDER BY c.Name
SELECT c.Name, (SELECT MAX(l.Rate) FROM Levels l WHERE l.Kind = c.Kind AND l.Least <= SUM(o.Amount)) AS rate
FROM Customers c JOIN Orders o ON o.Customer = c.Id GROUP BY c.Name, c.Kind ORDER BY SUM(o.Amount) DESC
SELECT Name FROM Customers c JOIN Orders o ON o.Customer = c.Id GROUP BY Name, c.Kind
HAVING EXISTS (SELECT 1 FROM Levels l WHERE l.Kind = c.Kind AND l.Rate >= 5 AND l.Least <= SUM(o.Amount)) ORDER BY Name
SELECT o.Customer FROM Orders o GROUP BY o.Customer HAVING COUNT(*) > 1 AND MAX(o.Amount) >= ALL (SELECT l.Least FROM Levels l WHERE l.Least < SUM(o.Amount))
SELECT (SELECT MAX(o.Amount)) AS greatest, (SELECT COUNT(*) FROM Levels l WHERE l.Least < AVG(o.Amount)) AS below FROM Orders o
SELECT YEAR('20240101') + COUNT(*) AS n, (SELECT TOP 1 l.Rate FROM Levels l WHERE l.Least <= MIN(o.Amount) ORDER BY l.Rate DESC) AS r FROM Orders o WHERE o.Id > 1
SELECT x.Name FROM (SELECT c.Name, (SELECT MAX(l.Rate) FROM Levels l WHERE l.Least <= SUM(o.Amount)) AS rate FROM Customers c JOIN Orders o ON o.Customer = c.Id GROUP BY c.Name) x WHERE x.rate = 12
-- an aggregate of the subquery's own columns stays there
SELECT c.Name, (SELECT SUM(o.Amount) FROM Orders o WHERE o.Customer = c.Id) AS total FROM Customers c ORDER BY c.Id
SELECT c.Kind, (SELECT SUM(o.Amount) FROM Orders o JOIN Customers d ON d.Id = o.Customer WHERE d.Kind = c.Kind) AS total, COUNT(*) AS n FROM Customers c GROUP BY c.Kind ORDER BY 1
