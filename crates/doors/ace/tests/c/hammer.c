/* Two processes append to one table with two orders: nothing is lost, and every record has its keys. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#define RECORDS 500

static int append_as( const char * folder, int who )
{
   ADSHANDLE connection = 0, table = 0;
   UNSIGNED8 name[ 16 ];
   int record, failed = 0;

   if( AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) != AE_SUCCESS ||
       AdsOpenTable( connection, T( "hammered" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) !=
          AE_SUCCESS )
      return 1;
   for( record = 0; record < RECORDS; ++record )
   {
      failed |= AdsAppendRecord( table ) != AE_SUCCESS;
      failed |= AdsSetLong( table, T( "ID" ), who * RECORDS + record ) != AE_SUCCESS;
      sprintf( ( char * ) name, "p%d r%d", who, record );
      failed |= AdsSetString( table, T( "NAME" ), name, ( UNSIGNED32 ) strlen( ( char * ) name ) ) != AE_SUCCESS;
      failed |= AdsWriteRecord( table ) != AE_SUCCESS;
   }
   failed |= AdsCloseTable( table ) != AE_SUCCESS;
   return failed;
}

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, table = 0, by_id = 0, by_name = 0;
   UNSIGNED32 number = 0;
   UNSIGNED16 found = 0;
   int record, status;
   pid_t children[ 2 ];

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsCreateTable( connection, T( "hammered" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID," WHOLE( 8 ) ";NAME,Character,12" ), &table ) );
   OK( AdsCreateIndex61( table, NULL, T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND, 512, &by_id ) );
   OK( AdsCreateIndex61( table, NULL, T( "NAME" ), T( "Upper(NAME)" ), NULL, NULL, ADS_COMPOUND, 512, &by_name ) );
   OK( AdsDisconnect( connection ) );
   for( record = 0; record < 2; ++record )
   {
      children[ record ] = fork();
      if( children[ record ] == 0 )
         _exit( append_as( arguments[ 1 ], record ) );
   }
   for( record = 0; record < 2; ++record )
   {
      TRUE_THAT( waitpid( children[ record ], &status, 0 ) == children[ record ] );
      SAME( 0, status );
   }
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "hammered" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &table ) );
   OK( AdsGetIndexHandle( table, T( "ID" ), &by_id ) );
   OK( AdsGetIndexHandle( table, T( "NAME" ), &by_name ) );
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 2 * RECORDS, number );
   OK( AdsGetKeyCount( by_id, ADS_IGNOREFILTERS, &number ) );
   SAME( 2 * RECORDS, number );
   OK( AdsGetKeyCount( by_name, ADS_IGNOREFILTERS, &number ) );
   SAME( 2 * RECORDS, number );
   for( record = 0; record < 2 * RECORDS; ++record )
   {
      double key = record;
      OK( AdsSeek( by_id, ( UNSIGNED8 * ) &key, 8, ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
      SAME( 1, found );
   }
   OK( AdsDisconnect( connection ) );
   END();
}
