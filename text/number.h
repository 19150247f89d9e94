/* Numbers as people read them. The functions write to buf and return it. */
#ifndef TEXT_NUMBER_H
#define TEXT_NUMBER_H

#include <stdint.h>

/* Room for any of them. */
#define NUMBER_TEXT 40

/* 1234567 as "1,234,567". */
const char *number_count(char buf[NUMBER_TEXT], uint64_t n);

/* "1 sample", "2 samples": the count and a noun that takes an s. */
const char *number_nouns(char buf[NUMBER_TEXT], uint64_t n, const char *noun);

/* Bytes, in powers of 1000: "292 B", "2.36 MB". */
const char *number_bytes(char buf[NUMBER_TEXT], uint64_t n);

/* Microseconds: "12 us", "3.14 s", "2 h 03 m". */
const char *number_time(char buf[NUMBER_TEXT], uint64_t us);

/* A share of 1 as "12.3%", padded to six columns. */
const char *number_percent(char buf[NUMBER_TEXT], double share);

#endif
