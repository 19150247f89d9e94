// A server that answers every request by one script of PHP, in threads of its
// own, or in workers whose script does not end between two requests:
//
//	frankenphp ADDRESS SCRIPT THREADS [worker]
//
// To build it, put this file into a folder of the sources of FrankenPHP, with
// php-config of a PHP that has --enable-embed and --enable-zts on the PATH:
//
//	CGO_CFLAGS=$(php-config --includes) CGO_LDFLAGS=-L... \
//		go build -tags nowatcher ./folder
//
// BOBBIN_FRANKENPHP=program tests/run.py -k frankenphp runs it.
package main

import (
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dunglas/frankenphp"
)

// What the client asked for stays in $_SERVER; the script is another.
func serve(script string) http.HandlerFunc {
	root, name := filepath.Split(script)
	return func(w http.ResponseWriter, r *http.Request) {
		c := r.Clone(r.Context())
		c.URL.Path = "/" + name
		to, err := frankenphp.NewRequestWithContext(c,
			frankenphp.WithRequestDocumentRoot(root, false),
			frankenphp.WithOriginalRequest(r))
		if err == nil {
			err = frankenphp.ServeHTTP(w, to)
		}
		if err != nil {
			http.Error(w, err.Error(), 500)
		}
	}
}

func main() {
	script := os.Args[2]
	threads, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	// One thread serves ordinary requests in any case.
	options := []frankenphp.Option{frankenphp.WithNumThreads(threads + 1)}
	if len(os.Args) > 4 && os.Args[4] == "worker" {
		options = append(options, frankenphp.WithWorkers("worker",
			script, threads))
	}
	if err := frankenphp.Init(options...); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(os.Args[1], serve(script)))
}
