/* A data dictionary in Advantage's own format, made here byte by byte as the format is described: read, and never changed. */
#include "check.h"

/* Fields of a record: where they begin, and how long they are. */
enum { ID = 5, PARENT = 9, KIND = 13, NAME = 23, PROPERTY = 223, COMMENT = 498, RECORD = 507 };

static UNSIGNED8 file[ 16384 ];
static unsigned used;

static void put( unsigned at, unsigned number, unsigned bytes )
{
   unsigned place;
   for( place = 0; place < bytes; ++place )
      file[ at + place ] = ( UNSIGNED8 )( number >> 8 * place );
}

static void column( unsigned place, const char * name, unsigned kind, unsigned at, unsigned length )
{
   unsigned begin = 400 + 200 * place;
   memcpy( file + begin, name, strlen( name ) );
   put( begin + 129, kind, 2 );
   put( begin + 131, at, 4 );
   put( begin + 135, length, 2 );
}

static void object( unsigned id, unsigned parent, const char * kind, const char * name, const char * path, unsigned comment )
{
   UNSIGNED8 * record = file + used;
   record[ 0 ] = 4;
   put( used + ID, id, 4 );
   put( used + PARENT, parent, 4 );
   memset( record + KIND, ' ', PROPERTY - KIND );
   memcpy( record + KIND, kind, strlen( kind ) );
   memcpy( record + NAME, name, strlen( name ) );
   put( used + PROPERTY, ( unsigned ) strlen( path ) + 1, 2 );
   memcpy( record + PROPERTY + 2, path, strlen( path ) );
   if( comment )
   {
      put( used + COMMENT, 128, 4 );
      put( used + COMMENT + 4, comment, 4 );
   }
   put( 24, 1 + ( file[ 24 ] | file[ 25 ] << 8 ), 2 );
   used += RECORD;
}

static void write_to( const char * folder, const char * name, unsigned length )
{
   char path[ 600 ];
   FILE * out;
   snprintf( path, sizeof( path ), "%s/%s", folder, name );
   out = fopen( path, "wb" );
   TRUE_THAT( out && fwrite( file, 1, length, out ) == length && fclose( out ) == 0 );
}

static void make( const char * folder )
{
   memset( file, 0, sizeof( file ) );
   memcpy( file, "ADS Data Dictionary", 19 );
   put( 32, 1600, 4 );
   put( 36, RECORD, 4 );
   put( 356, 4, 2 );
   put( 358, 6, 2 );
   column( 0, "Object ID", ADS_INTEGER, ID, 4 );
   column( 1, "Parent ID", ADS_INTEGER, PARENT, 4 );
   column( 2, "Object Type", ADS_STRING, KIND, NAME - KIND );
   column( 3, "Object Name", ADS_STRING, NAME, PROPERTY - NAME );
   column( 4, "Property", 8, PROPERTY, COMMENT - PROPERTY );
   column( 5, "Comment", ADS_MEMO, COMMENT, 9 );
   used = 1600;
   object( 7, 0, "Table", "Parts", ".\\stock.adt", 14 );
   object( 8, 7, "Index", "more", ".\\more.adi", 0 );
   object( 9, 0, "User", "ann", "", 0 );
   object( 10, 7, "Trigger", "on_insert", "", 0 );
   write_to( folder, "shop.add", used );
   memset( file, 0, sizeof( file ) );
   file[ 7 ] = 8;
   memcpy( file + 1024, "what we have__", 14 );
   write_to( folder, "shop.am", 1040 );
}

static void tables( const char * folder )
{
   ADSHANDLE connection = 0, table = 0, index = 0;
   OK( AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsCreateTable( connection, T( "stock" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "Number,Integer;Name,CICharacter,20" ), &table ) );
   OK( AdsCreateIndex61( table, T( "more" ), T( "NUMBER" ), T( "Number" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetLong( table, T( "Number" ), 7 ) );
   OK( AdsSetString( table, T( "Name" ), T( "Bolt" ), 4 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsCloseTable( table ) );
   OK( AdsDisconnect( connection ) );
}

static void look( ADSHANDLE dictionary )
{
   ADSHANDLE table = 0, index = 0, search = 0;
   UNSIGNED8 text[ 300 ], message[ 601 ];
   UNSIGNED16 length = sizeof( text ), found = 9;
   UNSIGNED32 room = sizeof( text ), code = 0;
   double key = 7;

   OK( AdsDDFindFirstObject( dictionary, ADS_DD_TABLE_OBJECT, NULL, text, &length, &search ) );
   TEXT( "Parts", text );
   OK( AdsDDFindClose( dictionary, search ) );
   length = sizeof( text );
   OK( AdsDDGetTableProperty( dictionary, T( "Parts" ), ADS_DD_COMMENT, text, &length ) );
   TEXT( "what we have__", text );
   OK( AdsOpenTable( dictionary, T( "parts" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGotoTop( table ) );
   OK( AdsGetString( table, T( "Name" ), text, &room, ADS_TRIM ) );
   TEXT( "Bolt", text );
   OK( AdsGetIndexHandle( table, T( "NUMBER" ), &index ) );
   OK( AdsSeek( index, ( UNSIGNED8 * ) &key, sizeof( key ), ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   ANSWERS( AE_TABLE_READONLY, AdsAppendRecord( table ) );
   OK( AdsCloseTable( table ) );
   /* The refusal names what is not understood. */
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED, AdsDDCreateUser( dictionary, NULL, T( "bob" ), NULL, NULL ) );
   length = 600;
   OK( AdsGetLastError( &code, message, &length ) );
   TRUE_THAT( strstr( ( char * ) message, "1 Trigger" ) != NULL );
}

int main( int count, char ** arguments )
{
   ADSHANDLE dictionary = 0;
   char path[ 600 ];
   if( count < 2 )
      return 2;
   tables( arguments[ 1 ] );
   make( arguments[ 1 ] );
   snprintf( path, sizeof( path ), "%s/shop.add", arguments[ 1 ] );
   OK( AdsConnect60( T( path ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &dictionary ) );
   look( dictionary );
   OK( AdsDisconnect( dictionary ) );
   /* Her password cannot be read, so it is not asked for. */
   OK( AdsConnect60( T( path ), ADS_LOCAL_SERVER, T( "ann" ), T( "?" ), ADS_DEFAULT, &dictionary ) );
   look( dictionary );
   OK( AdsDisconnect( dictionary ) );
   ANSWERS( AE_AUTHENTICATION_FAILED, AdsConnect60( T( path ), ADS_LOCAL_SERVER, T( "nobody" ), NULL, ADS_DEFAULT, &dictionary ) );
   END();
}
