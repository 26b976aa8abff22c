/* What a thread knows of handles that it has just used: they are closed by another thread, and their places used again. */
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static ADSHANDLE connection, table, order, other;
static pthread_barrier_t barrier;

static ADSHANDLE open_table( UNSIGNED32 mode )
{
   ADSHANDLE opened = 0;

   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     mode, &opened ) );
   return opened;
}

/* How many files of this table the process has open. */
static int open_files( void )
{
   DIR * folder = opendir( "/proc/self/fd" );
   struct dirent * entry;
   char name[ 64 ], target[ 4096 ];
   int count = 0;

   while( folder && ( entry = readdir( folder ) ) != NULL )
   {
      ssize_t length;
      snprintf( name, sizeof( name ), "/proc/self/fd/%.20s", entry->d_name );
      length = readlink( name, target, sizeof( target ) - 1 );
      if( length > 0 )
      {
         target[ length ] = 0;
         count += strstr( target, "t03_cdx_tags" ) != NULL;
      }
   }
   if( folder )
      closedir( folder );
   return count;
}

/* Uses what another thread closes in between. */
static void * use( void * nothing )
{
   UNSIGNED16 flag = 7;
   double number = 0;
   size_t failed = 0;

   ( void ) nothing;
   failed += AdsGotoTop( order ) != AE_SUCCESS || AdsSkip( table, 1 ) != AE_SUCCESS;
   failed += AdsAtEOF( table, &flag ) != AE_SUCCESS || flag != 0;
   failed += AdsGetDouble( table, T( "ID" ), &number ) != AE_SUCCESS;
   pthread_barrier_wait( &barrier );
   /* The other thread closes it, and opens the same again, which has another handle in the same place. */
   pthread_barrier_wait( &barrier );
   failed += AdsAtEOF( table, &flag ) != AE_INVALID_HANDLE;
   failed += AdsSkip( table, 1 ) != AE_INVALID_HANDLE;
   failed += AdsGotoTop( order ) != AE_INVALID_HANDLE;
   failed += AdsGetDouble( table, T( "ID" ), &number ) != AE_INVALID_TABLE_HANDLE;
   failed += AdsSeek( order, ( UNSIGNED8 * ) &number, 8, ADS_DOUBLEKEY, ADS_HARDSEEK, &flag ) != AE_INVALID_INDEX_HANDLE;
   failed += AdsAtEOF( other, &flag ) != AE_SUCCESS || flag != 0;
   pthread_barrier_wait( &barrier );
   pthread_barrier_wait( &barrier );
   return ( void * ) failed;
}

/* An order's handle is no table's, a table's no order's: also for those that are known already. */
static void kinds( void )
{
   UNSIGNED16 flag;
   double number = 1;

   OK( AdsAtEOF( table, &flag ) );
   OK( AdsAtEOF( order, &flag ) );
   SAME( AE_INVALID_TABLE_HANDLE, AdsGetDouble( order, T( "ID" ), &number ) );
   SAME( AE_INVALID_INDEX_HANDLE, AdsSeek( table, ( UNSIGNED8 * ) &number, 8, ADS_DOUBLEKEY, ADS_HARDSEEK, &flag ) );
   SAME( AE_INVALID_HANDLE, AdsAtEOF( 0, &flag ) );
   SAME( AE_INVALID_HANDLE, AdsAtEOF( connection, &flag ) );
   SAME( AE_INVALID_TABLE_HANDLE, AdsGetDouble( table + 16, T( "ID" ), &number ) );
   OK( AdsAtEOF( table, &flag ) );
}

/* The place of a handle is used again and again, and no old handle is ever taken for a new one. */
static void reuse( void )
{
   ADSHANDLE before = 0, now;
   UNSIGNED16 flag;
   int turn;

   for( turn = 0; turn < 200; ++turn )
   {
      now = open_table( ADS_SHARED );
      OK( AdsAtEOF( now, &flag ) );
      if( before )
         SAME( AE_INVALID_HANDLE, AdsAtEOF( before, &flag ) );
      OK( AdsCloseTable( now ) );
      SAME( AE_INVALID_HANDLE, AdsAtEOF( now, &flag ) );
      SAME( AE_INVALID_TABLE_HANDLE, AdsCloseTable( now ) );
      before = now;
   }
}

int main( int count, char ** arguments )
{
   pthread_t thread;
   ADSHANDLE alone;
   void * failed;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   table = open_table( ADS_SHARED );
   OK( AdsGetIndexHandle( table, T( "ID" ), &order ) );
   kinds();
   reuse();
   TRUE_THAT( open_files() > 0 );
   pthread_barrier_init( &barrier, NULL, 2 );
   TRUE_THAT( pthread_create( &thread, NULL, use, NULL ) == 0 );
   pthread_barrier_wait( &barrier );
   OK( AdsCloseTable( table ) );
   /* Whoever has used it: it is closed now, files and all, and can be had alone. */
   SAME( 0, open_files() );
   alone = open_table( ADS_EXCLUSIVE );
   OK( AdsCloseTable( alone ) );
   other = open_table( ADS_SHARED );
   TRUE_THAT( other != table );
   pthread_barrier_wait( &barrier );
   pthread_barrier_wait( &barrier );
   OK( AdsCloseTable( other ) );
   SAME( 0, open_files() );
   pthread_barrier_wait( &barrier );
   TRUE_THAT( pthread_join( thread, &failed ) == 0 );
   SAME( 0, ( size_t ) failed );
   OK( AdsDisconnect( connection ) );
   END();
}
