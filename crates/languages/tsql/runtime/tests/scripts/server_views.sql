-- What SQL Server counts and keeps about itself, and is not counted here: its views have their columns and no rows.
SELECT COUNT(*) AS n FROM sys.dm_os_wait_stats WHERE wait_time_ms > 0
SELECT COUNT(*) AS n FROM sys.dm_exec_function_stats AS q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) AS t OUTER APPLY sys.dm_exec_query_plan(q.plan_handle) AS p
SELECT COUNT(*) AS n FROM sys.dm_db_missing_index_details AS d JOIN sys.dm_db_missing_index_groups AS g ON g.index_handle = d.index_handle
SELECT COUNT(*) AS n FROM sys.dm_exec_query_memory_grants
SELECT COUNT(*) AS n FROM sys.availability_groups AS g JOIN sys.availability_replicas AS r ON r.group_id = g.group_id
SELECT TOP 0 total_worker_time, min_rows, query_hash FROM sys.dm_exec_query_stats
GO
-- The machine and the service.
SELECT IIF(COUNT(*) = MAX(i.cpu_count), 'one a processor', 'others') AS schedulers FROM sys.dm_os_schedulers AS s CROSS JOIN sys.dm_os_sys_info AS i WHERE s.is_online = 1
SELECT node_state_desc FROM sys.dm_os_nodes
SELECT servicename, status_desc FROM sys.dm_server_services
SELECT pool_id, name FROM sys.resource_governor_resource_pools
SELECT actual_state_desc FROM sys.database_query_store_options
SELECT d.name, m.mirroring_state FROM sys.databases AS d JOIN sys.database_mirroring AS m ON m.database_id = d.database_id ORDER BY d.database_id
GO
-- Sessions and requests show their options.
SET LOCK_TIMEOUT 1500
SET DATEFIRST 1
SELECT lock_timeout, date_first, transaction_isolation_level, quoted_identifier, transaction_id FROM sys.dm_exec_requests WHERE session_id = @@SPID
BEGIN TRAN
SELECT s.lock_timeout, IIF(r.transaction_id = t.transaction_id, 'its own', 'another') AS transaction_of FROM sys.dm_exec_sessions AS s
JOIN sys.dm_exec_requests AS r ON r.session_id = s.session_id
JOIN sys.dm_tran_session_transactions AS t ON t.session_id = s.session_id
JOIN sys.dm_tran_database_transactions AS d ON d.transaction_id = t.transaction_id AND d.database_id = DB_ID()
WHERE s.session_id = @@SPID
COMMIT
GO
-- What functions tell of tables, indexes and files.
CREATE TABLE Weighed (id INT CONSTRAINT PK_Weighed PRIMARY KEY, g INT, INDEX ix_g (g))
CREATE TABLE Heaped (id INT)
INSERT Weighed VALUES (1, 10), (2, 20)
GO
SELECT OBJECT_NAME(object_id) AS t, index_id, index_type_desc, avg_fragmentation_in_percent, page_count, record_count
FROM sys.dm_db_index_physical_stats(DB_ID(), NULL, NULL, NULL, 'LIMITED') WHERE object_id IN (OBJECT_ID('Weighed'), OBJECT_ID('Heaped')) ORDER BY t, index_id
SELECT s.name, p.rows, p.modification_counter FROM sys.stats AS s CROSS APPLY sys.dm_db_stats_properties(s.object_id, s.stats_id) AS p
WHERE s.object_id = OBJECT_ID('Weighed') ORDER BY s.name
SELECT database_id, file_id, num_of_reads FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL)
SELECT event_type, LEFT(event_info, 11) AS text FROM sys.dm_exec_input_buffer(@@SPID, NULL)
SELECT permission_name FROM fn_my_permissions('Weighed', 'OBJECT') ORDER BY permission_name
SELECT COUNT(*) AS n FROM sys.dm_db_index_operational_stats(NULL, NULL, NULL, NULL)
GO
