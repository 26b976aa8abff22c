-- Passwords: the hash has its version, a salt and SHA-512 of both; what is no hash is that of no password.
DECLARE @hash VARBINARY(128) = PWDENCRYPT('Secret1');
SELECT DATALENGTH(@hash) AS n, SUBSTRING(@hash, 1, 2) AS version, PWDCOMPARE('Secret1', @hash) AS same, PWDCOMPARE('secret1', @hash) AS other,
  PWDCOMPARE('x', 0x01) AS none, PWDCOMPARE(NULL, @hash) AS null_too;
SELECT PWDCOMPARE('pw', 0x0100 + 0x01020304 + HASHBYTES('SHA1', CAST(N'pw' AS VARBINARY(20)) + 0x01020304)) AS old,
  CASE WHEN PWDENCRYPT('a') = PWDENCRYPT('a') THEN 'same' ELSE 'salted' END AS salted;
SELECT DATALENGTH(CRYPT_GEN_RANDOM(16)) AS n, CRYPT_GEN_RANDOM(0) AS none, CRYPT_GEN_RANDOM(8001) AS too_many,
  CASE WHEN CRYPT_GEN_RANDOM(8, 0x01) = CRYPT_GEN_RANDOM(8, 0x01) THEN 'same' ELSE 'other' END AS again;
SELECT COUNT(DISTINCT CRYPT_GEN_RANDOM(8)) AS n FROM (VALUES (1), (2), (3)) v (x);
GO
-- Bytes as text.
SELECT sys.fn_varbintohexstr(0x00AbFF) AS a, master.dbo.fn_varbintohexstr(CAST(255 AS BINARY(4))) AS b, master.sys.fn_varbintohexstr(NULL) AS c;
DECLARE @x NVARCHAR(100) = master.dbo.fn_varbintohexstr(HASHBYTES('MD5', 'a'));
PRINT @x;
GO
-- Logins by number, and what collations are.
SELECT SUSER_SID('sa') AS sa, SUSER_SNAME(0x01) AS name, SUSER_SID('nobody') AS nobody, SUSER_SNAME(0x0203) AS none, SUSER_SNAME(SUSER_SID()) AS me;
SELECT COLLATIONPROPERTY('SQL_Latin1_General_CP1_CI_AS', 'CodePage') AS page, COLLATIONPROPERTY('Latin1_General_CI_AS', 'LCID') AS lcid,
  COLLATIONPROPERTY('Latin1_General_CI_AS', 'ComparisonStyle') AS style, COLLATIONPROPERTY('Traditional_Spanish_CS_AS_KS_WS', 'ComparisonStyle') AS strict,
  COLLATIONPROPERTY('Latin1_General_BIN', 'ComparisonStyle') AS bin, COLLATIONPROPERTY('Latin1_General_100_CI_AI', 'Version') AS version,
  COLLATIONPROPERTY('Polish_CI_AS', 'CodePage') AS polish, COLLATIONPROPERTY('Nowhere_CI_AS', 'CodePage') AS none, COLLATIONPROPERTY('Latin1_General_CI_AS', 'x') AS what;
GO
-- Roles, users, files, servers.
EXEC sp_addrole 'clerks';
EXEC sp_addrolemember 'db_datareader', 'dbo';
EXEC sp_droprolemember 'db_datareader', 'dbo';
EXEC sp_droprole 'clerks';
EXEC sp_helprole 'db_owner';
EXEC sp_helpuser 'dbo';
EXEC sp_helpuser 'db_owner';
EXEC sp_helpfile;
EXEC sp_linkedservers;
GO
EXEC sp_helprole 'nothing';
EXEC sp_helpuser 'nobody';
EXEC sp_helpfile 'nowhere';
EXEC sp_bindefault 'zero', 't.a';
GO
SELECT name, filename, groupid FROM sysfiles ORDER BY fileid;
SELECT name, protocol_desc, state_desc FROM sys.endpoints;
SELECT permission_name, state_desc FROM sys.server_permissions WHERE grantee_principal_id = 2 ORDER BY type;
SELECT c.name, TYPE_NAME(c.user_type_id) AS type FROM sys.system_columns c JOIN sys.system_views v ON v.object_id = c.object_id WHERE v.name = 'schemas' ORDER BY c.column_id;
SELECT CASE WHEN COUNT(*) > 1000 THEN 'many' END AS n FROM sys.all_columns;
GO
GO
-- The client's process, in ten characters.
DECLARE @id char(10) = HOST_ID()
SELECT DATALENGTH(HOST_ID()) AS length, ISNUMERIC(@id) AS is_number, CASE WHEN MAX(h) = @id THEN 'same' ELSE 'another' END AS again
FROM (SELECT HOST_ID() AS h) AS d
GO
