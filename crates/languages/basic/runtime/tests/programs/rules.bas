! Search rules, folders, message libraries, error 15 (manual: PREFIX, CWDIR, MESSAGE_LIB, MSG( ), INVOKE)
DIRECTORY "data"
PREFIX "data/"
KEYED "cust",4
PREFIX
OPEN (1,ERR=*NEXT)"cust"
PRINT "ERR",ERR
PREFIX "none/ ""data/"""
OPEN (1)"cust"
WRITE (1,KEY="a")"A"
CLOSE (1)
DISABLE 0
OPEN (1,ERR=*NEXT)"cust"
PRINT "disabled",ERR
ENABLE 0
PRINT FIN("cust","NUMREC"),PFX
PREFIX
KEYED "names",20
OPEN (1)"names"
WRITE (1,KEY="customers")"data/cust","","CODE$"
CLOSE (1)
PREFIX FILE "names"
OPEN (2,IOL=*)"customers"
READ (2)
PRINT CODE$,PFX(-1)
CLOSE (2)
PREFIX FILE
PREFIX DIRECTORY "*usr"="data"
PRINT FIN("*usr/cust","NUMREC")
CWDIR "data"
PRINT LWD,FIN("cust","NUMREC")
CWDIR HWD
PRINT LWD
CWDIR "nowhere",ERR=*NEXT
PRINT "ERR",ERR
CWDIR "..",ERR=*NEXT
PRINT "ERR",ERR
PREFIX PROGRAM "no/"
CALL "sharing.sub;WITH" WITH N=1,M$="found"
PREFIX PROGRAM
KEYED "messages",10
OPEN (1)"messages"
WRITE RECORD (1,KEY="NOCUST")"Sorry but Customer %1 is not valid"
CLOSE (1)
MESSAGE_LIB "messages"
PRINT MSG("NOCUST","0001")
PRINT MSG(="Due %2, %1","a","b"),MSG("UNKNOWN")
PRINT MSG(*)="messages"+SEP
MESSAGE_LIB POP
PRINT MSG("NOCUST")
PRINT MSG(14)
OPEN (1,ERR=*NEXT)"|ls"
PRINT "ERR",ERR
INVOKE "ls",ERR=*NEXT
PRINT "ERR",ERR
TRY
PREFIX FILE "plain"
CATCH
PRINT "ERR",ERR
END_TRY
SERIAL "plain"
TRY
PREFIX FILE "plain"
CATCH
PRINT "ERR",ERR
END_TRY
