-- The collations that there are.
CREATE FUNCTION sys.fn_helpcollations ()
RETURNS TABLE AS RETURN
SELECT name, description FROM sys.mainstay_collations
