! Strings and their functions (manual: String Values, MID, POS, SUB, CVS, STP, PAD, and others)
A$="The quick brown fox"
PRINT A$(5,5),"|",A$(17),"|",A$(20),"|"
PRINT POS("q"=A$),POS("z"=A$),POS("o"=A$),POS("o"=A$,-1),POS("o"=A$,1,2),POS("o"=A$,1,0),POS("o"=A$,2)
PRINT POS("0123456789":"ab7c"),POS("ab"^"abc"),POS("m"<"axz")
B$="Hello"
B$(2,3)="i"
PRINT B$,"|",LEN(B$)
B$(1,1)="Jelly"
PRINT B$
PRINT "|",MID("abcde",-2,-4),"|",MID("abc",9),"|",MID("abc",2,99),"|",MID("ABCD",-1,-1),"|"
PRINT "|",CVS("  The   Cat ",1:" "),"|",CVS(" The Cat ",2:" "),"|",CVS(" The  Cat ",39),"|"
PRINT CVS("$$$123",32:"$"),"|",CVS("john smith",256),"|",CVS(77,105,107,101)
PRINT "|",STP(" a b ",0),"|",STP(" a b ",1),"|",STP(" a b ",2),"|",STP(" a b ","A"),"|",STP("x,y,;",1,*",;"),"|"
PRINT "|",PAD("ab",5),"|",PAD("ab",5,0),"|",PAD("ab",5,2,"*"),"|",PAD("abcdef",3),"|",PAD("ab",4,"R","."),"|"
PRINT UCS("aBc1"),LCS("aBc1"),SUB("Hello there","e",""),SUB("a-b-c","-","+",2),SUB("a-b-c","-","+",-1)
PRINT ASC("A"),CHR(66),HTA("AB"),ATH("4344"),DEC("a"),DEC($FE$),DEC($0040$),HTA(BIN(-64,2)),HTA(BIN(40,2))
PRINT NUM("1.34"),NUM("-1,005."),NUM("A",1234),NUM("1.34",*),NUM("A",*),NUM("0.2E+10")
PRINT DIM(3,"ab"),"|",DIM(3),"|",NUL("  "),NUL("x"),LEN("a""b"),"a""b"
DIM R$(4,"xyz")
PRINT R$,"|",HTA(NOT($0010$)),HTA(AND($0F0F$,$00FF$)),HTA(IOR($0F00$,$00F0$)),HTA(XOR($0F$,$FF$))
PRINT TBL(1,"zero","one","two"),TBL(""="","no","yes"),TBL(2,10,20,30),TBL("abcx","abc","ABC")
PRINT MAX("a","c","b"),MIN("b","a"),CSE("b","a","b"),STP("  x",0)+"y"
C$="abc"
C$=C$+"d"+C$
PRINT C$
PRINT JST("ab  ","R"),"|",SRT("cab",1),"|",SWP("abc")
PRINT MSK("ab123c","[0-9]+"),MSL,MSK("abc","x|c$"),"abc" LIKE "^a","abc" LIKE "^b"
PRINT A$(21)
