/* A build without the compiler for the engine of pages: no template. */
#include "format/page/page.h"

static const uint8_t nothing[1];

const struct asset_part page_asset[] = { { nothing, 0, NULL } };
