! Nightly job, without questions: orders that are due are marked as sent, what runs short goes to reorder.txt, and the
! report is written. It runs from the menu and by itself: mainstay run sample/programs/nightly.bas [YYYYMMDD]
CALL "setup"
PRECISION 2
TODAY$=DTE(0:"%Y%Mz%Dz")
IF NAR>0 THEN TODAY$=ARG(1); D=JUL(TODAY$,"YYYYMMDD",ERR=BAD_DATE)
SALE: IOLIST NUMBER$,CLIENT$,DELIVERY$,STATE$,TOTAL
ITEM: IOLIST CODE$,TEXT$,PRICE,STOCK,MINIMUM
SALES=HFN; OPEN (SALES,IOL=SALE)"sales"
SENT=0,BUSY=0
NEXT_SALE:
READ (SALES,END=SALES_DONE)
IF STATE$<>"open" OR DELIVERY$>TODAY$ THEN GOTO NEXT_SALE
! Read again with its lock: somebody may have changed it. An order that is in use waits for the next night
EXTRACT (SALES,KEY=KEC(SALES),BSY=IN_USE)
IF STATE$="open" THEN STATE$="sent"; SENT++
WRITE (SALES)
GOTO NEXT_SALE
IN_USE: BUSY++; READ (SALES,KEY=KEN(SALES,END=SALES_DONE),END=SALES_DONE); GOTO NEXT_SALE
SALES_DONE: CLOSE (SALES)
ERASE "reorder.txt",ERR=*NEXT
SERIAL "reorder.txt"
OUT=HFN; OPEN LOCK (OUT)"reorder.txt"
SHORT=0
SELECT IOL=ITEM FROM "articles" WHERE STOCK<MINIMUM
PRINT (OUT)CODE$,"  ",PAD(TEXT$,26),STR(MINIMUM*2-STOCK:"###,##0")
SHORT++
NEXT RECORD
CLOSE (OUT)
CALL "report",COUNT,""
PRINT "Nightly job: ",STR(SENT)," sent, ",STR(SHORT)," to reorder, ",STR(COUNT)," in the report."
IF BUSY>0 THEN PRINT "In use and left for the next night: ",STR(BUSY)
END
BAD_DATE: PRINT "The date ",TODAY$," is not YYYYMMDD."
END
