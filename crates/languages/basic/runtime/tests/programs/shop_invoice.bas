0010 REM "An invoice: IOLIST with positions and masks, records with fixed fields (manual: IOLIST, PRINT, REC, DIM)"
0020 BEGIN
0030 IOLIST A$,B,C$
0040 A$="X",B=2.5,C$="Z"
0050 PRINT IOL=0030
0060 L: IOLIST "Item: ",A$,@(12),B:"##0.00",@(20),C$
0070 PRINT IOL=L
0080 SERIAL "INV.TXT"; OPEN LOCK (5)"INV.TXT"
0090 PRINT (5)IOL=L
0100 PRINT (5)"A",@(10),"B"
0110 PRINT (5)"no newline",; PRINT (5)" continues"
0120 WRITE (5)A$,B,C$
0130 CLOSE (5); OPEN (5)"INV.TXT"
0140 READ RECORD (5,END=0160)R$; PRINT "[",SUB(R$,SEP,"~"),"]"; GOTO 0140
0160 CLOSE (5)
0170 F: IOLIST N$:[CHR(10)],V:[NUM(8,2)],D$:[CHR(4)]
0180 N$="Widget",V=12.5,D$="KG"; R$=REC(IOL=F); PRINT "[",R$,"]",LEN(R$)
0190 CLEAR N$,V,D$; READ DATA FROM R$ TO IOL=F; PRINT N$,"|",V,"|",D$,"|"
0200 DIM T[3]; T[1]=4,T[2]=5; PRINT T[1]+T[2],T{ALL}
0210 PRINT SEP,"|"
0220 DIM R$:"ID:C(4),NM$:C(10),AMT:N(8)"; R.ID$="7",R.NM$="Bolt",R.AMT=3.5; PRINT "[",R$,"]"
