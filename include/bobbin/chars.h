/*
 * Which characters are safe to print. Names, paths and source come from
 * untrusted processes and files. A character in them may control a terminal,
 * end a line, or reverse the text around it. Every output of the library and
 * of the command decides by these functions.
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
	BOB_CHAR_PLAIN,  /* safe to print */
	BOB_CHAR_HIDDEN, /* invisible: two different names may look alike */
	BOB_CHAR_ACTS    /* a control character (C0, DEL, C1), a line separator
	                  * (U+2028, U+2029), or one that changes the direction
	                  * of text (U+061C, U+200E, U+200F, U+202A to U+202E,
	                  * U+2066 to U+2069) */
};

/* Returns the kind of a code point. A number that is no code point (a
 * surrogate, above U+10FFFF) is BOB_CHAR_ACTS. */
BOB_API enum bob_char_kind bob_char_kind(uint32_t c);

/* Decodes the UTF-8 character at p; n bytes are there. Returns its length and
 * sets *ret to its code point; 0 if n is 0 or the bytes are no UTF-8. */
BOB_API size_t bob_char_take(const char *p, size_t n, uint32_t *ret);

/* The most bytes that bob_char_json writes. */
#define BOB_CHAR_JSON 6

/*
 * Writes the character at p, of n bytes (at least 1), as it stands between the
 * quotes of a JSON string. Returns the bytes written and sets *taken to the
 * bytes of p that were used.
 *
 * Characters that act and < > & are written \uXXXX, so that the result may
 * stand in a script or an attribute of HTML. A quote, a backslash, a newline
 * and a tab get a backslash. What is not UTF-8 becomes U+FFFD, once for each
 * maximal part of a character.
 */
BOB_API size_t bob_char_json(char to[BOB_CHAR_JSON], const char *p, size_t n,
    size_t *taken);

#ifdef __cplusplus
}
#endif
#endif
