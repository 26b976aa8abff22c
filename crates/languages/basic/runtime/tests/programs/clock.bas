! Date and time of the session, TRANSLATE, HSH, CHG, TSK (manual: SETDAY, SETTIME, TRANSLATE, HSH, CHG, TSK)
T$=DAY
SETDAY "02/28/00"; PRINT DAY," ",DTE(0:"%Dl %D %Ml %Y")
SETDAY "12-31-1999"; PRINT DAY,JUL(1999,12,31)-JUL(0,0,0)
SETDAY ""; PRINT DAY=T$
SETTIME 23.5; PRINT INT(TIM*10),INT(TME*10); SETTIME
T=TIM; SETTIME MOD(INT(T)+12,24); SETDAY ""; PRINT ABS(TIM-T)<.1
A$="BADE"; TRANSLATE A$,"zyxw",ASC("A"); PRINT A$
A$="-7+8-"; TRANSLATE A$,"0","-"; PRINT A$
A$="a;b,c"; TRANSLATE A$,$3B022D2D2C0120$; PRINT A$
! Digests: RFC 1321, FIPS 180-4 and RFC 4231 (test case 2) have these values
PRINT HTA(HSH("abc",1))
PRINT HTA(HSH("abc",4))
PRINT HTA(HSH("abc",256))
PRINT HTA(HSH("what do ya want for nothing?","Jefe",7,256))
PRINT LEN(HSH("abc",224)),LEN(HSH("abc",384)),LEN(HSH("abc",512))
! Changes
B=3; PRINT CHG(READ "A,B,C$"),"|",CHG("A,B,C$"),"|",CHG("A,B,C$"),"|"
C$="x",B=3; PRINT CHG("A,B,C$")
! A level that begins again has new variables
CALL "noted.sub"; CALL "noted.sub"
PRINT @X(1),@Y(2)
! Tasks
SETDEV TSK()"first"; SETDEV TSK()"second"; PRINT TSK(1),TSK(0),TSK(-1)
A$=HSH("a",99,ERR=*PROCEED); PRINT ERR
A$=HSH("a",ERR=*PROCEED); PRINT ERR
A$=TSK(2,ERR=*PROCEED); PRINT ERR
SETDAY "02/30/2001"
