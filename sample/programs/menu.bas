! Order entry of a small wholesaler: the menu
CALL "setup"
MENU:
PRINT 'CS',@(0,0),"ORDER ENTRY",@(0,1),"==========="
PRINT @(2,3),"1  Customers"
PRINT @(2,4),"2  Items"
PRINT @(2,5),"3  Enter an order"
PRINT @(2,6),"4  Orders: inquiry"
PRINT @(2,7),"5  Orders: report to order_report.txt"
PRINT @(2,8),"6  Nightly job"
PRINT @(2,9),"7  Orders: report on the printer"
PRINT @(2,10),"0  End"
INPUT (0,ERR=DONE)@(2,12),"Choice: ",CHOICE$
SWITCH CHOICE$
CASE "1"; CALL "customers"; BREAK
CASE "2"; CALL "items"; BREAK
CASE "3"; CALL "order"; BREAK
CASE "4"; CALL "inquiry"; BREAK
CASE "5"; CALL "report",COUNT,""; PRINT "Orders in the report:",COUNT; BREAK
CASE "6"; CALL "nightly"; BREAK
CASE "7"; CALL "report",COUNT,"*PRINTER*"; PRINT "Orders on the printer:",COUNT; BREAK
CASE "0"; GOTO DONE
DEFAULT; PRINT "Please type a number from 0 to 7."
END SWITCH
IF POS(CHOICE$="1234") THEN GOTO MENU
INPUT (0,ERR=DONE)"Enter goes back to the menu: ",ANY$
GOTO MENU
DONE: PRINT "Good-bye."
END
