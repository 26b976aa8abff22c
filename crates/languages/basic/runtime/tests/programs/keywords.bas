! Keywords as subscripts (manual: Associative Arrays, DIM( ) formats 8 to 10, FOR .. INDEX)
H$["Mon"]="1st",H$["Tue"]="2nd"; W$="Wed"; H$[W$]="3rd"
PRINT H$["Tue"],H$[3],DIM(READ NUM(H$)),DIM(READ MIN(H$)),DIM(READ MAX(H$))
PRINT DIM(INDEX H$["Wed"]),DIM(INDEX H$["Thu"]),DIM(KEY H$[1])
FOR K$ INDEX H${ALL}; PRINT K$,"=",H$[K$],";",; NEXT; PRINT ""
FOR K INDEX H${ALL}; PRINT K,; NEXT; PRINT ""
PRINT DIM(DROP H$["Tue"]),DIM(INDEX H$["Tue"]),H$[2]
K$=DIM(KEY H$[2],ERR=*NEXT)
PRINT ERR
PRINT H$[1 REMOVE],DIM(INDEX H$["Wed"]),H$["Wed"]
C["x"]+=5,C["x"]+=2; C["y"]++; PRINT C["x"],C["y"],C["z"],C[1]
H$["Wed"](1,1)="X"; PRINT H$["Wed"]
DIM H$; PRINT DIM(READ NUM(H$)),"|",H$["Mon"],"|"
! ESCAPE with an error number
ESCAPE OFF; ESCAPE
ESCAPE ON
DEF FNROOT(X)
IF X<0 THEN ESCAPE 40
RETURN SQR(X)
END DEF
PRINT FNROOT(16)
PRINT FNROOT(-1)
