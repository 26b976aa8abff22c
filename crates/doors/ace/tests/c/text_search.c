/* Full text search: CONTAINS in filters, and the indexes of words that answer it. */
#include "check.h"

static ADSHANDLE connection, table;

static void add( const char * name, const char * notes )
{
   OK( AdsAppendRecord( table ) );
   OK( AdsSetString( table, T( "NAME" ), T( name ), strlen( name ) ) );
   OK( AdsSetString( table, T( "NOTES" ), T( notes ), strlen( notes ) ) );
   OK( AdsWriteRecord( table ) );
}

/* How many records a condition finds, as a filter and as an optimized one; and how far indexes answer it. */
static unsigned found( const char * condition, unsigned level )
{
   UNSIGNED32 filtered = 0, optimized = 0;
   UNSIGNED16 answered = 0;
   OK( AdsSetFilter( table, T( condition ) ) );
   OK( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &filtered ) );
   OK( AdsClearFilter( table ) );
   OK( AdsSetAOF( table, T( condition ), ADS_RESOLVE_DYNAMIC ) );
   OK( AdsGetAOFOptLevel( table, &answered, NULL, NULL ) );
   SAME( level, answered );
   OK( AdsGetRecordCount( table, ADS_RESPECTFILTERS, &optimized ) );
   OK( AdsClearAOF( table ) );
   SAME( filtered, optimized );
   return filtered;
}

static UNSIGNED32 create( const char * tag, const char * field, UNSIGNED32 shortest, UNSIGNED32 longest, UNSIGNED32 options )
{
   return AdsCreateFTSIndex( table, NULL, T( tag ), T( field ), ADS_DEFAULT, shortest, longest, 1, NULL, 1, T( "nothing" ), 1, NULL,
                             1, NULL, NULL, NULL, options );
}

static void conditions( unsigned full, unsigned part )
{
   SAME( 2, found( "CONTAINS( notes, 'cat*' )", full ) );
   SAME( 1, found( "CONTAINS( notes, 'dog near house' )", part ) );
   SAME( 1, found( "contains( NOTES, '\"medical doctor\" or chicken' )", part ) );
   SAME( 3, found( ".NOT. CONTAINS( notes, 'dog or dogs' )", full ) );
   SAME( 0, found( "CONTAINS( notes, 'medical and not doctor' )", full ) );
   ANSWERS( AE_FTS_UNCLOSED_PHRASE, AdsSetFilter( table, T( "CONTAINS( notes, '\"open' )" ) ) );
   ANSWERS( AE_FTS_UNCLOSED_EXPRESSION, AdsSetFilter( table, T( "CONTAINS( notes, '(open' )" ) ) );
   ANSWERS( AE_FTS_MISSING_WORD, AdsSetFilter( table, T( "CONTAINS( notes, 'word and' )" ) ) );
   ANSWERS( AE_FTS_INVALID_CONDITION, AdsSetFilter( table, T( "CONTAINS( notes, 'word)' )" ) ) );
   ANSWERS( AE_FTS_INVALID_OPERANDS, AdsSetFilter( table, T( "CONTAINS( notes, 'word near() (not other)' )" ) ) );
   ANSWERS( AE_FTS_INVALID_DISTANCE, AdsSetFilter( table, T( "CONTAINS( notes, 'word near(x) other' )" ) ) );
   ANSWERS( AE_FTS_EMPTY_CONDITION, AdsSetAOF( table, T( "CONTAINS( notes, 'the' )" ), ADS_RESOLVE_DYNAMIC ) );
}

static void infos( void )
{
   ADSHANDLE indexes[ 2 ] = { 0, 0 }, index = 0, same = 0;
   UNSIGNED16 count = 1, flag = 9, length = 64, type = 0;
   UNSIGNED32 bytes = 0, shortest = 0, longest = 0, options = 0;
   UNSIGNED8 text[ 64 ], * buffer, * field = NULL, * delimiters = NULL, * noise = NULL, * dropped = NULL, * conditional = NULL;

   OK( AdsGetNumFTSIndexes( table, &count ) );
   SAME( 2, count );
   count = 1;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetFTSIndexes( table, indexes, &count ) );
   SAME( 2, count );
   OK( AdsGetFTSIndexes( table, indexes, &count ) );
   OK( AdsGetIndexHandle( table, T( "words" ), &index ) );
   TRUE_THAT( index == indexes[ 0 ] && index != indexes[ 1 ] );
   OK( AdsGetHandleType( index, &type ) );
   SAME( ADS_FTS_INDEX_ORDER, type );
   OK( AdsIsIndexFTS( index, &flag ) );
   SAME( 1, flag );
   OK( AdsGetIndexName( index, text, &length ) );
   TEXT( "WORDS", text );
   length = sizeof( text );
   OK( AdsGetIndexExpr( index, text, &length ) );
   TEXT( "NOTES", text );
   ANSWERS( AE_INVALID_HANDLE, AdsGotoTop( index ) );

   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetFTSIndexInfo( index, NULL, &bytes, &field, NULL, NULL, &delimiters, &noise, &dropped,
                                                        &conditional, NULL, NULL, NULL ) );
   buffer = malloc( bytes );
   OK( AdsGetFTSIndexInfo( index, buffer, &bytes, &field, &shortest, &longest, &delimiters, &noise, &dropped, &conditional, NULL,
                           NULL, &options ) );
   TEXT( "NOTES", field );
   SAME( 2, shortest );
   SAME( 30, longest );
   SAME( ADS_FTS_INDEX | ADS_FTS_KEEP_SCORE, options );
   SAME( 7, strlen( ( char * ) delimiters ) );
   TEXT( "\"'`", dropped );
   TEXT( ",.?!;:@#$%^&()-_", conditional );
   TRUE_THAT( strstr( ( char * ) noise, "your nothing" ) != NULL );
   free( buffer );

   OK( AdsCreateIndex61( table, NULL, T( "NAME" ), T( "NAME" ), NULL, NULL, ADS_COMPOUND, 0, &same ) );
   OK( AdsIsIndexFTS( same, &flag ) );
   SAME( 0, flag );
   ANSWERS( AE_INVALID_INDEX_HANDLE, AdsGetFTSIndexInfo( same, NULL, &bytes, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL ) );
   OK( AdsDeleteIndex( indexes[ 1 ] ) );
   ANSWERS( AE_INVALID_INDEX_HANDLE, AdsIsIndexFTS( indexes[ 1 ], &flag ) );
   ANSWERS( AE_INVALID_INDEX_ORDER_NAME, AdsGetIndexHandle( table, T( "NAMES" ), &same ) );
}

int main( int count, char ** arguments )
{
   UNSIGNED16 number = 9, truth = 9;
   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER | ADS_REMOTE_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   table = new_table( connection, "papers", ADS_CDX, "NAME,Character,10;NOTES,Memo,10;ID,Numeric,4,0" );
   add( "Ann", "Cats and dogs, well-known animals." );
   add( "Bob", "A dog near the house; no cat." );
   add( "Carl", "The medical doctor" );
   add( "Dora", "" );
   add( "Emil", "nothing" );
   conditions( ADS_OPTIMIZED_NONE, ADS_OPTIMIZED_NONE );
   OK( AdsGetNumFTSIndexes( table, &number ) );
   SAME( 0, number );
   ANSWERS( AE_FTS_NO_INDEX, AdsSetFilter( table, T( "CONTAINS( *, 'cat' )" ) ) );
   OK( AdsGotoRecord( table, 2 ) );
   /* The memo of a record is searched where the table is. */
   ANSWERS( IS_FAR ? AE_NOT_IMPLEMENTED : AE_SUCCESS, AdsEvalLogicalExpr( table, T( "CONTAINS( notes, 'house' )" ), &truth ) );
   OK( AdsEvalLogicalExpr( table, T( "CONTAINS( name, 'bob' )" ), &truth ) );
   SAME( 1, truth );

   OK( create( "WORDS", "NOTES", 2, 30, ADS_FTS_KEEP_SCORE ) );
   OK( create( "NAMES", "NAME", 3, 30, ADS_FTS_FIXED ) );
   ANSWERS( AE_INDEX_EXISTS, create( "words", "NAME", 3, 30, ADS_DEFAULT ) );
   ANSWERS( AE_INVALID_FIELD_TYPE, create( "IDS", "ID", 3, 30, ADS_DEFAULT ) );
   ANSWERS( AE_INVALID_VALUE, create( "LENGTHS", "NAME", 30, 3, ADS_DEFAULT ) );
   conditions( ADS_OPTIMIZED_FULL, ADS_OPTIMIZED_PART );
   SAME( 1, found( "CONTAINS( *, 'ann dogs' )", ADS_OPTIMIZED_FULL ) );

   /* What is written afterwards is found; an index that stays as it was made is not asked any more. */
   add( "Fred", "chicken and a catfish" );
   SAME( 3, found( "CONTAINS( notes, 'cat*' )", ADS_OPTIMIZED_FULL ) );
   SAME( 1, found( "CONTAINS( name, 'fred' )", ADS_OPTIMIZED_NONE ) );
   OK( AdsReindexFTS( table, ADS_DEFAULT ) );
   SAME( 1, found( "CONTAINS( name, 'fred' )", ADS_OPTIMIZED_FULL ) );
   infos();

   OK( AdsBeginTransaction( connection ) );
   ANSWERS( AE_ILLEGAL_COMMAND_DURING_TRANS, AdsReindexFTS( table, ADS_DEFAULT ) );
   OK( AdsRollbackTransaction( connection ) );
   OK( AdsCloseTable( table ) );
   OK( AdsOpenTable( connection, T( "papers" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                     ADS_SHARED | ADS_READONLY, &table ) );
   OK( AdsGetNumFTSIndexes( table, &number ) );
   SAME( 1, number );
   ANSWERS( AE_TABLE_READONLY, create( "MORE", "NAME", 3, 30, ADS_DEFAULT ) );
   OK( AdsCloseTable( table ) );
   OK( AdsDisconnect( connection ) );
   END();
}
