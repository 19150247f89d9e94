// Goroutines whose calls are known: code without tables for unwinding, on
// stacks that Go's runtime has made.
package main

import "os"

//go:noinline
func step(x int) int { return x*31 + 1 }

//go:noinline
func inner(n int) int {
	for i := 0; i < 100000; i++ {
		n = step(n)
	}
	return n
}

//go:noinline
func middle(n int) int { return inner(n) + 1 }

//go:noinline
func outer(c chan int) {
	for {
		c <- middle(1)
	}
}

func main() {
	c := make(chan int)
	go outer(c)
	go outer(c)
	os.Stdout.WriteString("{}\n")
	for {
		<-c
	}
}
