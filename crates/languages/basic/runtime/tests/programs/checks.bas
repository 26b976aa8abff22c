! Checks of INPUT: branches, lengths, ranges (manual: Input Statements, INPUT)
SETERR REFUSED
INPUT "name ",N$:("END"=DONE,LEN=2,5); PRINT N$
INPUT "code ",C$:(LEN=3); PRINT C$
INPUT "answer ",A$:"A":("Y"=YES,"N"=NO)
PRINT "not here"
YES: PRINT "yes ",A$
INPUT "hour ",H:(23); PRINT H
INPUT "rate ",R:(19.99); PRINT R
INPUT "percent ",P:("X"=NO,-99); PRINT P
INPUT "count ",Q:(7=NO); PRINT Q
NO: PRINT "branch",P
INPUT "last ",N$:("END"=DONE,LEN=2,5)
STOP
DONE: PRINT "done ",N$
STOP
REFUSED: PRINT "refused",ERR; RETRY
