! CLEAR EXCEPT, CLEAR * (manual: CLEAR), REM without a semicolon (VIA), mnemonics behind I/O options (PRINT)
A=1,B$="b",%G=5
DIM C[1:2]; C[1]=7
CLEAR EXCEPT B$,C{ALL}
PRINT A,B$,C[1],%G
CLEAR * EXCEPT B$
PRINT B$,%G
CLEAR *
PRINT "[",B$,"]" REM nothing is left
OPEN (1)"*memory*"
PRINT (1)'RB',"text"
PRINT (1)'RB'+"more"
READ (1,IND=0)L$; PRINT L$
READ (1,IND=1)L$; PRINT L$
DEF CLASS "P"
PROPERTY N$
END DEF
DIM O[1:1]; O[1]=NEW("P"); O[1]'N$="name"
PRINT O[1]'N$
