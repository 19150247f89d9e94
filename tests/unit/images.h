/*
 * Images of memory (tools/image.h), sampled as processes are, and compared
 * with the text beside them: NAME.img has the samples of NAME.txt.
 */
#ifndef UNIT_IMAGES_H
#define UNIT_IMAGES_H

#include <stdio.h>

#include "../../tools/image.h"
#include "../../tools/image_print.h"

/* A process whose memory is an image, and what was read of it. */
struct play {
	struct process p;
	FILE *f;
	char *text;
	size_t n_text;
};

void play_begin(struct play *play, const struct mem *mem, int pid);

/* Samples what a runtime has opened in play->p, and detaches it. */
void play_sample(struct play *play, const struct runtime *runtime,
    void *state);

/* What play_sample has printed; the caller frees it. */
char *play_end(struct play *play);

/* Fails unless `text_of` says of each image in a folder what the text beside
 * it says, or NULL: it cannot be read here. Returns how many there were. */
size_t images_compare(const char *folder,
    char *(*text_of)(struct image *image));

#endif
