module example.com/hand

go 1.24
