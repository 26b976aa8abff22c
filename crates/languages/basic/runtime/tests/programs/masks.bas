! Format masks (manual: Data Format Masks, STR( ), 'FI')
PRINT "[",STR(1:"000000"),"]"
PRINT "[",STR(1:"####0"),"]"
PRINT "[",STR(-2.4:"-###0.00"),"]"
PRINT "[",STR(1000.9:"#,##0+"),"]"
PRINT "[",STR(-10.5:"$#,##0.00BDR"),"]"
PRINT "[",STR(10.5:"$#,##0.00BDR"),"]"
PRINT "[",STR(-10.5:"#,##0.00CR"),"]"
PRINT "[",STR(10.5:"#,##0.00CR"),"]"
PRINT "[",STR(5551212:"000-0000"),"]"
PRINT "[",STR(2359:"00:00"),"]"
PRINT "[",STR(-45:"###0"),"]"
PRINT "[",STR(12.3:"**,***,##0.00"),"]"
PRINT "[",STR(0:"###!##"),"]"
PRINT "[",STR(-5:"(##0)"),"]"
PRINT "[",STR(5:"(##0)"),"]"
PRINT "[",STR(99:"0.00","****"),"]"
PRINT "[",STR(1.995:"0.00"),"]"
PRINT "[",STR(.01:"0.00"),"]"
PRINT "[",STR(1234567.8:"#,###,##0.00"),"]"
PRINT "[",STR("1234567":"000-0000"),"]"
PRINT "[",STR("abc":"AAA"),"]"
PRINT "[",STR("AB":"00","**"),"]"
PRINT "[",12.5:"##0.00",-3:"##0-","]"
SET_PARAM 'DP'=",",'TH'="."
PRINT "[",STR(1234.5:"#,##0.00"),"]"
SET_PARAM 'DP'=".",'TH'=","
X$=STR(1000:"##0",ERR=*NEXT)
PRINT "ERR",ERR
SET_PARAM 'FI'
PRINT STR(1000:"##0")
SET_PARAM 'FI'=0
SET_PARAM 'F,'; PRINT "[",STR(1234567:"###,##0"),"]"; SET_PARAM -'F,'
SET_PARAM 'FO'=42; PRINT "[",123456.78:"##0.00",STR("AB":"00"),"]"; SET_PARAM 'FO'=0
PRINT 1000:"##0"
