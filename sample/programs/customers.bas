! Customers: a list by name; records are added and changed
CALL "setup"
PRECISION 2
CUSTOMER: IOLIST CODE$,NAME$,CITY$,LIMIT,OWED
CH=HFN; OPEN (CH,IOL=CUSTOMER)"clients"
TOP:
PRINT 'CS',"CUSTOMERS"
PRINT "Code",@(8),"Name",@(34),"City",@(52),"Limit",@(64),"Owed"
SELECT IOL=CUSTOMER FROM "clients",KNO="name"
PRINT CODE$,@(8),NAME$,@(34),CITY$,@(47),LIMIT:"###,##0.00",@(58),OWED:"###,##0.00"
NEXT RECORD
ASK:
INPUT (0,ERR=DONE)"Code to add or to change, Enter to go back: ",C$
C$=UCS(STP(C$,3))
IF C$="" THEN GOTO DONE
IF LEN(C$)>6 THEN PRINT "A code has at most 6 characters."; GOTO ASK
FOR I=1 TO LEN(C$)
IF POS(MID(C$,I,1)="ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")=0 THEN EXITTO BAD
NEXT
NAME$="",CITY$="",LIMIT=0,OWED=0
EXTRACT (CH,KEY=C$,DOM=NEW,BSY=BUSY)
PRINT "Change ",C$,"; Enter keeps what is there."
GOTO FIELDS
BAD: PRINT "A code has letters and digits only."; GOTO ASK
BUSY: PRINT "Somebody else is changing that customer."; GOTO ASK
NEW: PRINT "New customer ",C$
FIELDS:
CODE$=C$
INPUT (0,ERR=LEAVE)"Name ["+NAME$+"]: ",V$; IF V$<>"" THEN NAME$=V$(1,MIN(LEN(V$),30))
IF NAME$="" THEN PRINT "A customer has a name."; GOTO FIELDS
INPUT (0,ERR=LEAVE)"City ["+CITY$+"]: ",V$; IF V$<>"" THEN CITY$=V$
AMOUNT:
INPUT (0,ERR=LEAVE)"Credit limit ["+STR(LIMIT)+"]: ",V$; IF V$="" THEN GOTO STORE
V=NUM(V$,ERR=NOT_A_NUMBER)
IF V<0 OR V>999999 THEN PRINT "A limit is from 0 to 999999."; GOTO AMOUNT
LIMIT=V
STORE:
WRITE (CH)
PRINT "Stored."
GOTO TOP
NOT_A_NUMBER: PRINT V$," is not a number."; GOTO AMOUNT
LEAVE: EXTRACT RELEASE (CH)
DONE: CLOSE (CH)
END
