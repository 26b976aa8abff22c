CREATE SEQUENCE s AS INT START WITH 1 INCREMENT BY 2 MINVALUE 1 MAXVALUE 9 CYCLE CACHE 5;
CREATE TABLE T (id INT PRIMARY KEY, n VARCHAR(10));
INSERT T VALUES (1, 'c'), (2, 'a'), (3, 'b');
GO
-- The values go by the order of OVER, whatever the order of the rows.
SELECT id, n, NEXT VALUE FOR s OVER (ORDER BY n) AS v FROM T ORDER BY id;
GO
SELECT NEXT VALUE FOR s AS v;
SELECT NEXT VALUE FOR s AS v;
SELECT NEXT VALUE FOR s AS v;
GO
-- What is not said stays.
ALTER SEQUENCE s INCREMENT BY 5 MAXVALUE 1000 NO CYCLE;
SELECT name, start_value, increment, minimum_value, maximum_value, is_cycling FROM sys.sequences;
SELECT NEXT VALUE FOR s AS v;
ALTER SEQUENCE s RESTART WITH 100;
SELECT NEXT VALUE FOR s AS v;
ALTER SEQUENCE s RESTART;
SELECT NEXT VALUE FOR s AS v;
GO
ALTER SEQUENCE s INCREMENT BY 0;
GO
ALTER SEQUENCE nothing RESTART;
GO
CREATE SEQUENCE down START WITH 5 INCREMENT BY -1 MINVALUE 1 MAXVALUE 4;
GO
-- Values have the type of their sequence; BIGINT unless it is said.
CREATE SEQUENCE Small AS SMALLINT START WITH 1;
CREATE SEQUENCE Tiny AS TINYINT;
CREATE SEQUENCE Wide AS DECIMAL(9, 0) START WITH 5;
CREATE SEQUENCE Big START WITH 1;
SELECT NEXT VALUE FOR Small AS s, NEXT VALUE FOR dbo.Tiny AS t, NEXT VALUE FOR Wide AS w, NEXT VALUE FOR Big AS b;
SELECT name, TYPE_NAME(system_type_id) AS type, precision FROM sys.sequences WHERE name <> 's' ORDER BY name;
SELECT SEQUENCE_NAME, DATA_TYPE, NUMERIC_PRECISION FROM INFORMATION_SCHEMA.SEQUENCES WHERE SEQUENCE_NAME = 'Wide';
CREATE SEQUENCE Wrong AS FLOAT;
GO
-- Of one row all values of a sequence are the same.
SELECT NEXT VALUE FOR Big AS a, NEXT VALUE FOR dbo.big + 10 AS b, NEXT VALUE FOR Big AS c, NEXT VALUE FOR Small AS other;
SELECT id, NEXT VALUE FOR Big OVER (ORDER BY n) AS a, NEXT VALUE FOR Big OVER (ORDER BY n) AS b FROM T ORDER BY id;
CREATE TABLE Pairs (a INT, b BIGINT, c VARCHAR(10));
INSERT Pairs VALUES (NEXT VALUE FOR Big, NEXT VALUE FOR Big, 'x'), (NEXT VALUE FOR Big, 5, NEXT VALUE FOR Big);
INSERT Pairs (a, b) SELECT NEXT VALUE FOR Big, NEXT VALUE FOR Big FROM T;
SELECT * FROM Pairs;
UPDATE Pairs SET a = NEXT VALUE FOR Big, b = NEXT VALUE FOR Big + 100 WHERE c IS NULL;
SELECT * FROM Pairs;
GO
-- One that fails leaves nothing to the next.
BEGIN TRY
    INSERT Pairs (a, b, c) SELECT NEXT VALUE FOR Big, 1 / (id - 2), NEXT VALUE FOR Big FROM T;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS failed;
END CATCH
SELECT NEXT VALUE FOR Big - NEXT VALUE FOR Big AS nothing;
GO
-- A default is shown as it is written.
CREATE SCHEMA sales;
GO
CREATE SEQUENCE sales.Orders AS INT START WITH 7;
CREATE TABLE Defaults (id INT DEFAULT NEXT VALUE FOR sales.Orders, b BIGINT CONSTRAINT DF_b DEFAULT (NEXT VALUE FOR Big), n INT);
INSERT Defaults (n) VALUES (1);
SELECT id, n FROM Defaults;
SELECT definition FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID('Defaults') ORDER BY parent_column_id;
SELECT COLUMN_DEFAULT FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Defaults' ORDER BY ORDINAL_POSITION;
SELECT NEXT VALUE FOR dbo.Missing AS v;
GO
-- A range of values that nobody else gets.
CREATE SEQUENCE ranged AS INT START WITH 10 INCREMENT BY 5 MINVALUE 0 MAXVALUE 40;
DECLARE @first SQL_VARIANT, @last SQL_VARIANT, @cycles INT, @by SQL_VARIANT, @least SQL_VARIANT, @most SQL_VARIANT;
EXEC sp_sequence_get_range @sequence_name = N'dbo.ranged', @range_size = 3, @range_first_value = @first OUTPUT,
  @range_last_value = @last OUTPUT, @range_cycle_count = @cycles OUTPUT, @sequence_increment = @by OUTPUT,
  @sequence_min_value = @least OUTPUT, @sequence_max_value = @most OUTPUT;
SELECT CAST(@first AS INT) AS first, CAST(@last AS INT) AS last, @cycles AS cycles, CAST(@by AS INT) AS step, CAST(@least AS INT) AS least, CAST(@most AS INT) AS most;
SELECT NEXT VALUE FOR ranged AS v;
EXEC sp_sequence_get_range N'ranged', 10, @first OUTPUT;
GO
ALTER SEQUENCE ranged CYCLE;
DECLARE @first SQL_VARIANT, @last SQL_VARIANT, @cycles INT;
EXEC sys.sp_sequence_get_range N'ranged', 15, @first OUTPUT, @last OUTPUT, @cycles OUTPUT;
SELECT CAST(@first AS INT) AS first, CAST(@last AS INT) AS last, @cycles AS cycles;
SELECT NEXT VALUE FOR ranged AS v;
EXEC sp_sequence_get_range N'ranged', 0, @first OUTPUT;
EXEC sp_sequence_get_range N'nothing', 1, @first OUTPUT;
GO
