! Arrays (manual: DIM, REDIM, Numeric Values, DIM( ))
DIM A[4],B[1:3],C[1:2,1:3],N$[2]
A[0]=1
A[4]=5
A(2)=3
PRINT A[0],A[1],A[2],A[4]
FOR I=1 TO 2; FOR J=1 TO 3
C[I,J]=I*10+J
NEXT; NEXT
PRINT C[1,1],C[2,3],C(2,1)
N$[1]="one"
PRINT N$[1](2,2),"|",N$[0],"|"
B{ALL}=7
B{2:3}=1
PRINT B[1],B[2],B[3]
A{ALL}=B{ALL}
PRINT A[1],A[3],DIM(READ NUM(A)),DIM(READ MIN(A)),DIM(READ MAX(A))
DIM D$[*]
D$[*]="x"
D$[2]="y"
D$[*]="z"
PRINT DIM(READ MAX(D$)),D$[1],D$[2],D$[3]
REDIM B[1:5]
PRINT B[1],B[3],B[5]
FOR I INDEX D${ALL}; PRINT I,D$[I],; NEXT; PRINT ""
READ DATA FROM "5,6,7,",SEP="," TO B{ALL}
PRINT B[1],B[2],B[3],B[4]
A=9
PRINT A,A[1]
DIM F$[2](3,"0")
PRINT F$[0],F$[2]
B[1.5]=1
