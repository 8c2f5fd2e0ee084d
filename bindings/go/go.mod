module batconv

go 1.19
