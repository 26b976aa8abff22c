! Names with a dot are elements of structured strings or variables (manual: DIM, Define/Use Structured Strings; Composite Strings)
DIM A$:"N:I(2),S:C(4)"
A.N=2,A.S$="key"
! A subscript is an element of its own string, even if the array belongs to no structure
T$="IOLIST A$,N"
DIM B.ARR[3],B.TEXT$[3]
B.ARR[A.N]=20,B.TEXT$[A.N]="two"
PRINT B.ARR[2],B.ARR[0],B.ARR[A.N],B.TEXT$[2],B.TEXT$[A.N]
DIM B$:T$
B.ARR[B.ARR[A.N]/20]=1,B.ARR[A.N]+=5
PRINT B.ARR[1],B.ARR[2]
EXECUTE "PRINT B.ARR[A.N]"
B.K["KEY"]=7,B.K$["KEY"]=A.S$
PRINT B.K["KEY"],B.K["K"+"EY"],B.K$["KEY"],"|"
PRINT (0,ERR=*NEXT)A.N["KEY"]
PRINT ERR
! Text that begins with IOLIST makes a composite string, a literal too
DIM X$:"iolist A$,N"
X.A$="one",X.N=1
PRINT SUB(X$,SEP,"-")
X$="two"+SEP+"2"
PRINT X.A$,X.N
DIM Z$:"IOLIST:C(3),IOLIST2:C(1)"
Z.IOLIST$="ab",Z.IOLIST2$="c"
PRINT Z$
! CALL gives variables back, and elements not
CALL "dotted.sub",X.A$,X.N
PRINT X.A$,X.N
B.A$="b",B.N=1
CALL "dotted.sub",B.A$,B.N
PRINT B.A$,B.N
CALL "dotted.sub",(B.A$),B.N
CALL "dotted.sub;BY_NAME",B.A$,B.N
PRINT B.A$,B.N
CALL "dotted.sub",IOL=FIELDS
PRINT B.A$,B.N
CALL "dotted.sub",A.S$,A.N
PRINT A.S$,A.N
! Directives that need a variable
FOR X.I=1 TO 2; FOR B.I=1 TO 2; PRINT X.I*10+B.I,; NEXT B.I; NEXT X.I
PRINT ""
GOSUB SHOW WITH B.A$="with",X.N=9
PRINT B.A$,X.N
GOSUB OWN
PRINT B.A$
EXECUTE "FOR A.N=1 TO 2",ERR=*NEXT
PRINT ERR
EXECUTE "LOCAL A.S$",ERR=*NEXT
PRINT ERR
! ++ and -- change the element
N=A.N++
PRINT N,A.N,--A.N,HTA(A$(1,2))
N=B.N--
PRINT N,B.N
! LOCAL hides the structure, and a DIM inside of it ends with it
P$="kept"
GOSUB INNER
PRINT A.N,LEN(A$),SUB(X$,SEP,"-")
P.S$="variable"
PRINT P$,P.S$
CLEAR EXCEPT A$,X.A$
PRINT A.N,A.S$,X.A$
END
SHOW: PRINT B.A$,X.N; RETURN
OWN: LOCAL B.A$; PRINT "[",B.A$,"]"; B.A$="own"; PRINT B.A$; RETURN
INNER: LOCAL A$,P$,X$
PRINT "[",A$,P$,X$,"]"
DIM A$:"Q:C(3)",P$:"S:C(3)"
A.Q$="in",P.S$="p",X$="x"
PRINT A$,P$,X$
RETURN
FIELDS: IOLIST B.A$,B.N
