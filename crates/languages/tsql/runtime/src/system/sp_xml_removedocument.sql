-- Removes a document that sp_xml_preparedocument opened.
CREATE PROCEDURE sys.sp_xml_removedocument @hdoc int
AS
EXEC sys.sp_mainstay_close_xml @hdoc
RETURN @@ERROR
