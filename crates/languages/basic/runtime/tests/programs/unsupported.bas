PRINT "runs until the line is reached"
HIDE 10,@(1,1,10,10)
