! XEQ and XML (manual, pages of these names)
DEF FNDOUBLE(N)=XEQ("inline.sub",R,N,R)
PRINT FNDOUBLE(21)
A$="ann"; PRINT XEQ("inline.sub;NAMES",B$,A$,B$),"|",A$
T=5; PRINT XEQ("inline.sub;SHARED",T*2,*),T
X=XEQ("nothere",1,ERR=*NEXT)
PRINT "error",ERR
X=XEQ("inline.sub;FAILS",1,ERR=*NEXT)
PRINT "error",ERR
E$=XML(ADD "John" TO "",KEY="Employee"); PRINT E$
E$=XML(ADD "Fran & Co" TO E$,KEY="Employee",OPT="role='Sales' "); PRINT E$
P$=XML(PROPERTY ADD "Widgets Plus" TO "",KEY="name"); P$=XML(PROPERTY ADD "it's" TO P$,KEY="x"); PRINT P$
C$=XML(ADD E$ TO "",KEY="company",OPT=P$); PRINT C$
H$=XML(ADD "" TO "",KEY="?xml",OPT="version='1.0' "); H$=XML(ADD C$ TO H$,KEY=""); PRINT H$
W=0
WHILE 1
V$=XML(NEXT FROM H$,IND=W,KEY=N$,OPT=O$,ERR=*BREAK)
PRINT N$,"/",O$,"/",LEN(V$)
WEND
PRINT "error",ERR
W=0; Q=0
WHILE 1
M$=XML(NEXT FROM V$,IND=W,KEY=N$,OPT=O$,ERR=*BREAK); PRINT N$,"=",M$," ",O$
Q=0; M$=XML(PROPERTY NEXT FROM O$,IND=Q,KEY=K$,ERR=*NEXT); PRINT K$,"->",M$
WEND
W=0; V$=XML(NEXT FROM "<!-- note --><a b=""1>2""><a/>x&lt;&#65;</a><c/>",IND=W,KEY=N$,OPT=O$); PRINT V$,N$,O$,W
V$=XML(NEXT FROM "<a><b></a>",IND=Z,KEY=N$); PRINT V$
V$=XML(NEXT FROM "<a>",IND=U,KEY=N$,ERR=*NEXT); PRINT "not refused"
PRINT "error",ERR
V$=XML(NEXT FROM "text",IND=U,KEY=N$,ERR=*NEXT); PRINT "not refused"
PRINT "error",ERR
EXECUTE "PRINT XML(ADD ""1"" TO """",KEY=""n"")"
