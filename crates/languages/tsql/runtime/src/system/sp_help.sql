-- What there is, or what an object is.
CREATE PROCEDURE sys.sp_help @objname nvarchar(776) = NULL
AS
SET NOCOUNT ON
DECLARE @database sysname = DB_NAME()
IF @objname IS NULL
BEGIN
  SELECT CAST(o.name AS sysname) AS Name, CAST(s.name AS sysname) AS Owner,
    CAST(LOWER(CASE o.type WHEN 'P' THEN 'stored procedure' WHEN 'U' THEN 'user table' WHEN 'FN' THEN 'scalar function'
      WHEN 'IF' THEN 'inline function' WHEN 'TF' THEN 'table function' WHEN 'TR' THEN 'trigger' WHEN 'PK' THEN 'primary key cns'
      WHEN 'UQ' THEN 'unique cns' WHEN 'F' THEN 'foreign key cns' WHEN 'C' THEN 'check cns'
      WHEN 'D' THEN 'default (maybe cns)' WHEN 'SO' THEN 'sequence object' ELSE o.type_desc END) AS nvarchar(31)) AS Object_type
  FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id ORDER BY 2, 3 DESC, 1
  SELECT CAST(t.name AS sysname) AS User_type, CAST(TYPE_NAME(t.system_type_id) AS sysname) AS Storage_type, t.max_length AS Length,
    CAST(t.precision AS int) AS Prec, CAST(t.scale AS int) AS Scale,
    CAST(CASE t.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END AS varchar(35)) AS Nullable, CAST('none' AS sysname) AS Default_name,
    CAST('none' AS sysname) AS Rule_name, CAST(t.collation_name AS sysname) AS Collation
  FROM sys.types AS t WHERE t.is_user_defined = 1 AND t.is_table_type = 0 ORDER BY t.name
  RETURN 0
END
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  IF TYPE_ID(@objname) IS NULL
  BEGIN
    RAISERROR (15009, 16, 1, @objname, @database)
    RETURN 1
  END
  SELECT CAST(t.name AS sysname) AS Type_name, CAST(TYPE_NAME(t.system_type_id) AS sysname) AS Storage_type, t.max_length AS Length,
    CAST(t.precision AS int) AS Prec, CAST(t.scale AS int) AS Scale,
    CAST(CASE t.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END AS varchar(35)) AS Nullable, CAST('none' AS sysname) AS Default_name,
    CAST('none' AS sysname) AS Rule_name, CAST(t.collation_name AS sysname) AS Collation
  FROM sys.types AS t WHERE t.user_type_id = TYPE_ID(@objname)
  RETURN 0
END
DECLARE @kind char(2)
SELECT @kind = type FROM sys.objects WHERE object_id = @object
SELECT CAST(o.name AS sysname) AS Name, CAST(s.name AS sysname) AS Owner,
  CAST(LOWER(CASE o.type WHEN 'P' THEN 'stored procedure' WHEN 'U' THEN 'user table' WHEN 'FN' THEN 'scalar function'
    WHEN 'IF' THEN 'inline function' WHEN 'TF' THEN 'table function' WHEN 'TR' THEN 'trigger' WHEN 'PK' THEN 'primary key cns'
    WHEN 'UQ' THEN 'unique cns' WHEN 'F' THEN 'foreign key cns' WHEN 'C' THEN 'check cns'
    WHEN 'D' THEN 'default (maybe cns)' WHEN 'SO' THEN 'sequence object' ELSE o.type_desc END) AS nvarchar(31)) AS Type,
  o.create_date AS Created_datetime
FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id WHERE o.object_id = @object
IF @kind IN ('U', 'V', 'TF')
BEGIN
  SELECT CAST(c.name AS sysname) AS Column_name, CAST(TYPE_NAME(c.user_type_id) AS sysname) AS Type,
    CAST(CASE c.is_computed WHEN 1 THEN 'yes' ELSE 'no' END AS varchar(35)) AS Computed, CAST(c.max_length AS int) AS Length,
    CAST(CASE WHEN c.precision > 0 AND TYPE_NAME(c.system_type_id) NOT IN ('bit', 'float', 'real', 'date', 'datetime', 'smalldatetime')
      THEN CAST(c.precision AS char(5)) ELSE '     ' END AS char(5)) AS Prec,
    CAST(CASE WHEN c.precision > 0 AND TYPE_NAME(c.system_type_id) NOT IN ('bit', 'float', 'real', 'date', 'datetime', 'smalldatetime')
      THEN CAST(c.scale AS char(5)) ELSE '     ' END AS char(5)) AS Scale,
    CAST(CASE c.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END AS varchar(35)) AS Nullable,
    CAST(CASE WHEN TYPE_NAME(c.system_type_id) IN ('char', 'varchar', 'binary', 'varbinary') THEN 'no' ELSE '(n/a)' END AS varchar(35))
      AS TrimTrailingBlanks,
    CAST(CASE WHEN TYPE_NAME(c.system_type_id) NOT IN ('char', 'varchar', 'binary', 'varbinary') THEN '(n/a)'
      WHEN c.is_nullable = 1 THEN 'yes' ELSE 'no' END AS varchar(35)) AS FixedLenNullInSource, CAST(c.collation_name AS sysname) AS Collation
  FROM sys.columns AS c WHERE c.object_id = @object ORDER BY c.column_id
END
IF @kind IN ('U', 'V')
BEGIN
  IF EXISTS (SELECT 1 FROM sys.identity_columns WHERE object_id = @object)
    SELECT CAST(i.name AS sysname) AS "Identity", i.seed_value AS Seed, i.increment_value AS Increment, 0 AS "Not For Replication"
    FROM sys.identity_columns AS i WHERE i.object_id = @object
  ELSE
    SELECT CAST('No identity column defined.' AS sysname) AS "Identity", CAST(NULL AS numeric(38, 0)) AS Seed,
      CAST(NULL AS numeric(38, 0)) AS Increment, CAST(NULL AS int) AS "Not For Replication"
  SELECT CAST('No rowguidcol column defined.' AS sysname) AS "RowGuidCol"
END
IF @kind = 'U'
BEGIN
  SELECT CAST('PRIMARY' AS sysname) AS Data_located_on_filegroup
  EXEC sys.sp_helpindex @objname
  EXEC sys.sp_helpconstraint @objname, 'nomsg'
  RAISERROR ('No views with schema binding reference table ''%s''.', 0, 1, @objname)
END
IF @kind IN ('P', 'FN', 'IF', 'TF') AND EXISTS (SELECT 1 FROM sys.parameters WHERE object_id = @object)
  SELECT CAST(p.name AS sysname) AS Parameter_name, CAST(TYPE_NAME(p.user_type_id) AS sysname) AS Type, p.max_length AS Length,
    CAST(p.precision AS int) AS Prec, CAST(CASE WHEN p.precision > 0 THEN p.scale END AS int) AS Scale, p.parameter_id AS Param_order,
    CAST(CASE WHEN TYPE_NAME(p.system_type_id) IN ('char', 'varchar', 'nchar', 'nvarchar', 'text', 'ntext')
      THEN CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS sysname) END AS sysname) AS Collation
  FROM sys.parameters AS p WHERE p.object_id = @object ORDER BY p.parameter_id
RETURN 0
