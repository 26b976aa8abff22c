! Orders of a customer: the code by hand or from the window, a list box, and a window with one order
PRECISION 2
SALE: IOLIST CODE$,NUMBER$,DAY$,TOTAL
PRINT 'CS','BR',PAD("  Orders of a customer",80),'ER',@(2,2),"Customer:",@(0,23),'SB',"F1 look up   F4 leave",'SF',
LIST_BOX 10,@(2,5,50,12)
ASK:
SET_FOCUS 0
INPUT (0,LEN=6,SIZ=7)@(12,2),'UC',C$,'LC',
IF CTL=4 THEN GOTO DONE
IF CTL=1 THEN CALL "lookup",C$; PRINT @(12,2),PAD(C$,7),; IF C$="" THEN GOTO ASK
LIST_BOX LOAD 10,""
COUNT=0,SUM=0
SELECT IOL=SALE FROM "sales" BEGIN C$ END C$
LIST_BOX LOAD 10,0,NUMBER$+"  "+DAY$+"  "+STR(TOTAL:"###,##0.00")
COUNT++; SUM=SUM+TOTAL
NEXT RECORD
PRINT @(2,18),'CL',STR(COUNT)," orders, ",STP(STR(SUM:"###,##0.00"),3)," in all",
IF COUNT=0 THEN GOTO ASK
LIST_BOX WRITE 10,1
PICK:
SET_FOCUS 10
OBTAIN (0,SIZ=1,ERR=PICK)@(2,20),A$,
IF CTL=4 THEN GOTO ASK
IF CTL<>10 THEN GOTO PICK
LIST_BOX READ 10,ROW$
PRINT 'DIALOGUE'(20,8,36,7,"Order "+ROW$(1,4),'_CYAN'+'BLACK'),
PRINT @(1,1),"Day:   ",ROW$(7,10),@(1,2),"Total: ",STP(ROW$(19),3),@(1,4),"Enter goes back",
OBTAIN (0,SIZ=1)@(20,4),A$,
PRINT 'POP',
GOTO PICK
DONE: LIST_BOX REMOVE 10
EXIT
