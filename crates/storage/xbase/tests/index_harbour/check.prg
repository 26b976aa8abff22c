// Walks every order of a table, forwards and backwards, compares each key with its expression, seeks keys, and can
// append to and change the table first. Links with the DBFCDX and DBFNTX drivers.
//   check.exe <folder> <table> <driver> check | work | sharework | sharepause | reindex | dump
REQUEST DBFCDX, DBFNTX, DESCEND, PADR, STRZERO, MONTH, DAY, DTOS, UPPER, LEFT, SUBSTR, STR, ALLTRIM, DELETED
REQUEST HB_GT_STD_DEFAULT
STATIC s_seed := 12345
PROCEDURE Main( cDir, cTable, cDriver, cMode )
   LOCAL aFiles, i, lShared := ( Left( cMode, 5 ) == "share" )
   SET EXACT ON
   SET DELETED OFF
   SET DATE ANSI
   SET CENTURY ON
   ErrorBlock( {| e | OutStd( "RTE " + cTable + " " + e:description + " " + hb_ntos( e:subcode ) + " " + e:operation + " " + procname(2) + hb_ntos(procline(2)) + hb_eol() ), ErrorLevel( 3 ), __Quit() } )
   rddSetDefault( cDriver )
   dbUseArea( .T., cDriver, cDir + "/" + cTable + ".dbf", "TT", lShared )
   IF cDriver == "DBFNTX"
      aFiles := Directory( cDir + "/" + cTable + "*.ntx" )
      ASort( aFiles,,, {| a, b | a[ 1 ] < b[ 1 ] } )
      FOR i := 1 TO Len( aFiles )
         ordListAdd( cDir + "/" + aFiles[ i ][ 1 ] )
      NEXT
   ENDIF
   s_seed += Len( cTable ) * 77 + Asc( cTable ) + LastRec()
   DO CASE
   CASE cMode == "work" .OR. cMode == "sharework"
      Work( lShared )
      Check( cTable )
   CASE cMode == "reindex"
      ordListRebuild()
      Check( cTable )
   CASE cMode == "sharepause"
      Check( cTable )
      DO WHILE ! hb_FileExists( cDir + "/go" )
         hb_idleSleep( 0.2 )
      ENDDO
      Check( cTable )
      Work( .T. )
      Check( cTable )
   CASE cMode == "dump"
      Dump()
   OTHERWISE
      Check( cTable )
   ENDCASE
   dbCloseAll()
   RETURN

STATIC FUNCTION Rnd( n )
   s_seed := ( s_seed * 1103515245 + 12345 ) % 2147483648
   RETURN Int( s_seed / 65536 ) % n

STATIC PROCEDURE Work( lShared )
   LOCAL i, nKind
   FOR i := 1 TO iif( LastRec() < 100, 120, 600 )
      nKind := Rnd( 3 )
      IF nKind == 0 .OR. LastRec() == 0
         dbAppend()
      ELSE
         dbGoto( Rnd( LastRec() ) + 1 )
         IF lShared
            dbRLock()
         ENDIF
      ENDIF
      IF FieldPos( "REMARK" ) == 0
         dbDelete()
         dbUnlock()
         LOOP
      ENDIF
      FIELD->ID := Rnd( 30000 ) * 3000 + Rnd( 3000 )
      FIELD->NAME := { "Smith", "Smithson", "Lee", "Nobody", "" }[ Rnd( 5 ) + 1 ] + " " + hb_ntos( Rnd( 60 ) )
      FIELD->REMARK := Replicate( Chr( 97 + Rnd( 4 ) ), Rnd( 120 ) )
      FIELD->AMT := ( Rnd( 20000 ) - 6000 ) / 10
      FIELD->BORN := iif( Rnd( 9 ) == 0, CToD( "" ), SToD( "19700101" ) + Rnd( 9000 ) )
      FIELD->FLAG := Rnd( 3 ) == 0
      IF nKind == 1 .AND. Rnd( 5 ) == 0
         dbDelete()
      ENDIF
      dbCommit()
      IF lShared
         dbUnlock()
      ENDIF
   NEXT
   RETURN

STATIC PROCEDURE Check( cTable )
   LOCAL i, n, nBad := 0, xKey, xLast, nLast, bKey, bFor, aSeen, nFor, nRec, lDesc, lUniq, nSeek, nBack, cOut := ""
   FOR i := 1 TO ordCount()
      ordSetFocus( i )
      bKey := &( "{||" + ordKey( i ) + "}" )
      bFor := iif( Empty( ordFor( i ) ), {|| .T. }, &( "{||" + ordFor( i ) + "}" ) )
      lDesc := ordDescend( i )
      lUniq := ordIsUnique( i )
      aSeen := Array( LastRec() )
      n := 0
      xLast := NIL
      nLast := 0
      dbGoTop()
      DO WHILE ! Eof()
         n++
         nRec := RecNo()
         xKey := ordKeyVal()
         IF aSeen[ nRec ] != NIL
            nBad++
            OutStd( cTable, ordName( i ), "seen twice", nRec, hb_eol() )
            EXIT
         ENDIF
         aSeen[ nRec ] := .T.
         IF ! ( xKey == Eval( bKey ) ) .OR. ! Eval( bFor )
            nBad++
            OutStd( cTable, ordName( i ), "wrong key", nRec, xKey, Eval( bKey ), hb_eol() )
         ENDIF
         IF xLast != NIL
            IF xLast == xKey
               IF lUniq .OR. ( rddName() == "DBFCDX" .AND. nLast > nRec .AND. ! lDesc )
                  nBad++
                  OutStd( cTable, ordName( i ), "equal keys", nLast, nRec, hb_eol() )
               ENDIF
            ELSEIF ValType( xKey ) == "L"
               IF iif( lDesc, xKey, xLast )
                  nBad++
               ENDIF
            ELSEIF iif( lDesc, xLast < xKey, xLast > xKey )
               nBad++
               OutStd( cTable, ordName( i ), "order", nLast, nRec, hb_eol() )
            ENDIF
         ENDIF
         xLast := xKey
         nLast := nRec
         dbSkip()
      ENDDO
      nFor := 0
      IF ! lUniq
         ordSetFocus( 0 )
         dbGoTop()
         DO WHILE ! Eof()
            IF Eval( bFor )
               nFor++
               IF aSeen[ RecNo() ] == NIL
                  nBad++
                  OutStd( cTable, i, "missing", RecNo(), hb_eol() )
               ENDIF
            ENDIF
            dbSkip()
         ENDDO
         ordSetFocus( i )
      ELSE
         nFor := n
      ENDIF
      nBack := 0
      dbGoBottom()
      DO WHILE ! Bof()
         nBack++
         dbSkip( -1 )
      ENDDO
      IF nFor != n .OR. ( nBack != n ) .OR. ordKeyCount() != n
         nBad++
         OutStd( cTable, ordName( i ), "counts", n, nFor, nBack, ordKeyCount(), hb_eol() )
      ENDIF
      nSeek := 0
      FOR nRec := 1 TO LastRec() STEP 3
         IF aSeen[ nRec ] != NIL
            dbGoto( nRec )
            xKey := Eval( bKey )
            IF ! dbSeek( xKey ) .OR. ! ( ordKeyVal() == xKey )
               nBad++
               OutStd( cTable, ordName( i ), "seek", nRec, xKey, hb_eol() )
            ENDIF
            nSeek++
         ENDIF
      NEXT
      cOut += " " + ordName( i ) + ":" + hb_ntos( n )
   NEXT
   OutStd( cTable, LastRec(), "orders", hb_ntos( ordCount() ), iif( nBad == 0, "GOOD", "BAD " + hb_ntos( nBad ) ), cOut, hb_eol() )
   IF nBad > 0
      ErrorLevel( 2 )
   ENDIF
   RETURN

STATIC PROCEDURE Dump()
   LOCAL i
   FOR i := 1 TO ordCount()
      ordSetFocus( i )
      OutStd( ordName( i ) )
      dbGoTop()
      DO WHILE ! Eof()
         OutStd( "," + hb_ntos( RecNo() ) )
         dbSkip()
      ENDDO
      OutStd( hb_eol() )
   NEXT
   RETURN
