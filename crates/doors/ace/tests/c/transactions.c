/* Transactions over several tables: committed, rolled back, to a savepoint, and left by a process that dies. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static ADSHANDLE connection, first, second, by_id;
static const char * folder;

static UNSIGNED32 records( ADSHANDLE table )
{
   UNSIGNED32 count = 0;
   OK( AdsGetRecordCount( table, ADS_IGNOREFILTERS, &count ) );
   return count;
}

static UNSIGNED32 keys( void )
{
   UNSIGNED32 count = 0;
   OK( AdsGetKeyCount( by_id, ADS_IGNOREFILTERS, &count ) );
   return count;
}

static void append( ADSHANDLE table, int id )
{
   OK( AdsAppendRecord( table ) );
   OK( AdsSetLong( table, T( "ID" ), id ) );
   OK( AdsSetString( table, T( "NAME" ), T( "appended" ), 8 ) );
   OK( AdsWriteRecord( table ) );
}

static SIGNED32 id_of( ADSHANDLE table, UNSIGNED32 record )
{
   SIGNED32 id = 0;
   OK( AdsGotoRecord( table, record ) );
   OK( AdsGetLong( table, T( "ID" ), &id ) );
   return id;
}

static void open_both( UNSIGNED32 options )
{
   OK( AdsOpenTable( connection, T( "first" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, options, &first ) );
   OK( AdsOpenTable( connection, T( "second" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, options, &second ) );
   OK( AdsGetIndexHandle( first, T( "ID" ), &by_id ) );
}

static void close_both( void )
{
   OK( AdsCloseTable( first ) );
   OK( AdsCloseTable( second ) );
}

static void committed_and_undone( UNSIGNED32 options )
{
   UNSIGNED32 before, other, depth = 9;
   UNSIGNED16 flag = 9;
   SIGNED32 id;

   open_both( options );
   before = records( first );
   other = records( second );
   id = id_of( first, 1 );
   ANSWERS( AE_TRANS_OUT_OF_SEQUENCE, AdsCommitTransaction( connection ) );
   ANSWERS( AE_TRANS_OUT_OF_SEQUENCE, AdsRollbackTransaction( connection ) );
   ANSWERS( AE_TRANS_OUT_OF_SEQUENCE, AdsCreateSavepoint( connection, T( "a" ), 0 ) );

   OK( AdsBeginTransaction( connection ) );
   OK( AdsInTransaction( connection, &flag ) );
   SAME( 1, flag );
   OK( AdsInTransaction( 0, &flag ) );
   SAME( 1, flag );
   /* One within another is counted; its end is not that of the other. */
   OK( AdsBeginTransaction( 0 ) );
   OK( AdsGetTransactionCount( connection, &depth ) );
   SAME( 2, depth );
   OK( AdsCreateSavepoint( connection, T( "within" ), 0 ) );
   OK( AdsCommitTransaction( connection ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsRollbackTransaction80( connection, T( "within" ), 0 ) );
   OK( AdsInTransaction( connection, &flag ) );
   SAME( 1, flag );
   append( first, 1000 );
   append( second, 1000 );
   OK( AdsGotoRecord( first, 1 ) );
   OK( AdsSetLong( first, T( "ID" ), 5000 ) );
   OK( AdsWriteRecord( first ) );
   SAME( 5000, id_of( first, 1 ) );
   SAME( before + 1, keys() );
   OK( AdsRollbackTransaction( connection ) );
   OK( AdsInTransaction( connection, &flag ) );
   SAME( 0, flag );
   SAME( before, records( first ) );
   SAME( other, records( second ) );
   SAME( before, keys() );
   SAME( id, id_of( first, 1 ) );

   OK( AdsBeginTransaction( connection ) );
   append( first, 2000 );
   OK( AdsCreateSavepoint( connection, T( "here" ), 0 ) );
   append( first, 2001 );
   append( second, 2001 );
   SAME( before + 2, records( first ) );
   ANSWERS( AE_INVALID_OBJECT_NAME, AdsRollbackTransaction80( connection, T( "nowhere" ), 0 ) );
   OK( AdsRollbackTransaction80( connection, T( "here" ), 0 ) );
   SAME( before + 1, records( first ) );
   SAME( other, records( second ) );
   OK( AdsCommitTransaction( connection ) );
   SAME( before + 1, records( first ) );
   SAME( before + 1, keys() );
   OK( AdsBeginTransaction( connection ) );
   append( first, 3000 );
   OK( AdsRollbackTransaction80( connection, NULL, 0 ) );
   SAME( before + 1, records( first ) );
   close_both();
}

/* The lock of a record that was appended goes with the record when that is undone: others append the next one. */
static void undone_appends_are_free( void )
{
   ADSHANDLE others = 0, theirs = 0;
   UNSIGNED32 before;

   open_both( ADS_SHARED );
   before = records( first );
   OK( AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &others ) );
   OK( AdsOpenTable( others, T( "first" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &theirs ) );
   OK( AdsBeginTransaction( connection ) );
   append( first, 6000 );
   OK( AdsRollbackTransaction( connection ) );
   append( theirs, 6001 );
   OK( AdsBeginTransaction( connection ) );
   OK( AdsCreateSavepoint( connection, T( "here" ), 0 ) );
   append( first, 6002 );
   OK( AdsRollbackTransaction80( connection, T( "here" ), 0 ) );
   append( theirs, 6003 );
   OK( AdsCommitTransaction( connection ) );
   SAME( before + 2, records( theirs ) );
   OK( AdsGotoRecord( theirs, before + 1 ) );
   OK( AdsDeleteRecord( theirs ) );
   OK( AdsGotoRecord( theirs, before + 2 ) );
   OK( AdsDeleteRecord( theirs ) );
   OK( AdsDisconnect( others ) );
   close_both();
}

/* A server that is lost has undone the transaction: the program is told so once, and is in none any more. */
static void lost( int is_far )
{
   ADSHANDLE through = 0, table = 0, manager = 0;
   UNSIGNED32 before, calls;
   UNSIGNED16 flag;

   open_both( ADS_SHARED );
   before = records( first );
   for( calls = 0; is_far && calls < 6; ++calls )
   {
      OK( AdsConnect60( T( folder ), ADS_REMOTE_SERVER, T( "zoe" ), NULL, ADS_DEFAULT, &through ) );
      OK( AdsOpenTable( through, T( "first" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
      OK( AdsBeginTransaction( through ) );
      append( table, 8000 );
      OK( AdsMgConnect( T( folder ), T( "adam" ), NULL, &manager ) );
      OK( AdsMgKillUser( manager, T( "zoe" ), 0 ) );
      OK( AdsMgDisconnect( manager ) );
      UNTIL( folder, AdsRefreshRecord( first ) == AE_SUCCESS && records( first ) == before );
      SAME( before, records( first ) );
      switch( calls )
      {
      case 0: ANSWERS( AE_NO_CONNECTION, AdsAppendRecord( table ) ); break;
      case 1: ANSWERS( AE_NO_CONNECTION, AdsCommitTransaction( through ) ); break;
      case 2: ANSWERS( AE_NO_CONNECTION, AdsRollbackTransaction( through ) ); break;
      case 3: ANSWERS( AE_NO_CONNECTION, AdsGotoTop( table ) ); break;
      case 4: /* What cannot say it leaves it to the next call. */
         OK( AdsIsConnectionAlive( through, &flag ) );
         SAME( 0, flag );
         ANSWERS( AE_NO_CONNECTION, AdsAppendRecord( table ) );
         break;
      default:
         OK( AdsCheckExistence( through, T( "first" ), &flag ) );
         ANSWERS( AE_NO_CONNECTION, AdsBeginTransaction( through ) );
      }
      OK( AdsInTransaction( through, &flag ) );
      SAME( 0, flag );
      ANSWERS( AE_TRANS_OUT_OF_SEQUENCE, AdsCommitTransaction( through ) );
      ANSWERS( AE_TRANS_OUT_OF_SEQUENCE, AdsRollbackTransaction( through ) );
      /* The next one is one. */
      OK( AdsBeginTransaction( through ) );
      OK( AdsInTransaction( through, &flag ) );
      SAME( 1, flag );
      append( table, 8001 );
      append( table, 8002 );
#ifdef OVER_ADT
      /* What was undone has left deleted records, which are used again. */
      TRUE_THAT( records( table ) <= before + 2 );
#else
      SAME( before + 2, records( table ) );
#endif
      OK( AdsRollbackTransaction( through ) );
      SAME( before, records( table ) );
      OK( AdsDisconnect( through ) );
   }
   SAME( before, records( first ) );
   close_both();
}

/* A table that is opened while the transaction runs takes part. */
static void opened_within( void )
{
   ADSHANDLE table = 0;
   UNSIGNED32 before;

   open_both( ADS_SHARED );
   before = records( second );
   OK( AdsCloseTable( second ) );
   OK( AdsBeginTransaction( connection ) );
   OK( AdsOpenTable( connection, T( "second" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &second ) );
   append( second, 4000 );
   SAME( before + 1, records( second ) );
   /* What gives records other numbers cannot be part of one. */
   OK( AdsCreateTable( connection, T( "third" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID," WHOLE( 8 ) ";NAME,Character,12" ), &table ) );
   append( table, 1 );
   ANSWERS( AE_ILLEGAL_COMMAND_DURING_TRANS, AdsZapTable( table ) );
   OK( AdsRollbackTransaction( connection ) );
   SAME( before, records( second ) );
   SAME( 0, records( table ) );
   OK( AdsCloseTable( table ) );
   close_both();
}

/* What was not committed when a process dies is undone by the next that opens the table. */
static void killed( void )
{
   UNSIGNED32 before;
   pid_t child;
   int status = 0;

   open_both( ADS_SHARED );
   before = records( first );
   close_both();
   child = fork();
   if( child == 0 )
   {
      ADSHANDLE through = 0, table = 0;
      int failed = AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &through ) != AE_SUCCESS ||
                   AdsOpenTable( through, T( "first" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                                 &table ) != AE_SUCCESS ||
                   AdsBeginTransaction( through ) != AE_SUCCESS || AdsAppendRecord( table ) != AE_SUCCESS ||
                   AdsSetLong( table, T( "ID" ), 7777 ) != AE_SUCCESS || AdsWriteRecord( table ) != AE_SUCCESS;
      _exit( failed );
   }
   TRUE_THAT( waitpid( child, &status, 0 ) == child );
   SAME( 0, status );
   open_both( ADS_SHARED );
   UNTIL( folder, AdsRefreshRecord( first ) == AE_SUCCESS && records( first ) == before );
   SAME( before, records( first ) );
#ifndef OVER_ADT
   /* The keys of an ADT's deleted records are not in its index. */
   SAME( before, keys() );
#endif
   close_both();
}

int main( int count, char ** arguments )
{
   int record;
   ADSHANDLE table = 0;

   if( count < 2 )
      return 2;
   folder = arguments[ 1 ];
   OK( AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   for( record = 0; record < 2; ++record )
   {
      OK( AdsCreateTable( connection, T( record ? "second" : "first" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                          0, T( "ID," WHOLE( 8 ) ";NAME,Character,12" ), &table ) );
      OK( AdsCreateIndex61( table, NULL, T( "ID" ), T( "ID" ), NULL, NULL, ADS_COMPOUND, 512, &by_id ) );
      append( table, 1 );
      append( table, 2 );
      OK( AdsCloseTable( table ) );
   }
   committed_and_undone( ADS_SHARED );
   committed_and_undone( ADS_EXCLUSIVE );
   opened_within();
   undone_appends_are_free();
   lost( IS_FAR );
   killed();
   /* What a connection has not committed when it is closed is undone. */
   open_both( ADS_SHARED );
   OK( AdsBeginTransaction( connection ) );
   append( first, 9999 );
   OK( AdsDisconnect( connection ) );
   OK( AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   open_both( ADS_SHARED );
   SAME( 6, records( first ) );
   OK( AdsDisconnect( connection ) );
   END();
}
