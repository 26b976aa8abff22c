! Menu of the shop: it makes the files at the first start and calls the other programs
CALL "files"
SHOW:
PRINT 'RM','CS','BR',PAD("  Test shop",80),'ER',
PRINT @(4,3),"1  Customers",@(4,4),"2  Orders of a customer",@(4,5),"3  Stock",@(0,23),'SB',"F4 ends",'SF',
CHOOSE:
OBTAIN (0,SIZ=1,ERR=CHOOSE)@(4,7),"Choice: ",A$,
IF CTL=4 THEN GOTO DONE
ON POS(A$="123") GOTO WRONG,CUSTOMERS,ORDERS,STOCK
WRONG: PRINT @(4,9),'RB',"Choose 1, 2 or 3",'CL',; GOTO CHOOSE
CUSTOMERS: CALL "customers"; GOTO SHOW
ORDERS: CALL "orders"; GOTO SHOW
STOCK: CALL "stock"; GOTO SHOW
DONE: PRINT 'CS',"Good-bye"
END
