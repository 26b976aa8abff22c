/* Texts that are no UTF-8 are of the table's code page, in every call that is about the table. */
#include "check.h"

static ADSHANDLE connection;

/* Gives a closed table another code page: the byte of its header that says so. */
static void set_language( const char * folder, const char * name, int language )
{
   char path[ 600 ];
   FILE * file;
   snprintf( path, sizeof( path ), "%s/%s.dbf", folder, name );
   file = fopen( path, "r+b" );
   TRUE_THAT( file != NULL );
   if( file != NULL )
   {
      fseek( file, 29, SEEK_SET );
      fputc( language, file );
      fclose( file );
   }
}

static ADSHANDLE opened( const char * name, UNSIGNED16 type )
{
   ADSHANDLE table = 0;
   OK( AdsOpenTable( connection, T( name ), NULL, type, ADS_OEM, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &table ) );
   return table;
}

static UNSIGNED32 shown( ADSHANDLE table )
{
   UNSIGNED32 count = 99;
   OK( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &count ) );
   return count;
}

/* A filter by a word, which is these bytes in the table; and what it is when it is asked for. */
static void filtered( ADSHANDLE table, const char * word, const char * bytes, UNSIGNED32 expected )
{
   char filter[ 100 ];
   UNSIGNED8 text[ 200 ];
   UNSIGNED16 length = sizeof( text ), is_found = 0, level = 0;
   snprintf( filter, sizeof( filter ), "NAME = '%s'", word );
   OK( AdsSetFilter( table, T( filter ) ) );
   SAME( expected, shown( table ) );
   OK( AdsGetFilter( table, text, &length ) );
   TEXT( filter, text );
   OK( AdsClearFilter( table ) );
   OK( AdsSetAOF( table, T( filter ), ADS_RESOLVE_DYNAMIC ) );
   SAME( expected, shown( table ) );
   length = sizeof( text );
   OK( AdsGetAOF( table, text, &length ) );
   TEXT( filter, text );
   OK( AdsClearAOF( table ) );
   OK( AdsEvalAOF( table, T( filter ), &level ) );
   OK( AdsLocate( table, T( filter ), 1, &is_found ) );
   SAME( expected > 0, is_found );
   if( expected > 0 )
   {
      UNSIGNED16 is_so = 0;
      OK( AdsEvalLogicalExpr( table, T( filter ), &is_so ) );
      SAME( 1, is_so );
      snprintf( filter, sizeof( filter ), "TRIM(NAME) + '%s'", word );
      length = sizeof( text );
      OK( AdsEvalStringExpr( table, T( filter ), text, &length ) );
      snprintf( filter, sizeof( filter ), "%s%s", bytes, bytes );
      TEXT( filter, text );
   }
}

static void page( const char * folder, const char * name, UNSIGNED16 type, int language, const char * first,
                  const char * second, const char * in_utf8 )
{
   ADSHANDLE table, index = 0, partial = 0;
   UNSIGNED8 text[ 64 ];
   char condition[ 64 ];
   UNSIGNED32 length = sizeof( text ), count = 0;
   UNSIGNED16 is_found = 0;
   OK( AdsCreateTable( connection, T( name ), NULL, type, ADS_OEM, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 64,
                       T( "NAME,Character,12" ), &table ) );
   OK( AdsCloseTable( table ) );
   set_language( folder, name, language );
   table = opened( name, type );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetString( table, T( "NAME" ), T( first ), ( UNSIGNED32 ) strlen( first ) ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetString( table, T( "NAME" ), T( second ), ( UNSIGNED32 ) strlen( second ) ) );
   OK( AdsWriteRecord( table ) );
   filtered( table, first, first, 1 );
   filtered( table, second, second, 1 );
   filtered( table, in_utf8, second, 1 );
   filtered( table, "\xFE", "", 0 );
   OK( AdsCreateIndex61( table, type == ADS_NTX ? T( name ) : NULL, T( "NAME" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 0, &index ) );
   snprintf( condition, sizeof( condition ), "NAME = '%s'", second );
   OK( AdsCreateIndex61( table, T( "partial" ), T( "PARTIAL" ), T( "NAME" ), T( condition ), NULL, ADS_DEFAULT, 0, &partial ) );
   OK( AdsGetKeyCount( partial, ADS_IGNOREFILTERS, &count ) );
   SAME( 1, count );
   filtered( table, first, first, 1 );
   OK( AdsSeek( index, T( second ), ( UNSIGNED16 ) strlen( second ), ADS_STRINGKEY, ADS_HARDSEEK, &is_found ) );
   SAME( 1, is_found );
   OK( AdsGetString( table, T( "NAME" ), text, &length, ADS_TRIM ) );
   TEXT( second, text );
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER | ADS_REMOTE_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   /* Western Europe by 850, the middle of Europe by 852, by Clipper and FoxPro 2. */
   page( HERE, "west", ADS_CDX, 0x02, "M\x84rz", "\x99l", "\xC3\x96l" );
   page( HERE, "middle", ADS_CDX, 0x64, "\xAC\xA0slo", "\xA6\x9D" "ba", "\xC5\xBD\xC5\x81" "ba" );
   page( HERE, "west_ntx", ADS_NTX, 0x02, "M\x84rz", "\x99l", "\xC3\x96l" );
   OK( AdsDisconnect( connection ) );
   END();
}
