0010 REM "Subroutines in other programs: arguments by reference and by value, arrays, entry points, globals (manual: CALL, ENTER, PERFORM, DEF FN)"
0020 DEF FNR(X,N)=INT(X*10^N+SGN(X)*.5)/10^N
0030 DEF FNC$(A$,W)=DIM(INT((W-LEN(A$))/2))+A$
0040 DEF FNMAX(A,B)
0050 IF A>B THEN RETURN A
0060 RETURN B
0070 END DEF
0080 PRECISION 6
0090 PRINT FNR(2.345,2),FNR(-2.345,2),FNMAX(3,9)
0100 PRINT FNC$("CENTER",20),"|"
0110 A$="JOHN",B=5; CALL "shop_utilities.sub",A$,B,C$,D; PRINT A$,B,C$,D
0120 CALL "shop_utilities.sub;SWAP",A$,C$; PRINT A$," ",C$
0130 CALL "shop_utilities.sub;ONE",ERR=0150,A$; PRINT "??"
0140 GOTO 0160
0150 PRINT "CALL ERR",ERR
0160 CALL "nothere",ERR=*NEXT; PRINT "not"
0170 PRINT ERR
0180 PERFORM "shop_utilities.sub;PERF"; PRINT "W=",W

0200 DIM N[3]; FOR I=0 TO 3; N[I]=I; NEXT I; CALL "shop_utilities.sub;ADDARR",N{ALL}; FOR I=0 TO 3; PRINT N[I],; NEXT I; PRINT
0210 X=1; CALL "shop_utilities.sub;BYVAL",(X),X+1; PRINT X
0220 %G=7; %G$="gl"; CALL "shop_utilities.sub;GLOB"; PRINT %G,%G$
0230 CALL "shop_utilities.sub;FAIL",ERR=0240
0240 PRINT "ERR",ERR
