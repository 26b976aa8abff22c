! Examples of the manual with what they print (PRC, RDX, TRX, DSK, SSZ, PRECISION, RETRY, REPEAT, GOSUB, LCS, SRT, LOCAL)
precision 14;
floating point ;
A=7.1234
print prc,@(10),A
begin ! Resets A=0, precision=2 (cancels scientific notation)
print prc,@(10),A
A=6.1234
print prc,@(10),A
A$=lst(pgm(65000));
print "string: ",quo,A$,quo
print hta(rdx(A$))
B$=hta(rdx(A$))
print hta(trx(B$)),"|",trx(rdx("A.B-C$ 9")),"|"
print bsz(0),hsa(0),ssz(0),dsk(""),"|"
X$=rdx("low",err=*next)
print err
A$="0231405242670291234403242"
print srt(A$,5)
print not(srt(not(A$),5))
print srt("THE BROWN FOX JUMPED OVER THE DOG"," ")
for A=0 to 6
precision A
print 1/3,
next A
print "DONE"
precision 2
CASH=1.98
repeat
input "How much TAX did you pay? $",TAXES
CASH=CASH-TAXES
print "You have $",CASH," left"
until CASH<=0
print "Okay you have paid enough."
input "Enter name: ",NAME$
NAME$(2)=lcs(NAME$(2))
NAME$(1,1)=ucs(NAME$(1,1))
print "Name is",@(10),": ",NAME$
X=1234,X$="START TEST, X=";
print X$,X
gosub CHK_IT
print "TEST DONE"
gosub LOOP
print X$,X," DONE";
stop
CHK_IT:
local X$,X;
X$="CHECK X:";
print X$,X
X=X+10
print X$,X
return
LOOP:
print "START LOOP, X=",X
X$="LOOP" ! Not designated as LOCAL
for local X=1 to 4
print X$,X
next X
return
