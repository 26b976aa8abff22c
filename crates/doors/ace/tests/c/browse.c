/* A browse of 100 columns and 25 rows: opened, painted, paged and sought in, and what that costs with a server. */
#include "check.h"

#include <time.h>

#define COLUMNS 100
#define ROWS 25
#define RECORDS 600

static ADSHANDLE connection, server;

/* The requests that the server has answered, without the one that asks. */
static UNSIGNED32 requests( void )
{
   static UNSIGNED32 asked = 0;
   ADS_MGMT_COMM_STATS wire;
   UNSIGNED16 size = sizeof( wire );

   OK( AdsMgGetCommStats( server, &wire, &size ) );
   return wire.ulTotalPackets - ++asked;
}

/* What something costs, if there is a server: at most so many round trips, and one for each second that it takes: rows are
 * used for a second without asking. */
#define COSTS( most, work ) \
   do { UNSIGNED32 before_ = requests(), spent_; time_t began_ = time( NULL ); work; spent_ = requests() - before_; \
        if( IS_FAR && spent_ > ( most ) + ( UNSIGNED32 ) ( time( NULL ) - began_ ) ) { ++failures; \
           fprintf( stderr, "%s:%d: %s costs %u round trips\n", __FILE__, __LINE__, #work, ( unsigned ) spent_ ); } \
        if( ! IS_FAR ) SAME( ( UNSIGNED32 ) -1, spent_ ); } while( 0 )

static void make( void )
{
   static char fields[ COLUMNS * 24 ];
   ADSHANDLE table = 0, index = 0;
   char text[ 32 ];
   int column, record;

   for( column = 1; column <= COLUMNS; ++column )
      sprintf( fields + strlen( fields ), "COLUMN%d,Character,9;", column );
   OK( AdsCreateTable( connection, T( "wide" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0, T( fields ), &table ) );
   OK( AdsCreateIndex( table, NULL, T( "FIRST" ), T( "COLUMN1" ), NULL, NULL, ADS_COMPOUND, &index ) );
   for( record = 1; record <= RECORDS; ++record )
   {
      OK( AdsAppendRecord( table ) );
      for( column = 1; column <= COLUMNS; ++column )
      {
         sprintf( text, "%05d%03d", record, column );
         OK( AdsSetString( table, ADSFIELD( column ), T( text ), 8 ) );
      }
   }
   OK( AdsCloseTable( table ) );
}

/* Paints a screen from the current record on, as a browse does: every column, the number, whether it is deleted. */
static void paint( ADSHANDLE table, ADSHANDLE index, int first )
{
   UNSIGNED8 text[ 16 ];
   char expected[ 16 ];
   UNSIGNED16 end = 0, deleted = 9;
   UNSIGNED32 record = 0, length;
   int row, column;

   for( row = 0; row < ROWS; ++row )
   {
      OK( AdsAtEOF( table, &end ) );
      SAME( 0, end );
      for( column = 1; column <= COLUMNS; ++column )
      {
         length = sizeof( text );
         OK( AdsGetField( table, ADSFIELD( column ), text, &length, ADS_TRIM ) );
         sprintf( expected, "%05d%03d", first + row, column );
         TEXT( expected, text );
      }
      OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &record ) );
      SAME( first + row, record );
      OK( AdsIsRecordDeleted( table, &deleted ) );
      SAME( 0, deleted );
      OK( AdsSkip( index, 1 ) );
   }
}

int main( int count, char ** arguments )
{
   ADSHANDLE table = 0, index = 0;
   UNSIGNED16 found = 0;
   UNSIGNED32 records = 0;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsMgConnect( T( arguments[ 1 ] ), NULL, NULL, &server ) );
   make();
   COSTS( 1, {
      OK( AdsOpenTable( connection, T( "wide" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
      OK( AdsGetIndexHandle( table, T( "FIRST" ), &index ) );
   } );
   COSTS( 1, { OK( AdsGotoTop( index ) ); paint( table, index, 1 ); } );
   COSTS( 1, paint( table, index, 26 ) );
   COSTS( 1, paint( table, index, 51 ) );
   COSTS( 1, { OK( AdsSkip( index, -2 * ROWS ) ); paint( table, index, 26 ); } );
   COSTS( 1, { OK( AdsSeek( index, T( "00300001" ), 8, ADS_STRINGKEY, ADS_HARDSEEK, &found ) ); } );
   SAME( 1, found );
   COSTS( 0, paint( table, index, 300 ) );
   COSTS( 1, { OK( AdsGotoBottom( index ) ); OK( AdsSkip( index, 1 - ROWS ) ); paint( table, index, RECORDS - ROWS + 1 ); } );
   COSTS( 1, { OK( AdsGotoRecord( table, 400 ) ); paint( table, index, 400 ); } );
   COSTS( 2, { OK( AdsGetKeyCount( index, ADS_RESPECTFILTERS, &records ) ); } );
   SAME( RECORDS, records );
   COSTS( 1, { OK( AdsCloseTable( table ) ); } );
   OK( AdsMgDisconnect( server ) );
   OK( AdsDisconnect( connection ) );
   END();
}
