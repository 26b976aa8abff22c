! The work of the published IOLIST program with fewer turns
DATA "012345","Abc company limited","123 Main street","Unit 123","","Anytown","1.5"
MYIOL: IOLIST A$,B$,C$,D$,E$,F$,G
READ DATA IOL=MYIOL,ERR=*NEXT
PRINT "type",ERR
RESTORE
READ DATA A$,B$,C$,D$,E$,F$,G$
G=NUM(G$)
OPEN (1,IOL=MYIOL)"*memory*"
WRITE (1)IOL=MYIOL
FOR I=1 TO 1000
READ (1,IND=0)
NEXT
PRINT B$,G,I
CLEAR A$
READ (1,IND=0)IOL=MYIOL
PRINT A$
PRINT LST(IOL(1))
