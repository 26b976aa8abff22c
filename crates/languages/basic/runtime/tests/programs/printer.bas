! Printers without a face that shows documents: text files (manual: *WINPRT*, *VIEWER*, 'FF')
OPEN (7)"*PRINTER*"
PRINT (7)"Page one"
PRINT (7)'FF',"Page two",@(12),"col 12"
CLOSE (7)
OPEN (8)"print-001.txt"
READ RECORD (8)R$
PRINT R$
READ RECORD (8)R$
PRINT HTA(R$(1,1)),R$(2)
CLOSE (8)
OPEN (7)"*winprt*;orientation=landscape"
PRINT (7)"second"
CLOSE (7)
OPEN (8)"print-002.txt"
READ RECORD (8)R$
PRINT R$
