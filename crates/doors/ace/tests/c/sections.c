/* Critical sections of the program's own: one thread at a time is inside. */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define TURNS   500

static ADSHANDLE connection;
static volatile int inside, most, entered;

static void * work( void * nothing )
{
   int turn;
   size_t failed = 0;
   ( void ) nothing;
   for( turn = 0; turn < TURNS; ++turn )
   {
      failed += AdsWaitForObject( connection, ADS_DEFAULT ) != AE_SUCCESS;
      failed += AdsWaitForObject( connection, ADS_DEFAULT ) != AE_SUCCESS;
      inside = inside + 1;
      most = inside > most ? inside : most;
      entered = entered + 1;
      failed += AdsReleaseObject( connection ) != AE_SUCCESS;
      inside = inside - 1;
      failed += AdsReleaseObject( connection ) != AE_SUCCESS;
   }
   return ( void * ) failed;
}

int main( int count, char ** arguments )
{
   pthread_t threads[ THREADS ];
   void * failed = NULL;
   int thread;

   if( count < 2 )
      return 2;
   OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER | ADS_REMOTE_SERVER, NULL, NULL, ADS_DEFAULT, &connection ) );
   ANSWERS( AE_INVALID_VALUE, AdsWaitForObject( connection, ADS_DEFAULT ) );
   OK( AdsCreateCriticalSection( connection, ADS_DEFAULT ) );
   OK( AdsCreateCriticalSection( connection, ADS_DEFAULT ) );
   ANSWERS( AE_INVALID_OPTION, AdsCreateCriticalSection( connection, 7 ) );
   ANSWERS( AE_INVALID_VALUE, AdsReleaseObject( connection ) );
   for( thread = 0; thread < THREADS; ++thread )
      TRUE_THAT( pthread_create( &threads[ thread ], NULL, work, NULL ) == 0 );
   for( thread = 0; thread < THREADS; ++thread )
   {
      TRUE_THAT( pthread_join( threads[ thread ], &failed ) == 0 );
      TRUE_THAT( failed == NULL );
   }
   SAME( 1, most );
   SAME( THREADS * TURNS, entered );
   OK( AdsDisconnect( connection ) );
   ANSWERS( AE_INVALID_HANDLE, AdsWaitForObject( connection, ADS_DEFAULT ) );
   ANSWERS( AE_INVALID_HANDLE, AdsReleaseObject( connection ) );
   ANSWERS( AE_INVALID_HANDLE, AdsCreateCriticalSection( connection, ADS_DEFAULT ) );
   END();
}
