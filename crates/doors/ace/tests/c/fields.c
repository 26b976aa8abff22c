/* Fields: by name and by number, of every type. */
#include "check.h"

static ADSHANDLE table;

static void structure( void )
{
   UNSIGNED16 count = 0, number = 0, kind = 0, flag = 9;
   UNSIGNED32 length = 0;
   UNSIGNED8 name[ 129 ];
   UNSIGNED16 name_length = sizeof( name );

   OK( AdsGetNumFields( table, &count ) );
   SAME( 8, count );
   OK( AdsGetFieldName( table, 6, name, &name_length ) );
   TEXT( "BAL", name );
   name_length = 2;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetFieldName( table, 6, name, &name_length ) );
   SAME( 4, name_length );
   ANSWERS( AE_INVALID_FIELDNUMBER, AdsGetFieldName( table, 9, name, &name_length ) );
   ANSWERS( AE_INVALID_FIELDNUMBER, AdsGetFieldName( table, 0, name, &name_length ) );
   OK( AdsGetFieldNum( table, T( "bal" ), &number ) );
   SAME( 6, number );
   ANSWERS( AE_INVALID_FIELDNAME, AdsGetFieldNum( table, T( "nothing" ), &number ) );
   ANSWERS( AE_INVALID_POINTER, AdsGetFieldNum( table, NULL, &number ) );
   ANSWERS( AE_INVALID_FIELDNUMBER, AdsGetFieldType( table, ADSFIELD( 99 ), &kind ) );
   OK( AdsGetFieldType( table, ADSFIELD( 1 ), &kind ) );
   SAME( ADS_NUMERIC, kind );
   OK( AdsGetFieldType( table, T( "NAME" ), &kind ) );
   SAME( ADS_STRING, kind );
   OK( AdsGetFieldType( table, T( "BORN" ), &kind ) );
   SAME( ADS_DATE, kind );
   OK( AdsGetFieldType( table, T( "ACTIVE" ), &kind ) );
   SAME( ADS_LOGICAL, kind );
   OK( AdsGetFieldType( table, T( "MEMO" ), &kind ) );
   SAME( ADS_MEMO, kind );
   OK( AdsGetFieldType( table, T( "WTS" ), &kind ) );
   SAME( ADS_TIMESTAMP, kind );
   OK( AdsGetFieldLength( table, T( "NAME" ), &length ) );
   SAME( 24, length );
   OK( AdsGetFieldLength100( table, T( "NAME" ), ADS_BYTE_LENGTH, &length ) );
   SAME( 24, length );
   OK( AdsGetFieldDecimals( table, T( "BAL" ), &number ) );
   SAME( 2, number );
   OK( AdsGetFieldOffset( table, T( "NAME" ), &length ) );
   SAME( 9, length );
   OK( AdsIsNullable( table, T( "NAME" ), &flag ) );
   SAME( 0, flag );
   OK( AdsIsFieldBinary( table, T( "NAME" ), &flag ) );
   SAME( 0, flag );
}

static void values( void )
{
   UNSIGNED8 text[ 256 ];
   WCHAR wide[ 64 ];
   UNSIGNED32 length = sizeof( text );
   UNSIGNED16 short_length = sizeof( text ), flag = 9;
   double number = 0;
   SIGNED32 whole = 0, day = 0;
   SIGNED16 small = 0;
   SIGNED64 large = 0;

   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsGetField( table, T( "NAME" ), text, &length, ADS_NONE ) );
   TEXT( "adam 31.00              ", text );
   SAME( 24, length );
   length = sizeof( text );
   OK( AdsGetString( table, ADSFIELD( 2 ), text, &length, ADS_RTRIM ) );
   TEXT( "adam 31.00", text );
   length = 10;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetString( table, ADSFIELD( 2 ), text, &length, ADS_TRIM ) );
   SAME( 11, length );
   OK( AdsGetString( table, ADSFIELD( 2 ), text, &length, ADS_TRIM ) );
   ANSWERS( AE_INVALID_POINTER, AdsGetString( table, ADSFIELD( 2 ), NULL, &length, ADS_TRIM ) );
   ANSWERS( AE_INVALID_POINTER, AdsGetString( table, ADSFIELD( 2 ), text, NULL, ADS_TRIM ) );
   length = 64;
   OK( AdsGetFieldW( table, T( "NAME" ), wide, &length, ADS_TRIM ) );
   SAME( 10, length );
   TRUE_THAT( wide[ 0 ] == 'a' && wide[ 9 ] == '0' && wide[ 10 ] == 0 );
   length = 64;
   OK( AdsGetStringW( table, T( "NAME" ), wide, &length, ADS_TRIM ) );
   length = 4;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetFieldW( table, T( "NAME" ), wide, &length, ADS_TRIM ) );
   SAME( 11, length );
   length = sizeof( text );
   OK( AdsGetFieldRaw( table, T( "BORN" ), text, &length ) );
   TEXT( "19500207", text );
   OK( AdsGetDouble( table, T( "BAL" ), &number ) );
   SAME( -8952.71, number );
   OK( AdsGetLong( table, T( "ID" ), &whole ) );
   SAME( 7919, whole );
   OK( AdsGetShort( table, T( "ID" ), &small ) );
   SAME( 7919, small );
   OK( AdsGetLongLong( table, T( "ID" ), &large ) );
   SAME( 7919, large );
   OK( AdsGetMoney( table, T( "BAL" ), &large ) );
   SAME( -89527100, large );
   OK( AdsGetJulian( table, T( "BORN" ), &day ) );
   SAME( 2433320, day );
   OK( AdsGetDate( table, T( "BORN" ), text, &short_length ) );
   TEXT( "02/07/1950", text );
   OK( AdsGetLogical( table, T( "ACTIVE" ), &flag ) );
   SAME( 1, flag );
   OK( AdsGetJulian( table, T( "WTS" ), &day ) );
   SAME( 2461043, day );
   OK( AdsGetMilliseconds( table, T( "WTS" ), &whole ) );
   SAME( ( 14 * 60 + 24 ) * 1000, whole );
   short_length = sizeof( text );
   OK( AdsGetTime( table, T( "WTS" ), text, &short_length ) );
   TEXT( "12:14:24 AM", text );
   OK( AdsIsEmpty( table, T( "MEMO" ), &flag ) );
   SAME( 1, flag );
   OK( AdsIsEmpty( table, T( "ID" ), &flag ) );
   SAME( 0, flag );
   OK( AdsIsNull( table, T( "NAME" ), &flag ) );
   SAME( 0, flag );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsGetLogical( table, T( "NAME" ), &flag ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsGetDouble( table, T( "NAME" ), &number ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsGetJulian( table, T( "ID" ), &day ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsGetMilliseconds( table, T( "ID" ), &whole ) );
}

static void memos( const char * folder )
{
   UNSIGNED8 text[ 256 ], path[ 512 ];
   WCHAR wide[ 512 ];
   UNSIGNED32 length = 0;
   UNSIGNED16 kind = 0;
   FILE * file;
   size_t at;

   OK( AdsGotoRecord( table, 4 ) );
   OK( AdsGetMemoLength( table, T( "MEMO" ), &length ) );
   SAME( 10, length );
   OK( AdsGetBinaryLength( table, T( "MEMO" ), &length ) );
   SAME( 10, length );
   OK( AdsGetDataLength( table, T( "MEMO" ), 0, &length ) );
   SAME( 10, length );
   OK( AdsGetMemoDataType( table, T( "MEMO" ), &kind ) );
   SAME( ADS_MEMO, kind );
   length = sizeof( text );
   OK( AdsGetString( table, T( "MEMO" ), text, &length, ADS_NONE ) );
   TEXT( "memo for 4", text );
   length = 4;
   OK( AdsGetBinary( table, T( "MEMO" ), 5, text, &length ) );
   SAME( 4, length );
   TRUE_THAT( memcmp( text, "for ", 4 ) == 0 );
   length = 4;
   ANSWERS( AE_INVALID_BINARY_OFFSET, AdsGetBinary( table, T( "MEMO" ), 50, text, &length ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsGetMemoLength( table, T( "NAME" ), &length ) );
   snprintf( ( char * ) path, sizeof( path ), "%s/memo.txt", folder );
   OK( AdsBinaryToFile( table, T( "MEMO" ), path ) );
   file = fopen( ( char * ) path, "r" );
   TRUE_THAT( file != NULL );
   if( file != NULL )
   {
      memset( text, 0, sizeof( text ) );
      SAME( 10, fread( text, 1, sizeof( text ), file ) );
      TEXT( "memo for 4", text );
      fclose( file );
   }
   for( at = 0; at <= strlen( ( char * ) path ); ++at )
      wide[ at ] = path[ at ];
   OK( AdsBinaryToFileW( table, T( "MEMO" ), wide ) );
   OK( AdsGetMemoBlockSize( table, &kind ) );
   SAME( 64, kind );
   ANSWERS( AE_BINARY_FILE_ERROR, AdsBinaryToFile( table, T( "MEMO" ), T( "/no/such/folder/x" ) ) );
}

static void all_types( ADSHANDLE connection )
{
   ADSHANDLE all = 0;
   UNSIGNED16 kind = 0, number;
   SIGNED64 large = 0;
   double real = 0;
   static const struct { const char * name; unsigned kind; } types[] = {
      { "CFLD", ADS_STRING }, { "NINT", ADS_NUMERIC }, { "FFLD", ADS_NUMERIC }, { "DFLD", ADS_DATE }, { "LFLD", ADS_LOGICAL },
      { "MFLD", ADS_MEMO }, { "I2", ADS_SHORTINT }, { "I4", ADS_INTEGER }, { "I8", ADS_LONGLONG }, { "BDBL", ADS_DOUBLE },
      { "TTIME", ADS_TIME }, { "TSTMP", ADS_TIMESTAMP }, { "MODT", ADS_MODTIME }, { "ROWV", ADS_ROWVERSION },
      { "AUTOI", ADS_AUTOINC }, { "PIMG", ADS_IMAGE }, { "GOLE", ADS_BINARY } };

   OK( AdsOpenTable( connection, T( "t01_alltypes_cdx" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &all ) );
   for( number = 0; number < sizeof( types ) / sizeof( types[ 0 ] ); ++number )
   {
      OK( AdsGetFieldType( all, T( types[ number ].name ), &kind ) );
      if( kind != types[ number ].kind )
         fprintf( stderr, "type of %s\n", types[ number ].name );
      SAME( types[ number ].kind, kind );
   }
   OK( AdsGotoRecord( all, 2 ) );
   OK( AdsGetLongLong( all, T( "I8" ), &large ) );
   TRUE_THAT( large == 9007199254740991ll );
   OK( AdsGetDouble( all, T( "BDBL" ), &real ) );
   TRUE_THAT( real > 0.33 && real < 0.34 );
   OK( AdsCloseTable( all ) );
}

/* A double whose definition says nothing of decimals is written with those that it has. */
static void doubles( ADSHANDLE connection )
{
   ADSHANDLE of = new_table( connection, "doubles", ADS_CDX, "X,Double;Y,Double,8,2" );
   UNSIGNED8 text[ 64 ];
   UNSIGNED32 length = sizeof( text );

   OK( AdsAppendRecord( of ) );
   OK( AdsSetDouble( of, T( "X" ), 1.25 ) );
   OK( AdsSetDouble( of, T( "Y" ), 1.257 ) );
   OK( AdsGetString( of, T( "X" ), text, &length, ADS_TRIM ) );
   TEXT( "1.25", text );
   length = sizeof( text );
   OK( AdsGetString( of, T( "Y" ), text, &length, ADS_TRIM ) );
   TEXT( "1.26", text );
   OK( AdsSetDouble( of, T( "X" ), 7 ) );
   length = sizeof( text );
   OK( AdsGetString( of, T( "X" ), text, &length, ADS_TRIM ) );
   TEXT( "7", text );
   OK( AdsCloseTable( of ) );
}

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   structure();
   values();
   memos( HERE );
   all_types( connection );
   doubles( connection );
   OK( AdsDisconnect( connection ) );
   END();
}
