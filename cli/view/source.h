/*
 * The text of source files. A trace may name any file, so only files below
 * directories that the user has named are read (bobbin/source.h). For the
 * server alone: a page that is a file has no text.
 */
#ifndef CLI_VIEW_SOURCE_H
#define CLI_VIEW_SOURCE_H

#include "answers.h"

/* Bytes of a file that are shown. */
#define SOURCE_TEXT (8 << 20)

/*
 * Answers the text of the file that listing.h finds:
 *
 *   text         with `is_cut` if the file is longer than what is shown
 *   why          without a text: the reason
 *   can_name     another --source DIR may help
 *   modified_us  when the file was changed last, unix time
 *   recorded_us  when the recording began, unix time; null: unknown
 *   is_newer     the file was changed after that
 */
answer_fn answer_source;

#endif
