module wellhead.test/host

go 1.21
