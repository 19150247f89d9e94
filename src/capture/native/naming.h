/*
 * Names of C frames: the symbol of its module that covers an address, or for
 * code of a JIT the entry of the process's perf map.
 *
 * No file is read here, but in threads (modules/loading.h). If a name needs a
 * file that is not read yet, it is left out and space.is_loading is set. A name
 * of code that may change is used for a second; then the map is read again, and
 * the name is used until that is done.
 */
#ifndef CAPTURE_NATIVE_NAMING_H
#define CAPTURE_NATIVE_NAMING_H

#include "capture/native/native.h"

/* Names the frames that were unwound. Returns BOB_OK or FATAL. */
int naming_frames(struct native *n);

#endif
