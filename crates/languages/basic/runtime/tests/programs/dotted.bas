! Names with a dot are elements of structured strings or variables (manual: DIM, Define/Use Structured Strings; Composite Strings)
DIM A$:"N:I(2),S:C(4)"
A.N=2,A.S$="key"
! Text that begins with IOLIST makes a composite string, a literal too
DIM X$:"iolist A$,N"
X.A$="one",X.N=1
PRINT SUB(X$,SEP,"-")
X$="two"+SEP+"2"
PRINT X.A$,X.N
DIM Z$:"IOLIST:C(3),IOLIST2:C(1)"
Z.IOLIST$="ab",Z.IOLIST2$="c"
PRINT Z$
! LOCAL hides the structure, and a DIM inside of it ends with it
P$="kept"
GOSUB INNER
PRINT A.N,LEN(A$),SUB(X$,SEP,"-")
P.S$="variable"
PRINT P$,P.S$
CLEAR EXCEPT A$,X.A$
PRINT A.N,A.S$,X.A$
END
INNER: LOCAL A$,P$,X$
PRINT "[",A$,P$,X$,"]"
DIM A$:"Q:C(3)",P$:"S:C(3)"
A.Q$="in",P.S$="p",X$="x"
PRINT A$,P$,X$
RETURN
