/*
 * Text for people: bytes from files made harmless, numbers made readable.
 * Nothing here knows about traces. Numbers look as in the explorer.
 */
#ifndef CLI_PLAIN_H
#define CLI_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tui/text.h"

/*
 * Writes bytes so that no terminal can be steered by them: control
 * characters, marks that turn the direction of writing, and bytes that are
 * not UTF-8 come out as \xHH. Returns the columns used, a character each.
 */
size_t plain_safe(FILE *f, const char *p, size_t n);
size_t plain_safe_str(FILE *f, const char *s);

/* Room for any of the texts below. */
#define PLAIN_NUMBER TEXT_NUMBER

/* 1234567 as "1,234,567", for reading; returns buf. */
const char *plain_count(char buf[PLAIN_NUMBER], uint64_t n);

/* "1 sample", "2 samples": the count and a noun that takes an s. */
const char *plain_nouns(char buf[PLAIN_NUMBER], uint64_t n, const char *noun);

/* Bytes, in powers of 1000: "292 B", "2.36 MB". */
const char *plain_bytes(char buf[PLAIN_NUMBER], uint64_t n);

/* Microseconds: "12 us", "3.14 s", "2 h 03 m". */
const char *plain_time(char buf[PLAIN_NUMBER], uint64_t us);

/* Sums and products of counts: they stay at the largest number. */
uint64_t plain_add(uint64_t a, uint64_t b);
uint64_t plain_mul(uint64_t a, uint64_t b);

/* A decimal number from 0 to UINT64_MAX and nothing else: 1, or 0. */
int plain_get_u64(const char *s, uint64_t *ret);

/*
 * A time as people type it, into microseconds: digits, perhaps with a
 * fraction, and one of us, ms, s, m, h; seconds when bare. The n bytes at s
 * must be all of it. 1, or 0.
 */
int plain_get_time(const char *s, size_t n, uint64_t *ret);

/* Bytes as people type them, `512`, `64k`, `10M` or `2G`, in powers of 1024.
 * 1, or 0. */
int plain_get_size(const char *s, uint64_t *ret);

/* A share as people type it, `12`, `0.5` or `5%`, as a part of 1: at most 10.
 * 1, or 0. */
int plain_get_percent(const char *s, size_t n, double *ret);

/* Breaks text at spaces into lines of at most `width` columns, each indented
 * by `indent`; a blank line separates paragraphs ("\n" in the text). The
 * first line starts in column `col`, where the caller has left the cursor. */
void plain_wrap(FILE *f, const char *text, size_t col, size_t indent,
    size_t width);

#endif
