! Facts about files, the terminal and the task (manual: FID, FIB, FIN, PTH, TCB, CTL, RND, CVS, DIM)
KEYED "cst",6,[2:1:8:"U"],100,-50
OPEN (5)"cst"
WRITE (5,KEY="k1")"a","b"
PRINT FIN(5,"numrec"),FIN(5,"MaxRec"),FIN(5,"Key_Size"),FIN(5,"Key_Definition"),FIN(5,"CurKno"),FIN(5,"MaxKno")
PRINT HTA(SUB(FIN(5,"Separator"),"x","x")),FIN(5,"File_Create")
F$=FIB(5)
PRINT HTA(F$(1,3)),F$(4,3),HTA(F$(10,2)),DEC($00$+F$(12,3)),HTA(F$(17,1)),F$(19,1),HTA(F$(85,4))
PRINT FID(5)=FIB(5),LEN(FID(5))
SET_PARAM 'FF'=1
PRINT LEN(FID(5)),MID(FID(5),4,3)
SET_PARAM 'FF'=2
PRINT LEN(FID(5)),MID(FID(5),1,3),HTA(MID(FID(5),7,6))
SET_PARAM 'FF'=3
PRINT HTA(MID(FID(5),1,2)),POS("cst"=MID(FID(5),9))>0
SET_PARAM 'FF'=0
G$=FIN(5)
PRINT DEC($00$+G$(77,4)),DEC($00$+G$(85,1))
EXTRACT (5,KEY="k1")
PRINT FIN(5,"Extract")
CLOSE (5)
PRINT FIN("cst","NUMREC"),POS("cst"=PTH("nothing","cst"))>0
X$=PTH("nothing",ERR=*NEXT)
PRINT "ERR",ERR
PRINT FID(0),PTH(0),LEN(FIN(0))>33,LEN(FIB(0))
SETFID "TERM7"
PRINT FID(0),MID(FIN(0),33,5),FIN(0,"Filename")
READ (9,ERR=*NEXT)A$
PRINT TCB(2),TCB(3),TCB(62)
GOSUB SHOW
INPUT (0,SIZ=3)"Three: ",T$
PRINT T$,CTL
INPUT (0,LEN=2,SIZ=2)"Two: ",T$
PRINT T$,CTL
INPUT "Number: ",N
PRINT N
RANDOMIZE 1
A=RND(1000000)
RANDOMIZE 1
PRINT A=RND(1000000),RND(0)<1,RND(-5)<1,RND(1)
B=RND(2.5,ERR=*NEXT)
PRINT "ERR",ERR
PRINT CVS($E9C9$+"a",512),ASC(MID(CVS(*),234,1)),CVS(77,105,107,101)
DIM J$[*]
DIM LOAD J${ALL}="{ var1: [ ], var2: ""some"", g: { a: 1.3, b: [5,6] } }"
PRINT J$["var2"],J$["g.a"],J$["g.b.2"],"|",J$["var1.0"],"|"
PRINT DIM(LIST J${ALL})
PRINT TCB(503),TCB(301),TCB(37)
END
SHOW: PRINT TCB(8)=LNO("SHOW")-120 OR TCB(8)>0
RETURN
