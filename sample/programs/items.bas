! Items: a list; prices and stock are changed
CALL "setup"
PRECISION 2
ITEM: IOLIST CODE$,TEXT$,PRICE,STOCK,MINIMUM
CH=HFN; OPEN (CH,IOL=ITEM)"articles"
TOP:
PRINT 'CS',"ITEMS"
PRINT "Code",@(8),"Text",@(39),"Price",@(50),"Stock",@(58),"Minimum"
SELECT IOL=ITEM FROM "articles"
PRINT CODE$,@(8),TEXT$,@(34),PRICE:"###,##0.00",@(47),STOCK:"####,##0",@(57),MINIMUM:"####,##0",
IF STOCK<MINIMUM THEN PRINT " *" ELSE PRINT ""
NEXT RECORD
ASK:
INPUT (0,ERR=DONE)"Code of an item, Enter to go back: ",C$
C$=UCS(STP(C$,3))
IF C$="" THEN GOTO DONE
EXTRACT (CH,KEY=C$,DOM=MISSING,BSY=BUSY)
PRICE_AGAIN:
INPUT (0,ERR=LEAVE)"Price ["+STR(PRICE)+"]: ",V$; IF V$="" THEN GOTO STOCK_AGAIN
V=NUM(V$,ERR=BAD_PRICE); IF V<=0 OR V>=100000 THEN GOTO BAD_PRICE
PRICE=V
STOCK_AGAIN:
INPUT (0,ERR=LEAVE)"Pieces that came in [0]: ",V$; IF V$="" THEN GOTO STORE
V=NUM(V$,ERR=BAD_STOCK); IF V<>INT(V) OR STOCK+V<0 THEN GOTO BAD_STOCK
STOCK=STOCK+V
STORE: WRITE (CH)
PRINT "Stored: ",CODE$,", price ",STP(STR(PRICE:"###,##0.00"),3),", stock ",STR(STOCK)
GOTO TOP
BAD_PRICE: PRINT V$," is no price: a number above 0 and below 100000."; GOTO PRICE_AGAIN
BAD_STOCK: PRINT V$," is no number of pieces."; GOTO STOCK_AGAIN
MISSING: PRINT "There is no item ",C$,"."; GOTO ASK
BUSY: PRINT "Somebody else is changing that item."; GOTO ASK
LEAVE: EXTRACT RELEASE (CH)
DONE: CLOSE (CH)
END
