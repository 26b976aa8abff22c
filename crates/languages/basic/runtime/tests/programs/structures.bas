! Structured and composite strings (manual: DIM, Define/Use Structured Strings; Composite Strings; XFA, VIS, VIN, VIA, CLEAR)
DIM CLIENT$::"Name:C(30), Addr:C(30), City:C(15), Owing:N(10)"
PRINT LEN(CLIENT$),LEN(STP(CLIENT$))
Client::Name$="B Jones",Client::City$="Markham"
Client::Owing=12.5
Client::Owing += 3
PRINT "[",Client::Name$(1,8),"][",Client::City$,"]",Client::Owing,Client::Owing%
PRINT "[",CLIENT$(76),"][",CLIENT::OWING$,"]"
Client::City$(1,4)="Park"
N$=Client::City$
PRINT "[",N$,"]"
EXECUTE "PRINT Client::City$(1,4)"
! Arrays, binary numbers, and an element that a tab ends
DIM R$::"Id:I(2),Qty[1:3]:N(4),Text:C(20*=9),Zip:C(5)"
R::ID=-2
FOR I=1 TO 3; R::QTY[I]=I*10; NEXT I
R::TEXT$="delimited"
R::ZIP$="12345678"
PRINT HTA(R$(1,2)),R$(3,12),"|",R::TEXT$,"|",R$(LEN(R$)-4),LEN(R$)
R::TEXT$="short"
PRINT R::ZIP$,R::QTY(2),R::ID,LEN(R$)
PRINT (0,ERR=*NEXT)R::QTY[4]
PRINT ERR
PRINT (0,ERR=*NEXT)R::NONE$
PRINT ERR
PRINT (0,ERR=*NEXT)N::CITY$
PRINT ERR
PRINT (0,ERR=*NEXT)R::ZIP+1
PRINT ERR
R$=""
PRINT R::ID,"[",R::ZIP$,"]",LEN(R$)
R::ZIP$="9"
PRINT LEN(R$)
R::TEXT$="x",R::ID=5
CLEAR R::TEXT$,R::ID,I
PRINT R::TEXT$,R::ID,I,R::ZIP$,N$
CLEAR R$
PRINT LEN(R$),R::QTY[1]
DIM R$(3)
PRINT (0,ERR=*NEXT)R::ID
PRINT ERR
! The form with one colon: elements of A$ are A.NAME$
DIM CST$:"NAME:C(20*),ADDR:C(30*),CITY:C(20*),ZIP:N(10*):type=cur"
LET CST.NAME$="B JONES"
LET CST.CITY$="MYCITY",CST.ADDR$="23 SOME ST."
LET CST.ZIP=78923
PRINT SUB(CST$,$0A$,"/")
PRINT SUB(XFA(CST$,""),$0A$,"/")
PRINT HTA(XFA(CST$,"NAME"))
PRINT XFA(CST$,"ZIP","type")
PRINT CST.NAME$,CST.ZIP+1
PRINT VIS(CST$,"CITY$"),VIN(CST$,"ZIP")
VIA CST$,"CITY$"="Oslo",CST$,"ZIP"=150
PRINT CST.CITY$,CST.ZIP
PRINT (0,ERR=*NEXT)XFA(N$,"")
PRINT ERR
T$="A:C(2),B:I(2)"
DIM Y$:T$
Y.A$="zz",Y.B=258
PRINT Y$(1,2),HTA(Y$(3)),Y.B
DIM M$::"+MSE"
PRINT LEN(M$)
! Composite strings: by a list of the program, and by text
PETS: IOLIST X$,Y$,Z$
DIM PET$:IOL=PETS
X$="Dogs",Y$="Cats",Z$="!"
VIA PET$,"X$"="Lotsa",PET$,"Y$"="and",PET$,"Z$"="It's raining"
PRINT PET.X$," ",X$," ",PET.Y$," ",Y$
PRINT VIS(PET$,"Z$")," ",SUB(PET$,SEP,"/")
DIM X$:CPL("IOLIST A$,B$,X,Y")
X.A$="CAT",X.B$="DOG",X.X=1,X.Y=2
PRINT SUB(X$,SEP,"-")
X$="PVX PLUS"+SEP+"PXPLUS"+SEP+"123"
PRINT X.A$,X.B$,X.X,X.Y
EXECUTE "PRINT SUB(X$,SEP,""-"")"
DIM BAD$::"A:C(2),B"
