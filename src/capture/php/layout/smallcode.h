/*
 * Decodes small functions: those that only return a constant, or the value of a
 * variable. PHP exports some, where the variable itself has no symbol.
 *
 * Knows the code that compilers write for them on x86-64 and aarch64. Nothing
 * is executed. Any other code is SMALLCODE_OTHER.
 */
#ifndef CAPTURE_PHP_LAYOUT_SMALLCODE_H
#define CAPTURE_PHP_LAYOUT_SMALLCODE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of code that are looked at. */
#define SMALLCODE_MAX 32

enum smallcode {
	SMALLCODE_OTHER,
	SMALLCODE_NUMBER, /* it returns *ret */
	SMALLCODE_LOAD    /* it returns the word at the address *ret */
};

/* Decodes the code of a function at the address `at`, for an ELF machine
 * (EM_X86_64, EM_AARCH64). Sets *ret unless it is SMALLCODE_OTHER. */
enum smallcode smallcode_returns(unsigned machine,
    const uint8_t code[SMALLCODE_MAX], uint64_t at, uint64_t *ret);

#endif
