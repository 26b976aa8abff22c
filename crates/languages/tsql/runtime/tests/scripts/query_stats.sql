-- Counts of statements and procedures: "sys.dm_exec_query_stats", "sys.dm_exec_procedure_stats", "sys.dm_exec_cached_plans" and
-- "sys.dm_exec_sql_text" in SQL Server's reference.
CREATE TABLE Item (Id INT NOT NULL PRIMARY KEY, Name NVARCHAR(20) NOT NULL);
INSERT Item VALUES (1, N'bolt'), (2, N'nut'), (3, N'cap');
GO
CREATE PROCEDURE FindItem @id INT AS
BEGIN
  -- The comment is no part of the statement.
  SELECT Name FROM Item WHERE Id = @id;
  SELECT COUNT(*) AS n FROM Item;
END
GO
CREATE TRIGGER ItemChanged ON Item AFTER UPDATE AS IF EXISTS (SELECT 1 FROM inserted) PRINT 'changed';
GO
CREATE PROCEDURE Twice AS EXEC FindItem 1; EXEC FindItem 9;
GO
EXEC FindItem 2;
EXEC Twice;
GO
--@b
EXEC FindItem 3;
GO
UPDATE Item SET Name = N'cover' WHERE Id = 3;
GO
SELECT OBJECT_NAME(object_id) AS name, type, type_desc, execution_count, IIF(total_elapsed_time >= max_elapsed_time, 'yes', 'no') AS sums,
  total_logical_reads, IIF(cached_time <= last_execution_time, 'yes', 'no') AS ordered
FROM sys.dm_exec_procedure_stats ORDER BY name;
SELECT OBJECT_NAME(object_id) AS name, type, execution_count FROM sys.dm_exec_trigger_stats;
GO
-- Offsets are in bytes of UTF-16; the last one is that of the last character.
SELECT SUBSTRING(t.text, s.statement_start_offset / 2 + 1, (s.statement_end_offset - s.statement_start_offset) / 2 + 1) AS statement,
  s.execution_count, s.total_rows, s.last_rows, s.min_rows, s.max_rows, s.total_logical_reads, OBJECT_NAME(t.objectid) AS module
FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t
WHERE t.text LIKE N'%FROM Item%' AND t.text NOT LIKE N'%dm_exec%' ORDER BY s.statement_start_offset;
GO
SELECT p.objtype, p.cacheobjtype, p.usecounts, t.text FROM sys.dm_exec_cached_plans AS p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) AS t
WHERE t.text LIKE N'EXEC%' OR p.objtype = 'Trigger' ORDER BY t.text;
GO
-- A session sees itself: the request that runs has a text and a plan handle.
SELECT s.session_id - @@SPID AS own, s.row_count, IIF(s.logical_reads > 0, 'yes', 'no') AS has_read, r.command, t.text
FROM sys.dm_exec_sessions AS s JOIN sys.dm_exec_requests AS r ON r.session_id = s.session_id CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) AS t
WHERE s.session_id = @@SPID;
GO
-- The text that creates a procedure may be the procedure's own.
EXEC('CREATE PROCEDURE Same AS SELECT COUNT(*) AS n FROM Item');
GO
EXEC Same;
EXEC Same;
GO
SELECT OBJECT_NAME(object_id) AS name, execution_count FROM sys.dm_exec_procedure_stats WHERE OBJECT_NAME(object_id) = 'Same';
GO
