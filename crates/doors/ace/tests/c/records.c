/* Writing: records, fields of every type, memos, and the whole table. */
#include "check.h"

static ADSHANDLE connection;
static const char * folder;

static ADSHANDLE make( const char * name, UNSIGNED16 type )
{
   ADSHANDLE table = 0;
   OK( AdsCreateTable( connection, T( name ), NULL, type, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID,Numeric,8,2;NAME,Character,12;BORN,Date;ACTIVE,Logical;NOTE,Memo;COUNT,Integer;REAL,Double;AT,TimeStamp" ),
                       &table ) );
   return table;
}

static void fields( ADSHANDLE table )
{
   UNSIGNED8 text[ 64 ];
   UNSIGNED32 length;
   UNSIGNED16 short_length, flag;
   double real = 0;
   SIGNED32 whole = 0;
   SIGNED64 large = 0;
   WCHAR wide[] = { 'w', 'i', 'd', 'e', 0 };

   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "ID" ), 12.345 ) );
   OK( AdsGetDouble( table, T( "ID" ), &real ) );
   TRUE_THAT( real > 12.33 && real < 12.36 );
   OK( AdsSetLongLong( table, T( "ID" ), 42 ) );
   OK( AdsGetLong( table, ADSFIELD( 1 ), &whole ) );
   SAME( 42, whole );
   OK( AdsSetLong( table, T( "COUNT" ), -7 ) );
   OK( AdsSetShort( table, T( "COUNT" ), -8 ) );
   OK( AdsGetLongLong( table, T( "COUNT" ), &large ) );
   SAME( -8, large );
   ANSWERS( AE_VALUE_OVERFLOW, AdsSetDouble( table, T( "ID" ), 1e12 ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetDouble( table, T( "NAME" ), 1 ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetLogical( table, T( "NAME" ), 1 ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetJulian( table, T( "NAME" ), 2461367 ) );
   OK( AdsSetMoney( table, T( "REAL" ), 12500 ) );
   OK( AdsGetDouble( table, T( "REAL" ), &real ) );
   SAME( 1.25, real );
   OK( AdsSetString( table, T( "NAME" ), T( "Jane" ), 4 ) );
   length = sizeof( text );
   OK( AdsGetString( table, T( "NAME" ), text, &length, ADS_NONE ) );
   TEXT( "Jane        ", text );
   ANSWERS( AE_DATA_TRUNCATED, AdsSetString( table, T( "NAME" ), T( "much too long a name" ), 20 ) );
   OK( AdsSetStringW( table, T( "NAME" ), wide, 4 ) );
   OK( AdsSetFieldW( table, T( "NAME" ), wide, 4 ) );
   OK( AdsSetField( table, T( "NAME" ), T( "Jane" ), 4 ) );
   OK( AdsSetFieldRaw( table, T( "NAME" ), T( "Jane" ), 4 ) );
   OK( AdsSetField( table, T( "BORN" ), T( "11/22/2026" ), 10 ) );
   OK( AdsGetJulian( table, T( "BORN" ), &whole ) );
   SAME( 2461367, whole );
   OK( AdsSetDate( table, T( "BORN" ), T( "20261123" ), 8 ) );
   OK( AdsSetJulian( table, T( "BORN" ), 2461369 ) );
   short_length = sizeof( text );
   OK( AdsGetDate( table, T( "BORN" ), text, &short_length ) );
   TEXT( "11/24/2026", text );
   ANSWERS( AE_INVALID_DATE, AdsSetDate( table, T( "BORN" ), T( "99/99/2026" ), 10 ) );
   ANSWERS( AE_INVALID_DATE, AdsSetJulian( table, T( "BORN" ), -5 ) );
   OK( AdsSetLogical( table, T( "ACTIVE" ), 1 ) );
   OK( AdsGetLogical( table, T( "ACTIVE" ), &flag ) );
   SAME( 1, flag );
   OK( AdsSetMilliseconds( table, T( "AT" ), 45296000 ) );
   OK( AdsSetJulian( table, T( "AT" ), 2461367 ) );
   OK( AdsGetMilliseconds( table, T( "AT" ), &whole ) );
   SAME( 45296000, whole );
   OK( AdsSetTime( table, T( "AT" ), T( "01:00:00 AM" ), 11 ) );
   {
      UNSIGNED64 moment = ( UNSIGNED64 ) 3661000 << 32 | 2461367;
      SIGNED32 day = 0, ms = 0;
      OK( AdsSetTimeStampRaw( table, T( "AT" ), &moment, 8 ) );
      OK( AdsGetJulian( table, T( "AT" ), &day ) );
      SAME( 2461367, day );
      OK( AdsGetMilliseconds( table, T( "AT" ), &ms ) );
      SAME( 3661000, ms );
      ANSWERS( AE_INVALID_VALUE, AdsSetTimeStampRaw( table, T( "AT" ), &moment, 4 ) );
      moment = 5;
      ANSWERS( AE_INVALID_DATE, AdsSetTimeStampRaw( table, T( "AT" ), &moment, 8 ) );
      ANSWERS( AE_INVALID_POINTER, AdsSetTimeStampRaw( table, T( "AT" ), NULL, 8 ) );
   }
   OK( AdsSetTimeStamp( table, T( "AT" ), T( "11/22/2026 02:00:00 PM" ), 22 ) );
   OK( AdsGetMilliseconds( table, T( "AT" ), &whole ) );
   SAME( 14 * 3600 * 1000, whole );
   ANSWERS( AE_INVALID_VALUE, AdsSetMilliseconds( table, T( "AT" ), -1 ) );
   OK( AdsSetEmpty( table, T( "AT" ) ) );
   OK( AdsIsEmpty( table, T( "AT" ), &flag ) );
   SAME( 1, flag );
   ANSWERS( AE_NOT_VFP_NULLABLE_FIELD, AdsSetNull( table, T( "NAME" ) ) );
   ANSWERS( AE_INVALID_FIELDNAME, AdsSetLogical( table, T( "NOTHING" ), 1 ) );
   ANSWERS( AE_INVALID_POINTER, AdsSetString( table, T( "NAME" ), NULL, 4 ) );
   OK( AdsWriteRecord( table ) );
}

static void memos( ADSHANDLE table )
{
   UNSIGNED8 text[ 300 ], path[ 512 ];
   UNSIGNED32 length;
   WCHAR wide[ 512 ];
   FILE * file;
   size_t at;

   OK( AdsSetString( table, T( "NOTE" ), T( "a short note" ), 12 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsSetBinary( table, T( "NOTE" ), ADS_BINARY, 8, 0, T( "abcd" ), 4 ) );
   OK( AdsSetBinary( table, T( "NOTE" ), ADS_BINARY, 8, 4, T( "efgh" ), 4 ) );
   ANSWERS( AE_INVALID_BINARY_OFFSET, AdsSetBinary( table, T( "NOTE" ), ADS_BINARY, 8, 6, T( "xxxx" ), 4 ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetBinary( table, T( "NAME" ), ADS_BINARY, 4, 0, T( "abcd" ), 4 ) );
   length = sizeof( text );
   OK( AdsGetString( table, T( "NOTE" ), text, &length, ADS_NONE ) );
   TEXT( "abcdefgh", text );
   snprintf( ( char * ) path, sizeof( path ), "%s/note.txt", folder );
   file = fopen( ( char * ) path, "w" );
   fputs( "from a file", file );
   fclose( file );
   OK( AdsFileToBinary( table, T( "NOTE" ), ADS_BINARY, path ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsGetMemoLength( table, T( "NOTE" ), &length ) );
   SAME( 11, length );
   for( at = 0; at <= strlen( ( char * ) path ); ++at )
      wide[ at ] = path[ at ];
   OK( AdsFileToBinaryW( table, T( "NOTE" ), ADS_BINARY, wide ) );
   ANSWERS( AE_FILE_NOT_FOUND, AdsFileToBinary( table, T( "NOTE" ), ADS_BINARY, T( "/no/such/file" ) ) );
   OK( AdsWriteAllRecords() );
   OK( AdsFlushFileBuffers( table ) );
}

static void whole_records( ADSHANDLE table )
{
   UNSIGNED8 record[ 256 ], text[ 32 ];
   UNSIGNED32 length = sizeof( record ), expected = 0;
   UNSIGNED16 flag = 9;
   SIGNED32 whole = 0;
   double real = 0;

   OK( AdsGetRecord( table, record, &length ) );
   OK( AdsGetRecordLength( table, &expected ) );
   SAME( expected, length );
   length = 3;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetRecord( table, record, &length ) );
   length = sizeof( record );
   OK( AdsGetRecord( table, record, &length ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetRecord( table, record, length ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsGetLong( table, T( "COUNT" ), &whole ) );
   SAME( -8, whole );
   OK( AdsGetDouble( table, T( "REAL" ), &real ) );
   SAME( 1.25, real );
   ANSWERS( AE_INVALID_RECORD_LENGTH, AdsSetRecord( table, record, 3 ) );
   /* What is not written can be taken back. */
   OK( AdsSetString( table, T( "NAME" ), T( "other" ), 5 ) );
   OK( AdsCancelUpdate( table ) );
   length = sizeof( text );
   OK( AdsGetString( table, T( "NAME" ), text, &length, ADS_TRIM ) );
   TEXT( "Jane", text );
   OK( AdsSetString( table, T( "NAME" ), T( "other" ), 5 ) );
   OK( AdsCancelUpdate90( table, 0 ) );
   OK( AdsDeleteRecord( table ) );
   OK( AdsIsRecordDeleted( table, &flag ) );
   SAME( 1, flag );
   OK( AdsRecallRecord( table ) );
   OK( AdsIsRecordDeleted( table, &flag ) );
   SAME( 0, flag );
   OK( AdsGotoEOF( table ) );
   ANSWERS( AE_NO_CURRENT_RECORD, AdsDeleteRecord( table ) );
   ANSWERS( AE_NO_CURRENT_RECORD, AdsSetString( table, T( "NAME" ), T( "x" ), 1 ) );
   ANSWERS( AE_NO_CURRENT_RECORD, AdsIsRecordDeleted( table, &flag ) );

   /* A length that nobody means is refused, and a word is no date, whichever call says it. */
   OK( AdsGotoTop( table ) );
   ANSWERS( AE_INVALID_VALUE, AdsSetString( table, T( "NAME" ), T( "abc" ), 0xFFFFFFFF ) );
   ANSWERS( AE_INVALID_VALUE, AdsSetField( table, T( "NAME" ), T( "abc" ), 0x80000000 ) );
   ANSWERS( AE_INVALID_VALUE, AdsSetTimeStamp( table, T( "AT" ), T( "2026-01-01" ), 0xFFFFFFFF ) );
   ANSWERS( AE_INVALID_DATE, AdsSetString( table, T( "BORN" ), T( "garbage" ), 7 ) );
   ANSWERS( AE_INVALID_DATE, AdsSetDate( table, T( "BORN" ), T( "garbage" ), 7 ) );
   OK( AdsSetDate( table, T( "BORN" ), T( "  /  /  " ), 8 ) );
   OK( AdsCancelUpdate( table ) );
}

static int told = 0, told_last = 0;

static UNSIGNED32 tell( UNSIGNED16 percent, UNSIGNED32 id )
{
   ++told;
   told_last = percent;
   return id == 7 && percent <= 100 ? 0 : 1;
}

static ADSHANDLE told_of;

/* The table that is worked on is not for the function that is told of it; others are. */
static UNSIGNED32 meddle( UNSIGNED16 percent, UNSIGNED32 id )
{
   UNSIGNED16 count;
   ( void ) percent;
   ( void ) id;
   ANSWERS( AE_ILLEGAL_USER_OPERATION, AdsGetNumFields( told_of, &count ) );
   OK( AdsGetNumOpenTables( &count ) );
   ++told;
   return 0;
}

static UNSIGNED32 stop( UNSIGNED16 percent, UNSIGNED32 id )
{
   ( void ) percent;
   ( void ) id;
   return 1;
}

static void whole_tables( ADSHANDLE table, int is_far )
{
   ADSHANDLE index = 0, copy = 0, found = 0, second = 0;
   UNSIGNED32 number = 0;
   UNSIGNED16 count = 0, flag = 0;
   int record;
   double key = 500;
   UNSIGNED8 name[ 16 ];

   for( record = 3; record <= 1000; ++record )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetDouble( table, T( "ID" ), record ) );
      sprintf( ( char * ) name, "name %d", record % 10 );
      OK( AdsSetString( table, T( "NAME" ), name, ( UNSIGNED32 ) strlen( ( char * ) name ) ) );
      if( record % 4 == 0 )
         OK( AdsDeleteRecord( table ) );
   }
   OK( AdsRegisterCallbackFunction( tell, 7 ) );
   OK( AdsCreateIndex61( table, NULL, T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   TRUE_THAT( told > 0 );
   OK( AdsClearCallbackFunction() );
   OK( AdsCreateIndex( table, NULL, T( "NAME" ), T( "Upper(NAME)" ), T( "ID > 10" ), NULL, ADS_COMPOUND | ADS_DESCENDING, &found ) );
   OK( AdsCreateIndex90( table, T( "other.cdx" ), T( "OTHER" ), T( "ID" ), NULL, NULL, ADS_CUSTOM, 512, NULL, &second ) );
   ANSWERS( AE_COLLATION_NOT_RECOGNIZED,
            AdsCreateIndex90( table, NULL, T( "X" ), T( "ID" ), NULL, NULL, 0, 512, T( "klingon" ), &second ) );
   ANSWERS( AE_INVALID_EXPRESSION, AdsCreateIndex( table, NULL, T( "X" ), T( "NoSuch(ID)" ), NULL, NULL, ADS_COMPOUND, &copy ) );
   ANSWERS( AE_NOT_IMPLEMENTED, AdsCreateIndex( table, NULL, T( "X" ), T( "ID" ), NULL, NULL, ADS_FTS_INDEX, &copy ) );
   OK( AdsSeek( index, ( UNSIGNED8 * ) &key, 8, ADS_DOUBLEKEY, ADS_HARDSEEK, &flag ) );
   SAME( 1, flag );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 500, number );
   /* A key follows its record. */
   OK( AdsSetDouble( table, T( "ID" ), 5000 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsSeek( index, ( UNSIGNED8 * ) &key, 8, ADS_DOUBLEKEY, ADS_HARDSEEK, &flag ) );
   SAME( 0, flag );
   OK( AdsGetKeyCount( index, ADS_IGNOREFILTERS, &number ) );
   SAME( 1000, number );
   /* A custom order has the keys that it is given. */
   OK( AdsGetKeyCount( second, ADS_IGNOREFILTERS, &number ) );
   SAME( 0, number );
   OK( AdsGotoRecord( table, 7 ) );
   OK( AdsAddCustomKey( second ) );
   OK( AdsGetKeyCount( second, ADS_IGNOREFILTERS, &number ) );
   SAME( 1, number );
   OK( AdsDeleteCustomKey( second ) );
   ANSWERS( AE_INVALID_INDEX_TYPE, AdsAddCustomKey( index ) );
   OK( AdsGetNumIndexes( table, &count ) );
   SAME( 3, count );
   OK( AdsDeleteIndex( found ) );
   OK( AdsGetNumIndexes( table, &count ) );
   SAME( 2, count );
   ANSWERS( AE_INVALID_INDEX_HANDLE, AdsDeleteIndex( found ) );

   OK( AdsSetFilter( table, T( "ID < 100" ) ) );
   OK( AdsCopyTable( table, ADS_RESPECTFILTERS, T( "copied.dbf" ) ) );
   OK( AdsCopyTable( table, ADS_IGNOREFILTERS, T( "whole.dbf" ) ) );
   OK( AdsConvertTable( table, ADS_RESPECTFILTERS, T( "converted.dbf" ), ADS_VFP ) );
   OK( AdsConvertTable( table, ADS_RESPECTFILTERS, T( "converted.adt" ), ADS_ADT ) );
   ANSWERS( AE_INVALID_FILTER_OPTION, AdsCopyTable( table, 9, T( "copied.dbf" ) ) );
   OK( AdsCopyTableStructure( table, T( "structure.dbf" ) ) );
   OK( AdsCopyTableStructure81( table, T( "structure.dbf" ), 0 ) );
   OK( AdsOpenTable( connection, T( "copied" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &copy ) );
   OK( AdsGetRecordCount( copy, ADS_IGNOREFILTERS, &number ) );
   SAME( 99, number );
   OK( AdsCopyTableContents( table, copy, ADS_RESPECTFILTERS ) );
   OK( AdsGetRecordCount( copy, ADS_IGNOREFILTERS, &number ) );
   SAME( 198, number );
   ANSWERS( AE_SAME_TABLE, AdsCopyTableContents( copy, copy, ADS_RESPECTFILTERS ) );
   OK( AdsCloseTable( copy ) );
   OK( AdsClearFilter( table ) );

   OK( AdsRecallAllRecords( table ) );
   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsDeleteRecord( table ) );
   /* How far it is, is told from the first record to the last key; until the new table is there the program may stop it. */
   OK( AdsRegisterCallbackFunction( stop, 7 ) );
   ANSWERS( AE_OPERATION_ABORTED, AdsPackTable( table ) );
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 1000, number );
   told = 0;
   OK( AdsRegisterCallbackFunction( tell, 7 ) );
   OK( AdsPackTable( table ) );
   SAME( 100, told_last );
   /* A server tells it now and then. */
   TRUE_THAT( told > ( is_far ? 0 : 50 ) );
   OK( AdsClearCallbackFunction() );
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 999, number );
   OK( AdsReindex( table ) );
   OK( AdsReindex61( table, 512 ) );
   OK( AdsRegisterCallbackFunction( tell, 7 ) );
   OK( AdsReindex( table ) );
   SAME( 100, told_last );
   told_of = table;
   told = 0;
   OK( AdsRegisterCallbackFunction( meddle, 7 ) );
   OK( AdsReindex( table ) );
   TRUE_THAT( told > 0 );
   OK( AdsRegisterCallbackFunction( stop, 7 ) );
   ANSWERS( AE_OPERATION_ABORTED, AdsReindex( table ) );
   OK( AdsClearCallbackFunction() );
   OK( AdsReindex( table ) );
   OK( AdsGetKeyCount( index, ADS_IGNOREFILTERS, &number ) );
   SAME( 999, number );
   OK( AdsZapTable( table ) );
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 0, number );
}

static void other_structure( void )
{
   ADSHANDLE table = 0;
   UNSIGNED16 count = 0, kind = 0;
   UNSIGNED32 length = 0;
   UNSIGNED8 text[ 32 ];

   OK( AdsRestructureTable( connection, T( "copied" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                            T( "EXTRA,Character,5" ), T( "REAL;AT" ), T( "NAME,LABEL,Character,30" ) ) );
   ANSWERS( AE_INVALID_FIELDNAME,
            AdsRestructureTable90( connection, T( "copied" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                                   NULL, T( "NOTHING" ), NULL, NULL ) );
   OK( AdsOpenTable( connection, T( "copied" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGetNumFields( table, &count ) );
   SAME( 7, count );
   OK( AdsGetFieldLength( table, T( "LABEL" ), &length ) );
   SAME( 30, length );
   OK( AdsGetFieldType( table, T( "EXTRA" ), &kind ) );
   SAME( ADS_STRING, kind );
   OK( AdsGotoRecord( table, 3 ) );
   length = sizeof( text );
   OK( AdsGetString( table, T( "LABEL" ), text, &length, ADS_TRIM ) );
   TEXT( "name 3", text );
   ANSWERS( AE_TABLE_READONLY, AdsAppendRecord( table ) );
   ANSWERS( AE_TABLE_READONLY, AdsSetString( table, T( "LABEL" ), T( "x" ), 1 ) );
   ANSWERS( AE_TABLE_READONLY, AdsPackTable( table ) );
   OK( AdsCloseTable( table ) );
}

static void counters( void )
{
   ADSHANDLE table = 0;
   UNSIGNED32 last = 0;

   OK( AdsCreateTable( connection, T( "counted" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "NUMBER,Autoinc;NAME,Character,10" ), &table ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsGetLastAutoinc( table, &last ) );
   SAME( 2, last );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetLong( table, T( "NUMBER" ), 7 ) );
   /* A program that copies records gives the numbers itself. */
   OK( AdsDisableAutoIncEnforcement( connection ) );
   OK( AdsSetLong( table, T( "NUMBER" ), 7 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsEnableAutoIncEnforcement( connection ) );
   OK( AdsGetLastAutoinc( table, &last ) );
   SAME( 7, last );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetLong( table, T( "NUMBER" ), 8 ) );

   /* The flag, the counter and the first three bytes of the name: the name is not whole, and stays. */
   {
      UNSIGNED8 bytes[] = "*\0\0\0\0xyz";
      UNSIGNED16 deleted = 0;
      OK( AdsSetString( table, T( "NAME" ), T( "stays" ), 5 ) );
      OK( AdsSetRecordPartial( table, bytes, 8 ) );
      OK( AdsIsRecordDeleted( table, &deleted ) );
      SAME( 1, deleted );
      last = sizeof( bytes );
      OK( AdsGetField( table, T( "NAME" ), bytes, &last, ADS_TRIM ) );
      TEXT( "stays", bytes );
      ANSWERS( AE_INVALID_RECORD_LENGTH, AdsSetRecordPartial( table, bytes, 999 ) );
   }
   OK( AdsCloseTable( table ) );
}

/* A record that was appended and is given up stays: blank, and marked as deleted. */
static void given_up( void )
{
   UNSIGNED32 options[] = { ADS_SHARED, ADS_EXCLUSIVE };
   ADSHANDLE table = 0, index = 0;
   UNSIGNED8 text[ 32 ];
   UNSIGNED32 length, number = 0;
   UNSIGNED16 deleted, count = 9;
   int way;

   table = new_table( connection, "given_up", ADS_CDX, "ID,Numeric,8;NAME,Character,10" );
   OK( AdsCreateIndex61( table, NULL, T( "NAME" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 512, &index ) );
   OK( AdsCloseTable( table ) );
   for( way = 0; way < 2; ++way )
   {
      OK( AdsOpenTable( connection, T( "given_up" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, options[ way ],
                        &table ) );
      OK( AdsAppendRecord( table ) );
      OK( AdsSetString( table, T( "NAME" ), T( "changed" ), 7 ) );
      OK( AdsCancelUpdate( table ) );
      OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
      SAME( 3 * way + 1, number );
      OK( AdsIsRecordDeleted( table, &deleted ) );
      SAME( 1, deleted );
      length = sizeof( text );
      OK( AdsGetString( table, T( "NAME" ), text, &length, ADS_TRIM ) );
      TEXT( "", text );
      /* One that nothing was put into, too. */
      OK( AdsAppendRecord( table ) );
      OK( AdsCancelUpdate( table ) );
      OK( AdsGotoRecord( table, 3 * way + 2 ) );
      OK( AdsIsRecordDeleted( table, &deleted ) );
      SAME( 1, deleted );
      /* One that was written is one like all others. */
      OK( AdsAppendRecord( table ) );
      OK( AdsSetString( table, T( "NAME" ), T( "kept" ), 4 ) );
      OK( AdsWriteRecord( table ) );
      OK( AdsSetString( table, T( "NAME" ), T( "changed" ), 7 ) );
      OK( AdsCancelUpdate( table ) );
      OK( AdsIsRecordDeleted( table, &deleted ) );
      SAME( 0, deleted );
      length = sizeof( text );
      OK( AdsGetString( table, T( "NAME" ), text, &length, ADS_TRIM ) );
      TEXT( "kept", text );
      OK( AdsGetNumLocks( table, &count ) );
      SAME( 0, count );
      OK( AdsGetIndexHandle( table, T( "NAME" ), &index ) );
      OK( AdsGetKeyCount( index, ADS_IGNOREFILTERS, &number ) );
      SAME( 3 * way + 3, number );
      OK( AdsCloseTable( table ) );
   }
}

/* Visual FoxPro: a long value that is taken away, and a field that counts. */
static void of_foxpro( void )
{
   ADSHANDLE table = new_table( connection, "of_foxpro", ADS_VFP, "NOTE,Memo,NULL;NAME,Character,5,NULL;NUMBER,AutoInc" );
   UNSIGNED8 text[ 32 ];
   UNSIGNED32 length, last = 0;
   UNSIGNED16 is_null = 9, type = 0;

   OK( AdsGetFieldType( table, T( "NUMBER" ), &type ) );
   SAME( ADS_AUTOINC, type );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetString( table, T( "NOTE" ), T( "text" ), 4 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsIsNull( table, T( "NOTE" ), &is_null ) );
   SAME( 0, is_null );
   OK( AdsGetLastAutoinc( table, &last ) );
   SAME( 1, last );
   ANSWERS( AE_INVALID_FIELD_TYPE, AdsSetLong( table, T( "NUMBER" ), 7 ) );
   OK( AdsSetNull( table, T( "NOTE" ) ) );
   OK( AdsIsNull( table, T( "NOTE" ), &is_null ) );
   SAME( 1, is_null );
   OK( AdsWriteRecord( table ) );
   OK( AdsGotoTop( table ) );
   OK( AdsIsNull( table, T( "NOTE" ), &is_null ) );
   SAME( 1, is_null );
   OK( AdsSetString( table, T( "NOTE" ), T( "again" ), 5 ) );
   OK( AdsSetNull( table, T( "NOTE" ) ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsIsNull( table, T( "NOTE" ), &is_null ) );
   SAME( 1, is_null );
   OK( AdsSetString( table, T( "NOTE" ), T( "once more" ), 9 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsIsNull( table, T( "NOTE" ), &is_null ) );
   SAME( 0, is_null );
   length = sizeof( text );
   OK( AdsGetString( table, T( "NOTE" ), text, &length, ADS_NONE ) );
   TEXT( "once more", text );
   OK( AdsCloseTable( table ) );
}

/* Texts of varying length in tables that are not FoxPro's: in the record as far as there is room. */
static void varying( void )
{
   static const char * texts[] = { "abc", "", "abcdefghijk, and a rest that is in the memo file" };
   UNSIGNED16 types[] = { ADS_CDX, ADS_NTX };
   ADSHANDLE table = 0;
   UNSIGNED8 text[ 64 ];
   UNSIGNED32 length;
   UNSIGNED16 type = 0;
   int way, which;

   for( way = 0; way < 2; ++way )
   {
      table = new_table( connection, way ? "varying_ntx" : "varying_cdx", types[ way ], "VC,VarChar,10;ID,Numeric,5" );
      OK( AdsGetFieldType( table, T( "VC" ), &type ) );
      SAME( ADS_VARCHAR, type );
      for( which = 0; which < 3; ++which )
      {
         OK( AdsAppendRecord( table ) );
         OK( AdsSetString( table, T( "VC" ), T( texts[ which ] ), ( UNSIGNED32 ) strlen( texts[ which ] ) ) );
         length = sizeof( text );
         OK( AdsGetString( table, T( "VC" ), text, &length, ADS_NONE ) );
         TEXT( texts[ which ], text );
         OK( AdsWriteRecord( table ) );
      }
      for( which = 0; which < 3; ++which )
      {
         OK( AdsGotoRecord( table, ( UNSIGNED32 ) which + 1 ) );
         length = sizeof( text );
         OK( AdsGetString( table, T( "VC" ), text, &length, ADS_NONE ) );
         TEXT( texts[ which ], text );
      }
      OK( AdsCloseTable( table ) );
   }
}

int main( int count, char ** arguments )
{
   ADSHANDLE table;

   if( count < 2 )
      return 2;
   folder = HERE;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   table = make( "written", ADS_CDX );
   fields( table );
   memos( table );
   whole_records( table );
   whole_tables( table, IS_FAR );
   OK( AdsCloseTable( table ) );
   table = make( "written_vfp", ADS_VFP );
   fields( table );
   memos( table );
   whole_records( table );
   OK( AdsCloseTable( table ) );
   other_structure();
   counters();
   given_up();
   of_foxpro();
   varying();
   OK( AdsDisconnect( connection ) );
   END();
}
