/* Tables of Advantage's own format: those of other programs read, new ones written. */
#include "check.h"

static ADSHANDLE connection;

/* A field as text, in the buffer that the next call uses again. */
static const char * text_of( ADSHANDLE table, const char * field )
{
   static UNSIGNED8 text[ 200 ];
   UNSIGNED32 length = sizeof( text );

   OK( AdsGetField( table, T( field ), text, &length, ADS_TRIM ) );
   return ( const char * ) text;
}

static unsigned type_of( ADSHANDLE table, const char * field )
{
   UNSIGNED16 kind = 0;
   OK( AdsGetFieldType( table, T( field ), &kind ) );
   return kind;
}

static unsigned is_null( ADSHANDLE table, const char * field )
{
   UNSIGNED16 null = 9;
   OK( AdsIsNull( table, T( field ), &null ) );
   return null;
}

static UNSIGNED32 records( ADSHANDLE table )
{
   UNSIGNED32 number = 0;
   OK( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &number ) );
   return number;
}

static void of_others( void )
{
   ADSHANDLE table = 0;
   UNSIGNED16 kind = 0;
   SIGNED32 number = 0;
   UNSIGNED32 length = 0;

   /* Written by Advantage; node_adt's own test has the same values. */
   OK( AdsOpenTable( connection, T( "adt/abrgru" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGetTableType( table, &kind ) );
   SAME( ADS_ADT, kind );
   SAME( 9, records( table ) );
   OK( AdsGotoTop( table ) );
   SAME( ADS_INTEGER, type_of( table, "AbrGruId" ) );
   SAME( ADS_STRING, type_of( table, "Such" ) );
   SAME( ADS_LOGICAL, type_of( table, "OpKennz" ) );
   SAME( ADS_DOUBLE, type_of( table, "MwstAusgl" ) );
   TEXT( "WGK", text_of( table, "Such" ) );
   OK( AdsGetLong( table, T( "AbrGruId" ), &number ) );
   SAME( 1, number );
   SAME( 1, is_null( table, "ErstHonLst" ) );
   SAME( 0, is_null( table, "Such" ) );
   OK( AdsCloseTable( table ) );

   /* By its file alone. Memos are of OpenADS. */
   OK( AdsOpenTable( connection, T( "adt/openads-landlords.adt" ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGetTableType( table, &kind ) );
   SAME( ADS_ADT, kind );
   SAME( ADS_MEMO, type_of( table, "Notes" ) );
   OK( AdsGotoRecord( table, 4 ) );
   TEXT( "SEC 8 preferred", text_of( table, "Notes" ) );
   OK( AdsGetMemoLength( table, T( "Notes" ), &length ) );
   SAME( 15, length );
   OK( AdsGotoRecord( table, 1 ) );
   SAME( 1, is_null( table, "Notes" ) );
   OK( AdsCloseTable( table ) );
}

static void of_ours( void )
{
   ADSHANDLE table = 0;
   double price = 0;
   UNSIGNED16 deleted = 9;
   char memo[ 3000 ];

   memset( memo, 'm', sizeof( memo ) );
   OK( AdsCreateTable( connection, T( "written" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "Id,AutoInc;A long name of a field,CICharacter,20;Price,Money;Rate,CurDouble;Born,Date;Moment,TimeStamp;"
                          "Changed,ModTime;Version,RowVersion;Note,Memo;Picture,Image;Data,Raw,4;Small,ShortInteger;Ok,Logical" ),
                       &table ) );
   SAME( ADS_AUTOINC, type_of( table, "Id" ) );
   SAME( ADS_CISTRING, type_of( table, "A long name of a field" ) );
   SAME( ADS_MONEY, type_of( table, "Price" ) );
   SAME( ADS_CURDOUBLE, type_of( table, "Rate" ) );
   SAME( ADS_ROWVERSION, type_of( table, "Version" ) );
   SAME( ADS_IMAGE, type_of( table, "Picture" ) );
   SAME( ADS_RAW, type_of( table, "Data" ) );
   SAME( ADS_SHORTINT, type_of( table, "Small" ) );
   OK( AdsAppendRecord( table ) );
   SAME( 1, is_null( table, "Price" ) );
   OK( AdsSetString( table, T( "A long name of a field" ), T( "first" ), 5 ) );
   OK( AdsSetDouble( table, T( "Price" ), 12.3456 ) );
   OK( AdsSetString( table, T( "Note" ), T( memo ), sizeof( memo ) ) );
   OK( AdsSetBinary( table, T( "Picture" ), ADS_IMAGE, 3, 0, T( "\1\0\2" ), 3 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetString( table, T( "A long name of a field" ), T( "second" ), 6 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsCloseTable( table ) );

   OK( AdsOpenTable( connection, T( "written" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGotoTop( table ) );
   TEXT( "1", text_of( table, "Id" ) );
   TEXT( "first", text_of( table, "A long name of a field" ) );
   OK( AdsGetDouble( table, T( "Price" ), &price ) );
   SAME( 12.3456, price );
   SAME( 0, is_null( table, "Price" ) );
   SAME( 1, is_null( table, "Rate" ) );
   SAME( 1, is_null( table, "Ok" ) );
   SAME( 0, is_null( table, "Changed" ) );
   OK( AdsSetEmpty( table, T( "Price" ) ) );
   /* Only a field that the table fills has no NULL. */
   OK( AdsSetDouble( table, T( "Rate" ), 2.5 ) );
   SAME( 0, is_null( table, "Rate" ) );
   OK( AdsSetNull( table, T( "Rate" ) ) );
   SAME( 1, is_null( table, "Rate" ) );
   OK( AdsSetNull( table, T( "Picture" ) ) );
   SAME( 1, is_null( table, "Picture" ) );
   ANSWERS( AE_COLUMN_CANNOT_BE_NULL, AdsSetNull( table, T( "Changed" ) ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetNull( table, T( "Id" ) ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsSkip( table, 1 ) );
   TEXT( "2", text_of( table, "Id" ) );
   SAME( 1, is_null( table, "Note" ) );
   OK( AdsDeleteRecord( table ) );
   OK( AdsIsRecordDeleted( table, &deleted ) );
   SAME( 1, deleted );
   OK( AdsCloseTable( table ) );

   OK( AdsOpenTable( connection, T( "written" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &table ) );
   OK( AdsPackTable( table ) );
   SAME( 1, records( table ) );
   OK( AdsGotoTop( table ) );
   TEXT( "first", text_of( table, "A long name of a field" ) );
   OK( AdsCopyTable( table, ADS_IGNOREFILTERS, T( "again" ) ) );
   OK( AdsConvertTable( table, ADS_IGNOREFILTERS, T( "as_adt" ), ADS_ADT ) );
   OK( AdsZapTable( table ) );
   SAME( 0, records( table ) );
   OK( AdsCloseTable( table ) );
   OK( AdsOpenTable( connection, T( "again" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGotoTop( table ) );
   TEXT( "first", text_of( table, "A long name of a field" ) );
   OK( AdsCloseTable( table ) );
}

/* Whole records, bookmarks, copies with their indexes, and another structure. */
static void whole_tables( void )
{
   ADSHANDLE table = 0, copy = 0, index = 0;
   UNSIGNED8 record[ 300 ], mark[ 64 ];
   UNSIGNED32 length = sizeof( record ), marked = sizeof( mark ), number = 0;
   UNSIGNED16 found = 9, fields = 0;
   SIGNED32 day = 0, first = 0;
   double price = 0, key;

   OK( AdsCreateTable( connection, T( "parts" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "Id,AutoInc;Number,Integer;Name,CICharacter,20;Price,Money;Born,Date;Moment,TimeStamp;At,Time;"
                          "Varies,VarChar,10;Note,Memo;Bytes,Raw,4" ), &table ) );
   OK( AdsCreateIndex61( table, NULL, T( "NUMBER" ), T( "Number" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsCreateIndex61( table, NULL, T( "NAME" ), T( "Name;Born" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetLong( table, T( "Number" ), 7 ) );
   OK( AdsSetString( table, T( "Name" ), T( "Bolt" ), 4 ) );
   OK( AdsSetDouble( table, T( "Price" ), 12.3456 ) );
   OK( AdsSetJulian( table, T( "Born" ), 2460437 ) );
   OK( AdsSetString( table, T( "Varies" ), T( "abc" ), 3 ) );
   OK( AdsSetString( table, T( "Note" ), T( "stays with its record" ), 21 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsGetBookmark60( table, mark, &marked ) );

   /* The bytes of a record as another one: memos and what the table counts are its own. */
   OK( AdsGetRecord( table, record, &length ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetRecord( table, record, length ) );
   OK( AdsSetLong( table, T( "Number" ), 8 ) );
   OK( AdsWriteRecord( table ) );
   TEXT( "2", text_of( table, "Id" ) );
   TEXT( "Bolt", text_of( table, "Name" ) );
   TEXT( "abc", text_of( table, "Varies" ) );
   OK( AdsGetDouble( table, T( "Price" ), &price ) );
   SAME( 12.3456, price );
   OK( AdsGetJulian( table, T( "Born" ), &day ) );
   SAME( 2460437, day );
   SAME( 1, is_null( table, "Moment" ) );
   SAME( 1, is_null( table, "At" ) );
   SAME( 1, is_null( table, "Bytes" ) );
   SAME( 1, is_null( table, "Note" ) );
   OK( AdsGotoBookmark60( table, mark ) );
   TEXT( "stays with its record", text_of( table, "Note" ) );

   OK( AdsCopyTable( table, ADS_IGNOREFILTERS, T( "parts2" ) ) );
   OK( AdsCloseTable( table ) );
   OK( AdsRestructureTable( connection, T( "parts2" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS,
                            T( "Extra,Character,5" ), T( "Moment;At" ), T( "Name,Label,CICharacter,30" ) ) );
   OK( AdsOpenTable( connection, T( "parts2" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &copy ) );
   OK( AdsGetNumFields( copy, &fields ) );
   SAME( 9, fields );
   SAME( ADS_CISTRING, type_of( copy, "Label" ) );
   SAME( ADS_AUTOINC, type_of( copy, "Id" ) );
   SAME( 2, records( copy ) );
   OK( AdsGotoTop( copy ) );
   TEXT( "Bolt", text_of( copy, "Label" ) );
   TEXT( "stays with its record", text_of( copy, "Note" ) );
   SAME( 1, is_null( copy, "Extra" ) );
   OK( AdsGetLong( copy, T( "Id" ), &first ) );
   SAME( 1, first );
   OK( AdsAppendRecord( copy ) );
   OK( AdsWriteRecord( copy ) );
   TEXT( "3", text_of( copy, "Id" ) );
   OK( AdsCloseTable( copy ) );

   /* The original has its orders when it is opened again; its CICharacter is sought in any letters. */
   OK( AdsOpenTable( connection, T( "parts" ), NULL, ADS_ADT, ADS_ANSI, ADS_PROPRIETARY_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   OK( AdsGetIndexHandle( table, T( "NUMBER" ), &index ) );
   key = 8;
   OK( AdsSeek( index, ( UNSIGNED8 * ) &key, sizeof( key ), ADS_DOUBLEKEY, ADS_HARDSEEK, &found ) );
   SAME( 1, found );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 2, number );
   OK( AdsCloseTable( table ) );
}

/* Other writers leave out the version and the number of fields: their tables are read, emptied and packed. */
static void bare_tables( const char * folder )
{
   UNSIGNED8 bytes[ 636 ] = { 0 };
   char path[ 600 ];
   FILE * file;
   ADSHANDLE table = 0;
   unsigned at;

   memcpy( bytes, "Advantage Table", 15 );
   bytes[ 24 ] = 4;
   bytes[ 32 ] = 600 & 255;
   bytes[ 33 ] = 600 >> 8;
   bytes[ 36 ] = 9;
   memcpy( bytes + 400, "TAG", 3 );
   bytes[ 529 ] = 4;
   bytes[ 531 ] = 5;
   bytes[ 535 ] = 4;
   for( at = 0; at < 4; ++at )
   {
      bytes[ 600 + 9 * at ] = at % 2 ? 5 : 4;
      memset( bytes + 605 + 9 * at, 'A' + ( int ) at, 4 );
   }
   snprintf( path, sizeof( path ), "%s/bare.adt", folder );
   file = fopen( path, "wb" );
   TRUE_THAT( file && fwrite( bytes, 1, sizeof( bytes ), file ) == sizeof( bytes ) && fclose( file ) == 0 );
   OK( AdsOpenTable( connection, T( "bare" ), NULL, ADS_ADT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &table ) );
   /* Without a filter all records are counted, as of a DBF. */
   SAME( 4, records( table ) );
   OK( AdsPackTable( table ) );
   SAME( 2, records( table ) );
   OK( AdsGotoRecord( table, 2 ) );
   TEXT( "CCCC", text_of( table, "TAG" ) );
   OK( AdsZapTable( table ) );
   SAME( 0, records( table ) );
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   of_others();
   of_ours();
   whole_tables();
   if( strncmp( arguments[ 1 ], "tcp:", 4 ) != 0 )
      bare_tables( arguments[ 1 ] );
   OK( AdsDisconnect( connection ) );
   END();
}
