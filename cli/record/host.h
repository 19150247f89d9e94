/* A recording that another command starts and looks at, as `view` does. */
#ifndef CLI_RECORD_HOST_H
#define CLI_RECORD_HOST_H

#include "args/args.h"

struct record_host {
	int begun_fd;     /* gets a byte when the file has begun */
	int is_temporary; /* the host removes the file, so its name is of no
	                   * use to anybody */
};

/* As cmd_record. Without a progress line: the host shows that. */
int record_for(const struct args *args, const struct record_host *host);

#endif
