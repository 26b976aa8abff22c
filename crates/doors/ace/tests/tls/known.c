/* Connects to a server over TLS and opens a table, or says why not. */
#include "check.h"

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, table = 0;
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_REMOTE_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   if( failures == 0 )
   {
      OK( AdsOpenTable( connection, T( "t01_alltypes_cdx" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
      OK( AdsDisconnect( connection ) );
   }
   END();
}
