CREATE TABLE items (id Integer, name Char(12), dear Logical)
--;
INSERT INTO items VALUES (3, 'nut', FALSE), (1, 'bolt', TRUE), (2, 'gear', FALSE)
--;
EXECUTE PROCEDURE sp_CreateIndex('items', NULL, 'ID', 'ID', NULL, 2, 512)
--;
EXECUTE PROCEDURE sp_CreateIndex90('items', 'items.cdx', 'NAME', 'UPPER(NAME)', 'ID > 1', 10, 0, '')
--;
EXECUTE PROCEDURE sp_CreateIndex90('items', 'other.cdx', 'BYNAME', 'NAME', NULL, 3, 0, NULL)
--;
SELECT name, index_expression, index_condition, index_options, index_file_name FROM system.indexes WHERE parent = 'items' ORDER BY name
--;
EXECUTE PROCEDURE sp_CreateIndex('items', NULL, 'X', 'NOSUCH(ID)', NULL, 2, 512)
--;
EXECUTE PROCEDURE sp_CreateIndex90('items', NULL, 'X', 'ID', NULL, 2, 512, 'klingon')
--;
EXECUTE PROCEDURE sp_CreateIndex('nowhere', NULL, 'X', 'ID', NULL, 2, 512)
--;
EXECUTE PROCEDURE sp_CreateIndex('items')
--;
EXECUTE PROCEDURE sp_CreateIndex('items', NULL, 'X', 'ID', NULL, 'many', 512)
--;
DELETE FROM items WHERE id = 1
--;
EXECUTE PROCEDURE sp_GetTableSizeInfo('items')
--;
EXECUTE PROCEDURE sp_PackTable('items', 0)
--;
EXECUTE PROCEDURE sp_PackTable('items', 64)
--;
EXECUTE PROCEDURE sp_Reindex('items', 0)
--;
EXECUTE PROCEDURE sp_ReindexOnline('items', 'Timeout=5')
--;
EXECUTE PROCEDURE sp_PackTableOnline('items', 'KeepBackupFiles')
--;
EXECUTE PROCEDURE sp_PackAllTablesOnline(NULL)
--;
EXECUTE PROCEDURE sp_ZapTable('items')
--;
SELECT COUNT(*) FROM items
--;
CREATE TABLE #some (i Integer)
--;
EXECUTE PROCEDURE sp_GetTables(NULL, NULL, NULL, 'TABLE;LOCAL TEMPORARY')
--;
EXECUTE PROCEDURE sp_GetTables(NULL, NULL, 'user%', 'System Table')
--;
EXECUTE PROCEDURE sp_GetColumns(NULL, NULL, 'items', '%e%')
--;
EXECUTE PROCEDURE sp_SetApplicationID('shop')
--;
EXECUTE PROCEDURE sp_GetApplicationID()
--;
EXECUTE PROCEDURE sp_mgGetAllTables()
--;
EXECUTE PROCEDURE sp_mgGetServerType()
--;
EXECUTE PROCEDURE sp_mgGetCommStats()
--;
EXECUTE PROCEDURE sp_mgResetCommStats()
--;
EXECUTE PROCEDURE sp_mgGetWorkerThreadActivity()
--;
SELECT COUNT(*) AS n FROM (EXECUTE PROCEDURE sp_mgGetConnectedUsers()) c
--;
EXECUTE PROCEDURE sp_mgGetLockOwner('items', 1)
--;
EXECUTE PROCEDURE sp_mgKillUser('nobody')
--;
EXECUTE PROCEDURE sp_CreateUser('ann', 'secret', NULL)
--;
EXECUTE PROCEDURE sp_EncryptTable('items', 'x')
--;
EXECUTE PROCEDURE sp_NoSuch()
