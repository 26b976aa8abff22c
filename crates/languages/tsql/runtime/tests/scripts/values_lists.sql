-- Lists of VALUES: each column takes the type of the table's column, whatever single rows give: NULL, DEFAULT, variables.
CREATE TABLE Parts (
    Id INT IDENTITY(1, 1) PRIMARY KEY,
    Code NVARCHAR(20) NULL,
    Weight DECIMAL(10, 2) NULL CONSTRAINT DF_Parts_Weight DEFAULT (1.5),
    Made DATETIME NULL,
    Price MONEY NULL
)
GO
INSERT INTO Parts (Code, Weight, Made, Price) VALUES
    (N'bolt', 0.25, '20240102', 3),
    (NULL, NULL, NULL, NULL),
    ('nut', '2', NULL, $4.5)
SELECT @@ROWCOUNT AS n
GO
DECLARE @code NVARCHAR(20) = N'screw', @weight INT = 7
INSERT Parts (Code, Weight) VALUES (@code, @weight), (NULL, DEFAULT), ('x', 1 + 0.5), (UPPER('y'), NULL)
INSERT Parts (Code, Weight) VALUES (DEFAULT, DEFAULT), ((SELECT MAX(Code) FROM Parts), 2)
SELECT Id, Code, Weight, CONVERT(VARCHAR(10), Made, 120) AS Made, Price FROM Parts ORDER BY Id
GO
-- A table of values: the type of a column is that of all its rows.
SELECT v.a, v.b, v.c FROM (VALUES (1, 'a', NULL), (2.5, NULL, 3), (NULL, 'ccc', 4)) AS v (a, b, c) ORDER BY v.b
GO
INSERT INTO Parts (Code, Weight) VALUES ('a'), ('b', 1)
GO
INSERT INTO Parts (Code, Weight) VALUES ('a', 1, 2)
GO
INSERT INTO Parts (Code, Code) VALUES ('a', 'b')
GO
