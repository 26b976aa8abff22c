PRINT "runs until the line is reached"
GRID 10,@(1,1,10,10)
