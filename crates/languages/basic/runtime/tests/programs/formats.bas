! Formats of fields in an IOLIST (manual: IOLIST, "Input and Output Parameters")
A=123.45,B=1,C=-23,D=1.6; R$=REC(IOL=NUMBERS); PRINT R$(1,24),"|",HTA(R$(25))
A=0,B=0,C=0,D=0
READ DATA FROM "00012345000001000002300-"+$0010$ TO IOL=NUMBERS; PRINT A,B,C,D
NUMBERS: IOLIST A:[NUM(8,2)],B:[NUM(8,2)],C:[SGN(8,2)],D:[BIN(2,1)]
E=-2.5; PRINT HTA(REC(IOL=BINARY)); READ DATA FROM $FFE7000A012D$ TO IOL=BINARY; PRINT E,F,G
BINARY: IOLIST E:[BIN(2,1)],F:[INT(2)],G:[BCD(2)]
DIM T$[1:3]; T$[1]="ann",T$[2]="b""c",T$[3]=""; PRINT IOL=QUOTED
READ DATA FROM """x,y"",plain,""say """"so"""""","+"7," TO IOL=MIXED; PRINT T$[1],"|",T$[2],"|",T$[3],"|",N
QUOTED: IOLIST T${ALL}:[STR(",")]
MIXED: IOLIST T${ALL}:[STR(",")],N:[STR(",")]
U$="left  ",V$="abcdefgh",W$="t"; PRINT REC(IOL=TEXTS),"|"
READ DATA FROM "aa    bb   cut/"+"   12.5-3" TO IOL=TEXTS; PRINT U$,"|",V$,"|",W$,"|",X
TEXTS: IOLIST U$:[CHR(6)],V$:[LEN(5)],W$:[CHR("/",SIZ=4)],X:[DEC(7,1)]
DIM S$:IOL=TEXTS; S.U$="in",S.X=7.25; PRINT S$,"|"
A=1234567890; PRINT IOL=NUMBERS
