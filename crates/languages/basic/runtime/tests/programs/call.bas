! CALL, ENTER, EXIT, PERFORM, EXECUTE, DEF FN, LOCAL, global variables (manual: the directives' pages)
A=1,B$="b",%G=5
DIM T[2]
T[1]=10
CALL "callee.sub",A,B$,A+1,(B$),T{ALL}
PRINT A,B$,T[1],%G
CALL "callee.sub;SECOND",A
PRINT A
CALL "callee.sub;FAILS",ERR=*NEXT
PRINT "EXIT",ERR
PERFORM "callee.sub;SHARED"
PRINT A,NEW$
PERFORM ""
EXECUTE "A=A+1; PRINT ""executed"",A"
EXECUTE "GOTO AFTER"
PRINT "not here"
AFTER: DEF FNX(P,Q)=P^Q
DEF FNL$(LOCAL P$)="<"+P$+">"
P$="kept"
PRINT FNX(3,4),P,FNL$("in"),P$
DEF FNM(LOCAL N)
IF N<=1 THEN RETURN 1
RETURN N*FNM(N-1)
END DEF
PRINT FNM(5)
X=1234
GOSUB SUBR
PRINT X
FOR LOCAL X=1 TO 2; PRINT X,; NEXT
PRINT X
PRINT EVN("X+1"),EVS("""a""+B$"),VIN("X"),VIS("B$")
VIA "B$"="via"
PRINT B$
PET$="animal"
VIA PET$="cat"
PRINT ANIMAL$
CALL "no.such.program"
END
SUBR: LOCAL X
X=1
X+=1
PRINT X
RETURN
