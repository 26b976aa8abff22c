/* The header compiles by itself, and the library links. */
#include "ace.h"

int main( void )
{
   return 0;
}
