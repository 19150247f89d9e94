/* The functions that libFuzzer calls. replay_main.c calls the first one, with
 * the files of a corpus. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* A program may have its own mutator, which calls libFuzzer's for most inputs.
 * All others use that of repeat.c. replay_main.c does not call it. */
size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max,
    unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t max)
    __attribute__((weak));

#endif
