-- Opens a document for OPENXML under a handle of the session.
CREATE PROCEDURE sys.sp_xml_preparedocument
  @hdoc int = NULL OUTPUT, @xmltext nvarchar(max) = NULL, @xpath_namespaces nvarchar(max) = NULL
AS
SELECT @hdoc = NULL
EXEC sys.sp_mainstay_open_xml @xmltext, @xpath_namespaces, @hdoc OUTPUT
RETURN @@ERROR
