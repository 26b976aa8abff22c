/* Closing a table whose last record an index has refused: the error is returned, the record is cancelled, and nothing
   of the table stays open. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char * place;
static ADSHANDLE connection;

static ADSHANDLE open_table( const char * name, UNSIGNED32 options )
{
   ADSHANDLE table = 0;
   OK( AdsOpenTable( connection, T( name ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, options, &table ) );
   return table;
}

/* A table with an index that has each number once, as it is when it was created: nobody else may open it. */
static ADSHANDLE make( const char * name )
{
   ADSHANDLE index = 0, table = new_table( connection, name, ADS_CDX, "ID," WHOLE( 8 ) );

   OK( AdsCreateIndex61( table, NULL, T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND | ADS_CANDIDATE, 0, &index ) );
   return table;
}

static UNSIGNED32 append( ADSHANDLE table, double id )
{
   UNSIGNED32 code = AdsAppendRecord( table );

   if( code == AE_SUCCESS )
      code = AdsSetDouble( table, T( "ID" ), id );
   return code == AE_SUCCESS ? AdsWriteRecord( table ) : code;
}

/* One record with the number 3, and a second one that is refused. */
static void refuse( ADSHANDLE table )
{
   OK( append( table, 3 ) );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, append( table, 3 ) );
}

/* The table is nobody's, and has one record that is not deleted. */
static void look( const char * name )
{
   ADSHANDLE table = open_table( name, ADS_EXCLUSIVE );
   UNSIGNED16 is_end = 0;
   UNSIGNED32 length;
   UNSIGNED8 id[ 20 ];
   int count = 0;

   OK( AdsGotoTop( table ) );
   while( AdsAtEOF( table, &is_end ) == AE_SUCCESS && ! is_end && count < 9 )
   {
      length = sizeof( id );
      OK( AdsGetField( table, T( "ID" ), id, &length, ADS_TRIM ) );
      TEXT( "3", id );
      ++count;
      OK( AdsSkip( table, 1 ) );
   }
   SAME( 1, count );
   OK( AdsCloseTable( table ) );
}

static ADSHANDLE refused( const char * name, UNSIGNED32 options )
{
   ADSHANDLE table = make( name );

   if( options == ADS_SHARED )
   {
      OK( AdsCloseTable( table ) );
      table = open_table( name, options );
   }
   refuse( table );
   return table;
}

static void each_way( void )
{
   ADSHANDLE table = refused( "one", ADS_SHARED ), other;

   /* A move does not leave it: it is to be corrected or cancelled. */
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsGotoTop( table ) );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsCloseTable( table ) );
   ANSWERS( AE_INVALID_TABLE_HANDLE, AdsCloseTable( table ) );
   look( "one" );

   /* As created, for exclusive use. */
   table = refused( "two", ADS_EXCLUSIVE );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsCloseTable( table ) );
   look( "two" );

   refused( "three", ADS_SHARED );
   refused( "four", ADS_EXCLUSIVE );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsCloseAllTables() );
   look( "three" );
   look( "four" );

   refused( "five", ADS_SHARED );
   refused( "six", ADS_EXCLUSIVE );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsDisconnect( connection ) );
   OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   look( "five" );
   look( "six" );

   /* All connections at once: an error of one leaves none of the others. */
   OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &other ) );
   refused( "seven", ADS_SHARED );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsDisconnect( 0 ) );
   ANSWERS( AE_INVALID_CONNECTION_HANDLE, AdsDisconnect( other ) );
   OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   look( "seven" );

   /* Cancelled by the program. */
   table = refused( "eight", ADS_SHARED );
   OK( AdsCancelUpdate( table ) );
   OK( AdsCloseTable( table ) );
   look( "eight" );
}

/* A change that is refused is undone. */
static void changed( void )
{
   ADSHANDLE table = make( "changed" );

   OK( append( table, 3 ) );
   OK( append( table, 4 ) );
   OK( AdsCloseTable( table ) );
   table = open_table( "changed", ADS_SHARED );
   OK( AdsGotoRecord( table, 2 ) );
   OK( AdsSetDouble( table, T( "ID" ), 3 ) );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsWriteRecord( table ) );
   ANSWERS( AE_UNIQUE_KEY_VIOLATION, AdsCloseTable( table ) );
   table = open_table( "changed", ADS_EXCLUSIVE );
   OK( AdsGotoRecord( table, 2 ) );
   {
      double id = 0;
      OK( AdsGetDouble( table, T( "ID" ), &id ) );
      SAME( 4, id );
   }
   OK( AdsDeleteRecord( table ) );
   OK( AdsCloseTable( table ) );
   look( "changed" );
}

/* An index that is closed refuses nothing any more. */
static void closed_index( void )
{
   ADSHANDLE index = 0, table = new_table( connection, "beside", ADS_CDX, "ID," WHOLE( 8 ) );

   OK( AdsCreateIndex61( table, T( "other" ), T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND | ADS_CANDIDATE, 0, &index ) );
   OK( AdsCloseTable( table ) );
   table = open_table( "beside", ADS_SHARED );
   {
      UNSIGNED16 count = 1;
      OK( AdsOpenIndex( table, T( "other" ), &index, &count ) );
   }
   refuse( table );
   OK( AdsCloseIndex( index ) );
   OK( AdsWriteRecord( table ) );
   OK( AdsCloseTable( table ) );
}

/* A program that ends without a word: the server cancels what it has left. */
static void ended( void )
{
   pid_t child = fork();
   int status = 1;
   ADSHANDLE table = 0;

   if( child == 0 )
   {
      OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
      refused( "ended", ADS_SHARED );
      _exit( failures != 0 );
   }
   TRUE_THAT( waitpid( child, &status, 0 ) == child );
   SAME( 0, status );
   OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   UNTIL( place, AdsOpenTable( connection, T( "ended" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE,
                               &table ) == AE_SUCCESS );
   if( table )
      OK( AdsCloseTable( table ) );
   look( "ended" );
   OK( AdsDisconnect( connection ) );
}

/* Killed, after its last record was written and the file's buffers flushed: it is there although the table was the
   program's alone. */
static void killed( void )
{
   pid_t child = fork();
   int status = 0;
   ADSHANDLE table = 0;

   if( child == 0 )
   {
      OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
      table = make( "killed" );
      OK( append( table, 3 ) );
      OK( AdsFlushFileBuffers( table ) );
      if( failures == 0 )
         kill( getpid(), SIGKILL );
      _exit( 1 );
   }
   TRUE_THAT( waitpid( child, &status, 0 ) == child && WIFSIGNALED( status ) );
   OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   UNTIL( place, AdsOpenTable( connection, T( "killed" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                               ADS_EXCLUSIVE, &table ) == AE_SUCCESS );
   if( table )
      OK( AdsCloseTable( table ) );
   look( "killed" );
   OK( AdsDisconnect( connection ) );
}

int main( int count, char ** arguments )
{
   if( count < 2 )
      return 2;
   place = arguments[ 1 ];
   OK( AdsShowDeleted( 0 ) );
   if( IS_FAR )
      ended();
   killed();
   OK( AdsConnect60( T( place ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   each_way();
   changed();
   closed_index();
   OK( AdsDisconnect( connection ) );
   END();
}
