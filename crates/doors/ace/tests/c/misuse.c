/* What programs do wrong: handles of another kind, closed, leaked, made up. */
#include "check.h"

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, table = 0, index = 0, other = 0;
   UNSIGNED16 number = 0;
   int turn;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGetIndexHandle( table, T( "ID" ), &index ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGetNumFields( connection, &number ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGetNumFields( index, &number ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGetNumFields( 0, &number ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGetNumFields( ( ADSHANDLE ) -1, &number ) );
   ANSWERS( AE_INVALID_INDEX_HANDLE, AdsGetKeyLength( table, &number ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsGetConnectionType( table, &number ) );
   ANSWERS( AE_INVALID_HANDLE, AdsGotoTop( connection ) );
   ANSWERS( AE_INVALID_SQLSTATEMENT_HANDLE, AdsCloseSQLStatement( table ) );
   /* The handles of a closed table's orders are closed with it, and none of them comes back. */
   OK( AdsCloseTable( table ) );
   for( turn = 0; turn < 50; ++turn )
   {
      OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                        ADS_SHARED | ADS_READONLY, &other ) );
      TRUE_THAT( other != table );
      ANSWERS( AE_INVALID_TABLE_HANDLE, AdsGetNumFields( table, &number ) );
      ANSWERS( AE_INVALID_INDEX_HANDLE, AdsGetKeyLength( index, &number ) );
      OK( AdsCloseTable( other ) );
   }
   /* Leaked: left to the end of the process. */
   for( turn = 0; turn < 20; ++turn )
      OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                        ADS_SHARED | ADS_READONLY, &other ) );
   END();
}
