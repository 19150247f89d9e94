/*
 * What machine code is called: the symbol of its module that covers it, or what
 * the map of the process says of code that was made at run time.
 *
 * Neither is read here (loading.h). A name that takes a file which is not there
 * yet is left out, and space.is_loading is set. A name of code that may change
 * is good for a second, and until the look at the map behind that has ended.
 */
#ifndef CAPTURE_NATIVE_NAMING_H
#define CAPTURE_NATIVE_NAMING_H

#include "capture/native/native.h"

/* Names the frames that were unwound. BOB_OK or FATAL. */
int naming_frames(struct native *n);

#endif
