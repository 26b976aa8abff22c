module clients

go 1.26.8

require github.com/microsoft/go-mssqldb v1.11.2
