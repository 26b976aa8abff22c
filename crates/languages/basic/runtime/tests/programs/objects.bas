! Objects (manual: DEF CLASS, PROPERTY, FUNCTION, LIKE, LOCAL, NEW( ), DROP OBJECT)
DEF CLASS "Customer"
PROPERTY Name$,Owed SET ChangeOwed,Twice=Owed*2
PROPERTY Fixed SET ERR,Shown$ GET ShowName
LOCAL Changes
FUNCTION Pay(Amount)
ENTER Amount
Owed=Owed-Amount
RETURN Owed
FUNCTION Find(X$)ByName
FUNCTION Find(X)ByNumber
FUNCTION Count()
RETURN Changes
FUNCTION Both()
RETURN _obj'Count()+_obj'Twice
FUNCTION END
END DEF
DEF CLASS "Shop" UNIQUE CREATE NO_LOGIC DELETE NO_LOGIC
LIKE "Customer"
FUNCTION Kind$()
RETURN "shop "+Name$
END DEF
C=NEW("customer","Ann",100)
PRINT C'Name$,C'Owed,C'Twice
C'Owed=50
PRINT C'Owed,C'Count()
PRINT C'Pay(20),C'Owed,C'Shown$
PRINT C'Find("x"),C'Find(5),C'Both()
Owed=1
PRINT Owed,C'Owed
D=NEW("Customer","Bob",1)
D'Name$="Rob"
PRINT C'Name$,D'Name$
E=NEW(D)
E'Name$="Copy"
PRINT D'Name$,E'Name$
S=NEW("Shop")
S'Name$="Main"
PRINT S'Kind$(),NEW("Shop")=S,S'_RefCnt
TRY; C'Fixed=1; CATCH; PRINT "error",ERR; END_TRY
TRY; PRINT C'Changes; CATCH; PRINT "error",ERR; END_TRY
TRY; PRINT C'Nothing; CATCH; PRINT "error",ERR; END_TRY
TRY; X=NEW("NoSuchClass"); CATCH; PRINT "error",ERR; END_TRY
DROP CLASS "Shop",ERR=*NEXT
PRINT "error",ERR
DROP OBJECT S
DROP OBJECT S
DROP CLASS "Shop"
DROP OBJECT C
TRY; PRINT C'Name$; CATCH; PRINT "error",ERR; END_TRY
DELETE OBJECT D
P=NEW("class_file")
P'Add(3)
P'Add(4)
PRINT P'Sum
END
ON_CREATE: ENTER Name$,Owed
RETURN
ON_DELETE: PRINT "gone ",Name$
RETURN
ChangeOwed: ENTER NewOwed
Owed=NewOwed,Changes=Changes+1
RETURN
ShowName: RETURN "<"+Name$+">"
ByName: ENTER A$
RETURN 1
ByNumber: ENTER A
RETURN 2
NO_LOGIC: RETURN
