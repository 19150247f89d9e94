/*
 * Where PHP's structures are in a memory image.
 *
 * For a PHP without threads, the image has their addresses: "eg", "sg" and
 * "cg". For a PHP with threads, it has the addresses of resource ids ("eg_id",
 * "sg_id", "cg_id" and "cache_offset") and the thread pointers, which only
 * ptrace gives ("tp0", "tp1", ...). The state of a thread is found from there
 * in the image, as in a process.
 */
#ifndef TOOLS_IMAGE_PHP_H
#define TOOLS_IMAGE_PHP_H

#include <stddef.h>

#include "capture/php/php.h"
#include "image.h"

#define IMAGE_MAX_THREADS 8

/* The facts of a site, but for threads. */
void image_php_set(struct image *image, const struct php_site *site);

/* Adds a thread. */
void image_php_set_thread(struct image *image, uint64_t tp);

/* A site of its own for each thread that runs PHP: how many; 0 also when the
 * version is none that can be read. */
size_t image_php_sites(struct image *image,
    struct php_site ret[static IMAGE_MAX_THREADS]);

#endif
