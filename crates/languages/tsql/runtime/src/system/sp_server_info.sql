-- What drivers of old ask a server.
CREATE PROCEDURE sys.sp_server_info @attribute_id int = NULL
AS
SELECT t.number AS attribute_id, CAST(t.name AS varchar(60)) AS attribute_name, CAST(t.value AS varchar(255)) AS attribute_value
FROM (VALUES
  (1, 'DBMS_NAME', 'Microsoft SQL Server'),
  (2, 'DBMS_VER', 'Microsoft SQL Server 2022 - 16.0.1000.6'),
  (10, 'OWNER_TERM', 'owner'),
  (11, 'TABLE_TERM', 'table'),
  (12, 'MAX_OWNER_NAME_LENGTH', '128'),
  (13, 'TABLE_LENGTH', '128'),
  (14, 'MAX_QUAL_LENGTH', '128'),
  (15, 'COLUMN_LENGTH', '128'),
  (16, 'IDENTIFIER_CASE', 'MIXED'),
  (17, 'TX_ISOLATION', '2'),
  (18, 'COLLATION_SEQ', 'charset=iso_1 sort_order=nocase_iso charset_num=1 sort_order_num=52'),
  (19, 'SAVEPOINT_SUPPORT', 'Y'),
  (20, 'MULTI_RESULT_SETS', 'Y'),
  (22, 'ACCESSIBLE_TABLES', 'Y'),
  (100, 'USERID_LENGTH', '128'),
  (101, 'QUALIFIER_TERM', 'database'),
  (102, 'NAMED_TRANSACTIONS', 'Y'),
  (103, 'SPROC_AS_LANGUAGE', 'Y'),
  (104, 'ACCESSIBLE_SPROC', 'Y'),
  (105, 'MAX_INDEX_COLS', '16'),
  (106, 'RENAME_TABLE', 'Y'),
  (107, 'RENAME_COLUMN', 'Y'),
  (108, 'DROP_COLUMN', 'Y'),
  (109, 'INCREASE_COLUMN_LENGTH', 'Y'),
  (110, 'DDL_IN_TRANSACTION', 'Y'),
  (111, 'DESCENDING_INDEXES', 'Y'),
  (112, 'SP_RENAME', 'Y'),
  (113, 'REMOTE_SPROC', 'Y'),
  (500, 'SYS_SPROC_VERSION', '16.00.1000')
) AS t (number, name, value)
WHERE @attribute_id IS NULL OR t.number = @attribute_id
ORDER BY 1
