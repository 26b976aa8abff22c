// Makes the xBase tables of the sample folder, with memos and indexes, from the rows that generate.py wrote.
//    write_tables FROM TO
// Strings are stored as they come (the rows are already in each table's code page) and keys are in byte order.
// Harbour leaves the header's language byte (29) at zero and dates the file today; both are set here afterwards.
REQUEST DBFCDX, DBFNTX, HB_GT_CGI_DEFAULT

#define CP1252  0x03
#define CP437   0x01

STATIC s_cFrom, s_cTo

PROCEDURE Main( cFrom, cTo )
   s_cFrom := hb_DirSepAdd( cFrom )
   s_cTo := hb_DirSepAdd( cTo )
   SET DELETED OFF
   Customers()
   Products()
   Orders()
   OrderLines()
   RETURN

STATIC PROCEDURE Customers()
   rddSetDefault( "DBFCDX" )
   NewTable( "customers", { { "ID", "N", 6, 0 }, { "NAME", "C", 32, 0 }, { "CONTACT", "C", 30, 0 }, { "STREET", "C", 30, 0 }, ;
      { "POSTCODE", "C", 8, 0 }, { "CITY", "C", 20, 0 }, { "COUNTRY", "C", 2, 0 }, { "SINCE", "D", 8, 0 }, ;
      { "CREDIT", "N", 10, 2 }, { "BALANCE", "N", 11, 2 }, { "ACTIVE", "L", 1, 0 }, { "NOTES", "M", 10, 0 } } )
   INDEX ON ID TAG ID TO ( s_cTo + "customers" )
   INDEX ON Upper( NAME ) TAG NAME TO ( s_cTo + "customers" )
   INDEX ON CITY TAG CITY TO ( s_cTo + "customers" )
   INDEX ON BALANCE TAG BALANCE TO ( s_cTo + "customers" )
   INDEX ON BALANCE TAG OWING TO ( s_cTo + "customers" ) FOR ACTIVE .AND. BALANCE > 0
   Fill( "customers", CP1252 )
   RETURN

STATIC PROCEDURE Products()
   rddSetDefault( "DBFNTX" )
   NewTable( "products", { { "PROD_ID", "C", 8, 0 }, { "NAME", "C", 36, 0 }, { "CATEGORY", "C", 10, 0 }, { "UNIT", "C", 4, 0 }, ;
      { "PRICE", "N", 9, 2 }, { "STOCK", "N", 7, 0 }, { "WEIGHT", "N", 8, 3 }, { "ADDED", "D", 8, 0 }, ;
      { "DISCONT", "L", 1, 0 }, { "DESCRIPT", "M", 10, 0 } } )
   INDEX ON PROD_ID TO ( s_cTo + "prod_id" )
   INDEX ON Upper( NAME ) TO ( s_cTo + "prod_nam" )
   SET INDEX TO ( s_cTo + "prod_id" ), ( s_cTo + "prod_nam" )
   Fill( "products", CP437 )
   RETURN

STATIC PROCEDURE Orders()
   rddSetDefault( "DBFCDX" )
   NewTable( "orders", { { "ID", "N", 8, 0 }, { "CUSTOMER", "N", 6, 0 }, { "ORDERDATE", "D", 8, 0 }, { "SHIPPED", "D", 8, 0 }, ;
      { "STATUS", "C", 1, 0 }, { "TOTAL", "N", 12, 2 }, { "CURRENCY", "C", 3, 0 }, { "REFERENCE", "C", 10, 0 }, { "CLERK", "C", 8, 0 } } )
   INDEX ON ID TAG ID TO ( s_cTo + "orders" )
   INDEX ON CUSTOMER TAG CUSTOMER TO ( s_cTo + "orders" )
   INDEX ON ORDERDATE TAG ORDERDATE TO ( s_cTo + "orders" )
   INDEX ON TOTAL TAG TOTAL TO ( s_cTo + "orders" ) DESCENDING
   Fill( "orders", CP1252 )
   RETURN

STATIC PROCEDURE OrderLines()
   NewTable( "order_lines", { { "ORDER_ID", "N", 8, 0 }, { "LINE_NO", "N", 4, 0 }, { "PRODUCT", "C", 8, 0 }, { "QTY", "N", 7, 0 }, ;
      { "PRICE", "N", 9, 2 }, { "DISCOUNT", "N", 5, 2 }, { "AMOUNT", "N", 11, 2 } } )
   INDEX ON ORDER_ID TAG ORDER TO ( s_cTo + "order_lines" )
   INDEX ON PRODUCT TAG PRODUCT TO ( s_cTo + "order_lines" )
   INDEX ON Str( ORDER_ID, 8 ) + Str( LINE_NO, 4 ) TAG ORDERLINE TO ( s_cTo + "order_lines" )
   Fill( "order_lines", CP1252 )
   RETURN

STATIC PROCEDURE NewTable( cTable, aFields )
   dbCreate( s_cTo + cTable, aFields )
   dbUseArea( .T.,, s_cTo + cTable, "TABLE", .F. )
   RETURN

// Appends the rows through the open indexes, as the company's own programs would have, and closes the table.
// A row's last value says whether it is deleted.
STATIC PROCEDURE Fill( cTable, nLanguage )
   LOCAL cLine, aValue, n

   FOR EACH cLine IN hb_ATokens( hb_MemoRead( s_cFrom + cTable + ".txt" ), Chr( 10 ) )
      IF ! Empty( cLine )
         aValue := hb_ATokens( cLine, "|" )
         dbAppend()
         FOR n := 1 TO FCount()
            Put( n, aValue[ n ] )
         NEXT
         IF aValue[ FCount() + 1 ] == "T"
            dbDelete()
         ENDIF
      ENDIF
   NEXT
   ? cTable, LastRec(), "rows,", ordCount(), "orders"
   dbCloseAll()
   StampHeader( s_cTo + cTable + ".dbf", nLanguage )
   RETURN

STATIC PROCEDURE Put( n, cValue )
   SWITCH hb_FieldType( n )
   CASE "N"
      FieldPut( n, Val( cValue ) )
      EXIT
   CASE "D"
      FieldPut( n, SToD( cValue ) )
      EXIT
   CASE "L"
      FieldPut( n, cValue == "T" )
      EXIT
   OTHERWISE
      FieldPut( n, StrTran( cValue, "\n", Chr( 13 ) + Chr( 10 ) ) )
   ENDSWITCH
   RETURN

// Last update 2025-06-30 (years count from 1900) and the code page.
STATIC PROCEDURE StampHeader( cFile, nLanguage )
   LOCAL hFile := FOpen( cFile, 2 )

   FSeek( hFile, 1, 0 )
   FWrite( hFile, hb_BChar( 125 ) + hb_BChar( 6 ) + hb_BChar( 30 ), 3 )
   FSeek( hFile, 29, 0 )
   FWrite( hFile, hb_BChar( nLanguage ), 1 )
   FClose( hFile )
   RETURN
