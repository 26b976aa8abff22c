! Properties of controls (manual: control_object_properties, the tables of each control)
BUTTON 10,@(5,3,12,2)="&Save",MNU=77,TIP="Saves",MSG="Saves the order",FNT="Arial,1.5,B"
B=10
PRINT B'Col,B'Line,B'Cols,B'Lines,B'Width,B'Height
PRINT B'CtlName$," ",B'Text$," ",B'Tip$," ",B'Msg$," ",B'Font$," ",B'Key$," ",B'TextColor$
PRINT B'Enabled,B'Visible,B'Focus,B'MenuCtl,B'Value$
B'Text$="&Hit me now"; B'Enabled=0; B'Cols=20; B'Line$="4"; B'TextColor$="Red"
PRINT B'Text$," ",B'Key$,B'Enabled,B'Cols,B'Line," ",B'TextColour$; C=B'Col; B'Col=10.3; PRINT B'Col; B'Col=C
BUTTON ENABLE 10; PRINT B'Enabled
B'Focus=1; SET_FOCUS READ N; PRINT N,B'Focus
SETERR NO_PROPERTY
X=B'Nothing
NO_PROPERTY: SETERR 0
PRINT ERR
! A list: items, the selection, the end of the load
LIST_BOX 20,@(0,5,20,5),OPT="#"
L=20
LIST_BOX LOAD L,"Ant/Bee/Cat/"
PRINT L'ItemCount,L'CurrentItem,L'SelectCount
L'FindItemText$="Bee"; PRINT L'Item,L'ItemText$
L'ItemText$="Bear"; L'Item=9; PRINT "[",L'ItemText$,"]"
L'Value$="Cat"; L'CurrentItem=1; PRINT L'SelectCount
FOR I=1 TO L'SelectCount; L'SelectIndex=I; PRINT L'SelectItem,; NEXT; PRINT ""
L'FindItemText$="Zebra"; PRINT L'Item
L'LoadPoint=-1; LIST_BOX LOAD L,"Dog/"; LIST_BOX FIND L,0,A$; PRINT A$
DIM E$[1:2]; E$[1]="one"; E$[2]="two"
L'LoadPoint=0; LIST_BOX LOAD L,E${ALL}; LIST_BOX FIND L,0,A$; PRINT A$
! Translation tables
DROP_BOX 30,@(0,11,20,5),TBL="YNM"
D=30
DROP_BOX LOAD D,"Yes/No/Maybe/"
DROP_BOX WRITE D,"N"; DROP_BOX READ D,A$; PRINT A$,D'CurrentItem
D'Value$="M"; PRINT D'CurrentItem,D'Value$
CHECK_BOX 40,@(0,13,20,1)="Paid",TBL="NY"
C=40
CHECK_BOX WRITE C,"Y"; CHECK_BOX READ C,A$; PRINT A$
C'Value$="N"; PRINT C'Value$; C'Tbl$=""; PRINT C'Value$; C'Value=1; PRINT C'Value
! Radio buttons: 'Id names one of the group
RADIO_BUTTON 50:1,@(0,14,10,1)="Daily"
RADIO_BUTTON 50:2,@(0,15,10,1)="Weekly"
R=50
R'Value=2; PRINT R'Value,R'Id,R'Text$
R'Id=2; PRINT R'Text$; R'Enabled=0; R'Id=1; PRINT R'Enabled
! Text input
MULTI_LINE 60,@(0,16,20,1),LEN=5
M=60
M'Value$="abcdefg"; PRINT M'Value$,M'Len
M'Lock=1; M'Uppercase=1; PRINT M'Lock,M'Uppercase,M'Password
! A grid: 'Column and 'Row name cells, 0 all of them
GRID 70,@(0,18,40,5)
G=70
G'ColumnsWide=3; G'RowsHigh=2; PRINT G'ColumnsWide,G'RowsHigh
G'Column=2; G'Row=0; G'Value$="New Data"
G'Column=2; G'Row=1; PRINT G'Value$
G'RowData$="a"+SEP+"b"+SEP+"c"; PRINT SUB(G'RowData$,SEP,"/")
G'CurrentRow=2; G'CurrentColumn=3; PRINT G'CurrentRow,G'CurrentColumn,"[",G'CurrentValue$,"]"
! Several at once
B'_PropList$="Col,Text$,Tip$"; B'_PropSep$="|"; PRINT B'_PropValues$
B'_PropValues$="7|Go|Goes"; PRINT B'Col,B'Text$," ",B'Tip$
IF POS(",Col,"=B'*)>0 AND POS("ItemCount"=B'*)=0 AND POS("ItemCount"=L'*)>0 THEN PRINT "names"
SETERR NO_CHANGE
B'CtlName$="x"
NO_CHANGE: SETERR 0
PRINT ERR
SETERR NO_NUMBER
B'Cols$="wide"
NO_NUMBER: SETERR 0
PRINT ERR
X=99
SETERR NO_CONTROL
Y=X'Col
NO_CONTROL: SETERR 0
PRINT ERR
END
