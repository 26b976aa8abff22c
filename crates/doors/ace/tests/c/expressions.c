/* Expressions over a table's fields, and conversions. */
#include "check.h"

int main( int count, char ** arguments )
{
   ADSHANDLE connection = 0, table = 0;
   UNSIGNED16 flag = 9, length, kind = 0;
   UNSIGNED8 text[ 128 ];
   WCHAR wide[] = { 'B', 'A', 'L', '<', '0', 0 };
   double number = 0;
   UNSIGNED32 milliseconds = 0;
   SIGNED16 order = 9;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsOpenTable( connection, T( "t03_cdx_tags" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGotoRecord( table, 1 ) );
   OK( AdsEvalLogicalExpr( table, T( "BAL < 0 .AND. ACTIVE" ), &flag ) );
   SAME( 1, flag );
   OK( AdsEvalLogicalExprW( table, wide, &flag ) );
   SAME( 1, flag );
   ANSWERS( AE_INVALID_EXPRESSION, AdsEvalLogicalExpr( table, T( "BAL" ), &flag ) );
   ANSWERS( AE_INVALID_EXPRESSION, AdsEvalLogicalExpr( table, T( "BAL <" ), &flag ) );
   OK( AdsEvalNumericExpr( table, T( "ID * 2 + 1" ), &number ) );
   SAME( 15839, number );
   ANSWERS( AE_INVALID_EXPRESSION, AdsEvalNumericExpr( table, T( "NAME" ), &number ) );
   length = sizeof( text );
   OK( AdsEvalStringExpr( table, T( "Upper(Trim(NAME)) + '!'" ), text, &length ) );
   TEXT( "ADAM 31.00!", text );
   length = 4;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsEvalStringExpr( table, T( "NAME" ), text, &length ) );
   OK( AdsEvalTestExpr( table, T( "BORN + 1" ), &kind ) );
   SAME( ADS_DATE, kind );
   OK( AdsIsExprValid( table, T( "Left(NAME, 3)" ), &flag ) );
   SAME( 1, flag );
   OK( AdsIsExprValid( table, T( "NoSuchFunction(NAME)" ), &flag ) );
   SAME( 0, flag );
   OK( AdsIsIndexExprValid( table, T( "Upper(NAME)" ), &flag ) );
   SAME( 1, flag );

   length = sizeof( text );
   OK( AdsExpressionLongToShort( table, T( "Upper(NAME)" ), text, &length ) );
   TEXT( "Upper(NAME)", text );
   length = sizeof( text );
   OK( AdsExpressionShortToLong( table, T( "NAME" ), text, &length ) );
   TEXT( "NAME", text );
   ANSWERS( AE_INVALID_EXPRESSION, AdsExpressionLongToShort( table, T( "NOTHING +" ), text, &length ) );
   {
      UNSIGNED32 room = 3;
      ANSWERS( AE_INSUFFICIENT_BUFFER, AdsExpressionLongToShort90( table, T( "NAME" ), text, &room ) );
      SAME( 5, room );
      OK( AdsExpressionShortToLong90( table, T( "NAME" ), text, &room ) );
      TEXT( "NAME", text );
   }

   OK( AdsConvertDateToJulian( connection, T( "11/22/2026" ), 10, &number ) );
   SAME( 2461367, number );
   ANSWERS( AE_INVALID_DATE, AdsConvertDateToJulian( connection, T( "13/45/2026" ), 10, &number ) );
   length = sizeof( text );
   OK( AdsConvertJulianToString( 2461367, text, &length ) );
   TEXT( "20261122", text );
   OK( AdsConvertStringToJulian( T( "20261122" ), 8, &number ) );
   SAME( 2461367, number );
   ANSWERS( AE_INVALID_DATE, AdsConvertStringToJulian( T( "20261322" ), 8, &number ) );
   length = sizeof( text );
   OK( AdsConvertMillisecondsToString( 45296000, text, &length ) );
   TEXT( "12:34:56 PM", text );
   OK( AdsConvertStringToMilliseconds( T( "12:34:56 PM" ), 11, &milliseconds ) );
   SAME( 45296000, milliseconds );
   ANSWERS( AE_INVALID_VALUE, AdsConvertMillisecondsToString( 90000000, text, &length ) );
   OK( AdsDBFDateToString( T( "20261122" ), text ) );
   TEXT( "11/22/2026", text );
   OK( AdsMemCompare90( connection, T( "abc" ), 3, T( "abd" ), 3, ADS_ANSI, 0, &order ) );
   SAME( -1, order );
   OK( AdsMemICompare( connection, T( "ABC" ), 3, T( "abc" ), 3, ADS_ANSI, &order ) );
   SAME( 0, order );
   OK( AdsMemICompare90( connection, T( "ABD" ), 3, T( "abc" ), 3, ADS_ANSI, 0, &order ) );
   SAME( 1, order );
   length = sizeof( text );
   OK( AdsExtractPathPart( 5, T( "C:\\DATA\\FILE.DBF" ), text, &length ) );
   TEXT( "FILE", text );
   ANSWERS( AE_INVALID_OPTION, AdsExtractPathPart( 9, T( "x" ), text, &length ) );
   OK( AdsDisconnect( connection ) );
   END();
}
