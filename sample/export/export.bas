0010 ! Export of a keyed, sort or indexed file as text, for `mainstay import`.
0020 ! Runs on ProvideX and PxPlus, and writes NAME.txt and NAME.desc into the current folder.
0030 ! The format is described in docs/moving-basic.md.
0040 INPUT "File to export: ",F$
0050 IF F$="" THEN END
0060 INPUT "Name of the export: ",N$
0070 INPUT "IOLIST of its fields (Enter for none): ",V$
0100 OPEN INPUT (1,ERR=0900)F$
0110 I$=FIB(1)
0120 T=ASC(MID(I$,10,1)),E=ASC(MID(I$,11,1)),Z=ASC(MID(I$,15,1))*256+ASC(MID(I$,16,1))
0130 IF T<>0 AND T<>2 THEN PRINT F$," is not a file with keys or indexes: copy it as it is"; GOTO 0800
0140 D$=N$+".txt"; GOSUB 0700; OPEN LOCK (2)D$
0150 D$=N$+".desc"; GOSUB 0700; OPEN LOCK (3)D$
0160 N=0,B=0,C$=$0000$
0200 ! Record by record: the key or the index is that of the record that READ takes next.
0210 K$="",R$="",X$=""
0220 IF T=0 THEN X$=STR(IND(1,END=0400)) ELSE IF E>0 THEN K$=KEY(1,END=0400)
0230 READ RECORD (1,END=0400)R$
0240 IF T=2 AND Z=0 THEN R$=""
0250 C$=CRC(K$+R$+$0A$,C$),N=N+1,B=B+LEN(K$)+LEN(R$)
0260 L$=R$; GOSUB 0600; L$=SUB(L$,SEP,$09$)
0270 R$=L$,L$=K$; GOSUB 0600
0280 IF T=0 THEN R$=X$+$09$+R$ ELSE IF Z=0 THEN R$=L$ ELSE IF E>0 THEN R$=L$+$09$+R$
0290 WRITE RECORD (2)R$
0300 IF MOD(N,10000)=0 THEN PRINT N
0310 GOTO 0210
0400 ! The description.
0410 WRITE RECORD (3)"# "+F$
0420 WRITE RECORD (3)"data="+N$+".txt"
0430 WRITE RECORD (3)"fib="+HTA(I$)
0440 WRITE RECORD (3)"separator="+HTA(SEP)
0450 O$=""; O$=FIN(1,"KEY_OPTIONS",ERR=0460)
0460 IF O$<>"" THEN WRITE RECORD (3)"options="+O$
0470 IF V$<>"" THEN WRITE RECORD (3)"layout=IOLIST "+V$
0480 WRITE RECORD (3)"records="+STR(N)
0490 WRITE RECORD (3)"bytes="+STR(B)
0500 WRITE RECORD (3)"crc="+HTA(C$)
0510 PRINT N," records of ",F$
0520 CLOSE (2); CLOSE (3); GOTO 0800
0600 ! Characters that would end a field or a line.
0610 L$=SUB(L$,"\","\\"),L$=SUB(L$,$09$,"\t")
0620 L$=SUB(L$,$0A$,"\n"),L$=SUB(L$,$0D$,"\r")
0630 RETURN
0700 ! A new text file in place of the old one.
0710 ERASE D$,ERR=0720
0720 SERIAL D$
0730 RETURN
0800 CLOSE (1)
0810 GOTO 0040
0900 PRINT F$,": ",MSG(ERR)
0910 GOTO 0040
