/* What libFuzzer calls, or replay_main.c with the files of a corpus. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* What a program may have instead of libFuzzer's own way to change an input,
 * which it calls for most of them; that of repeat.c otherwise. Not called by
 * replay_main.c. */
size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max,
    unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t max)
    __attribute__((weak));

#endif
