/* What a dictionary says about records: values, conditions, and relations between tables. */
#include "check.h"

#include <sys/stat.h>

/* A text with its NUL, as properties are set. */
#define WITH_LENGTH( value ) ( void * ) ( value ), ( UNSIGNED16 ) ( strlen( value ) + 1 )
#define NOT_CHECKED ADS_NO_VALIDATE, NULL

static ADSHANDLE dictionary;
static UNSIGNED8 text[ 1024 ];
static UNSIGNED16 length;

static ADSHANDLE made( const char * name, const char * fields )
{
   ADSHANDLE table = 0;
   OK( AdsCreateTable( dictionary, T( name ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0, T( fields ),
                       &table ) );
   return table;
}

static void order( ADSHANDLE table, const char * tag, const char * key, UNSIGNED32 options )
{
   ADSHANDLE index = 0;
   OK( AdsCreateIndex( table, NULL, T( tag ), T( key ), NULL, NULL, options | ADS_COMPOUND, &index ) );
}

static ADSHANDLE opened( const char * name, UNSIGNED32 options )
{
   ADSHANDLE table = 0;
   OK( AdsOpenTable( dictionary, T( name ), NULL, ADS_DEFAULT, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, options, &table ) );
   return table;
}

/* Goes to the record with this key in the table's first order, and answers whether there is one. */
static int found( ADSHANDLE table, double key )
{
   ADSHANDLE index = 0;
   UNSIGNED16 is = 0;
   OK( AdsGetIndexHandleByOrder( table, 1, &index ) );
   OK( AdsSeek( index, ( UNSIGNED8 * ) &key, sizeof( key ), ADS_DOUBLEKEY, ADS_HARDSEEK, &is ) );
   return is;
}

/* How many records there are that are not deleted. */
static UNSIGNED32 count( ADSHANDLE table )
{
   UNSIGNED32 records = 0;
   UNSIGNED16 end = 0;
   OK( AdsGotoTop( table ) );
   OK( AdsAtEOF( table, &end ) );
   while( ! end && records < 999 )
   {
      ++records;
      OK( AdsSkip( table, 1 ) );
      OK( AdsAtEOF( table, &end ) );
   }
   return records;
}

static UNSIGNED32 customer( ADSHANDLE table, double id, const char * name )
{
   UNSIGNED32 answer;
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "ID" ), id ) );
   OK( AdsSetString( table, T( "NAME" ), T( name ), strlen( name ) ) );
   answer = AdsWriteRecord( table );
   if( answer != AE_SUCCESS )
      OK( AdsCancelUpdate( table ) );
   return answer;
}

static UNSIGNED32 sale( ADSHANDLE table, double number, double of )
{
   UNSIGNED32 answer;
   OK( AdsAppendRecord( table ) );
   OK( AdsSetDouble( table, T( "NUMBER" ), number ) );
   OK( AdsSetDouble( table, T( "OF" ), of ) );
   answer = AdsWriteRecord( table );
   if( answer != AE_SUCCESS )
      OK( AdsCancelUpdate( table ) );
   return answer;
}

static void field( const char * name, UNSIGNED16 property, const char * value )
{
   OK( AdsDDSetFieldProperty( dictionary, T( "people" ), T( name ), property, WITH_LENGTH( value ), NOT_CHECKED ) );
}

static void values( void )
{
   ADSHANDLE first = made( "first", "X,Numeric,3,0" );
   ADSHANDLE table = made( "people", "ID,Numeric,6,0;NAME,Character,12;AGE,Numeric,3,0;SINCE,Date;CITY,Character,10" );
   UNSIGNED16 off = 0;
   UNSIGNED32 code = 0;

   order( table, "ID", "ID", ADS_UNIQUE );
   order( table, "NAME", "NAME", 0 );
   ANSWERS( AE_INVALID_OBJECT_NAME,
            AdsDDSetFieldProperty( dictionary, T( "people" ), T( "NONE" ), ADS_DD_FIELD_CAN_NULL, &off, 2, NOT_CHECKED ) );
   ANSWERS( AE_INVALID_PROPERTY_ID,
            AdsDDSetFieldProperty( dictionary, T( "people" ), T( "NAME" ), 9999, &off, 2, NOT_CHECKED ) );
   ANSWERS( AE_INVALID_OPTION,
            AdsDDSetFieldProperty( dictionary, T( "people" ), T( "NAME" ), ADS_DD_FIELD_CAN_NULL, &off, 2, 77, NULL ) );
   ANSWERS( AE_INVALID_CONSTRAINT,
            AdsDDSetFieldProperty( dictionary, T( "people" ), T( "AGE" ), ADS_DD_FIELD_MIN_VALUE, WITH_LENGTH( "x +" ), NOT_CHECKED ) );
   OK( AdsDDSetFieldProperty( dictionary, T( "people" ), T( "NAME" ), ADS_DD_FIELD_CAN_NULL, &off, 2, NOT_CHECKED ) );
   field( "NAME", ADS_DD_FIELD_VALIDATION_MSG, "who is it?" );
   field( "AGE", ADS_DD_FIELD_MIN_VALUE, "18" );
   field( "AGE", ADS_DD_FIELD_MAX_VALUE, "67" );
   field( "AGE", ADS_DD_FIELD_DEFAULT_VALUE, "30" );
   field( "SINCE", ADS_DD_FIELD_MIN_VALUE, "20000101" );
   field( "CITY", ADS_DD_FIELD_DEFAULT_VALUE, "Ulm" );
   ANSWERS( AE_INVALID_CONSTRAINT, AdsDDSetTableProperty( dictionary, T( "people" ), ADS_DD_TABLE_VALIDATION_EXPR,
                                                        WITH_LENGTH( "AGE + 1" ), NOT_CHECKED ) );
   OK( AdsDDSetTableProperty( dictionary, T( "people" ), ADS_DD_TABLE_VALIDATION_EXPR, WITH_LENGTH( "NAME <> CITY" ), NOT_CHECKED ) );
   OK( AdsDDSetTableProperty( dictionary, T( "people" ), ADS_DD_TABLE_VALIDATION_MSG, WITH_LENGTH( "no towns" ), NOT_CHECKED ) );
   length = sizeof( text );
   OK( AdsDDGetTableProperty( dictionary, T( "people" ), ADS_DD_TABLE_VALIDATION_MSG, text, &length ) );
   TEXT( "no towns", text );

   OK( customer( table, 1, "Ann" ) );
   OK( AdsGetDouble( table, T( "AGE" ), ( double * ) text ) );
   SAME( 30, *( double * ) text );
   {
      UNSIGNED32 room = sizeof( text );
      OK( AdsGetField( table, T( "CITY" ), text, &room, ADS_TRIM ) );
      TEXT( "Ulm", text );
   }
   ANSWERS( AE_COLUMN_CANNOT_BE_NULL, customer( table, 2, "" ) );
   ANSWERS( AE_RECORD_CONSTRAINT_VIOLATION, customer( table, 2, "Ulm" ) );
   SAME( 1, count( table ) );
   OK( AdsGotoTop( table ) );
   OK( AdsSetDouble( table, T( "AGE" ), 17 ) );
   ANSWERS( AE_MIN_CONSTRAINT_VIOLATION, AdsWriteRecord( table ) );
   /* It stays pending, and may be corrected. */
   OK( AdsSetDouble( table, T( "AGE" ), 68 ) );
   ANSWERS( AE_MAX_CONSTRAINT_VIOLATION, AdsWriteRecord( table ) );
   OK( AdsSetDouble( table, T( "AGE" ), 67 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsSetDate( table, T( "SINCE" ), T( "12/31/1999" ), 10 ) );
   ANSWERS( AE_MIN_CONSTRAINT_VIOLATION, AdsWriteRecord( table ) );
   OK( AdsSetDate( table, T( "SINCE" ), T( "01/01/2000" ), 10 ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsSetString( table, T( "NAME" ), T( "" ), 0 ) );
   ANSWERS( AE_COLUMN_CANNOT_BE_NULL, AdsWriteRecord( table ) );
   length = sizeof( text );
   OK( AdsGetLastError( &code, text, &length ) );
   TRUE_THAT( strstr( ( char * ) text, "who is it?" ) != NULL );
   {
      /* A transaction that cannot begin leaves no table in it. */
      UNSIGNED16 open = 9;
      ANSWERS( AE_COLUMN_CANNOT_BE_NULL, AdsBeginTransaction( dictionary ) );
      OK( AdsInTransaction( dictionary, &open ) );
      SAME( 0, open );
      OK( AdsSetString( table, T( "NAME" ), T( "Ann" ), 3 ) );
      OK( AdsBeginTransaction( dictionary ) );
      OK( AdsCommitTransaction( dictionary ) );
      OK( AdsCloseTable( first ) );
      OK( AdsSetString( table, T( "NAME" ), T( "" ), 0 ) );
   }
   OK( AdsCancelUpdate( table ) );
   /* A deleted record needs to obey nothing; the unique order refuses as it does everywhere. */
   OK( customer( table, 3, "Bob" ) );
   OK( AdsDeleteRecord( table ) );
   OK( AdsWriteRecord( table ) );
   SAME( 1, count( table ) );

   /* Existing records are compared where the program asks for it. */
   ANSWERS( AE_CONSTRAINT_VALIDATION_ERROR,
            AdsDDSetFieldProperty( dictionary, T( "people" ), T( "AGE" ), ADS_DD_FIELD_MAX_VALUE, WITH_LENGTH( "40" ),
                                   ADS_VALIDATE_RETURN_ERROR, NULL ) );
   length = sizeof( text );
   OK( AdsDDGetFieldProperty( dictionary, T( "people" ), T( "AGE" ), ADS_DD_FIELD_MAX_VALUE, text, &length ) );
   TEXT( "67", text );
   OK( AdsCloseTable( table ) );
   OK( AdsDDSetFieldProperty( dictionary, T( "people" ), T( "AGE" ), ADS_DD_FIELD_MAX_VALUE, WITH_LENGTH( "40" ),
                              ADS_VALIDATE_WRITE_FAIL, T( "refused.dbf" ) ) );
   table = opened( "people", ADS_SHARED );
   SAME( 0, count( table ) );
   OK( AdsCloseTable( table ) );
   table = opened( "refused.dbf", ADS_SHARED );
   SAME( 1, count( table ) );
   OK( AdsCloseTable( table ) );
}

static ADSHANDLE parents, children;

static void relation( UNSIGNED16 on_update, UNSIGNED16 on_delete )
{
   OK( AdsCloseTable( parents ) );
   OK( AdsCloseTable( children ) );
   OK( AdsDDRemoveRefIntegrity( dictionary, T( "sales_of" ) ) );
   OK( AdsDDCreateRefIntegrity62( dictionary, T( "sales_of" ), NULL, T( "parents" ), T( "ID" ), T( "children" ), T( "OF" ),
                                  on_update, on_delete, T( "no such parent" ), T( "children stay" ) ) );
   parents = opened( "parents", ADS_SHARED );
   children = opened( "children", ADS_SHARED );
}

static void change_parent( double from, double to, UNSIGNED32 expected )
{
   TRUE_THAT( found( parents, from ) );
   OK( AdsSetDouble( parents, T( "ID" ), to ) );
   ANSWERS( expected, AdsWriteRecord( parents ) );
   if( expected != AE_SUCCESS )
      OK( AdsCancelUpdate( parents ) );
}

static void delete_parent( double id, UNSIGNED32 expected )
{
   UNSIGNED32 answer;
   TRUE_THAT( found( parents, id ) );
   answer = AdsDeleteRecord( parents );
   if( answer == AE_SUCCESS )
      answer = AdsWriteRecord( parents );
   SAME( expected, answer );
   if( answer != AE_SUCCESS )
      OK( AdsCancelUpdate( parents ) );
}

/* The key of the parent of a child; -1 if there is no such child. */
static double parent_of( double number )
{
   double of = 0;
   if( ! found( children, number ) )
      return -1;
   OK( AdsGetDouble( children, T( "OF" ), &of ) );
   return of;
}

/* Relations that are not minded for a while, and what is wrong then. */
static void not_minded( void )
{
   OK( AdsVerifyRI( dictionary, 0 ) );
   OK( AdsDisableRI( dictionary ) );
   OK( sale( children, 77, 777 ) );
   OK( AdsEnableRI( dictionary ) );
   ANSWERS( AE_RI_FAILED, AdsVerifyRI( dictionary, 0 ) );
   ANSWERS( AE_NO_PRIMARY_KEY_FOUND, sale( children, 78, 777 ) );
   TRUE_THAT( found( children, 77 ) );
   OK( AdsDeleteRecord( children ) );
   OK( AdsWriteRecord( children ) );
   OK( AdsVerifyRI( dictionary, 0 ) );
}

static int is_far;

/* A table that takes no part in transactions. */
static void transaction_free( void )
{
   UNSIGNED16 is_free = 9;
   OK( AdsIsTableTransactionFree( children, &is_free ) );
   SAME( 0, is_free );
   OK( AdsSetTableTransactionFree( children, 1 ) );
   OK( AdsIsTableTransactionFree( children, &is_free ) );
   SAME( 1, is_free );
   OK( AdsBeginTransaction( dictionary ) );
   OK( sale( children, 60, 2 ) );
   OK( customer( parents, 60, "sixty" ) );
   ANSWERS( AE_ILLEGAL_COMMAND_DURING_TRANS, AdsSetTableTransactionFree( parents, 1 ) );
   OK( AdsRollbackTransaction( dictionary ) );
   TRUE_THAT( ! found( parents, 60 ) );
   TRUE_THAT( found( children, 60 ) );
   OK( AdsDeleteRecord( children ) );
   OK( AdsWriteRecord( children ) );
   OK( AdsSetTableTransactionFree( children, 0 ) );
}

/* A table is the dictionary's by its file's name, too, and through a second handle. */
static void other_names( void )
{
   ADSHANDLE second = 0, by_file = opened( "children.dbf", ADS_SHARED );
   ANSWERS( AE_NO_PRIMARY_KEY_FOUND, sale( by_file, 79, 777 ) );
   OK( AdsCloneTable( by_file, &second ) );
   ANSWERS( AE_NO_PRIMARY_KEY_FOUND, sale( second, 79, 777 ) );
   OK( AdsCloseTable( second ) );
   OK( AdsCloseTable( by_file ) );
}

static void relations( void )
{
   UNSIGNED16 rule = 0, is = 0;
   ADSHANDLE lines;

   parents = made( "parents", "ID,Numeric,6,0;NAME,Character,12" );
   order( parents, "ID", "ID", ADS_UNIQUE );
   children = made( "children", "NUMBER,Numeric,6,0;OF,Numeric,6,0" );
   order( children, "NUMBER", "NUMBER", ADS_UNIQUE );
   order( children, "OF", "OF", 0 );
   OK( customer( parents, 1, "one" ) );
   OK( customer( parents, 2, "two" ) );
   OK( sale( children, 10, 1 ) );
   OK( sale( children, 11, 1 ) );
   OK( sale( children, 20, 2 ) );

   ANSWERS( AE_NO_PRIMARY_KEY_EXISTS,
            AdsDDCreateRefIntegrity( dictionary, T( "sales_of" ), NULL, T( "parents" ), T( "ID" ), T( "children" ), T( "OF" ),
                                     ADS_DD_RI_RESTRICT, ADS_DD_RI_RESTRICT ) );
   ANSWERS( AE_INVALID_PROPERTY,
            AdsDDSetTableProperty( dictionary, T( "parents" ), ADS_DD_TABLE_PRIMARY_KEY, WITH_LENGTH( "NONE" ), NOT_CHECKED ) );
   ANSWERS( AE_INVALID_KEY_OPTIONS,
            AdsDDSetTableProperty( dictionary, T( "children" ), ADS_DD_TABLE_PRIMARY_KEY, WITH_LENGTH( "OF" ), NOT_CHECKED ) );
   OK( AdsCloseTable( parents ) );
   OK( AdsCloseTable( children ) );
   OK( AdsDDSetTableProperty( dictionary, T( "parents" ), ADS_DD_TABLE_PRIMARY_KEY, WITH_LENGTH( "ID" ), NOT_CHECKED ) );
   OK( AdsDDSetTableProperty( dictionary, T( "children" ), ADS_DD_TABLE_PRIMARY_KEY, WITH_LENGTH( "NUMBER" ), NOT_CHECKED ) );
   ANSWERS( AE_INVALID_OPTION,
            AdsDDCreateRefIntegrity( dictionary, T( "sales_of" ), NULL, T( "parents" ), T( "ID" ), T( "children" ), T( "OF" ), 9, 9 ) );
   ANSWERS( AE_RI_FAILED,
            AdsDDCreateRefIntegrity( dictionary, T( "sales_of" ), NULL, T( "parents" ), T( "NONE" ), T( "children" ), T( "OF" ),
                                     ADS_DD_RI_RESTRICT, ADS_DD_RI_RESTRICT ) );
   /* A child without its parent stands in the way, or is put aside. */
   children = opened( "children", ADS_SHARED );
   OK( sale( children, 90, 9 ) );
   OK( AdsCloseTable( children ) );
   ANSWERS( AE_RI_FAILED,
            AdsDDCreateRefIntegrity( dictionary, T( "sales_of" ), NULL, T( "parents" ), T( "ID" ), T( "children" ), T( "OF" ),
                                     ADS_DD_RI_RESTRICT, ADS_DD_RI_RESTRICT ) );
   OK( AdsDDCreateRefIntegrity( dictionary, T( "sales_of" ), T( "orphans.dbf" ), T( "parents" ), T( "ID" ), T( "children" ),
                                T( "OF" ), ADS_DD_RI_RESTRICT, ADS_DD_RI_RESTRICT ) );
   ANSWERS( AE_RI_RULE_EXISTS,
            AdsDDCreateRefIntegrity( dictionary, T( "sales_of" ), NULL, T( "parents" ), T( "ID" ), T( "children" ), T( "OF" ),
                                     ADS_DD_RI_RESTRICT, ADS_DD_RI_RESTRICT ) );
   length = 2;
   OK( AdsDDGetRefIntegrityProperty( dictionary, T( "sales_of" ), ADS_DD_RI_UPDATERULE, ( UNSIGNED8 * ) &rule, &length ) );
   SAME( ADS_DD_RI_RESTRICT, rule );
   length = 2;
   OK( AdsDDGetTableProperty( dictionary, T( "parents" ), ADS_DD_TABLE_IS_RI_PARENT, &is, &length ) );
   SAME( 1, is );
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED, AdsDDRemoveTable( dictionary, T( "parents" ), 0 ) );
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED, AdsDDDeleteIndex( dictionary, T( "children" ), T( "OF" ) ) );

   /* RESTRICT. */
   parents = opened( "parents", ADS_SHARED );
   children = opened( "children", ADS_SHARED );
   SAME( 3, count( children ) );
   ANSWERS( AE_NO_PRIMARY_KEY_FOUND, sale( children, 30, 3 ) );
   SAME( 3, count( children ) );
   OK( customer( parents, 3, "three" ) );
   OK( sale( children, 30, 3 ) );
   delete_parent( 1, AE_RI_RESTRICT );
   change_parent( 1, 5, AE_RI_RESTRICT );
   change_parent( 1, 1, AE_SUCCESS );

   not_minded();
   other_names();
   /* Against a server free_tables.c does it. */
   if( ! is_far )
      transaction_free();
   relation( ADS_DD_RI_CASCADE, ADS_DD_RI_CASCADE );
   change_parent( 1, 5, AE_SUCCESS );
   SAME( 5, parent_of( 10 ) );
   SAME( 5, parent_of( 11 ) );
   SAME( 2, parent_of( 20 ) );
   TRUE_THAT( found( children, 20 ) );
   OK( AdsSetDouble( children, T( "OF" ), 1 ) );
   ANSWERS( AE_NO_PRIMARY_KEY_FOUND, AdsWriteRecord( children ) );
   length = sizeof( text );
   {
      UNSIGNED32 code = 0;
      OK( AdsGetLastError( &code, text, &length ) );
      TRUE_THAT( strstr( ( char * ) text, "no such parent" ) != NULL );
   }
   OK( AdsCancelUpdate( children ) );
   /* What follows is part of the program's transaction. */
   OK( AdsBeginTransaction( dictionary ) );
   delete_parent( 5, AE_SUCCESS );
   OK( AdsRollbackTransaction( dictionary ) );
   SAME( 5, parent_of( 10 ) );
   SAME( 4, count( children ) );
   /* A child that somebody has locked: nothing is done. */
   TRUE_THAT( found( children, 11 ) );
   OK( AdsLockRecord( children, 0 ) );
   delete_parent( 5, AE_RI_CASCADE );
   OK( AdsUnlockTable( children ) );
   SAME( 4, count( children ) );
   TRUE_THAT( found( parents, 5 ) );
   delete_parent( 5, AE_SUCCESS );
   SAME( 2, count( children ) );
   SAME( 2, count( parents ) );

   relation( ADS_DD_RI_SETNULL, ADS_DD_RI_SETNULL );
   change_parent( 2, 6, AE_SUCCESS );
   SAME( 0, parent_of( 20 ) );
   delete_parent( 3, AE_SUCCESS );
   SAME( 0, parent_of( 30 ) );

   OK( customer( parents, 4, "four" ) );
   TRUE_THAT( found( children, 20 ) );
   OK( AdsSetDouble( children, T( "OF" ), 4 ) );
   OK( AdsWriteRecord( children ) );
   OK( AdsDDSetFieldProperty( dictionary, T( "children" ), T( "OF" ), ADS_DD_FIELD_DEFAULT_VALUE, WITH_LENGTH( "6" ), NOT_CHECKED ) );
   relation( ADS_DD_RI_RESTRICT, ADS_DD_RI_SETDEFAULT );
   delete_parent( 4, AE_SUCCESS );
   SAME( 6, parent_of( 20 ) );
   OK( AdsCloseTable( parents ) );
   OK( AdsCloseTable( children ) );
   parents = opened( "parents", ADS_EXCLUSIVE );
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED, AdsZapTable( parents ) );
   OK( AdsCloseTable( parents ) );

   /* Two tables follow from one another. */
   lines = made( "lines", "LINE,Numeric,6,0;SALE,Numeric,6,0" );
   order( lines, "SALE", "SALE", 0 );
   OK( AdsAppendRecord( lines ) );
   OK( AdsSetDouble( lines, T( "SALE" ), 20 ) );
   OK( AdsWriteRecord( lines ) );
   OK( AdsCloseTable( lines ) );
   OK( AdsDDCreateRefIntegrity( dictionary, T( "lines_of" ), NULL, T( "children" ), NULL, T( "lines" ), T( "SALE" ),
                                ADS_DD_RI_CASCADE, ADS_DD_RI_CASCADE ) );
   parents = opened( "parents", ADS_SHARED );
   children = opened( "children", ADS_SHARED );
   relation( ADS_DD_RI_CASCADE, ADS_DD_RI_CASCADE );
   lines = opened( "lines", ADS_SHARED );
   SAME( 1, count( lines ) );
   delete_parent( 6, AE_SUCCESS );
   SAME( -1, parent_of( 20 ) );
   SAME( 0, count( lines ) );
   OK( AdsCloseTable( lines ) );
   OK( AdsCloseTable( parents ) );
   OK( AdsCloseTable( children ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsDDRemoveRefIntegrity( dictionary, T( "none" ) ) );
}

static void files( const char * folder )
{
   char to[ 512 ];
   ADSHANDLE table;

   snprintf( to, sizeof( to ), "%s/moved", folder );
   ANSWERS( AE_INVALID_PATH, AdsDDMoveObjectFile( dictionary, ADS_DD_TABLE_OBJECT, T( "people" ), T( to ), NULL, NULL, 0 ) );
   TRUE_THAT( mkdir( to, 0777 ) == 0 );
   ANSWERS( AE_INVALID_OBJECT_TYPE,
            AdsDDMoveObjectFile( dictionary, ADS_DD_USER_OBJECT, T( "people" ), T( to ), NULL, NULL, 0 ) );
   ANSWERS( AE_DD_REQUEST_NOT_COMPLETED,
            AdsDDMoveObjectFile( dictionary, ADS_DD_TABLE_OBJECT, T( "people" ), T( folder ), NULL, NULL, 0 ) );
   OK( AdsDDMoveObjectFile( dictionary, ADS_DD_TABLE_OBJECT, T( "people" ), T( to ), NULL, NULL, 0 ) );
   table = opened( "people", ADS_SHARED );
   SAME( 0, count( table ) );
   OK( AdsCloseTable( table ) );
   length = sizeof( text );
   OK( AdsDDGetTableProperty( dictionary, T( "people" ), ADS_DD_TABLE_RELATIVE_PATH, text, &length ) );
   TEXT( "moved/people.dbf", text );

   ANSWERS( AE_COLLATION_NOT_RECOGNIZED, AdsDDAddTable90( dictionary, T( "third" ), T( "t05_ntx" ), ADS_NTX, ADS_ANSI, NULL, NULL,
                                                 T( "GERMAN_CI" ) ) );
   OK( AdsDDAddTable90( dictionary, T( "third" ), T( "t05_ntx" ), ADS_NTX, ADS_ANSI, NULL, NULL, NULL ) );
   OK( AdsDDRemoveTable( dictionary, T( "third" ), 0 ) );
   OK( AdsDDAddTable90( dictionary, T( "third" ), T( "t05_ntx" ), ADS_NTX, ADS_ANSI, NULL, NULL, NULL ) );
   OK( AdsDDRemoveTable( dictionary, T( "third" ), 1 ) );
   ANSWERS( AE_FILE_NOT_FOUND,
            AdsDDAddTable90( dictionary, T( "third" ), T( "t05_ntx" ), ADS_NTX, ADS_ANSI, NULL, NULL, NULL ) );
}

int main( int count, char ** arguments )
{
   char path[ 512 ];

   if( count < 2 )
      return 2;
   is_far = IS_FAR;
   OK( AdsSetDateFormat( T( "MM/DD/CCYY" ) ) );
   OK( AdsShowDeleted( 0 ) );
   snprintf( path, sizeof( path ), "%s/rules.add", arguments[ 1 ] );
   OK( AdsDDCreate( T( path ), 0, NULL, &dictionary ) );
   values();
   relations();
   files( HERE );
   OK( AdsDDClose( dictionary ) );
   END();
}
