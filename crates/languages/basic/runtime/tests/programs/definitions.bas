! DEF of tables, variables and messages; MNEMONIC and MNM; KGN, I3E, HSH; methods with ERR= (manual, pages of these names)
U$=UCS(*); U$(229,1)=CHR(196)
DEF UCS(U$); PRINT HTA(UCS("a"+CHR(228))),"/",HTA(CVS("a"+CHR(228),4)),"/",HTA(MID(UCS(*),229,1))
DEF LCS(U$); PRINT LCS("abC")
P$=CHR(*); P$(1,1)=$01$; DEF CHR(P$); PRINT HTA(CVS($0001$+"a",16:"?"))
A$=CVS(*); A$(66,1)="x"; DEF CVS(A$); PRINT CVS("ABA",512)
SETERR SHORT_TABLE
DEF UCS("short")
PRINT "not refused"
SHORT_TABLE: SETERR 0; PRINT "error",ERR
D$="januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december"
D$+=",maandag,dinsdag,woensdag,donderdag,vrijdag,zaterdag,zondag,vm,nm,VM,NM"
D$+=",jan,feb,mrt,apr,mei,jun,jul,aug,sep,okt,nov,dec,ma,di,wo,do,vr,za,zo,v,n,V,N"
DEF DTE(D$)
PRINT DTE(JUL(2026,11,28),13.5:"%Dl %D %Ml %Y, %p; %Ds %Ms %ps %P")
DEF MSG(11)="Niet gevonden"; PRINT MSG(11)
DEF MSG(11) DELETE; PRINT MSG(11)
DEF MSG("HI")="Hallo %1"; PRINT MSG("HI","Jan"); DEF MSG("HI") DELETE; PRINT MSG("HI")
DEF CTL=7; DEF ERR=12; DEF LFO=5; DEF LFA=6; PRINT CTL,ERR,LFO,LFA
DEF LPG="LEAD"; DEF HWD="/shop"; DEF NID="BOX"; PRINT LPG," ",HWD," ",NID
SERIAL "lp"; OPEN LOCK (1)"lp"
MNEMONIC (1)'CP'=ESC+"[15m"
MNEMONIC 'US'="_"
PRINT (1)'CP',"wide",'US','BR',"x",'SP'
PRINT (1)ESC+"&l0O","raw",ESC+"E"+ESC
PRINT HTA(MNM('CP',1)),"|",MNM("ZZ",1),"|"
CLOSE (1); OPEN (1)"lp"
READ RECORD (1)R$; PRINT SUB(R$,ESC,"<")
READ RECORD (1)R$; PRINT SUB(R$,ESC,"<")
CLOSE (1)
SERIAL "sv"; OPEN LOCK (2)"sv"; SETDEV (2)SEP="|"; WRITE (2)"a","b"; CLOSE (2); OPEN (2)"sv"
READ RECORD (2)R$; PRINT R$
SETDEV (2)SEP="|"; SETDEV (2)IOL=PAIR; READ (2,IND=0); PRINT P$,Q$
CLOSE (2)
MNEMONIC (0)'CP'="Courier New,-8":120,40; PRINT MNM('CP')
KEYED "kg",[1:1:3],[2:1:4:"D"]; OPEN (1)"kg"; X$=MID(FIB(1),85); CLOSE (1)
R$="abc"+SEP+"wxyz"+SEP; PRINT KGN(R$,X$,0)," ",KGN(R$,X$,1)," ",HTA(KGN(R$,X$,-1))
X=LEN(KGN(R$,X$,2,ERR=*NEXT))
PRINT "error",ERR
PRINT HTA(I3E(1)),I3E($4004000000000000$),I3E(I3E(-.1))
PRINT HTA(HSH("abc","key",1))
PRINT HTA(HSH("abc",-1))
X=LEN(HSH("abc","K1",0,ERR=*NEXT))
PRINT "error",ERR
O=NEW("account","Smith",100)
X=O'WITHDRAW(30,ERR=*NEXT); PRINT X
X=O'WITHDRAW(500,ERR=*NEXT); PRINT "not refused"
PRINT "error",ERR
O'WITHDRAW(1000,ERR=NO_MONEY)
PRINT "not refused"
NO_MONEY: PRINT "error",ERR,O'BALANCE
LIST NO_MONEY,NO_MONEY
EXECUTE "O'WITHDRAW(1000,ERR=*NEXT)"
PRINT "after EXECUTE",ERR
END
PAIR: IOLIST P$,Q$
