/*
 * Which characters may be shown. Names, paths and source come from processes
 * and files that nobody trusts: a character of them may steer a terminal, end
 * a line, or turn the text around it. This is the one place that says which;
 * every output of the library and of the command asks it.
 */
#ifndef BOBBIN_CHARS_H
#define BOBBIN_CHARS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_char_kind {
	BOB_CHAR_PLAIN,  /* may be shown */
	BOB_CHAR_HIDDEN, /* nobody sees it: two names that differ look alike */
	BOB_CHAR_ACTS    /* a control character (C0, DEL, C1), a separator of
	                  * lines (U+2028, U+2029), or one that turns text
	                  * (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066
	                  * to U+2069) */
};

/* The kind of a code point. What is none (surrogates, above U+10FFFF) acts. */
BOB_API enum bob_char_kind bob_char_kind(uint32_t c);

/* The character at p, of at most n bytes. Returns its bytes and sets *ret to
 * its code point; 0 when they are no UTF-8, or n is 0. */
BOB_API size_t bob_char_take(const char *p, size_t n, uint32_t *ret);

#ifdef __cplusplus
}
#endif
#endif
