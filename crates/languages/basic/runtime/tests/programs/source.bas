0010 rem it's a remark with a quote "; print "no"
0020 Print "case ",; pRiNt "blind"  ! a remark
0030 data "joined", \
"lines"
0040 read data a$,b$
0050 print A$,B$
0060 !
0070 GOTO LABEL
0080 print "skipped"
0090 Label: print "label"
0100 print $414243$,"say ""hi"""
0110 IF A$="joined" \
THEN PRINT "then" \
ELSE PRINT "else"
0120 ? "question mark"
0130 LET X=1,Y=X+1
0140 PRINT Y
0150 PRINT LST(PGM(50))
0160 PRINT PGN," ",LNO("LABEL"),TCB(4)
0170 LIST 0130,LABEL2
0180 LABEL2: let a=1; for i=1 to 2; next i ! remark
0190 LIST 50
0200 REDIMM A[3]
