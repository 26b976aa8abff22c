! Forms of the manual's pages (LET, DIM, DIM( ), GOSUB, Operators, EVN, MSK, CRC, GAP, PCK, SRT, SWP, JST, PRINT)
W$="SHORT TEXT"; W$(1,5)="LO",W$(11)=" ENDS"
PRINT W$,"|"
N=5; A=++N; B=N++; PRINT A,B,N,N--,N
U$="ab"; U$*=3; PRINT U$
DIM T[1:4]; T{ALL}=TCB(18); PRINT T{ALL},"|",T{2:3}
T{ALL}=T{ALL}*10; PRINT T{ALL}
T{2:3}=T{1:2}+T{3:4}; PRINT T{ALL}
DIM F$[1:3]; F$[1]="fig",F$[2]="plum",F$[3]="apple"
F${ALL}=F${ALL}+"s"; PRINT F$[1],F$[2],F$[3],UCS(F$[2])
PRINT DIM(FIND MAX(F$)),DIM(FIND MIN(F$)),DIM(FIND F$="plums"),DIM(FIND T>=30),DIM(ADD T)
X=DIM(FIND F$="none",ERR=*NEXT)
PRINT ERR
PRINT DIM(READ NUM(Q)),DIM(READ MAX(Q)),DIM(READ MIN(Q))
PRINT T[2 REMOVE],T{ALL}
DIM D$[*]; D$[*]="one"; D$[*]="two"; D$[*]="three"
WHILE DIM(READ NUM(D$)); PRINT D$[1 REMOVE],"/",; WEND; PRINT ""
V=1,V$="old"; GOSUB SHOW WITH V=V+1,V$="new"; PRINT V,V$
PRINT EVN("1/0",7),EVN(="x"="x"),EVS("STR(10:""0"")","too long"),EVS(="a"+"b")
V=EVN("1/0",ERR=*NEXT)
PRINT ERR
V=EVN("1+",0,ERR=*NEXT)
PRINT ERR
PRINT MSK("order 1234 of May","([a-z]+) ([0-9]+)"),MSL,MSK(1),MSL,MSK(2),TCB(16)
V=MSK(3,ERR=*NEXT)
PRINT ERR
PRINT HTA(CRC("Hello")),HTA(CRC("World",CRC("Hello"))),HTA(CRC("HelloWorld")),HTA(CRC("123456789",32))
PRINT HTA(CRC("6789",CRC("12345",32),32))
PRINT HTA(GAP("This")),HTA(GEP("This"))
PRINT PCK(1234,2),UPK(PCK(1234)),LEN(PCK(5)),UPK(PCK(99999999,4))
PRINT SRT("pear apple fig "," "),"|",SRT("c,a,b",","),"|",SUB(SRT("b"+SEP+"a"+SEP),SEP,";")
PRINT SWP("12345678",1),SWP("12345678",2),SWP("12345678",$06$),SWP("1234"),SWP("12345",1)
PRINT "|",JST("ab",5),"|",JST("ab",5,0),"|",JST("ab",5,"C","*"),"|",JST("abcdef",3,"R"),"|",JST("1.98",7,"*"),"|"
PRINT LEN(UCS(*)),MID(UCS(*),98,1),MID(LCS(*),66,1),LEN(CVS(*)),HTA(MID(CHR(*),32,2))
PRINT MSG(2)
! Composite strings (manual: DIM format 2, Composite Strings)
DIM C$:IOL=FORM1
C.NAME$="Ann",C.AMOUNT=7.5
PRINT SUB(C$,SEP,"/"),LEN(C$)
C$="Bob"+SEP+"12"+SEP; PRINT C.NAME$,C.AMOUNT
C$(1,1)="R"; PRINT C.NAME$,C$(1,3)
C.CITY$="Rome"; DIM C$:IOL=FORM2; PRINT SUB(C$,SEP,"/")
KEYED "composite",4,0,-100; OPEN (1)"composite"; WRITE RECORD (1,KEY="k")C$
CLEAR C$; PRINT "|",C.NAME$,C.CITY$,"|",C.AMOUNT
READ RECORD (1,KEY="k")C$; PRINT C.NAME$,C.CITY$,C.AMOUNT
CLOSE (1)
DIM P$:IOL=FIXED
P.DESC$="Nuts",P.COST=12.34; PRINT "|",P$,"|",LEN(P$)
DIM T[1:4]; SERIAL "ranges"; OPEN LOCK (1)"ranges"; T{ALL}=TCB(18); WRITE (1)T{2:3},"z"; CLOSE (1)
DIM S[1:3]; OPEN (1)"ranges"; READ (1)S{2:3},V$; PRINT S{ALL},V$; CLOSE (1)
! SIZ= of READ RECORD: bytes of a file opened with ISZ=1 (manual: HSH, READ RECORD)
SERIAL "bytes"; OPEN LOCK (1)"bytes"; WRITE RECORD (1)"abcdefghij"; CLOSE (1)
OPEN (1,ISZ=1)"bytes"
READ RECORD (1,SIZ=4)V$; PRINT V$
READ RECORD (1,SIZ=2)V$; PRINT V$
READ RECORD (1,SIZ=100)V$; PRINT HTA(V$)
READ RECORD (1,SIZ=4,END=*NEXT)V$; PRINT "none"
CLOSE (1)
STOP
SHOW: PRINT V,V$; V=99; RETURN
FORM1: IOLIST NAME$,AMOUNT
FORM2: IOLIST NAME$,CITY$,AMOUNT
FIXED: IOLIST DESC$:[CHR(10)],COST:[NUM(6,2)]
