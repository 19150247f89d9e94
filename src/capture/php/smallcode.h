/*
 * What a function of a few instructions returns, for those of PHP that only
 * tell a number, or the content of a variable that has no symbol.
 *
 * x86-64 and aarch64, as compilers write such functions. Nothing is run, and
 * whatever else stands there is no such function.
 */
#ifndef CAPTURE_PHP_SMALLCODE_H
#define CAPTURE_PHP_SMALLCODE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of code that are looked at. */
#define SMALLCODE_MAX 32

enum smallcode {
	SMALLCODE_OTHER,
	SMALLCODE_NUMBER, /* it returns *ret */
	SMALLCODE_LOAD    /* it returns the word at the address *ret */
};

/* `machine` is that of ELF; `at` is the address of the first byte. */
enum smallcode smallcode_returns(unsigned machine,
    const uint8_t code[SMALLCODE_MAX], uint64_t at, uint64_t *ret);

#endif
