DECLARE @x INT, @s INT
SELECT {fn UCASE(name)}, {fn MOD(id, 2)} + 1, {fn CONVERT(id, SQL_VARCHAR)}, {fn EXTRACT(YEAR FROM made)}, {fn POSITION('a' IN name)} FROM {oj a LEFT OUTER JOIN b ON a.id = b.id}
{call p}
{call dbo.p(1, @x OUTPUT, 'a')}
{@s = call p()}
