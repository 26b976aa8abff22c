-- The servers that are known, which is this one.
CREATE PROCEDURE sys.sp_linkedservers
AS
SELECT CAST(name AS sysname) AS SRV_NAME, CAST(provider AS nvarchar(128)) AS SRV_PROVIDERNAME,
  CAST(product AS nvarchar(128)) AS SRV_PRODUCT, CAST(data_source AS nvarchar(4000)) AS SRV_DATASOURCE,
  CAST(NULL AS nvarchar(4000)) AS SRV_PROVIDERSTRING, CAST(NULL AS nvarchar(4000)) AS SRV_LOCATION,
  CAST(NULL AS sysname) AS SRV_CAT
FROM sys.servers ORDER BY name
RETURN 0
