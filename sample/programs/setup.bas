! Makes the files of the application, with a few records, unless they are there
OPEN INPUT (HFN,ERR=MAKE)"counters"
CLOSE (LFO)
END
MAKE:
KEYED "clients",[1:1:6],["name":2:1:30]+[1:1:6]
KEYED "articles",[1:1:6],["text":2:1:30]+[1:1:6]
KEYED "sales",[1:1:6],["client":2:1:6]+[1:1:6]
KEYED "sale_lines",[1:1:6]+[2:1:3]
CUSTOMER: IOLIST CODE$,NAME$,CITY$,LIMIT,OWED
ITEM: IOLIST CODE$,TEXT$,PRICE,STOCK,MINIMUM
CH=HFN; OPEN (CH,IOL=CUSTOMER)"clients"
FOR 4; READ DATA IOL=CUSTOMER; WRITE (CH); NEXT
CLOSE (CH)
CH=HFN; OPEN (CH,IOL=ITEM)"articles"
FOR 5; READ DATA IOL=ITEM; WRITE (CH); NEXT
CLOSE (CH)
! The counter is made last: a set-up that was cut off fails loudly at the next start and is not taken for a whole one
DIRECT "counters",8
CH=HFN; OPEN (CH)"counters"
WRITE (CH,KEY="ORDER")1001
CLOSE (CH)
END
DATA "BRANDT","Brandt Coffee House","Oslo",5000,0
DATA "DUARTE","Duarte Delicatessen","Lisbon",2500,0
DATA "KELLER","Keller Cheese","Bern",800,0
DATA "MORENO","Moreno Brothers","Seville",10000,0
DATA "BISC01","Oat biscuits, 24 packs",36.5,40,20
DATA "BRIE01","Brie, 3 kg",41.25,12,10
DATA "COFF01","Coffee, dark, 10 kg",118,75,25
DATA "COFF02","Coffee, mild, 10 kg",112.8,30,25
DATA "GOUD01","Gouda, 12 kg",96.4,18,6
