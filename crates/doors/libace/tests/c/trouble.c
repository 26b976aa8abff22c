/* What goes wrong around a program: damaged files, files that vanish or shrink beneath it, a full disk, many threads. Every
   answer is a code that the interface has; none is a crash, a fault of the library's own, or a wait without end. */
#include "sql.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* The seconds that nothing here takes. */
#define PATIENCE 120

static volatile const char * doing = "nothing";
static volatile unsigned round_number = 0;

/* A call may fail, but not by a fault of the library's. */
#define MAY( call ) may( ( doing = #call, ( call ) ), #call, __LINE__ )

static UNSIGNED32 may( UNSIGNED32 code, const char * what, int line )
{
   if( code == AE_INTERNAL_ERROR )
   {
      UNSIGNED8 text[ 601 ] = "";
      UNSIGNED16 length = 600;
      UNSIGNED32 again;
      AdsGetLastError( &again, text, &length );
      __atomic_add_fetch( &failures, 1, __ATOMIC_RELAXED );
      fprintf( stderr, "line %d, round %u: %s broke: %s\n", line, round_number, what, text );
   }
   return code;
}

static void too_long( int number )
{
   char text[ 300 ];
   int length = snprintf( text, sizeof( text ), "round %u hangs in %s (signal %d)\n", round_number, ( const char * ) doing, number );
   if( write( 2, text, ( size_t ) length ) < 0 )
      _exit( 98 );
   _exit( 99 );
}

static uint64_t state;

static unsigned chance( unsigned most )
{
   state = state * 6364136223846793005ull + 1442695040888963407ull;
   return ( unsigned ) ( ( state >> 33 ) % most );
}

/* The files as they are when nothing has happened to them. */
typedef struct
{
   char path[ 400 ];
   unsigned char * bytes;
   size_t length;
} Kept;

static Kept kept[ 64 ];
static int kept_count = 0;

static void keep( const char * folder )
{
   DIR * entries = opendir( folder );
   struct dirent * entry;
   while( ( entry = readdir( entries ) ) != NULL )
   {
      const char * dot = strrchr( entry->d_name, '.' );
      Kept * one = &kept[ kept_count ];
      FILE * file;
      if( ! dot || strstr( entry->d_name, "csv" ) || strlen( dot ) != 4 || kept_count == 64 )
         continue;
      snprintf( one->path, sizeof( one->path ), "%s/%s", folder, entry->d_name );
      file = fopen( one->path, "rb" );
      fseek( file, 0, SEEK_END );
      one->length = ( size_t ) ftell( file );
      one->bytes = malloc( one->length + 1 );
      rewind( file );
      TRUE_THAT( fread( one->bytes, 1, one->length, file ) == one->length );
      fclose( file );
      ++kept_count;
   }
   closedir( entries );
}

static void put( const char * path, const unsigned char * bytes, size_t length )
{
   FILE * file = fopen( path, "wb" );
   if( file )
   {
      if( fwrite( bytes, 1, length, file ) != length )
         fprintf( stderr, "%s could not be written\n", path );
      fclose( file );
   }
}

/* Takes away what rounds have made, and puts everything back. */
static void restore( const char * folder )
{
   DIR * entries = opendir( folder );
   struct dirent * entry;
   int number;
   char path[ 700 ];
   while( ( entry = readdir( entries ) ) != NULL )
      if( entry->d_name[ 0 ] != '.' && ! strstr( entry->d_name, "csv" ) )
      {
         snprintf( path, sizeof( path ), "%s/%s", folder, entry->d_name );
         unlink( path );
      }
   closedir( entries );
   for( number = 0; number < kept_count; ++number )
      put( kept[ number ].path, kept[ number ].bytes, kept[ number ].length );
}

static void damage( void )
{
   Kept * one = &kept[ chance( ( unsigned ) kept_count ) ];
   unsigned char * bytes = malloc( one->length + 1 );
   size_t length = one->length;
   unsigned count = 1 + chance( 12 ), number;
   memcpy( bytes, one->bytes, length );
   switch( chance( 6 ) )
   {
      case 0:
         length = chance( ( unsigned ) length + 1 );
         break;
      case 1:
         length = chance( 600 ) % ( length + 1 );
         break;
      case 2:
         memset( bytes + chance( ( unsigned ) length ), chance( 2 ) ? 0xFF : 0, 1 );
         for( number = 0; number < count; ++number )
            memset( bytes + chance( ( unsigned ) length / 512 + 1 ) * 512 % length, chance( 2 ) ? 0xFF : 0, length % 512 );
         break;
      default:
         /* Headers and the first pages are where most can go wrong. */
         for( number = 0; number < count; ++number )
            bytes[ chance( chance( 2 ) ? 64 : chance( 2 ) ? 2048 : ( unsigned ) length ) % length ] = ( unsigned char ) chance( 256 );
   }
   put( one->path, bytes, length );
   free( bytes );
}

static void read_all( ADSHANDLE table, UNSIGNED16 fields )
{
   UNSIGNED16 field;
   UNSIGNED8 text[ 200 ];
   UNSIGNED32 length;
   double number;
   SIGNED32 day;
   for( field = 1; field <= fields; ++field )
   {
      length = sizeof( text );
      MAY( AdsGetField( table, ADSFIELD( field ), text, &length, ADS_NONE ) );
      MAY( AdsGetDouble( table, ADSFIELD( field ), &number ) );
      MAY( AdsGetJulian( table, ADSFIELD( field ), &day ) );
      MAY( AdsGetMemoLength( table, ADSFIELD( field ), &length ) );
      length = sizeof( text );
      MAY( AdsGetBinary( table, ADSFIELD( field ), 0, text, &length ) );
   }
}

static void write_some( ADSHANDLE table, UNSIGNED16 fields )
{
   static UNSIGNED8 large[ 3000 ];
   UNSIGNED16 field;
   memset( large, 'm', sizeof( large ) );
   MAY( AdsAppendRecord( table ) );
   for( field = 1; field <= fields; ++field )
   {
      UNSIGNED16 type = 0;
      MAY( AdsGetFieldType( table, ADSFIELD( field ), &type ) );
      if( type == ADS_MEMO )
         MAY( AdsSetString( table, ADSFIELD( field ), large, sizeof( large ) ) );
      else if( type == ADS_BINARY || type == ADS_IMAGE )
         MAY( AdsSetBinary( table, ADSFIELD( field ), ADS_BINARY, sizeof( large ), 0, large, sizeof( large ) ) );
      else
         MAY( AdsSetString( table, ADSFIELD( field ), T( "7" ), 1 ) );
   }
   MAY( AdsWriteRecord( table ) );
   MAY( AdsGotoTop( table ) );
   MAY( AdsLockRecord( table, 0 ) );
   MAY( AdsSetString( table, ADSFIELD( 1 ), T( "9" ), 1 ) );
   MAY( AdsWriteRecord( table ) );
   MAY( AdsDeleteRecord( table ) );
   MAY( AdsRecallRecord( table ) );
   MAY( AdsUnlockTable( table ) );
}

static void indexes_of( ADSHANDLE table )
{
   ADSHANDLE indexes[ 30 ];
   UNSIGNED16 count = 30, number, found, length;
   UNSIGNED8 text[ 300 ];
   UNSIGNED32 keys;
   double position, key = 42;
   if( MAY( AdsGetAllIndexes( table, indexes, &count ) ) != AE_SUCCESS )
      return;
   for( number = 0; number < count && number < 30; ++number )
   {
      ADSHANDLE index = indexes[ number ];
      int turn;
      length = sizeof( text );
      MAY( AdsGetIndexExpr( index, text, &length ) );
      MAY( AdsGotoTop( index ) );
      for( turn = 0; turn < 5; ++turn )
         MAY( AdsSkip( index, turn - 1 ) );
      MAY( AdsGotoBottom( index ) );
      MAY( AdsSeek( index, T( "Lima" ), 4, ADS_STRINGKEY, ADS_SOFTSEEK, &found ) );
      MAY( AdsSeekLast( index, ( UNSIGNED8 * ) &key, 8, ADS_DOUBLEKEY, &found ) );
      length = sizeof( text );
      MAY( AdsExtractKey( index, text, &length ) );
      MAY( AdsGetKeyCount( index, ADS_RESPECTSCOPES, &keys ) );
      MAY( AdsGetRelKeyPos( index, &position ) );
      MAY( AdsSetRelKeyPos( index, 0.5 ) );
      MAY( AdsSetScope( index, ADS_TOP, T( "A" ), 1, ADS_STRINGKEY ) );
      MAY( AdsSetScope( index, ADS_BOTTOM, T( "M" ), 1, ADS_STRINGKEY ) );
      MAY( AdsGotoTop( index ) );
      MAY( AdsClearScope( index, ADS_TOP ) );
      MAY( AdsClearScope( index, ADS_BOTTOM ) );
   }
}

static void use( ADSHANDLE through, const char * name, UNSIGNED16 type, int alone )
{
   ADSHANDLE table = 0;
   UNSIGNED16 fields = 0, level = 0, length;
   UNSIGNED32 count;
   int turn;
   if( MAY( AdsOpenTable( through, T( name ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                          alone ? ADS_EXCLUSIVE : ADS_SHARED, &table ) ) != AE_SUCCESS )
      return;
   MAY( AdsGetNumFields( table, &fields ) );
   MAY( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &count ) );
   MAY( AdsGotoTop( table ) );
   for( turn = 0; turn < 12; ++turn )
   {
      read_all( table, fields );
      MAY( AdsSkip( table, turn < 8 ? 1 : 30 ) );
   }
   MAY( AdsGotoRecord( table, 3 ) );
   read_all( table, fields );
   indexes_of( table );
   length = 0;
   MAY( AdsSetAOF( table, T( "id > 100 .AND. name > 'K'" ), ADS_RESOLVE_IMMEDIATE ) );
   MAY( AdsGetAOFOptLevel( table, &level, NULL, &length ) );
   MAY( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &count ) );
   MAY( AdsClearAOF( table ) );
   MAY( AdsSetFilter( table, T( "RECNO() > 5" ) ) );
   MAY( AdsGotoTop( table ) );
   MAY( AdsClearFilter( table ) );
   write_some( table, fields );
   MAY( AdsBeginTransaction( through ) );
   write_some( table, fields );
   MAY( round_number % 2 ? AdsCommitTransaction( through ) : AdsRollbackTransaction( through ) );
   if( alone )
   {
      MAY( AdsReindex( table ) );
      MAY( AdsPackTable( table ) );
   }
   MAY( AdsCloseTable( table ) );
}

static void say( ADSHANDLE with, const char * sql )
{
   ADSHANDLE cursor = 0;
   UNSIGNED16 fields = 0;
   if( MAY( AdsExecuteSQLDirect( with, T( sql ), &cursor ) ) != AE_SUCCESS || ! cursor )
      return;
   MAY( AdsGetNumFields( cursor, &fields ) );
   MAY( AdsGotoTop( cursor ) );
   read_all( cursor, fields );
   MAY( AdsCloseTable( cursor ) );
}

static void speak( ADSHANDLE with )
{
   say( with, "SELECT * FROM t03_cdx_tags WHERE id > 5000 ORDER BY name" );
   say( with, "SELECT * FROM t01_alltypes_cdx" );
   say( with, "SELECT COUNT(*), MAX(id) FROM t05_ntx" );
   say( with, "UPDATE t03_cdx_tags SET bal = bal + 1 WHERE city = 'Lima'" );
   say( with, "INSERT INTO t03_cdx_tags (id, name) VALUES (123456, 'x')" );
   say( with, "DELETE FROM t03_cdx_tags WHERE id = 123456" );
   say( with, "SELECT * FROM t03_cdx_tags WHERE name LIKE 'A%'" );
   say( with, "SELECT * FROM system.columns" );
}

static void use_everything( ADSHANDLE through, ADSHANDLE with, int alone )
{
   use( through, "t01_alltypes_cdx", ADS_CDX, alone );
   use( through, "t03_cdx_tags", ADS_CDX, alone );
   use( through, "t05_ntx", ADS_NTX, alone );
   speak( with );
}

/* What is connected to: the folder, or a server of it. */
static const char * address;

static void files_are_damaged( const char * folder, unsigned rounds )
{
   for( round_number = 1; round_number <= rounds; ++round_number )
   {
      state = round_number * 7919ull;
      restore( folder );
      damage();
      alarm( PATIENCE );
      connect_to( address );
      use_everything( connection, statement, chance( 3 ) == 0 );
      MAY( AdsCloseSQLStatement( statement ) );
      MAY( AdsDisconnect( connection ) );
   }
}

/* The files of open tables go, shrink, and become others. */
static void files_change_beneath( const char * folder )
{
   int kind, number;
   for( kind = 0; kind < 5; ++kind )
   {
      ADSHANDLE table = 0, index = 0;
      UNSIGNED16 fields = 0, found;
      round_number = 1000 + ( unsigned ) kind;
      restore( folder );
      alarm( PATIENCE );
      connect_to( address );
      OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                        ADS_SHARED, &table ) );
      OK( AdsGetNumFields( table, &fields ) );
      OK( AdsGetIndexHandle( table, T( "NAME" ), &index ) );
      OK( AdsGotoTop( index ) );
      say( statement, "SELECT COUNT(*) FROM t03_cdx_tags" );
      for( number = 0; number < kept_count; ++number )
      {
         const char * path = kept[ number ].path;
         size_t length = kept[ number ].length;
         if( ! strstr( path, "t03" ) )
            continue;
         if( kind == 0 )
            unlink( path );
         else if( kind == 1 && truncate( path, ( off_t ) ( length / 3 ) ) != 0 )
            TRUE_THAT( ! "truncated" );
         else if( kind == 2 && truncate( path, 0 ) != 0 )
            TRUE_THAT( ! "emptied" );
         else if( kind == 3 )
            put( path, kept[ ( number + 1 ) % kept_count ].bytes, kept[ ( number + 1 ) % kept_count ].length );
         else if( kind == 4 && strstr( path, ".cdx" ) )
            unlink( path );
      }
      MAY( AdsSkip( index, 1 ) );
      read_all( table, fields );
      MAY( AdsSeek( index, T( "M" ), 1, ADS_STRINGKEY, ADS_SOFTSEEK, &found ) );
      write_some( table, fields );
      indexes_of( table );
      MAY( AdsBeginTransaction( connection ) );
      write_some( table, fields );
      MAY( AdsRollbackTransaction( connection ) );
      speak( statement );
      MAY( AdsRefreshRecord( table ) );
      MAY( AdsCloseTable( table ) );
      MAY( AdsCloseSQLStatement( statement ) );
      MAY( AdsDisconnect( connection ) );
   }
}

/* A file cannot grow any more: the call says so, and what was there before is there. */
static void the_disk_is_full( const char * folder )
{
   struct rlimit limit, before;
   ADSHANDLE table = 0, index = 0;
   UNSIGNED32 count = 0, code = AE_SUCCESS, appended = 0, refused = 0;
   int turn;
   round_number = 2000;
   restore( folder );
   alarm( PATIENCE );
   signal( SIGXFSZ, SIG_IGN );
   TRUE_THAT( getrlimit( RLIMIT_FSIZE, &before ) == 0 );
   connect_to( address );
   table = new_table( connection, "full", ADS_CDX, "id,Numeric,8,0;name,Character,40;story,Memo" );
   OK( AdsCreateIndex( table, NULL, T( "NAME" ), T( "name" ), NULL, NULL, ADS_COMPOUND, &index ) );
   limit = before;
   limit.rlim_cur = 64 * 1024;
   TRUE_THAT( setrlimit( RLIMIT_FSIZE, &limit ) == 0 );
   for( turn = 0; turn < 4000 && refused < 20; ++turn )
   {
      char name[ 41 ];
      snprintf( name, sizeof( name ), "name %d", turn * 7919 % 4001 );
      code = MAY( AdsAppendRecord( table ) );
      if( code == AE_SUCCESS )
      {
         MAY( AdsSetDouble( table, T( "id" ), turn ) );
         MAY( AdsSetString( table, T( "name" ), T( name ), ( UNSIGNED32 ) strlen( name ) ) );
         MAY( AdsSetString( table, T( "story" ), T( "once upon a time" ), 16 ) );
         code = MAY( AdsWriteRecord( table ) );
      }
      if( code == AE_SUCCESS )
         ++appended;
      else
      {
         ++refused;
         MAY( AdsCancelUpdate( table ) );
      }
   }
   TRUE_THAT( appended > 100 && refused > 0 );
   say( statement, "INSERT INTO full (id, name) SELECT id, name FROM t03_cdx_tags" );
   say( statement, "CREATE INDEX more ON full (id)" );
   say( statement, "SELECT * INTO fuller FROM t03_cdx_tags" );
   MAY( AdsBeginTransaction( connection ) );
   say( statement, "UPDATE full SET name = 'z' + name" );
   MAY( AdsRollbackTransaction( connection ) );
   TRUE_THAT( setrlimit( RLIMIT_FSIZE, &before ) == 0 );
   MAY( AdsCloseTable( table ) );
   /* With room again, the table is whole. */
   OK( AdsOpenTable( connection, T( "full" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_EXCLUSIVE, &table ) );
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &count ) );
   TRUE_THAT( count >= appended && count <= appended + refused );
   OK( AdsReindex( table ) );
   OK( AdsGetIndexHandle( table, T( "NAME" ), &index ) );
   OK( AdsGetKeyCount( index, ADS_IGNOREFILTERS, &code ) );
   SAME( count, code );
   OK( AdsCloseTable( table ) );
   disconnect();
}

static ADSHANDLE everybodys, everybodys_table;

static void * one_of_many( void * number )
{
   ADSHANDLE own = 0, with = 0, table = 0;
   unsigned turn, which = ( unsigned ) ( size_t ) number;
   UNSIGNED8 text[ 100 ];
   UNSIGNED32 length;
   if( AdsConnect60( T( address ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &own ) != AE_SUCCESS )
      return ( void * ) 1;
   MAY( AdsCreateSQLStatement( own, &with ) );
   for( turn = 0; turn < 12; ++turn )
   {
      ADSHANDLE through = ( turn + which ) % 3 ? own : everybodys;
      if( MAY( AdsOpenTable( through, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                             ADS_CHECKRIGHTS, ADS_SHARED, &table ) ) == AE_SUCCESS )
      {
         write_some( table, 3 );
         if( which % 2 )
            MAY( AdsBeginTransaction( own ) );
         write_some( table, 3 );
         if( which % 2 )
            MAY( turn % 2 ? AdsCommitTransaction( own ) : AdsRollbackTransaction( own ) );
         MAY( AdsCloseTable( table ) );
      }
      length = sizeof( text );
      MAY( AdsSkip( everybodys_table, which % 2 ? 1 : -1 ) );
      MAY( AdsGetString( everybodys_table, T( "name" ), text, &length, ADS_TRIM ) );
      say( with, "SELECT COUNT(*) FROM t03_cdx_tags WHERE name > 'K'" );
      if( which == 7 )
         MAY( AdsCloseTable( table ) );
   }
   MAY( AdsCloseSQLStatement( with ) );
   MAY( AdsDisconnect( own ) );
   MAY( AdsCloseSQLStatement( with ) );
   MAY( AdsThreadExit() );
   return NULL;
}

static void many_at_once( const char * folder )
{
   pthread_t threads[ 8 ];
   size_t number;
   void * failed;
   round_number = 3000;
   restore( folder );
   alarm( PATIENCE );
   OK( AdsConnect60( T( address ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &everybodys ) );
   OK( AdsOpenTable( everybodys, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED, &everybodys_table ) );
   for( number = 0; number < 8; ++number )
      TRUE_THAT( pthread_create( &threads[ number ], NULL, one_of_many, ( void * ) number ) == 0 );
   for( number = 0; number < 8; ++number )
   {
      TRUE_THAT( pthread_join( threads[ number ], &failed ) == 0 );
      TRUE_THAT( failed == NULL );
   }
   OK( AdsCloseTable( everybodys_table ) );
   OK( AdsDisconnect( everybodys ) );
}

int main( int count, char ** arguments )
{
   const char * rounds = getenv( "TROUBLE_ROUNDS" );
   if( count < 2 )
      return 2;
   signal( SIGALRM, too_long );
   address = arguments[ 1 ];
   keep( HERE );
   files_are_damaged( HERE, rounds ? ( unsigned ) atoi( rounds ) : 20 );
   files_change_beneath( HERE );
   /* A server's files are not this process's. */
   if( ! IS_FAR )
      the_disk_is_full( HERE );
   many_at_once( HERE );
   END();
}
