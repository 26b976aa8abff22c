! The terminal: PRINT, @( ), mnemonics, INPUT with masks and branches, list boxes (manual: PRINT, INPUT, LIST_BOX)
PRINT 'CS',"Title",@(10),"col10",@(20),"col20"
PRINT "a","b",1,"c"
PRINT "no new line ",
PRINT "end"
PRINT 'BR'+"reverse"+'ER'," plain"
INPUT "Name: ",N$
PRINT "[",N$,"]"
INPUT "Number: ",N
PRINT N*2
INPUT "Date: ",D$:"00/00/00"
PRINT D$
INPUT "Y/N: ",Y$:("Y"=YES,"N"=NO)
PRINT "not here"
NO: PRINT "no"
YES: PRINT "yes",CTL
LIST_BOX 10,@(40,0,40,24)
LIST_BOX LOAD 10,0,"second"
LIST_BOX LOAD 10,1,"first"
LIST_BOX LOAD 10,0,"third"
LIST_BOX FIND 10,2,L$
PRINT L$
LIST_BOX WRITE 10,3
LIST_BOX READ 10,L$
LIST_BOX READ 10,L
PRINT L$,L
LIST_BOX LOAD 10,2,*
LIST_BOX FIND 10,0,ALL$
PRINT SUB(ALL$,SEP,"/")
LIST_BOX LOAD 10,"x,y,"
LIST_BOX FIND 10,2,L$
PRINT L$
LIST_BOX REMOVE 10
PRINT LEN(MSE)
INPUT (0,ERR=*NEXT)N
PRINT "ERR",ERR
LIST_BOX READ 10,L
