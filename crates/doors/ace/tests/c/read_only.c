/* A folder in which nothing may be written: tables are opened with their memos and indexes and read, and each write says
   why it cannot be done. */
#include "check.h"

#include <dirent.h>
#include <sys/stat.h>

static ADSHANDLE connection;

static void make( UNSIGNED16 type, const char * name )
{
   ADSHANDLE table = new_table( connection, name, type, "ID," WHOLE( 6 ) ";NAME,Character,10;STORY,Memo" ), index = 0;
   int number;
   OK( AdsCreateIndex61( table, T( name ), T( "ID" ), T( "ID" ), NULL, NULL, type == ADS_NTX ? ADS_DEFAULT : ADS_COMPOUND, 0, &index ) );
   for( number = 1; number <= 300; ++number )
   {
      char text[ 40 ];
      OK( AdsAppendRecord( table ) );
      OK( AdsSetDouble( table, ADSFIELD( 1 ), number ) );
      snprintf( text, sizeof( text ), "name %d", number % 7 );
      OK( AdsSetString( table, ADSFIELD( 2 ), T( text ), ( UNSIGNED32 ) strlen( text ) ) );
      snprintf( text, sizeof( text ), "the story of %d", number );
      OK( AdsSetString( table, ADSFIELD( 3 ), T( text ), ( UNSIGNED32 ) strlen( text ) ) );
   }
   OK( AdsCloseTable( table ) );
}

/* Nothing in the folder can be written from here on: what protects it from a user does not protect it from root. */
static int protect( const char * folder )
{
   DIR * files = opendir( folder );
   struct dirent * entry;
   TRUE_THAT( files != NULL );
   while( files && ( entry = readdir( files ) ) )
   {
      char path[ 1000 ];
      if( entry->d_name[ 0 ] == '.' )
         continue;
      snprintf( path, sizeof( path ), "%s/%s", folder, entry->d_name );
      TRUE_THAT( chmod( path, 0444 ) == 0 );
   }
   closedir( files );
   TRUE_THAT( chmod( folder, 0555 ) == 0 );
   return geteuid() != 0 || seteuid( 65534 ) == 0;
}

static UNSIGNED32 last_code( UNSIGNED32 code )
{
   UNSIGNED8 text[ 601 ] = "";
   UNSIGNED16 length = 600;
   UNSIGNED32 known = 0;
   OK( AdsGetLastError( &known, text, &length ) );
   SAME( code, known );
   TRUE_THAT( length > 10 );
   return known;
}

static void read_and_refuse( UNSIGNED16 type, const char * name, UNSIGNED32 options )
{
   ADSHANDLE table = 0, index = 0, other = 0;
   UNSIGNED8 text[ 60 ];
   UNSIGNED32 length = sizeof( text ), count = 0;
   UNSIGNED16 found = 0, level = 0, none = 0;
   double key = 217, id = 0;
   OK( AdsOpenTable( connection, T( name ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, options, &table ) );
   if( type == ADS_NTX )
   {
      UNSIGNED16 size = 1;
      OK( AdsOpenIndex( table, T( name ), &index, &size ) );
   }
   else
      OK( AdsGetIndexHandle( table, T( "ID" ), &index ) );
   OK( AdsSeek( index, ( UNSIGNED8 * ) &key, sizeof( key ), ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   OK( AdsGetString( table, ADSFIELD( 3 ), text, &length, ADS_NONE ) );
   TEXT( "the story of 217", text );
   OK( AdsSkip( index, 1 ) );
   OK( AdsGetDouble( table, ADSFIELD( 1 ), &id ) );
   SAME( 218, id );
   OK( AdsSetAOF( table, T( "ID > 290" ), ADS_RESOLVE_IMMEDIATE ) );
   OK( AdsGetAOFOptLevel( table, &level, NULL, &none ) );
   SAME( ADS_OPTIMIZED_FULL, level );
   OK( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &count ) );
   SAME( 10, count );
   OK( AdsClearAOF( table ) );
   OK( AdsGotoTop( table ) );
   /* Each write is refused, and what is read stays what it was. */
   ANSWERS( AE_TABLE_READONLY, AdsSetDouble( table, ADSFIELD( 1 ), 5 ) );
   last_code( AE_TABLE_READONLY );
   ANSWERS( AE_TABLE_READONLY, AdsSetString( table, ADSFIELD( 3 ), T( "x" ), 1 ) );
   ANSWERS( AE_TABLE_READONLY, AdsAppendRecord( table ) );
   ANSWERS( AE_TABLE_READONLY, AdsDeleteRecord( table ) );
   ANSWERS( AE_TABLE_READONLY, AdsLockRecord( table, 1 ) );
   ANSWERS( AE_TABLE_READONLY, AdsLockTable( table ) );
   TRUE_THAT( AdsCreateIndex61( table, T( "more" ), T( "MORE" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 0, &other ) != AE_SUCCESS );
   TRUE_THAT( AdsPackTable( table ) != AE_SUCCESS );
   TRUE_THAT( AdsReindex( table ) != AE_SUCCESS );
   OK( AdsGetDouble( table, ADSFIELD( 1 ), &id ) );
   SAME( 1, id );
   OK( AdsWriteRecord( table ) );
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   ADSHANDLE table = 0;
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   make( ADS_CDX, "fox" );
   make( ADS_NTX, "clip" );
   make( ADS_VFP, "vis" );
   if( protect( arguments[ 1 ] ) )
   {
      read_and_refuse( ADS_CDX, "fox", ADS_SHARED );
      read_and_refuse( ADS_CDX, "fox", ADS_SHARED | ADS_READONLY );
      read_and_refuse( ADS_NTX, "clip", ADS_SHARED );
      read_and_refuse( ADS_VFP, "vis", ADS_SHARED );
      /* Alone with it is who may write to it. */
      ANSWERS( AE_PERMISSION_DENIED, AdsOpenTable( connection, T( "fox" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                                ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &table ) );
      ANSWERS( AE_PERMISSION_DENIED, AdsCreateTable( connection, T( "new" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING,
                                                  ADS_CHECKRIGHTS, 64, T( "ID,Numeric,6,0" ), &table ) );
      last_code( AE_PERMISSION_DENIED );
      if( geteuid() == 65534 )
         TRUE_THAT( seteuid( 0 ) == 0 );
   }
   TRUE_THAT( chmod( arguments[ 1 ], 0755 ) == 0 );
   OK( AdsDisconnect( connection ) );
   END();
}
