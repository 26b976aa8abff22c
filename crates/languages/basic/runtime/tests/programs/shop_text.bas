0010 REM "Text: lines of a width, names, justified fields (manual: POS, PAD, STP, CVS, STR)"
0020 T$="The quick brown fox jumps over the lazy dog and runs away"
0030 W=20
0040 IF LEN(T$)<=W THEN PRINT T$; GOTO 0080
0050 P=POS(" "=T$(1,W+1),-1); IF P=0 THEN P=W+1
0060 PRINT T$(1,P-1); T$=T$(P+1)
0070 GOTO 0040
0080 N$="smith, JOHN q."; P=POS(","=N$); L$=STP(N$(1,P-1),3),F$=STP(N$(P+1),3)
0090 PRINT UCS(L$(1,1))+LCS(L$(2)),",",UCS(F$(1,1))+LCS(MID(F$,2))
0100 PRINT PAD("L",5),"|",PAD("R",5,0),"|",PAD("C",5,2),"|",PAD("TOOLONG",4),"|",PAD("12",5,0,"0"),"|"
0110 PRINT STP("xxAxx",3,"x"),STP("  A  ",0),"|",STP("  A  ",1),"|",STP("A B C",3," "),"|"
0120 PRINT CVS(" a  b ",1),"|",CVS(" a  b ",2),"|",CVS("a b",4),"|",CVS("A B",8),"|",CVS("a"+CHR(1)+"b",16),"|",CVS("a   b",32),"|"
0130 PRINT SUB("banana","an","AN"),SUB("banana","an","",1),SUB("aaa","a","b",2)
0140 PRINT POS("o"="hello world"),POS("o"="hello world",1,2),POS("z"="abc"),POS("c"<"abcdef"),POS("ab"="xxabab",2),POS("ab"="xxabxab",2)
0150 PRINT NUM("  12  "),NUM("1E3"),NUM("x",ERR=0160)
0160 PRINT ERR; PRINT LEN(DIM(10)),DIM(3,"ab")
0170 PRINT MID("ABC",2),MID("ABC",5),"|",MID("ABC",-2,1),MID("ABCDE",2,-1),"|"
0180 DIM A$(3,"x"); A$(2,1)="yz"; PRINT A$; A$(4)="w"; PRINT A$,LEN(A$)
0190 PRINT "Say ""hi""",QUO,$41$,"tab"+$09$+"x"
0200 PRINT JST("ab",6,"C"),"|",JST("ab",6,"R"),"|",JST("1.5",8,"R"),"|"
0210 X$="12345678"; PRINT X$(1,3)+"-"+X$(4,2)+"-"+X$(6),STR("12345678":"000-00-000"),STR("AB12":"AA-00")
0220 PRINT STR("1B":"00",ERR=0230)
0230 PRINT ERR,STR("abc":"A(3)"),STR("abc":"XX",ERR=0240)
0240 PRINT ERR,STR("ab":"X-X-X"),"|"
0250 PRINT NUL("   "),NUL(""),NUL(" x ")
0260 REM
0270 REM
0280 REM
0290 END
