/* Filters, optimized filters, and searching record by record. */
#include "check.h"

static ADSHANDLE table;

static int walk( ADSHANDLE object )
{
   UNSIGNED16 eof = 0;
   int records = 0;

   OK( AdsGotoTop( object ) );
   for( ;; )
   {
      OK( AdsAtEOF( table, &eof ) );
      if( eof || records > 2000 )
         return records;
      ++records;
      OK( AdsSkip( object, 1 ) );
   }
}

/* A table of its own, to be changed: who has it alone makes its files anew, and what it shows stays. */
static void kept( ADSHANDLE connection )
{
   UNSIGNED32 records[] = { 1, 10 };
   UNSIGNED8 text[ 64 ];
   UNSIGNED16 length, flag = 9;
   int record;

   table = new_table( connection, "kept", ADS_CDX, "ID,Numeric,8;ODD,Logical" );
   for( record = 1; record <= 10; ++record )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetLong( table, T( "ID" ), record ) );
      OK( AdsSetLogical( table, T( "ODD" ), ( UNSIGNED16 ) ( record % 2 ) ) );
   }
   /* Records that are not in the file yet are asked about as well, the one at hand among them. */
   OK( AdsSetAOF( table, T( "ODD" ), ADS_RESOLVE_DYNAMIC ) );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetLong( table, T( "ID" ), 11 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsCustomizeAOF( table, 2, records, ADS_AOF_TOGGLE_RECORD ) );
   OK( AdsIsRecordInAOF( table, 1, &flag ) );
   SAME( 0, flag );
   OK( AdsIsRecordInAOF( table, 11, &flag ) );
   SAME( 0, flag );
   OK( AdsAppendRecord( table ) );
   OK( AdsSetLogical( table, T( "ODD" ), 1 ) );
   OK( AdsIsRecordInAOF( table, 12, &flag ) );
   SAME( 0, flag );
   OK( AdsWriteRecord( table ) );
   OK( AdsIsRecordInAOF( table, 12, &flag ) );
   SAME( 1, flag );
   OK( AdsSetFilter( table, T( "ID < 11" ) ) );
   OK( AdsDeleteRecord( table ) );
   SAME( 6, walk( table ) );
   OK( AdsReindex( table ) );
   SAME( 6, walk( table ) );
   OK( AdsIsRecordInAOF( table, 10, &flag ) );
   SAME( 1, flag );
   /* Records get other numbers: what was said about single ones is forgotten. */
   OK( AdsPackTable( table ) );
   SAME( 5, walk( table ) );
   length = sizeof( text );
   OK( AdsGetFilter( table, text, &length ) );
   TEXT( "ID < 11", text );
   length = sizeof( text );
   OK( AdsGetAOF( table, text, &length ) );
   TEXT( "ODD", text );
   OK( AdsClearFilter( table ) );
   ANSWERS( AE_NO_FILTER, AdsGetFilter( table, text, &length ) );
   length = sizeof( text );
   OK( AdsGetAOF( table, text, &length ) );
   SAME( 5, walk( table ) );
   OK( AdsSetFilter( table, T( "ID > 3" ) ) );
   OK( AdsZapTable( table ) );
   SAME( 0, walk( table ) );
   for( record = 1; record <= 4; ++record )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetLong( table, T( "ID" ), record ) );
      OK( AdsSetLogical( table, T( "ODD" ), 1 ) );
   }
   SAME( 1, walk( table ) );
   OK( AdsClearAOF( table ) );
   length = sizeof( text );
   OK( AdsGetFilter( table, text, &length ) );
   OK( AdsCloseTable( table ) );
}

/* Conditions read memos, of the record at hand those that are not written yet. */
static void memos( ADSHANDLE connection )
{
   static const char * notes[] = { "apple pie", "", "  ", "pear", "apple" };
   static const struct { const char * condition; int records; } cases[] =
   {
      { "EMPTY(NOTES)", 2 },
      { ".NOT. EMPTY( notes )", 3 },
      { "'apple' $ NOTES", 2 },
      { "LEN(NOTES) = 4 .OR. ID = 1", 2 },
      { "NOTES = 'apple'", 2 },
      { "NOTES == 'apple'", 1 },
      { "UPPER(NOTES) > 'B'", 1 },
      { "'PIE' $ UPPER(NOTES) .AND. ID < 3", 1 },
      { "REVERSE(ALLTRIM(NOTES)) = 'raep'", 1 },
      { "CONTAINS(NOTES, 'apple') .AND. LEN(NOTES) > 5", 1 },
      { "WEEK(D) = 7 .AND. STOTS('20240211 10:00:00') < STOTS('20240211 10:00:01')", 3 },
      { "BIN2I(I2BIN(ID)) = 3 .OR. L2BIN(ID) = CHR(4)", 2 },
      { "ISNULL(ID)", 0 }
   };
   UNSIGNED8 text[ 64 ];
   UNSIGNED16 at, flag, found, length;
   UNSIGNED32 number;

   table = new_table( connection, "noted", ADS_CDX, "ID,Numeric,8;NOTES,Memo,10;D,Date" );
   for( at = 0; at < 5; ++at )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetLong( table, T( "ID" ), at + 1 ) );
      OK( AdsSetString( table, T( "NOTES" ), T( notes[ at ] ), strlen( notes[ at ] ) ) );
      OK( AdsSetString( table, T( "D" ), T( at < 3 ? "20240211" : "20240101" ), 8 ) );
   }
   OK( AdsWriteRecord( table ) );
   for( at = 0; at < sizeof( cases ) / sizeof( cases[ 0 ] ); ++at )
   {
      OK( AdsSetFilter( table, T( cases[ at ].condition ) ) );
      SAME( cases[ at ].records, walk( table ) );
      OK( AdsClearFilter( table ) );
      OK( AdsSetAOF( table, T( cases[ at ].condition ), ADS_RESOLVE_DYNAMIC ) );
      SAME( cases[ at ].records, walk( table ) );
      OK( AdsClearAOF( table ) );
   }
   OK( AdsLocate( table, T( "'pear' $ NOTES" ), 1, &found ) );
   SAME( 1, found );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 4, number );
   OK( AdsEvalLogicalExpr( table, T( "LEN(NOTES) = 4" ), &flag ) );
   SAME( 1, flag );
   OK( AdsSetString( table, T( "NOTES" ), T( "cherry" ), 6 ) );
   OK( AdsEvalLogicalExpr( table, T( "NOTES = 'cherry' .AND. LEN(NOTES) = 6" ), &flag ) );
   SAME( 1, flag );
   length = sizeof( text );
   OK( AdsEvalStringExpr( table, T( "UPPER(NOTES) + '!'" ), text, &length ) );
   TEXT( "CHERRY!", text );
   OK( AdsWriteRecord( table ) );
   OK( AdsSetFilter( table, T( "'cherry' $ NOTES" ) ) );
   SAME( 1, walk( table ) );
   /* A packed table has another memo file. */
   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsDeleteRecord( table ) );
   OK( AdsPackTable( table ) );
   SAME( 1, walk( table ) );
   OK( AdsClearFilter( table ) );
   ANSWERS( AE_INVALID_EXPRESSION, AdsSetFilter( table, T( "NOTES > 5" ) ) );
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, index = 0;
   UNSIGNED8 text[ 256 ];
   WCHAR wide[] = { 'B', 'A', 'L', '>', '0', 0 };
   UNSIGNED16 length = sizeof( text ), level = 0, flag = 9, found = 9;
   UNSIGNED32 long_length = sizeof( text ), records[ 2 ] = { 1, 2 }, number = 0;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGetIndexHandle( table, T( "NAME" ), &index ) );

   ANSWERS( AE_NO_FILTER, AdsGetFilter( table, text, &length ) );
   OK( AdsSetFilter( table, T( "BAL > 0 .AND. ACTIVE" ) ) );
   OK( AdsGetFilter( table, text, &length ) );
   TEXT( "BAL > 0 .AND. ACTIVE", text );
   length = 4;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetFilter( table, text, &length ) );
   SAME( 21, length );
   SAME( 331, walk( table ) );
   SAME( 331, walk( index ) );
   OK( AdsSetFilter100( table, wide, ADS_ENCODE_UTF16 ) );
   TRUE_THAT( walk( table ) > 331 );
   ANSWERS( AE_INVALID_EXPRESSION, AdsSetFilter( table, T( "NOTHING(BAL" ) ) );
   OK( AdsClearFilter( table ) );
   SAME( 1000, walk( table ) );

   length = sizeof( text );
   ANSWERS( AE_NO_FILTER, AdsGetAOF( table, text, &length ) );
   ANSWERS( AE_NO_FILTER, AdsGetAOFOptLevel( table, &level, NULL, NULL ) );
   OK( AdsEvalAOF( table, T( "ID = 7919" ), &level ) );
   SAME( ADS_OPTIMIZED_FULL, level );
   OK( AdsEvalAOF100( table, T( "ID = 7919" ), 0, &level ) );
   SAME( ADS_OPTIMIZED_FULL, level );
   OK( AdsEvalAOF( table, T( "Right(NAME, 1) = '0'" ), &level ) );
   SAME( ADS_OPTIMIZED_NONE, level );
   /* What no index answers, of conditions that are joined with AND. */
   OK( AdsSetAOF( table, T( "ID > 100 .AND. Right(NAME, 1) = '0' .AND. ( ID < 5000 .OR. ACTIVE ) .and. 'a' $ NAME" ), ADS_RESOLVE_DYNAMIC ) );
   length = sizeof( text );
   OK( AdsGetAOFOptLevel( table, &level, text, &length ) );
   SAME( ADS_OPTIMIZED_PART, level );
   TEXT( "Right(NAME, 1) = '0' .AND. 'a' $ NAME", text );
   long_length = sizeof( text );
   OK( AdsGetAOFOptLevel100( table, &level, text, &long_length, 0 ) );
   TEXT( "Right(NAME, 1) = '0' .AND. 'a' $ NAME", text );
   OK( AdsSetAOF( table, T( "ID > 100 .AND. ( ID < 5000 .OR. Right(NAME, 1) = '0' )" ), ADS_RESOLVE_DYNAMIC ) );
   length = sizeof( text );
   OK( AdsGetAOFOptLevel( table, &level, text, &length ) );
   SAME( ADS_OPTIMIZED_PART, level );
   TEXT( "( ID < 5000 .OR. Right(NAME, 1) = '0' )", text );
   length = sizeof( text );
   OK( AdsSetAOF( table, T( "BAL > 0 .AND. ACTIVE" ), ADS_RESOLVE_DYNAMIC ) );
   OK( AdsGetAOF( table, text, &length ) );
   TEXT( "BAL > 0 .AND. ACTIVE", text );
   OK( AdsGetAOF100( table, 0, text, &long_length ) );
   length = sizeof( text );
   OK( AdsGetAOFOptLevel( table, &level, text, &length ) );
   SAME( ADS_OPTIMIZED_FULL, level );
   SAME( 0, length );
   long_length = sizeof( text );
   OK( AdsGetAOFOptLevel100( table, &level, text, &long_length, 0 ) );
   SAME( 331, walk( table ) );
   SAME( 331, walk( index ) );
   OK( AdsIsRecordInAOF( table, 3, &flag ) );
   SAME( 0, flag );
   OK( AdsCustomizeAOF( table, 2, records, ADS_AOF_ADD_RECORD ) );
   OK( AdsIsRecordInAOF( table, 1, &flag ) );
   SAME( 1, flag );
   OK( AdsCustomizeAOF( table, 2, records, ADS_AOF_REMOVE_RECORD ) );
   OK( AdsIsRecordInAOF( table, 1, &flag ) );
   SAME( 0, flag );
   OK( AdsCustomizeAOF( table, 1, records, ADS_AOF_TOGGLE_RECORD ) );
   OK( AdsIsRecordInAOF( table, 1, &flag ) );
   SAME( 1, flag );
   ANSWERS( AE_INVALID_OPTION, AdsCustomizeAOF( table, 1, records, 9 ) );
   ANSWERS( AE_INVALID_POINTER, AdsCustomizeAOF( table, 1, NULL, ADS_AOF_ADD_RECORD ) );
   OK( AdsRefreshAOF( table ) );
   OK( AdsClearAOF( table ) );
   OK( AdsSetAOF100( table, T( "BAL > 0" ), 0 ) );
   OK( AdsClearAOF( table ) );
   SAME( 1000, walk( table ) );
   ANSWERS( AE_NO_FILTER, AdsCustomizeAOF( table, 1, records, ADS_AOF_ADD_RECORD ) );

   /* What day it is, and days as the program writes them: the filter is given back as it was written. */
   OK( AdsSetDateFormat( T( "DD.MM.CCYY" ) ) );
   OK( AdsSetAOF( table, T( "BORN = CTOD('07.02.1950')" ), ADS_RESOLVE_DYNAMIC ) );
   SAME( 1, walk( table ) );
   length = sizeof( text );
   OK( AdsGetAOF( table, text, &length ) );
   TEXT( "BORN = CTOD('07.02.1950')", text );
   OK( AdsClearAOF( table ) );
   OK( AdsSetFilter( table, T( "DTOC(BORN) = '07.02.'" ) ) );
   SAME( 3, walk( table ) );
   OK( AdsSetFilter( table, T( "BORN < DATE() - 365" ) ) );
   number = walk( table );
   TRUE_THAT( number > 500 );
   OK( AdsSetFilter( table, T( "BORN >= DATE() - 365" ) ) );
   SAME( 1000, number + walk( table ) );
   length = sizeof( text );
   OK( AdsGetFilter( table, text, &length ) );
   TEXT( "BORN >= DATE() - 365", text );
   OK( AdsSetFilter( table, T( "WTS <= CTOT('03.01.2026 00:28:48') .AND. WTS < NOW()" ) ) );
   SAME( 2, walk( table ) );
   OK( AdsSetFilter( table, T( "DTOC(BORN) = DTOC(CTOD('07.02.1950'))" ) ) );
   SAME( 1, walk( table ) );
   OK( AdsClearFilter( table ) );
   OK( AdsEvalLogicalExpr( table, T( "TODAY() = DATE() .AND. TIME() > '  '" ), &flag ) );
   SAME( 1, flag );
   OK( AdsSetDateFormat( T( "MM/DD/CCYY" ) ) );

   OK( AdsLocate( table, T( "CITY = 'Lima'" ), 1, &found ) );
   SAME( 1, found );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   SAME( 2, number );
   OK( AdsContinue( table, &found ) );
   SAME( 1, found );
   OK( AdsGetRecordNum( table, ADS_IGNOREFILTERS, &number ) );
   TRUE_THAT( number > 2 );
   OK( AdsLocate( table, T( "CITY = 'Nowhere'" ), 1, &found ) );
   SAME( 0, found );
   OK( AdsCloseTable( table ) );
   kept( connection );
   memos( connection );
   OK( AdsDisconnect( connection ) );
   END();
}
