/* Several threads: each with a table of its own, and all with the same one; errors are each thread's own. */
#include "check.h"

#include <pthread.h>

#define THREADS 8
#define TURNS   200

static ADSHANDLE connection, shared;
static char * folder;

static void * work( void * number )
{
   ADSHANDLE table = 0, index = 0;
   UNSIGNED16 found = 0;
   UNSIGNED32 code = 0, record = 0;
   int turn, own = ( int ) ( size_t ) number;
   double key = 7919;
   size_t failed = 0;

   if( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) != AE_SUCCESS )
      return ( void * ) 1;
   failed += AdsGetIndexHandle( table, T( "ID" ), &index ) != AE_SUCCESS;
   for( turn = 0; turn < TURNS; ++turn )
   {
      failed += AdsGotoRecord( table, ( UNSIGNED32 ) ( own * 100 + turn % 100 + 1 ) ) != AE_SUCCESS;
      failed += AdsGetRecordNum( table, ADS_IGNOREFILTERS, &record ) != AE_SUCCESS;
      failed += record != ( UNSIGNED32 ) ( own * 100 + turn % 100 + 1 );
      failed += AdsSeek( index, ( UNSIGNED8 * ) &key, 8, ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) != AE_SUCCESS || found != 1;
      failed += AdsSkip( shared, turn % 2 ? 1 : -1 ) != AE_SUCCESS;
      /* An error of this thread's, in between. */
      failed += AdsGetFieldType( table, T( own % 2 ? "NOTHING" : "NAME" ), &found ) != ( own % 2 ? AE_INVALID_FIELDNAME : AE_SUCCESS );
      failed += AdsGetLastError( &code, NULL, NULL ) != AE_SUCCESS;
      failed += code != ( own % 2 ? AE_INVALID_FIELDNAME : AE_SUCCESS );
   }
   /* Half of them leave their table open. */
   if( own % 2 )
      failed += AdsCloseTable( table ) != AE_SUCCESS;
   failed += AdsThreadExit() != AE_SUCCESS;
   return ( void * ) failed;
}

int main( int count, char ** arguments )
{
   pthread_t threads[ THREADS ];
   size_t number;
   void * failed;

   if( count < 2 )
      return 2;
   folder = arguments[ 1 ];
   OK( AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &shared ) );
   OK( AdsGotoRecord( shared, 500 ) );
   for( number = 0; number < THREADS; ++number )
      TRUE_THAT( pthread_create( &threads[ number ], NULL, work, ( void * ) number ) == 0 );
   for( number = 0; number < THREADS; ++number )
   {
      TRUE_THAT( pthread_join( threads[ number ], &failed ) == 0 );
      SAME( 0, ( size_t ) failed );
   }
   OK( AdsDisconnect( connection ) );
   END();
}
