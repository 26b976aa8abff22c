/* A change with all that follows from it, by a process that is killed at any time: all of it is there, or none. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 60

static ADSHANDLE dictionary;
static char path[ 512 ];

static ADSHANDLE opened( ADSHANDLE through, const char * name )
{
   ADSHANDLE table = 0;
   OK( AdsOpenTable( through, T( name ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   return table;
}

static ADSHANDLE made( const char * name, const char * fields, const char * key, UNSIGNED32 options )
{
   ADSHANDLE table = 0, index = 0;
   OK( AdsCreateTable( dictionary, T( name ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0, T( fields ),
                       &table ) );
   OK( AdsCreateIndex( table, NULL, T( key ), T( key ), NULL, NULL, options | ADS_COMPOUND, &index ) );
   return table;
}

/* Gives the parent one key after the other, until somebody ends it. */
static void change( void )
{
   ADSHANDLE through = 0, table;
   double id = 1;
   int turn;

   if( AdsDDOpen( T( path ), NULL, &through ) != AE_SUCCESS )
      _exit( 1 );
   table = opened( through, "parents" );
   for( turn = 0; turn < 100000; ++turn )
   {
      id = id < 9 ? id + 1 : 1;
      if( AdsGotoTop( table ) != AE_SUCCESS || AdsSetDouble( table, T( "ID" ), id ) != AE_SUCCESS ||
          AdsWriteRecord( table ) != AE_SUCCESS )
         break;
   }
   _exit( 1 );
}

/* Every child has the key of the one parent, in the file and in the index. */
static void check( int turn )
{
   ADSHANDLE parents = opened( dictionary, "parents" ), children = opened( dictionary, "children" ), index = 0;
   double id = 0, of = 0;
   UNSIGNED16 found = 0, end = 0;
   int records = 0;

   OK( AdsGotoTop( parents ) );
   OK( AdsGetDouble( parents, T( "ID" ), &id ) );
   OK( AdsGetIndexHandleByOrder( children, 1, &index ) );
   OK( AdsSeek( index, ( UNSIGNED8 * ) &id, sizeof( id ), ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   for( ; ! end && records <= CHILDREN; ++records )
   {
      OK( AdsGetDouble( children, T( "OF" ), &of ) );
      if( of != id )
         break;
      OK( AdsSkip( index, 1 ) );
      OK( AdsAtEOF( index, &end ) );
   }
   if( records != CHILDREN )
      fprintf( stderr, "turn %d: parent %g, child %g\n", turn, id, of );
   SAME( CHILDREN, records );
   OK( AdsCloseTable( parents ) );
   OK( AdsCloseTable( children ) );
   OK( AdsVerifyRI( dictionary, 0 ) );
}

int main( int count, char ** arguments )
{
   ADSHANDLE table;
   int turn;

   if( count < 2 )
      return 2;
   snprintf( path, sizeof( path ), "%s/cascade.add", arguments[ 1 ] );
   OK( AdsDDCreate( T( path ), 0, NULL, &dictionary ) );
   table = made( "parents", "ID," WHOLE( 6 ), "ID", ADS_UNIQUE );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "ID" ), 1 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsCloseTable( table ) );
   table = made( "children", "OF," WHOLE( 6 ), "OF", 0 );
   for( turn = 0; turn < CHILDREN; ++turn )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetDouble( table, T( "OF" ), 1 ) );
      OK( AdsWriteRecord( table ) );
   }
   OK( AdsCloseTable( table ) );
   OK( AdsDDSetTableProperty( dictionary, T( "parents" ), ADS_DD_TABLE_PRIMARY_KEY, "ID", 3, ADS_NO_VALIDATE, NULL ) );
   OK( AdsDDCreateRefIntegrity( dictionary, T( "of" ), NULL, T( "parents" ), T( "ID" ), T( "children" ), T( "OF" ),
                                ADS_DD_RI_CASCADE, ADS_DD_RI_CASCADE ) );
   for( turn = 0; turn < 25; ++turn )
   {
      int status = 0;
      pid_t child = fork();
      if( child == 0 )
         change();
      usleep( 5000 + 3100 * turn );
      TRUE_THAT( kill( child, SIGKILL ) == 0 );
      TRUE_THAT( waitpid( child, &status, 0 ) == child );
      TRUE_THAT( WIFSIGNALED( status ) );
      if( IS_FAR )
         usleep( 100000 );
      UNTIL( path, AdsVerifyRI( dictionary, 0 ) == AE_SUCCESS );
      check( turn );
   }
   OK( AdsDDClose( dictionary ) );
   END();
}
