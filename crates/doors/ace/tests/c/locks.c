/* Locks: between two handles of this process, and against another process that holds them. */
#include "check.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static ADSHANDLE connection;
static int is_far;

static ADSHANDLE open_shared( void )
{
   ADSHANDLE table = 0;
   OK( AdsOpenTable( connection, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED, &table ) );
   return table;
}

static void one_process( void )
{
   ADSHANDLE mine = open_shared(), other = open_shared(), server = 0;
   UNSIGNED16 flag = 9, count = 9, size;
   UNSIGNED32 records[ 8 ];
   ADS_MGMT_RECORD_INFO locked[ 4 ];
   ADS_MGMT_USER_INFO owner;

   OK( AdsGotoRecord( mine, 3 ) );
   OK( AdsLockRecord( mine, 0 ) );
   OK( AdsLockRecord( mine, 5 ) );
   OK( AdsIsRecordLocked( mine, 3, &flag ) );
   SAME( 1, flag );
   OK( AdsIsRecordLocked( mine, 4, &flag ) );
   SAME( 0, flag );
   OK( AdsGetNumLocks( mine, &count ) );
   SAME( 2, count );
   count = 8;
   OK( AdsGetAllLocks( mine, records, &count ) );
   SAME( 2, count );
   SAME( 3, records[ 0 ] );
   SAME( 5, records[ 1 ] );
   count = 1;
   ANSWERS( AE_INSUFFICIENT_BUFFER, AdsGetAllLocks( mine, records, &count ) );
   SAME( 2, count );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, 3 ) );
   if( is_far )
   {
      /* A server knows who it is, by name: a user, or else a program. */
      UNSIGNED8 text[ 601 ] = "";
      UNSIGNED16 length = 600;
      UNSIGNED32 code = 0;
      OK( AdsGetLastError( &code, text, &length ) );
      SAME( AE_LOCK_FAILED, code );
      TRUE_THAT( strstr( ( char * ) text, ", locked by " ) != NULL && strstr( ( char * ) text, "locked by  at" ) == NULL );
   }
   ANSWERS( AE_LOCK_FAILED, AdsLockTable( other ) );
   /* There is no such record. */
   ANSWERS( AE_INVALID_RECORD_NUMBER, AdsLockRecord( other, 11 ) );
   OK( AdsLockRecordImplicitly( other, 4 ) );
   OK( AdsUnlockRecord( other, 4 ) );
   ANSWERS( AE_RECORD_NOT_LOCKED, AdsUnlockRecord( other, 4 ) );
   OK( AdsMgConnect( T( "." ), NULL, NULL, &server ) );
   count = 4;
   size = sizeof( locked[ 0 ] );
   OK( AdsMgGetLocks( server, T( "shared." ENDING ), NULL, 0, locked, &count, &size ) );
   SAME( 2, count );
   SAME( 3, locked[ 0 ].ulRecordNumber );
   size = sizeof( owner );
   OK( AdsMgGetLockOwner( server, T( "shared." ENDING ), 3, &owner, &size, &flag ) );
   SAME( ADS_MGMT_RECORD_LOCK, flag );
   size = sizeof( owner );
   OK( AdsMgGetLockOwner( server, T( "shared." ENDING ), 9, &owner, &size, &flag ) );
   SAME( ADS_MGMT_NO_LOCK, flag );
   OK( AdsMgDisconnect( server ) );
   OK( AdsUnlockTable( mine ) );
   ANSWERS( AE_TABLE_NOT_LOCKED, AdsUnlockTable( mine ) );
   OK( AdsLockTable( mine ) );
   OK( AdsIsTableLocked( mine, &flag ) );
   SAME( 1, flag );
   /* The lock of the table is none of its records. */
   OK( AdsIsRecordLocked( mine, 7, &flag ) );
   SAME( 0, flag );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, 7 ) );
   /* The code of which rddads makes NetErr(). */
   ANSWERS( 1024, AdsAppendRecord( other ) );
   OK( AdsUnlockTable( mine ) );
   OK( AdsIsTableLocked( mine, &flag ) );
   SAME( 0, flag );
   OK( AdsGotoEOF( mine ) );
   ANSWERS( AE_NO_CURRENT_RECORD, AdsLockRecord( mine, 0 ) );

   /* What one writes, the other reads. */
   OK( AdsGotoRecord( mine, 2 ) );
   OK( AdsLockRecord( mine, 2 ) );
   OK( AdsSetString( mine, T( "NAME" ), T( "seen" ), 4 ) );
   OK( AdsWriteRecord( mine ) );
   OK( AdsUnlockRecord( mine, 2 ) );
   {
      UNSIGNED8 text[ 32 ];
      UNSIGNED32 length = sizeof( text );
      OK( AdsGotoRecord( other, 2 ) );
      OK( AdsGetString( other, T( "NAME" ), text, &length, ADS_TRIM ) );
      TEXT( "seen", text );
   }
   /* A change without a lock takes one, and gives it back with the record. */
   OK( AdsSetString( mine, T( "NAME" ), T( "implicit" ), 8 ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, 2 ) );
   OK( AdsWriteRecord( mine ) );
   OK( AdsLockRecord( other, 2 ) );
   OK( AdsUnlockTable( other ) );
   OK( AdsCloseTable( other ) );
   OK( AdsCloseTable( mine ) );
}

/* The lock of a record that was appended is given back when that is written or left, unless the program asks for it. */
static void appended( void )
{
   ADSHANDLE mine = open_shared(), other = open_shared();
   UNSIGNED16 count = 9, flag = 9;
   UNSIGNED32 record = 0;

   OK( AdsAppendRecord( mine ) );
   OK( AdsGetRecordNum( mine, ADS_IGNOREFILTERS, &record ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, record ) );
   OK( AdsSetLong( mine, T( "ID" ), 99 ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, record ) );
   OK( AdsWriteRecord( mine ) );
   OK( AdsGetNumLocks( mine, &count ) );
   SAME( 0, count );
   OK( AdsLockRecord( other, record ) );
   OK( AdsUnlockRecord( other, record ) );
   /* Left: with values, and without. */
   OK( AdsAppendRecord( mine ) );
   OK( AdsSetLong( mine, T( "ID" ), 98 ) );
   OK( AdsAppendRecord( mine ) );
   OK( AdsGetNumLocks( mine, &count ) );
   SAME( 1, count );
   OK( AdsGotoTop( mine ) );
   OK( AdsGetNumLocks( mine, &count ) );
   SAME( 0, count );
   OK( AdsLockTable( other ) );
   OK( AdsUnlockTable( other ) );
   /* The way of rddads: the program asks for the lock right away, and gives it back itself. */
   OK( AdsAppendRecord( mine ) );
   OK( AdsLockRecord( mine, 0 ) );
   OK( AdsGetRecordNum( mine, ADS_IGNOREFILTERS, &record ) );
   OK( AdsSetLong( mine, T( "ID" ), 97 ) );
   OK( AdsWriteRecord( mine ) );
   OK( AdsIsRecordLocked( mine, record, &flag ) );
   SAME( 1, flag );
   OK( AdsGotoTop( mine ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, record ) );
   OK( AdsUnlockRecord( mine, record ) );
   OK( AdsLockRecord( other, record ) );
   OK( AdsUnlockRecord( other, record ) );
   /* So is the lock that a change has taken. */
   OK( AdsGotoRecord( mine, 3 ) );
   OK( AdsSetString( mine, T( "NAME" ), T( "locked" ), 6 ) );
   OK( AdsLockRecord( mine, 3 ) );
   OK( AdsWriteRecord( mine ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, 3 ) );
   OK( AdsUnlockRecord( mine, 3 ) );
   /* In a transaction it lasts as long as that. */
   OK( AdsBeginTransaction( connection ) );
   OK( AdsAppendRecord( mine ) );
   OK( AdsGetRecordNum( mine, ADS_IGNOREFILTERS, &record ) );
   OK( AdsSetLong( mine, T( "ID" ), 96 ) );
   OK( AdsWriteRecord( mine ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( other, record ) );
   OK( AdsCommitTransaction( connection ) );
   OK( AdsGetNumLocks( mine, &count ) );
   SAME( 0, count );
   OK( AdsGotoTop( other ) );
   OK( AdsLockRecord( other, record ) );
   OK( AdsUnlockRecord( other, record ) );
   OK( AdsCloseTable( other ) );
   OK( AdsCloseTable( mine ) );
}

static void two_processes( const char * folder )
{
   int ready[ 2 ], done[ 2 ];
   pid_t child;
   char byte = 0;
   ADSHANDLE table;
   time_t begun;

   TRUE_THAT( pipe( ready ) == 0 && pipe( done ) == 0 );
   child = fork();
   if( child == 0 )
   {
      ADSHANDLE through = 0, mine = 0;
      int failed = AdsConnect60( T( folder ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &through ) != AE_SUCCESS ||
                   AdsOpenTable( through, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_SHARED,
                                 &mine ) != AE_SUCCESS ||
                   AdsLockRecord( mine, 6 ) != AE_SUCCESS;
      if( write( ready[ 1 ], "x", 1 ) != 1 || read( done[ 0 ], &byte, 1 ) != 1 )
         failed = 1;
      _exit( failed );
   }
   TRUE_THAT( read( ready[ 0 ], &byte, 1 ) == 1 );
   table = open_shared();
   ANSWERS( AE_LOCK_FAILED, AdsLockRecord( table, 6 ) );
   OK( AdsLockRecord( table, 5 ) );
   ANSWERS( AE_LOCK_FAILED, AdsLockTable( table ) );
   OK( AdsCloseTable( table ) );
   /* Who wants the table alone while another has it open is told so at once. */
   begun = time( NULL );
   ANSWERS( AE_FILE_IN_USE, AdsOpenTable( connection, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS,
                                          ADS_EXCLUSIVE, &table ) );
   TRUE_THAT( time( NULL ) - begun < 4 );
   table = open_shared();
   TRUE_THAT( write( done[ 1 ], "x", 1 ) == 1 );
   {
      int status = 1;
      TRUE_THAT( waitpid( child, &status, 0 ) == child );
      SAME( 0, status );
   }
   /* It is gone, and its locks with it. */
   UNTIL( folder, AdsLockRecord( table, 6 ) == AE_SUCCESS );
   OK( AdsLockRecord( table, 6 ) );
   OK( AdsCloseTable( table ) );
}

static void alone( void )
{
   ADSHANDLE table = 0;
   UNSIGNED16 flag = 0;

   OK( AdsOpenTable( connection, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, ADS_EXCLUSIVE, &table ) );
   OK( AdsLockRecord( table, 1 ) );
   OK( AdsIsRecordLocked( table, 1, &flag ) );
   SAME( 1, flag );
   OK( AdsIsTableLocked( table, &flag ) );
   SAME( 1, flag );
   ANSWERS( AE_TABLE_NOT_SHARED, AdsLockTable( table ) );
   ANSWERS( AE_TABLE_NOT_SHARED, AdsUnlockTable( table ) );
   OK( AdsCloseTable( table ) );
   table = open_shared();
   ANSWERS( AE_TABLE_NOT_EXCLUSIVE, AdsPackTable( table ) );
   ANSWERS( AE_TABLE_NOT_EXCLUSIVE, AdsZapTable( table ) );
   ANSWERS( AE_TABLE_NOT_EXCLUSIVE, AdsReindex( table ) );
   OK( AdsCloseTable( table ) );
}

int main( int count, char ** arguments )
{
   ADSHANDLE table = 0;
   int record;

   if( count < 2 )
      return 2;
   is_far = IS_FAR;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   OK( AdsCreateTable( connection, T( "shared" ), NULL, ADS_CDX, ADS_ANSI, ADS_COMPATIBLE_LOCKING, ADS_CHECKRIGHTS, 0,
                       T( "ID," WHOLE( 8 ) ";NAME,Character,12" ), &table ) );
   for( record = 1; record <= 10; ++record )
   {
      OK( AdsAppendRecord( table ) );
      OK( AdsSetLong( table, T( "ID" ), record ) );
   }
   OK( AdsCloseTable( table ) );
   one_process();
   appended();
   two_processes( arguments[ 1 ] );
   alone();
   OK( AdsDisconnect( connection ) );
   END();
}
