! Names with a dot are elements of structured strings or variables (manual: DIM, Define/Use Structured Strings; Composite Strings)
! Text that begins with IOLIST makes a composite string, a literal too
DIM X$:"iolist A$,N"
X.A$="one",X.N=1
PRINT SUB(X$,SEP,"-")
X$="two"+SEP+"2"
PRINT X.A$,X.N
DIM Z$:"IOLIST:C(3),IOLIST2:C(1)"
Z.IOLIST$="ab",Z.IOLIST2$="c"
PRINT Z$
