! Menus and input that a program puts into the queue (manual: MENU_BAR, POPUP_MENU, PREINPUT)
MENU_BAR 100,"-[&File,&Edit],F:[&Open,,&Save=D7,&Quit=4],E:[&Add=7,&Delete=C8]"
MENU_BAR FIND S$; PRINT S$
MENU_BAR ON "FO"
MENU_BAR ENABLE 7
MENU_BAR OFF "#7,#8"
MENU_BAR DISABLE "E"
MENU_BAR FIND S$; PRINT S$
MENU_BAR LOAD "E:E,EA:DC,XX:E,nonsense"
MENU_BAR FIND S$; PRINT S$
MENU_BAR READ S$; PRINT "[",S$,"]"
MENU_BAR ON "ZZ",ERR=*NEXT
PRINT ERR
MENU_BAR 1,"F:[&Open]",ERR=*NEXT
PRINT ERR
MENU_BAR GOTO
MENU_BAR CLEAR
MENU_BAR FIND S$; PRINT "[",S$,"]"
MENU_BAR 5,"\[&File],F:[&Export \[to Word\]]"
MENU_BAR FIND S$; PRINT S$
MENU_BAR REMOVE,ERR=*NEXT
! The choices are the lines of the input
POPUP_MENU "[&One=1,&Two=C2,&Three=D3,&Four=BC4]",A$; PRINT "chosen ",A$
POPUP_MENU @(58,12),"[&File,&Quit],#1000,F:[&Open,&Save,&Rename]",X; PRINT X
POPUP_MENU "[&One=1,&Two=C2,&Three=D3]",A$; PRINT "[",A$,"]"
POPUP_MENU "[One,Two]",X; PRINT X
POPUP_MENU "",X,ERR=*NEXT
PRINT ERR
PREINPUT "first"
PREINPUT "second",3
PREINPUT 7
PREINPUT NEXT "zeroth",2
INPUT "A: ",A$; PRINT A$,CTL
INPUT "B: ",A$; PRINT A$,CTL," ",HTA(EOM)
INPUT A$; PRINT A$,CTL," ",HTA(EOM)
INPUT A$; PRINT "[",A$,"]",CTL
! One key at a time, as from a keyboard
PREINPUT "xy"
OBTAIN (0,SIZ=1)A$; PRINT A$,CTL,"[",EOM,"]"
OBTAIN (0,SIZ=1)A$; PRINT A$,CTL
OBTAIN (0,SIZ=1)A$; PRINT "[",A$,"]",CTL
! An asterisk waits as a variable does
PREINPUT "x",7; OBTAIN *; PRINT CTL
PREINPUT "12.5"
INPUT N; PRINT N
INPUT A$; PRINT A$
