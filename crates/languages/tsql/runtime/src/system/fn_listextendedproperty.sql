-- Extended properties of what stands at a level: of all objects of a kind where DEFAULT stands for the name.
CREATE FUNCTION sys.fn_listextendedproperty (@name sysname = NULL, @level0type varchar(128) = NULL,
  @level0name sysname = NULL, @level1type varchar(128) = NULL, @level1name sysname = NULL,
  @level2type varchar(128) = NULL, @level2name sysname = NULL)
RETURNS TABLE AS RETURN
SELECT objtype, objname, name, value FROM sys.mainstay_properties
WHERE (@name IS NULL OR name = @name)
  AND ISNULL(@level0type, '') = level0type AND (@level0type IS NULL OR @level0name IS NULL OR @level0name = level0name)
  AND ISNULL(@level1type, '') = level1type AND (@level1type IS NULL OR @level1name IS NULL OR @level1name = level1name)
  AND ISNULL(@level2type, '') = level2type AND (@level2type IS NULL OR @level2name IS NULL OR @level2name = level2name)
